#include "dslat/roll.h"

#include <string.h>

static int64_t
add_up(int64_t a, int64_t b)
{
	int64_t sum;

	assert(b >= 0);
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static const struct roll_rate no_rate = { 0, 0, -1, -1 };

void
roll_init(struct roll *r, struct hist *hists)
{
	if (hists != NULL)
		memset(hists, 0, N_OPS * sizeof(*hists));
	for (enum op op = 0; op < N_OPS; op++)
		r->op[op] = (struct roll_op){
			.min_us = -1,
			.max_us = -1,
			.max_slot = -1,
			.max_ios = -1,
			.ios = no_rate,
			.bytes = no_rate,
			.hist = hists != NULL ? &hists[op] : NULL,
		};
}

static void
rate_add(struct roll_rate *r, int64_t v)
{
	if (v < 0)
		return;
	r->n++;
	r->sum = add_up(r->sum, v);
	r->min = r->min < 0 ? v : MIN(r->min, v);
	r->max = MAX(r->max, v);
}

/* Is one of b's worse than a's, or as bad and later? */
static bool
is_worse(const struct roll_op *a, int64_t us, int64_t slot)
{
	return us > a->max_us || (us == a->max_us && slot > a->max_slot);
}

static void
add_busy(struct roll_op *r, int64_t slot, const struct point *pt, uint32_t pair)
{
	int64_t weighted_us;

	if (__builtin_mul_overflow(pt->us, pt->weight, &weighted_us))
		weighted_us = INT64_MAX;
	r->busy_n++;
	r->weight = add_up(r->weight, pt->weight);
	r->sum_us = add_up(r->sum_us, weighted_us);
	r->min_us = r->min_us < 0 ? pt->us : MIN(r->min_us, pt->us);
	if (is_worse(r, pt->us, slot)) {
		r->max_us = pt->us;
		r->max_slot = slot;
		r->max_ios = pt->ios;
		r->max_pair = pair;
	}
	if (r->hist != NULL)
		hist_add(r->hist, pt->us, 1);
}

void
roll_add_slot(struct roll *r, int64_t slot, const struct roll_cell *cells,
	      size_t n, const struct threshold *t)
{
	for (enum op op = 0; op < N_OPS; op++) {
		struct roll_op *o = &r->op[op];
		int64_t ios = -1, bytes = -1;

		for (size_t i = 0; i < n; i++) {
			struct point pt = cell_point(cells[i].cell, op);

			if (pt.ios >= 0)
				ios = MAX(ios, 0) + pt.ios;
			if (pt.bytes >= 0)
				bytes = MAX(bytes, 0) + pt.bytes;
			o->n += pt.load != LOAD_MISSING;
			if (!load_is_busy(pt.load))
				continue;
			add_busy(o, slot, &pt, cells[i].pair);
			o->over_n += threshold_check(t, &pt) != BREACH_NONE;
		}
		rate_add(&o->ios, ios);
		rate_add(&o->bytes, bytes);
	}
}

static void
rate_merge(struct roll_rate *into, const struct roll_rate *from)
{
	if (from->n == 0)
		return;
	into->n += from->n;
	into->sum = add_up(into->sum, from->sum);
	into->min = into->min < 0 ? from->min : MIN(into->min, from->min);
	into->max = MAX(into->max, from->max);
}

void
roll_merge(struct roll *into, const struct roll *from)
{
	for (enum op op = 0; op < N_OPS; op++) {
		struct roll_op *a = &into->op[op];
		const struct roll_op *b = &from->op[op];

		rate_merge(&a->ios, &b->ios);
		rate_merge(&a->bytes, &b->bytes);
		a->n += b->n;
		if (b->busy_n == 0)
			continue;
		a->busy_n += b->busy_n;
		a->over_n += b->over_n;
		a->weight = add_up(a->weight, b->weight);
		a->sum_us = add_up(a->sum_us, b->sum_us);
		a->min_us =
			a->min_us < 0 ? b->min_us : MIN(a->min_us, b->min_us);
		if (is_worse(a, b->max_us, b->max_slot)) {
			a->max_us = b->max_us;
			a->max_slot = b->max_slot;
			a->max_ios = b->max_ios;
			a->max_pair = b->max_pair;
		}
		if (a->hist != NULL && b->hist != NULL)
			hist_merge(a->hist, b->hist);
	}
}

bool
roll_is_empty(const struct roll *r)
{
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *o = &r->op[op];

		if (o->n != 0 || o->ios.n != 0 || o->bytes.n != 0)
			return false;
	}
	return true;
}

int64_t
roll_mean_us(const struct roll_op *r)
{
	if (r->weight > 0)
		return r->sum_us / r->weight +
			(r->sum_us % r->weight >= r->weight - r->weight / 2);
	if (r->busy_n == 0)
		return r->n != 0 ? 0 : -1;
	return r->min_us == r->max_us ? r->max_us : -1;
}
