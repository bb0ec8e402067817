/*
 * send.h - one attempt to deliver one message.
 *
 * An attempt renders the message at once, so the message may go when
 * attempt_start() returns, and then talks to the receiver on the loop, never
 * blocking.  done comes exactly once, later, unless the attempt was cancelled.
 * What each type does is a row of send_types[].  The loop thread.
 */
#ifndef DSLAT_SEND_H
#define DSLAT_SEND_H

#include "dslat/conf.h"
#include "dslat/loop.h"
#include "message.h"

struct send_result {
	struct err err;         /* code ERR_NONE: it was taken */
	bool is_refused;        /* trying again soon makes no sense */
	int64_t retry_after_us; /* as the other side asked; 0: it did not */
};

/* What attempts use; borrowed, and outlives them. */
struct send_means {
	struct loop *loop;
	struct resolver *resolver;
};

struct attempt;
typedef void (*send_done_fn)(void *arg, const struct send_result *r);
/* c must outlive the attempt. */
struct attempt *attempt_start(const struct send_means *by,
			      const struct conf_notify *c,
			      const struct message *m, send_done_fn done,
			      void *arg) must_check;
/* No call of done comes after this. */
void attempt_cancel(struct attempt **a);

/* ---- for the types ------------------------------------------------------- */

struct send_type {
	/* Begin; what it returns is given to stop().  NULL: e says why not. */
	void *(*start)(struct attempt *a, const struct message *m,
		       struct err *e);
	/* End what is under way and free; also after attempt_finish(). */
	void (*stop)(void *state);
	/* timeout_s is enforced here, with this text for "%s: no answer in
	 * time"; NULL: the type does it itself. */
	const char *late;
};
extern const struct send_type send_http, send_smtp, send_exec, send_syslog;

struct loop *attempt_loop(const struct attempt *a);
struct resolver *attempt_resolver(const struct attempt *a);
const struct conf_notify *attempt_conf(const struct attempt *a);
/* It is over: calls stop() and done.  Not from inside start(). */
void attempt_finish(struct attempt *a, const struct send_result *r);

#endif
