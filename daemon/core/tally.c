/*
 * What final slots add to the counters of /metrics, each slot once.
 */
#include "dslat/bus.h"
#include "model_private.h"

/* Did the slot end before this process began?  By the server's clock, and the
 * time since by the monotonic one: ours may be set in between. */
static bool
before_start(const struct target *t, int64_t slot)
{
	const struct site *site = t->site;
	int64_t up_us = mono_diff_us(site->now.mono, site->started_mono);

	return slot_end(slot).us <= target_now(t).us - up_us;
}

static size_t
bound_of(int64_t us)
{
	size_t i = 0;

	while (i < N_LATENCY_BOUNDS && us > latency_bounds_us[i])
		i++;
	return i;
}

void
tally_pair(struct pair *p, int64_t slot, const struct cell *c)
{
	struct datastore *ds = p->datastore;
	struct target *t = ds->target;

	if (!cell_has_latency(c))
		t->stats.gaps++;
	if (!before_start(t, slot)) {
		for (enum op op = 0; op < N_OPS; op++) {
			struct point pt = cell_point(c, op);
			struct ds_tally *dt = &ds->tally[op];

			if (!load_is_busy(pt.load))
				continue;
			p->tally[op].ios += (uint64_t)pt.weight;
			p->tally[op].sum_us += pt.us * pt.weight;
			dt->buckets[bound_of(pt.us)]++;
			dt->sum_us += pt.us;
			if (threshold_check(&ds->threshold, &pt) != BREACH_NONE)
				dt->slow_ios += (uint64_t)pt.weight;
		}
	}
	bus_final(t->site->bus, p, slot, c);
}

/* The worst breach of any host in the slot. */
static enum breach
slot_breach(const struct datastore *ds, int64_t slot, enum op op)
{
	enum breach worst = BREACH_NONE;

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct ring *r = ds->pairs[i]->ring;
		const struct cell *c = r != NULL ? ring_get(r, slot) : NULL;
		struct point pt;

		if (c == NULL)
			continue;
		pt = cell_point(c, op);
		worst = MAX(worst, threshold_check(&ds->threshold, &pt));
	}
	return worst;
}

static void
count_slot(struct datastore *ds, int64_t slot)
{
	for (enum op op = 0; op < N_OPS; op++) {
		struct ds_tally *dt = &ds->tally[op];
		enum breach b = slot_breach(ds, slot, op);

		if (b != BREACH_NONE) {
			dt->breach_us += SLOT_US;
			dt->breaches += dt->active == BREACH_NONE;
		}
		dt->active = b;
	}
}

void
tally_datastore(struct datastore *ds)
{
	int64_t now = slot_of(target_now(ds->target));
	int64_t least = INT64_MAX, first;

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct pair *p = ds->pairs[i];

		if (p->ring != NULL && !p->gone && p->final_slot != INT64_MIN)
			least = MIN(least, p->final_slot);
	}
	if (ds->final_slot > now + SLOTS_AHEAD)
		ds->final_slot = now;
	if (least == INT64_MAX || least <= ds->final_slot)
		return;
	first = MAX(ds->final_slot, least - RING_SLOTS) + 1;
	ds->final_slot = least;
	/* What ended before the start is not counted (a back-filled hour). */
	for (int64_t s = first; s <= least; s++)
		if (!before_start(ds->target, s))
			count_slot(ds, s);
}
