/*
 * stats.h - is one side slower than the other, and how sure is that?
 *
 * For `compare`: samples of two sides paired by slot where both carry I/O.
 * The difference of medians of the pairs with a 95 % interval by a moving-block
 * bootstrap (neighbouring 20 s samples are not independent), a Mann-Whitney
 * test with tie correction, and P(A > B) as effect size.  The same input gives
 * the same result: the random numbers start from a constant.  Pure, no heap
 * beyond its scratch; any thread.
 */
#ifndef DSLAT_STATS_H
#define DSLAT_STATS_H

#include "dslat/base.h"

#define STATS_BLOCK_SLOTS 15 /* 5 minutes */
#define STATS_RESAMPLES 2000
#define STATS_LEAST_PAIRS 30 /* fewer decide nothing */

struct stats_pair {
	int64_t slot;
	double a_ms, b_ms;
};

enum verdict {
	VERDICT_TOO_FEW,
	VERDICT_NONE, /* no difference shown */
	VERDICT_A_SLOWER,
	VERDICT_B_SLOWER,
};
const char *verdict_name(enum verdict v);

struct stats_result {
	size_t n;
	double a_median_ms, b_median_ms, a_mean_ms, b_mean_ms;
	double ratio;           /* of the medians, a / b; NaN when b is 0 */
	double difference_ms;   /* median of a - b */
	double low_ms, high_ms; /* 95 % interval of it */
	double p;               /* Mann-Whitney, two-sided, normal, ties */
	double u;               /* of a */
	double effect;          /* P(a > b) + P(a = b) / 2 */
	double least_ms;        /* what would count: max(0.5 ms, 5 %) */
	enum verdict verdict;
};

/* Pairs by ascending slot. */
struct stats_result stats_compare(const struct stats_pair *pairs, size_t n);
/* The pieces, for tests against other programs. */
void stats_mann_whitney(const double *a, size_t n_a, const double *b,
			size_t n_b, double *u_r, double *p_r);
void stats_block_bootstrap(const double *values, const int64_t *slots, size_t n,
			   double *low_r, double *high_r);

#endif
