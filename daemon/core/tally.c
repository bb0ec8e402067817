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

/* worst[i]: the worst breach of any host in slot first + i.  Pair by pair,
 * since a ring lies together in memory and the rings do not. */
static void
worst_breaches(const struct datastore *ds, enum op op, int64_t first, size_t n,
	       enum breach *worst)
{
	int64_t least_us =
		MIN(ds->threshold.warning_us, ds->threshold.sparse_us);

	for (size_t i = 0; i < n; i++)
		worst[i] = BREACH_NONE;
	for (size_t j = 0; j < ds->n_pairs; j++) {
		const struct ring *r = ds->pairs[j]->ring;

		for (size_t i = 0; r != NULL && i < n; i++) {
			const struct cell *c = ring_get(r, first + (int64_t)i);
			struct point pt;

			if (c == NULL || c->v[FIELD_US + op] < least_us)
				continue; /* nearly always */
			pt = cell_point(c, op);
			worst[i] = MAX(worst[i],
				       threshold_check(&ds->threshold, &pt));
		}
	}
}

static void
count_slots(struct datastore *ds, int64_t first, int64_t last)
{
	enum breach worst[RING_SLOTS];
	size_t n = (size_t)(last - first + 1);

	assert(n <= RING_SLOTS);
	for (enum op op = 0; op < N_OPS; op++) {
		struct ds_tally *dt = &ds->tally[op];

		worst_breaches(ds, op, first, n, worst);
		for (size_t i = 0; i < n; i++) {
			if (worst[i] != BREACH_NONE) {
				dt->breach_us += SLOT_US;
				dt->breaches += dt->active == BREACH_NONE;
			}
			dt->active = worst[i];
		}
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
	while (first <= least && before_start(ds->target, first))
		first++;
	if (first <= least)
		count_slots(ds, first, least);
}
