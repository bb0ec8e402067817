/*
 * stats.h - is one side slower than the other, and how sure is that?
 *
 * For `compare`.  Paired: two sides' values of the same slots; the difference
 * is the median of a - b.  Unpaired (before and after a change): the
 * difference of the two medians.  Each with a 95 % interval by a moving-block
 * bootstrap (bootstrap.h: neighbouring 20 s samples are not independent), a
 * Mann-Whitney test with tie correction, and P(a > b) as effect size.
 *
 * A difference is shown when the interval excludes zero and the difference is
 * at least 0.5 ms and 5 % of the smaller median: with enough samples anything
 * is "significant", but not worth a ticket.
 *
 * The work comes in steps of a few milliseconds, for the loop.  The same input
 * gives the same result: random numbers start from a constant.  Pure; any
 * thread.
 */
#ifndef DSLAT_STATS_H
#define DSLAT_STATS_H

#include "dslat/base.h"

#define STATS_RESAMPLES 2000
#define STATS_LEAST_PAIRS 30 /* fewer decide nothing; of each side, unpaired */
#define STATS_LEAST_MS 0.5
#define STATS_LEAST_PART 0.05 /* of the smaller median */

/* Slots are consecutive numbers of samples: of 20 s, or of 5 min bins. */
struct stats_pair {
	int64_t slot;
	double a_ms, b_ms;
};
struct stats_point {
	int64_t slot;
	double ms;
};

enum verdict {
	VERDICT_TOO_FEW,
	VERDICT_NONE, /* no difference shown */
	VERDICT_A_SLOWER,
	VERDICT_B_SLOWER,
};
const char *verdict_name(enum verdict v); /* "too_few", "none", "a_slower" */

struct stats_range {
	double low_ms, high_ms;
};

/* NaN: what cannot be said of so few; the interval below
 * STATS_LEAST_PAIRS, medians and what follows from them of nothing. */
struct stats_result {
	bool paired;
	size_t a_n, b_n; /* the same when paired */
	double a_median_ms, b_median_ms, a_mean_ms, b_mean_ms;
	double ratio;             /* of the medians, a / b; NaN when b is 0 */
	double difference_ms;     /* paired: median of a - b */
	struct stats_range range; /* 95 % interval of it */
	double p;                 /* Mann-Whitney, two-sided, normal, ties */
	double u;                 /* of a */
	double effect;            /* P(a > b) + P(a = b) / 2 */
	double least_ms;          /* what would count: max(0.5 ms, 5 %) */
	enum verdict verdict;
};

/* Both by ascending slot; the values are copied. */
struct stats;
struct stats *stats_paired(const struct stats_pair *pairs, size_t n) must_check;
struct stats *stats_unpaired(const struct stats_point *a, size_t a_n,
			     const struct stats_point *b, size_t b_n)
	must_check;
/* Some milliseconds of work; true when all is done. */
bool stats_step(struct stats *s);
struct stats_result stats_result(const struct stats *s);
void stats_free(struct stats **s);

/* The pieces, for tests against other programs. */
void stats_mann_whitney(const double *a, size_t a_n, const double *b,
			size_t b_n, double *u_r, double *p_r);
/* Interval of the median of one series of STATS_LEAST_PAIRS or more. */
struct stats_range stats_block_bootstrap(const struct stats_point *points,
					 size_t n) must_check;

#endif
