/*
 * luns.h - whether and how a host is asked for the latency of its LUNs.
 *
 * Device, kernel and queue time (dslat/depth.h) come with the samples, in the
 * same request, from hosts that have a datastore with extents.  All instances
 * are asked, unless the host turns out to have many LUNs that no datastore
 * claims: then its own by name.  I/Os are asked only where a datastore has
 * several extents to weigh.
 *
 * They are worth nothing without the samples, so a host that is in trouble is
 * not asked, and one whose request goes through without them is left alone for
 * a while, ever longer; if no host of the target has ever answered, so are all
 * the others: it is the server that refuses.  Plain data; no I/O.
 */
#ifndef DSLAT_LUNS_H
#define DSLAT_LUNS_H

#include "dslat/model.h"

#include "perf.h"

struct luns_rest {
	unsigned refusals; /* in a row */
	mono_t until;      /* not asked before */
};

/* Of a target... */
struct luns {
	bool seen; /* a host has given values */
	struct luns_rest rest;
};
/* ...and of one of its hosts. */
struct luns_host {
	size_t n_known;   /* series of an answer that a datastore claims... */
	size_t n_strange; /* ...and that none does */
	size_t strangers; /* LUNs nobody claims, by the last answer of all */
	bool by_name;     /* how it was asked last */
	struct luns_rest rest;
};

bool luns_wanted(const struct luns *l, const struct luns_host *lh,
		 const struct host *h, const struct counters *c, mono_t now);

/* Complete the host's part of a request; luns_asked() when it is written. */
void luns_ask(struct luns_host *lh, const struct host *h, struct perf_query *q);
void luns_asked(struct perf_query *q);

/* A series of a LUN came; the host's answer is complete. */
void luns_series(struct luns_host *lh, bool is_known);
void luns_answered(struct luns *l, struct luns_host *lh,
		   const struct counters *c);
/* It failed with them and works without.  True: for the whole target. */
bool luns_refused(struct luns *l, struct luns_host *lh, mono_t now);

/* What they may add to schedule_elements(). */
size_t luns_elements(const struct luns_host *lh, const struct host *h,
		     const struct counters *c, size_t n_samples);

#endif
