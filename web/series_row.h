/*
 * series_row.h - one datastore, or one host of it, over time.
 *
 * The newest slots from the rings, the older ones from the store, in the same
 * rolls.  Where the store does not answer, everything comes from the rings, and
 * trouble says why the rest is missing.  What left the inventory is looked for
 * in the store.  The loop thread.
 */
#ifndef DSLAT_SERIES_ROW_H
#define DSLAT_SERIES_ROW_H

#include "web/api.h"
#include "web/lookup.h"

struct series_row {
	const char *datastore_id, *host_id; /* borrowed; host NULL: all */
	char *datastore_name, *host_name;
	struct roll *rolls; /* span->n_bins, once it is ready; borrowed */
	char *trouble;      /* why it is not whole, or NULL */
	/* Private. */
	struct series_read *read;
	struct lookup *lookup; /* owns read once there is one */
	int64_t rings_from;
};

/* Begins with a row whose ids are set and all else is zero.  The request may be
 * parked. */
void series_row_begin(struct series_row *r, struct web *w, struct request *rq,
		      const struct span *span);
/* 1: it is ready.  0: not yet.  -1: the reply is filled, there is no such
 * thing. */
int series_row_step(struct series_row *r, struct web *w, struct request *rq)
	must_check;
/* Empty again, for other ids. */
void series_row_end(struct series_row *r);

/* Both are in the inventory, and the host mounts the datastore (or did lately);
 * else a reply says what is wrong: -1. */
int series_row_check(const struct web *w, struct request *rq,
		     const char *datastore_id, const char *host_id) must_check;

#endif
