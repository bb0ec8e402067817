#include "dslat/stats.h"

#include <math.h>
#include <stdlib.h>

#include "bootstrap.h"
#include "dslat/mem.h"

/* Draws of a step: some ms, also when the windows are not in any cache. */
#define DRAWS_PER_STEP 200000

struct values {
	double *ms;
	size_t n;
	bool sorted;
};

struct stats {
	bool paired;
	struct values a, b;
	struct stats_point *points[2]; /* unpaired: a and b; paired: a - b */
	size_t n_points[2];
	struct boot *boot[2];
	uint64_t random;
	double *medians; /* of the resamples */
	size_t n_medians;
	bool tested, done;
	struct stats_result r;
};

const char *
verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_TOO_FEW] = "too_few",
		[VERDICT_NONE] = "none",
		[VERDICT_A_SLOWER] = "a_slower",
		[VERDICT_B_SLOWER] = "b_slower",
	};

	assert((size_t)v < ARRAY_SIZE(names));
	return names[v];
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
sort(double *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), by_value);
}

static double
sorted_median(const double *v, size_t n)
{
	return n == 0 ? (double)NAN : (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static double
mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n == 0 ? (double)NAN : sum / (double)n;
}

/* ---- Mann-Whitney ------------------------------------------------------- */

/* Rank sum of a, and the sum of t^3 - t over groups of t equal values. */
static double
rank_sum(const struct values *a, const struct values *b, double *ties_r)
{
	double sum = 0, ties = 0;
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		size_t i0 = i, j0 = j;
		double v, t;

		if (i == a->n || (j < b->n && b->ms[j] < a->ms[i]))
			v = b->ms[j];
		else
			v = a->ms[i];
		while (i < a->n && a->ms[i] <= v)
			i++;
		while (j < b->n && b->ms[j] <= v)
			j++;
		t = (double)(i - i0 + j - j0);
		ties += t * t * t - t;
		/* ranks i0 + j0 + 1 ... i + j, shared */
		sum += (double)(i - i0) * ((double)(i0 + j0 + 1 + i + j) / 2);
	}
	*ties_r = ties;
	return sum;
}

/* Both sorted.  Normal approximation with correction for ties and continuity,
 * as R's wilcox.test(exact = FALSE) and scipy's mannwhitneyu("asymptotic"). */
static void
mann_whitney(const struct values *a, const struct values *b, double *u_r,
	     double *p_r)
{
	double na = (double)a->n, nb = (double)b->n, n = na + nb;
	double ties, u, sd, z;

	*u_r = *p_r = (double)NAN;
	if (a->n == 0 || b->n == 0)
		return;
	u = rank_sum(a, b, &ties) - na * (na + 1) / 2;
	*u_r = u;
	sd = sqrt(na * nb / 12 * (n + 1 - ties / (n * (n - 1))));
	if (!(sd > 0)) { /* all values are the same */
		*p_r = 1;
		return;
	}
	z = (fabs(u - na * nb / 2) - 0.5) / sd;
	*p_r = fmin(1, erfc(z / sqrt(2)));
}

static struct values
values_copy(const double *v, size_t n)
{
	struct values c = { xcalloc(n + 1, sizeof(*c.ms)), n, false };

	for (size_t i = 0; i < n; i++)
		c.ms[i] = v[i];
	return c;
}

void
stats_mann_whitney(const double *a, size_t a_n, const double *b, size_t b_n,
		   double *u_r, double *p_r)
{
	struct values va = values_copy(a, a_n), vb = values_copy(b, b_n);

	sort(va.ms, va.n);
	sort(vb.ms, vb.n);
	mann_whitney(&va, &vb, u_r, p_r);
	free(va.ms);
	free(vb.ms);
}

/* ---- the interval ------------------------------------------------------- */

/* Between the two nearest, as numpy and R do it by default. */
static double
quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

/*
 * Student's t at 97.5 % over the normal's 1.96 (Cornish-Fisher; within 1 %
 * from 3 degrees of freedom on), and the bias of a variance from few blocks:
 * half an hour is no more than six of them, and percentiles alone would cover
 * the truth in 85 % of cases instead of 95 %.
 */
