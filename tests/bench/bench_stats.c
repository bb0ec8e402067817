/*
 * bench_stats.c - what a comparison of 30 days costs beside sorting its data.
 *
 * 130,000 pairs of 20 s samples with log-normal latencies go through
 * stats_step() until done; the same differences through qsort().  User+system
 * CPU time, best of some rounds; the ratio is the figure.  Exits 1 when the
 * ratio is above the limit or a step is long enough to hold up the loop.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "dslat/mem.h"
#include "dslat/stats.h"

#define PAIRS 130000
#define ROUNDS 3
#define MAX_RATIO 60      /* 20 to 25 measured */
#define MAX_STEP_US 50000 /* what the loop counts as a stall */

static int64_t
cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
		u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static double
normal(uint64_t *seed)
{
	double u[2];

	for (size_t i = 0; i < 2; i++) {
		*seed = *seed * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		u[i] = ((double)(*seed >> 11) + 0.5) / (double)(1ull << 53);
	}
	return sqrt(-2 * log(u[0])) * cos(2 * M_PI * u[1]);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int64_t
sort_us(const struct stats_pair *pairs)
{
	double *v = xcalloc(PAIRS, sizeof(*v));
	int64_t t;

	for (size_t i = 0; i < PAIRS; i++)
		v[i] = pairs[i].a_ms - pairs[i].b_ms;
	t = cpu_us();
	qsort(v, PAIRS, sizeof(*v), by_value);
	t = cpu_us() - t;
	free(v);
	return t;
}

static int64_t
compare_us(const struct stats_pair *pairs, int64_t *step_us_r)
{
	struct stats *s = stats_paired(pairs, PAIRS);
	int64_t total = 0, t;
	bool done;

	*step_us_r = 0;
	do {
		t = cpu_us();
		done = stats_step(s);
		t = cpu_us() - t;
		*step_us_r = MAX(*step_us_r, t);
		total += t;
	} while (!done);
	stats_free(&s);
	return total;
}

int
main(void)
{
	struct stats_pair *pairs = xcalloc(PAIRS, sizeof(*pairs));
	int64_t sort = INT64_MAX, ours = INT64_MAX, step = INT64_MAX, t;
	uint64_t seed = 1;
	double ratio;

	for (size_t i = 0; i < PAIRS; i++)
		pairs[i] = (struct stats_pair){
			(int64_t)i,
			exp(1.5 + normal(&seed)),
			exp(1.6 + normal(&seed)),
		};
	for (int i = 0; i < ROUNDS; i++) {
		t = sort_us(pairs);
		sort = MIN(sort, t);
		ours = MIN(ours, compare_us(pairs, &t));
		step = MIN(step, t);
	}
	free(pairs);
	ratio = (double)ours / (double)sort;
	printf("compare: %d pairs: qsort %.1f ms, compare %.1f ms, ratio %.1f "
	       "(limit %d), longest step %.1f ms\n",
	       PAIRS, (double)sort / 1e3, (double)ours / 1e3, ratio, MAX_RATIO,
	       (double)step / 1e3);
	return ratio <= MAX_RATIO && step <= MAX_STEP_US ? 0 : 1;
}
