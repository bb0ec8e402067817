#include "dslat/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "dslat/units.h"

/* I/O-weighted sums by slot (or bin), from `first` on. */
struct sum {
	int64_t sum_us, weight;
};
struct line {
	struct sum *sums;
	int64_t first;
	size_t n;
};

struct names {
	char *datastore, *datastore_name, *host, *host_name;
};

struct part { /* one side */
	struct side side;
	struct compare_span span;
	struct names *names; /* of its pairs; roll_op.max_pair is an index */
	size_t n_names;
	struct threshold threshold; /* of the pair being fed */
	int64_t threshold_us;       /* least */
	struct map *hosts[N_OPS];   /* IDs of those with samples */
	bool host_counted[N_OPS];   /* the one being fed */
	struct line lines[N_OPS];
	struct roll roll;
	struct hist hists[N_OPS];
};

struct compare {
	bool paired;
	int64_t step_slots;
	struct part part[N_COMPARE_SIDES];
	size_t shared_n;
	struct stats *stats[N_OPS];
	bool done[N_OPS];
	struct compare_op op[N_OPS];
};

struct compare *
compare_new(const struct compare_conf *conf)
{
	struct compare *c = xcalloc(1, sizeof(*c));

	c->paired = conf->paired;
	c->step_slots = conf->step_slots;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		c->part[s].side = conf->side[s];
		c->part[s].span = conf->span[s];
		compare_reset(c, s);
	}
	return c;
}

static void
drop_fed(struct part *p)
{
	for (size_t i = 0; i < p->n_names; i++) {
		free(p->names[i].datastore);
		free(p->names[i].datastore_name);
		free(p->names[i].host);
		free(p->names[i].host_name);
	}
	free(p->names);
	p->names = NULL;
	p->n_names = 0;
	for (enum op op = 0; op < N_OPS; op++) {
		map_free(&p->hosts[op]);
		free(p->lines[op].sums);
		p->lines[op] = (struct line){ .sums = NULL };
	}
}

void
compare_reset(struct compare *c, enum compare_side s)
{
	struct part *p = &c->part[s];

	drop_fed(p);
	for (enum op op = 0; op < N_OPS; op++)
		p->hosts[op] = map_new();
	p->threshold_us = -1;
	memset(p->hists, 0, sizeof(p->hists));
	roll_init(&p->roll, p->hists);
	if (s == COMPARE_B)
		c->shared_n = 0;
}

void
compare_free(struct compare **cp)
{
	struct compare *c = *cp;

	if (c == NULL)
		return;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		drop_fed(&c->part[s]);
		side_fini(&c->part[s].side);
	}
	for (enum op op = 0; op < N_OPS; op++)
		stats_free(&c->stats[op]);
	free(c);
	*cp = NULL;
}

/* ---- feeding ------------------------------------------------------------- */

bool
compare_pair(struct compare *c, enum compare_side s, const struct side_pair *sp,
	     const struct threshold *t)
{
	struct part *p = &c->part[s];
	struct names *n;

	if (!side_matches(&p->side, sp))
		return false;
	if (s == COMPARE_B && side_matches(&c->part[COMPARE_A].side, sp))
		c->shared_n++;
	p->names = xgrow(p->names, p->n_names, sizeof(*p->names));
	n = &p->names[p->n_names++];
	*n = (struct names){ .datastore = NULL };
	xstrset(&n->datastore, sp->datastore);
	xstrset(&n->datastore_name, sp->datastore_name);
	xstrset(&n->host, sp->host);
	xstrset(&n->host_name, sp->host_name);
	p->threshold = *t;
	if (p->threshold_us < 0 || t->warning_us < p->threshold_us)
		p->threshold_us = t->warning_us;
	memset(p->host_counted, 0, sizeof(p->host_counted));
	return true;
}

