#include <math.h>
#include <stdlib.h>

#include "compare_parts.h"
#include "dslat/mem.h"
#include "dslat/units.h"

static double
value_ms(const struct sum *s)
{
	return us_to_ms(s->sum_us) / (double)s->weight;
}

static bool
is_whole(double ms)
{
	return fabs(ms - nearbyint(ms)) < 1e-9;
}

/* What a line has at an index, or NULL. */
static const struct sum *
line_get(const struct line *l, int64_t i)
{
	if (i < l->first || i - l->first >= (int64_t)l->n ||
	    l->sums[i - l->first].weight == 0)
		return NULL;
	return &l->sums[i - l->first];
}

static size_t
line_count(const struct line *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->sums[i].weight != 0;
	return n;
}

/* I/Os per second of the slots compared: the whole, and halves of n. */
static void
add_load(struct compare_figures *f, const struct compare *c,
	 const struct sum *sum, size_t i, size_t n)
{
	double iops = (double)sum->weight / (double)(SLOT_S * c->step_slots);
	size_t half = n / 2;

	f->iops += iops / (double)n;
	if (i < half)
		f->half_iops[0] += iops / (double)half;
	else
		f->half_iops[1] += iops / (double)(n - half);
}

/* By time; the array is the caller's. */
static struct stats_pair *
find_pairs(struct compare *c, enum op op, size_t *n_r)
{
	const struct line *a = &c->part[COMPARE_A].lines[op];
	const struct line *b = &c->part[COMPARE_B].lines[op];
	struct stats_pair *pairs = NULL;
	size_t n = 0;

	for (int64_t i = a->first; i < a->first + (int64_t)a->n; i++) {
		const struct sum *x = line_get(a, i), *y = line_get(b, i);

		if (x == NULL || y == NULL)
			continue;
		pairs = xgrow(pairs, n, sizeof(*pairs));
		pairs[n++] = (struct stats_pair){ i, value_ms(x), value_ms(y) };
	}
	*n_r = n;
	return pairs;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_difference(const struct stats_pair *pairs, size_t n)
{
	double *v, m;

	if (n < STATS_LEAST_PAIRS)
		return (double)NAN;
	v = xcalloc(n, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		v[i] = pairs[i].a_ms - pairs[i].b_ms;
	qsort(v, n, sizeof(*v), by_value);
	m = (v[(n - 1) / 2] + v[n / 2]) / 2;
	free(v);
	return m;
}

static double
same_side_ratio(const struct compare *c, double middle_ms)
{
	const struct stats_pair *pairs = c->pairs;
	size_t same = 0, all = 0;
	double before = 0;

	assert(pairs != NULL || c->n_pairs == 0);
	for (size_t i = 0; i < c->n_pairs; i++) {
		double v = pairs[i].a_ms - pairs[i].b_ms - middle_ms;

		if (i != 0 && pairs[i].slot == pairs[i - 1].slot + 1 &&
		    v * before != 0) {
			all++;
			same += v * before > 0;
		}
		before = v;
	}
	return all < STATS_LEAST_PAIRS ? (double)NAN
				       : (double)same / (double)all;
}

static void
start_paired(struct compare *c, enum op op)
{
	struct compare_op *r = &c->op[op];
	const struct stats_pair *pairs;
	size_t n;

	c->pairs = find_pairs(c, op, &n);
	c->n_pairs = n;
	c->n_halves = 0;
	pairs = c->pairs;
	for (size_t i = 0; i < n; i++) {
		for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
			add_load(&r->side[s], c,
				 line_get(&c->part[s].lines[op], pairs[i].slot),
				 i, n);
		r->whole_ms &=
			is_whole(pairs[i].a_ms) && is_whole(pairs[i].b_ms);
	}
	c->stats[op] = stats_paired(pairs, n);
}

/* The differences of the halves: one per call, each has to be sorted. */
static bool
do_half(struct compare *c, enum op op)
{
	size_t half = c->n_pairs / 2;

	if (c->n_halves == 2)
		return false;
	c->op[op].half_difference_ms[c->n_halves] = c->n_halves == 0
		? median_difference(c->pairs, half)
		: median_difference(c->pairs + half, c->n_pairs - half);
	c->n_halves++;
	return true;
}

static void
end_paired(struct compare *c, enum op op)
{
	struct compare_op *r = &c->op[op];

	r->same_side_ratio = same_side_ratio(c, r->stats.difference_ms);
	free(c->pairs);
	c->pairs = NULL;
}

static struct stats_point *
find_points(struct compare *c, enum compare_side s, enum op op, size_t n)
{
	const struct line *l = &c->part[s].lines[op];
	struct stats_point *points = xcalloc(n + 1, sizeof(*points));
	struct compare_op *r = &c->op[op];
	size_t done = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->sums[i].weight == 0)
			continue;
		add_load(&r->side[s], c, &l->sums[i], done, n);
		points[done].slot = l->first + (int64_t)i;
		points[done].ms = value_ms(&l->sums[i]);
		r->whole_ms &= is_whole(points[done++].ms);
	}
	return points;
}

