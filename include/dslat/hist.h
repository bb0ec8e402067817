/*
 * hist.h - log-linear histogram of latencies, for percentiles of any span.
 *
 * Values are microseconds.  Below 32 us each value has its own bucket; above,
 * every power of two is cut in 32 (relative error at most 3.2 %).
 * Histograms of parts merge into the histogram of the whole; percentiles are
 * taken from the merged one, never averaged.  Fixed size, no heap; pure.
 */
#ifndef DSLAT_HIST_H
#define DSLAT_HIST_H

#include "dslat/base.h"

#define HIST_BUCKETS 832 /* up to 2^30 us = 1,073 s, above SAMPLE_MAX_US */

struct hist {
	uint64_t n;
	uint64_t count[HIST_BUCKETS];
};

void hist_add(struct hist *h, int64_t us, uint64_t times);
void hist_merge(struct hist *into, const struct hist *from);

/*
 * The smallest value v (us) such that at least q of the samples are <= v, as
 * the upper edge of its bucket but never above the largest value known to the
 * caller (max_us).  q in (0, 1].  -1 when empty.
 */
int64_t hist_quantile_us(const struct hist *h, double q, int64_t max_us);

/* How many samples are us or more, to the bucket that us is in. */
uint64_t hist_at_least(const struct hist *h, int64_t us);

/* Bucket of a value, and the largest value of a bucket (us); for tests. */
size_t hist_bucket(int64_t us);
int64_t hist_upper_us(size_t bucket);

#endif