/* The place of an index, made if need be: spans are not known before. */
static struct sum *
line_at(struct line *l, int64_t i)
{
	size_t n, before;
	struct sum *sums;

	if (l->n != 0 && i >= l->first && i - l->first < (int64_t)l->n)
		return &l->sums[i - l->first];
	/* double, on the side where it is missing */
	n = l->n == 0 ? 256 : l->n * 2;
	before = 0;
	if (l->n == 0)
		l->first = i;
	else if (i < l->first)
		before = n - l->n;
	while (i < l->first - (int64_t)before ||
	       i >= l->first - (int64_t)before + (int64_t)n) {
		n *= 2;
		if (i < l->first)
			before = n - l->n;
	}
	sums = xcalloc(n, sizeof(*sums));
	if (l->n != 0)
		memcpy(sums + before, l->sums, l->n * sizeof(*sums));
	free(l->sums);
	l->sums = sums;
	l->n = n;
	l->first -= (int64_t)before;
	return &l->sums[i - l->first];
}

/* Number of the sample or bin (t - step, t] that holds a slot. */
static int64_t
index_of(const struct compare *c, int64_t slot)
{
	int64_t n = slot - 1;

	return n < 0 ? -((-n + c->step_slots - 1) / c->step_slots)
		     : n / c->step_slots;
}

static void
count(struct compare *c, enum compare_side s, enum op op, int64_t slot,
      struct sum add)
{
	struct part *p = &c->part[s];
	struct sum *at = line_at(&p->lines[op], index_of(c, slot));

	at->sum_us += add.sum_us;
	at->weight += add.weight;
	if (!p->host_counted[op]) {
		const char *id = p->names[p->n_names - 1].host;

		map_set(p->hosts[op], id != NULL ? id : "", p);
		p->host_counted[op] = true;
	}
}

void
compare_cell(struct compare *c, enum compare_side s, int64_t slot,
	     const struct cell *cell)
{
	struct part *p = &c->part[s];
	const struct roll_cell rc = { cell, (uint32_t)(p->n_names - 1) };

	roll_add_slot(&p->roll, slot, &rc, 1, &p->threshold);
	for (enum op op = 0; op < N_OPS; op++) {
		struct point pt = cell_point(cell, op);

		if (pt.load == LOAD_NORMAL && pt.ios >= p->threshold.min_ios)
			count(c, s, op, slot,
			      (struct sum){ pt.us * pt.weight, pt.weight });
	}
}

void
compare_roll(struct compare *c, enum compare_side s, int64_t last_slot,
	     const struct roll *r)
{
	struct part *p = &c->part[s];
	struct roll mine = *r;

	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *o = &r->op[op];

		mine.op[op].max_pair = (uint32_t)(p->n_names - 1);
		/* The bin's samples had min_ios on average. */
		if (o->weight > 0 &&
		    o->weight >= p->threshold.min_ios * ROLL_5MIN_SLOTS)
			count(c, s, op, last_slot,
			      (struct sum){ o->sum_us, o->weight });
	}
	roll_merge(&p->roll, &mine);
}

/* ---- the result ---------------------------------------------------------- */

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

static void
start_paired(struct compare *c, enum op op)
{
	struct compare_op *r = &c->op[op];
	size_t n;
	struct stats_pair *pairs = find_pairs(c, op, &n);

	for (size_t i = 0; i < n; i++) {
		for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
			add_load(&r->side[s], c,
				 line_get(&c->part[s].lines[op], pairs[i].slot),
				 i, n);
		r->whole_ms &=
			is_whole(pairs[i].a_ms) && is_whole(pairs[i].b_ms);
	}
	r->half_difference_ms[0] = median_difference(pairs, n / 2);
	r->half_difference_ms[1] = median_difference(pairs + n / 2, n - n / 2);
	c->stats[op] = stats_paired(pairs, n);
	free(pairs);
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
	c->stats[op] = stats_unpaired(a, a_n, b, b_n);
	free(a);
	free(b);
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
		f->hosts_n = map_count(p->hosts[op]);
		if (f->all->max_us >= 0) {
			const struct names *n = &p->names[f->all->max_pair];

			f->place =
				(struct compare_place){ n->datastore,
							n->datastore_name,
							n->host, n->host_name };
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
			start(c, op);
			return false;
		}
		if (!stats_step(c->stats[op]))
			return false;
		c->op[op].stats = stats_result(c->stats[op]);
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
	return c->part[s].n_names;
}

size_t
compare_shared_n(const struct compare *c)
{
	return c->shared_n;
}