static void
start_unpaired(struct compare *c, enum op op)
{
	size_t a_n = c->op[op].side[COMPARE_A].samples_n;
	size_t b_n = c->op[op].side[COMPARE_B].samples_n;
	struct stats_point *a = find_points(c, COMPARE_A, op, a_n);
	struct stats_point *b = find_points(c, COMPARE_B, op, b_n);

	c->op[op].half_difference_ms[0] = (double)NAN;
	c->op[op].half_difference_ms[1] = (double)NAN;
	c->op[op].same_side_ratio = (double)NAN;
	c->stats[op] = stats_unpaired(a, a_n, b, b_n);
	free(a);
	free(b);
}

static size_t
count_hosts(const struct part *p, enum op op)
{
	struct map *hosts = map_new();
	size_t n;

	for (size_t i = 0; i < p->n_members; i++) {
		struct member *m = p->members[i];

		if (m->counted[op])
			map_set(hosts, m->host != NULL ? m->host : "", m);
	}
	n = map_count(hosts);
	map_free(&hosts);
	return n;
}

static void
start(struct compare *c, enum op op)
{
	struct compare_op *r = &c->op[op];

	r->whole_ms = true;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		const struct part *p = &c->part[s];
		struct compare_figures *f = &r->side[s];

		f->all = &p->roll.op[op];
		f->threshold_us = p->threshold_us;
		f->samples_n = line_count(&p->lines[op]);
		f->hosts_n = count_hosts(p, op);
		if (f->all->max_us >= 0) {
			const struct member *m = p->members[f->all->max_pair];

			f->place =
				(struct compare_place){ m->datastore,
							m->datastore_name,
							m->host, m->host_name };
		}
	}
	if (c->paired)
		start_paired(c, op);
	else
		start_unpaired(c, op);
}

bool
compare_step(struct compare *c)
{
	for (enum op op = 0; op < N_OPS; op++) {
		if (c->done[op])
			continue;
		if (c->stats[op] == NULL) {
			compare_flush(c, COMPARE_A);
			compare_flush(c, COMPARE_B);
			start(c, op);
			return false;
		}
		if ((c->paired && do_half(c, op)) || !stats_step(c->stats[op]))
			return false;
		c->op[op].stats = stats_result(c->stats[op]);
		if (c->paired)
			end_paired(c, op);
		c->done[op] = true;
	}
	return true;
}

const struct compare_op *
compare_result(const struct compare *c, enum op op)
{
	assert(c->done[op]);
	return &c->op[op];
}

const struct side *
compare_side(const struct compare *c, enum compare_side s)
{
	return &c->part[s].side;
}

const struct compare_span *
compare_span(const struct compare *c, enum compare_side s)
{
	return &c->part[s].span;
}

bool
compare_is_paired(const struct compare *c)
{
	return c->paired;
}

int64_t
compare_step_slots(const struct compare *c)
{
	return c->step_slots;
}

size_t
compare_pairs_n(const struct compare *c, enum compare_side s)
{
	return c->part[s].n_members;
}

size_t
compare_shared_n(const struct compare *c)
{
	return c->shared_n;
}
