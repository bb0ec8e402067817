/*
 * lookup.h - a request's question to the store.
 *
 * The request is parked meanwhile; its job's step is called again when the
 * answer is there.  What is asked and what is answered is one object of the
 * caller's, which the reader thread works on piece by piece: nobody else may
 * touch it until the lookup is done.  The loop thread, but for ops.step.
 */
#ifndef DSLAT_LOOKUP_H
#define DSLAT_LOOKUP_H

#include "dslat/history.h"
#include "web/http.h"

struct lookup;

struct lookup_ops {
	/* Reader thread: 1 done, 0 call again, -1 error. */
	int (*step)(void *arg, struct history *h, struct err *e);
	void (*free)(void *arg);
};

/* Owns arg from here on: it is freed when both the caller and the reader are
 * through with it. */
struct lookup *lookup_new(struct store *s, struct request *rq,
			  const struct lookup_ops *ops, void *arg) must_check;
/* At any time: what runs is cancelled. */
void lookup_free(struct lookup **l);

/* One that is done, and did not fail, goes on: its step is called again, the
 * request parked. */
void lookup_again(struct lookup *l);

bool lookup_is_done(const struct lookup *l);
/* Of a done one: why there is no answer, or not all of it; NULL: it is whole.
 * failed_r: there is none.  Borrowed. */
const char *lookup_trouble(const struct lookup *l, bool *failed_r);

#endif
