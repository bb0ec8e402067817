/*
 * query_private.h - the sums behind a struct merged, for query.c and depth.c.
 *
 * Start, add what each pair has in the slot, end.  Loop thread.
 */
#ifndef DSLAT_QUERY_PRIVATE_H
#define DSLAT_QUERY_PRIVATE_H

#include "dslat/depth.h"

struct sums {
	struct merged m;
	int64_t weighted_us, weight;
};

void sums_start(struct sums *s);
/* What the pair did; worst_us is the worst of what pt.us is the mean of. */
void sums_add_point(struct sums *s, const struct pair *p,
		    const struct point *pt, int64_t worst_us);
struct merged sums_end(struct sums *s);

/* One layer of the pair's latency instead of the whole. */
void sums_add_layer(struct sums *s, const struct pair *p, int64_t slot,
		    enum layer l, enum op op);

#endif