static double
widening(double blocks)
{
	double z2 = 1.959964 * 1.959964, df = blocks - 1;
	double t = 1 + (z2 + 1) / (4 * df) +
		((5 * z2 + 16) * z2 + 3) / (96 * df * df) +
		(((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * df * df * df);

	return t * sqrt(blocks / df);
}

static void
interval(double *medians, double middle, double blocks, struct stats_range *r)
{
	double wide = widening(blocks);

	sort(medians, STATS_RESAMPLES);
	r->low_ms = middle -
		wide * (middle - quantile(medians, STATS_RESAMPLES, 0.025));
	r->high_ms = middle +
		wide * (quantile(medians, STATS_RESAMPLES, 0.975) - middle);
}

struct stats_range
stats_block_bootstrap(const struct stats_point *points, size_t n)
{
	double *medians = xcalloc(STATS_RESAMPLES, sizeof(*medians));
	struct boot *b = boot_new(points, n);
	uint64_t random = BOOT_SEED;
	struct stats_range r;

	assert(n >= STATS_LEAST_PAIRS);
	for (size_t i = 0; i < STATS_RESAMPLES; i++)
		medians[i] = boot_resample(b, &random);
	interval(medians, boot_median(b), boot_blocks(b), &r);
	free(medians);
	boot_free(&b);
	return r;
}

/* ---- all of it, in steps ------------------------------------------------ */

static struct stats *
stats_new(bool paired, size_t a_n, size_t b_n)
{
	struct stats *s = xcalloc(1, sizeof(*s));

	s->paired = paired;
	s->random = BOOT_SEED;
	s->medians = xcalloc(STATS_RESAMPLES, sizeof(*s->medians));
	s->a = (struct values){ xcalloc(a_n + 1, sizeof(double)), a_n, false };
	s->b = (struct values){ xcalloc(b_n + 1, sizeof(double)), b_n, false };
	s->n_points[0] = a_n;
	s->n_points[1] = paired ? 0 : b_n;
	for (size_t i = 0; i < 2; i++)
		s->points[i] =
			xcalloc(s->n_points[i] + 1, sizeof(struct stats_point));
	s->r = (struct stats_result){
		.paired = paired,
		.a_n = a_n,
		.b_n = b_n,
		.ratio = (double)NAN,
		.difference_ms = (double)NAN,
		.range = { (double)NAN, (double)NAN },
		.effect = (double)NAN,
		.least_ms = STATS_LEAST_MS,
		.verdict = VERDICT_TOO_FEW,
	};
	return s;
}

struct stats *
stats_paired(const struct stats_pair *pairs, size_t n)
{
	struct stats *s = stats_new(true, n, n);

	for (size_t i = 0; i < n; i++) {
		s->a.ms[i] = pairs[i].a_ms;
		s->b.ms[i] = pairs[i].b_ms;
		s->points[0][i] =
			(struct stats_point){ pairs[i].slot,
					      pairs[i].a_ms - pairs[i].b_ms };
	}
	return s;
}

struct stats *
stats_unpaired(const struct stats_point *a, size_t a_n,
	       const struct stats_point *b, size_t b_n)
{
	struct stats *s = stats_new(false, a_n, b_n);

	for (size_t i = 0; i < a_n; i++) {
		s->a.ms[i] = a[i].ms;
		s->points[0][i] = a[i];
	}
	for (size_t i = 0; i < b_n; i++) {
		s->b.ms[i] = b[i].ms;
		s->points[1][i] = b[i];
	}
	return s;
}

void
stats_free(struct stats **sp)
{
	struct stats *s = *sp;

	if (s == NULL)
		return;
	for (size_t i = 0; i < 2; i++) {
		free(s->points[i]);
		boot_free(&s->boot[i]);
	}
	free(s->a.ms);
	free(s->b.ms);
	free(s->medians);
	free(s);
	*sp = NULL;
}

static void
test(struct stats *s)
{
	struct stats_result *r = &s->r;

	r->a_mean_ms = mean(s->a.ms, s->a.n);
	r->b_mean_ms = mean(s->b.ms, s->b.n);
	r->a_median_ms = sorted_median(s->a.ms, s->a.n);
	r->b_median_ms = sorted_median(s->b.ms, s->b.n);
	mann_whitney(&s->a, &s->b, &r->u, &r->p);
	if (s->a.n != 0 && s->b.n != 0) {
		r->effect = r->u / (double)s->a.n / (double)s->b.n;
		r->least_ms =
			fmax(STATS_LEAST_MS,
			     STATS_LEAST_PART *
				     fmin(r->a_median_ms, r->b_median_ms));
	}
	if (r->b_median_ms > 0)
		r->ratio = r->a_median_ms / r->b_median_ms;
}

static bool
start_boot(struct stats *s)
{
	for (size_t i = 0; i < 2; i++) {
		if (s->boot[i] != NULL || s->n_points[i] == 0)
			continue;
		s->boot[i] = boot_new(s->points[i], s->n_points[i]);
		return true;
	}
	return false;
}

static void
decide(struct stats *s)
{
	struct stats_result *r = &s->r;
	double blocks = boot_blocks(s->boot[0]);

	if (s->boot[1] != NULL)
		blocks = fmin(blocks, boot_blocks(s->boot[1]));
	interval(s->medians, r->difference_ms, blocks, &r->range);
	r->verdict = VERDICT_NONE;
	if (fabs(r->difference_ms) < r->least_ms)
		return;
	if (r->range.low_ms > 0)
		r->verdict = VERDICT_A_SLOWER;
	else if (r->range.high_ms < 0)
		r->verdict = VERDICT_B_SLOWER;
}

static bool
resample(struct stats *s)
{
	double draws = boot_blocks(s->boot[0]);
	size_t n;

	if (s->boot[1] != NULL)
		draws += boot_blocks(s->boot[1]);
	n = (size_t)(DRAWS_PER_STEP / draws) + 1;
	for (; n > 0 && s->n_medians < STATS_RESAMPLES; n--) {
		double m = boot_resample(s->boot[0], &s->random);

		if (s->boot[1] != NULL)
			m -= boot_resample(s->boot[1], &s->random);
		s->medians[s->n_medians++] = m;
	}
	return s->n_medians == STATS_RESAMPLES;
}

static bool
sort_one(struct values *v)
{
	if (v->sorted)
		return false;
	sort(v->ms, v->n);
	v->sorted = true;
	return true;
}

bool
stats_step(struct stats *s)
{
	if (s->done || sort_one(&s->a) || sort_one(&s->b))
		return s->done;
	if (!s->tested) {
		test(s);
		s->tested = true;
		s->done = s->a.n == 0 || s->b.n == 0;
	} else if (!start_boot(s)) {
		s->r.difference_ms = boot_median(s->boot[0]) -
			(s->boot[1] != NULL ? boot_median(s->boot[1]) : 0);
		if (MIN(s->a.n, s->b.n) < STATS_LEAST_PAIRS) {
			s->done = true;
		} else if (resample(s)) {
			decide(s);
			s->done = true;
		}
	}
	return s->done;
}

struct stats_result
stats_result(const struct stats *s)
{
	return s->r;
}
