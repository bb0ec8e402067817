#include "dslat/ingest.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/depth.h"
#include "dslat/mem.h"
#include "model_private.h"

#define SKEW_LIMIT_US (90 * US_PER_S)

static bool
plausible(real_t stamp, int64_t shift_slots, real_t now)
{
	int64_t dev = stamp.us + shift_slots * SLOT_US - now.us;

	return dev <= SKEW_LIMIT_US && dev >= -SKEW_LIMIT_US;
}

/*
 * Decide the host's shift from the newest stamp it announced.  false: the
 * reply cannot be placed yet (a clock that seems to have jumped once).
 */
static bool
settle_shift(struct host *h, real_t newest)
{
	real_t now = target_now(h->target);
	int64_t shift;

	if (plausible(newest, h->shift_slots, now)) {
		h->suspect_stamp_us = 0;
		return true;
	}
	if (newest.us == h->newest_stamp_us)
		return true; /* not a clock but silence: nothing new came */
	shift = plausible(newest, 0, now) ? 0 : slot_of(now) - slot_of(newest);
	if (h->newest_stamp_us != 0) {
		bool agrees = h->suspect_stamp_us != 0 &&
			newest.us > h->suspect_stamp_us &&
			llabs(shift - h->suspect_shift) <= 1;

		h->suspect_shift = shift;
		h->suspect_stamp_us = newest.us;
		if (!agrees)
			return false;
	}
	h->shift_slots = shift;
	h->suspect_stamp_us = 0;
	return true;
}

/*
 * What lies ahead of the server's clock by more than skew explains was filed
 * while that clock was wrong.  Kept, it would hide every later value (the
 * first of a slot stays), so the pair begins anew: its hour comes again.
 */
static void
forget_future(struct pair *p)
{
	int64_t now = slot_of(target_now(p->host->target));

	if (p->ring != NULL && p->ring->newest > now + SLOTS_AHEAD) {
		ring_init(p->ring);
		depth_forget(p);
		p->newest_valid = INT64_MIN;
		p->dirty_slot = INT64_MAX;
	}
	if (p->final_slot > now + SLOTS_AHEAD)
		p->final_slot = now;
}

bool
ingest_open(struct ingest *in, struct host *h, const real_t *stamps,
	    size_t n_stamps)
{
	real_t newest = { INT64_MIN };
	size_t skip = 0;

	in->host = h;
	in->map = NULL;
	in->n_stamps = 0;
	in->cut = 0;
	in->newest_slot = INT64_MIN;
	in->newest_valid_us = INT64_MIN;
	for (size_t i = 0; i < n_stamps; i++)
		newest.us = MAX(newest.us, stamps[i].us);
	if (n_stamps == 0)
		return true;
	if (!settle_shift(h, newest))
		return false;
	for (size_t i = 0; i < h->n_pairs; i++)
		forget_future(h->pairs[i]);
	h->newest_stamp_us = newest.us;
	if (n_stamps > INGEST_MAX_STAMPS)
		skip = stamps[0].us < stamps[n_stamps - 1].us
			? n_stamps - INGEST_MAX_STAMPS
			: 0;
	in->cut = skip;
	in->n_stamps = MIN(n_stamps, INGEST_MAX_STAMPS);
	for (size_t i = 0; i < in->n_stamps; i++) {
		in->stamps_us[i] = stamps[skip + i].us;
		in->slots[i] = slot_of(stamps[skip + i]) + h->shift_slots;
		in->newest_slot = MAX(in->newest_slot, in->slots[i]);
	}
	return true;
}

/* The value in the cell's unit, or false when it makes no sense. */
static bool
convert(const struct ingest_counter *c, int64_t value, int32_t *v_r)
{
	int64_t v = value;

	if (value < 0)
		return false;
	if (c->field < FIELD_IOS || counter_set(c) == COUNTERS_LUN) {
		v = unit_to_us(c->unit, value);
		if (v > SAMPLE_MAX_US)
			return false;
	} else if (c->field < FIELD_KIB_PER_S ||
		   counter_set(c) == COUNTERS_LUN_IOS) {
		if (value > INT32_MAX / SLOT_S)
			return false;
		v = value * SLOT_S;
	} else if (value > INT32_MAX) {
		return false;
	}
	*v_r = (int32_t)v;
	return true;
}

static void
store(struct ingest *in, struct pair *p, const struct ingest_counter *c,
      size_t i, int32_t v)
{
	struct target_stats *stats = &in->host->target->stats;
	int64_t slot = in->slots[i];

	if (p->ring == NULL) {
		p->ring = xmalloc(sizeof(*p->ring));
		ring_init(p->ring);
	}
	if (c->field < FIELD_IOS) {
		p->newest_valid = MAX(p->newest_valid, slot);
		in->newest_valid_us =
			MAX(in->newest_valid_us, in->stamps_us[i]);
	}
	if (ring_put(p->ring, slot, c->field, v) != RING_STORED)
		return;
	stats->samples++;
	p->datastore->ever_valid = true;
	p->dirty_slot = MIN(p->dirty_slot, slot);
	if (slot <= p->final_slot)
		stats->late++;
}

static void
store_lun(struct ingest *in, const struct lun *lun,
	  const struct ingest_counter *c, size_t i, int32_t v)
{
	bool is_ios = counter_set(c) == COUNTERS_LUN_IOS;
	int64_t slot = in->slots[i];

	for (size_t k = 0; k < lun->n; k++) {
		struct pair *p = lun->uses[k].pair;

		if (depth_put(&lun->uses[k], slot,
			      is_ios ? c->field - FIELD_LUN_IOS + FIELD_IOS
				     : c->field - FIELD_LUN,
			      is_ios, v) == RING_STORED)
			p->dirty_slot = MIN(p->dirty_slot, slot);
	}
}

/* The series of an instance mostly come together: try the last one first. */
static void *
find(struct ingest *in, const struct map *map, const char *instance, size_t len)
{
	void *found;

	if (in->map == map && len == in->instance_len &&
	    memcmp(in->instance, instance, len) == 0)
		return in->found;
	found = map_find(map, instance, len);
	in->map = NULL;
	if (found != NULL && len <= sizeof(in->instance)) {
		in->map = map;
		in->found = found;
		in->instance_len = len;
		memcpy(in->instance, instance, len);
	}
	return found;
}

bool
ingest_series(struct ingest *in, const struct ingest_counter *c,
	      const char *instance, size_t instance_len, const int64_t *values,
	      size_t n_values)
{
	struct target_stats *stats = &in->host->target->stats;
	bool is_lun = counter_set(c) != COUNTERS_PAIR;
	struct pair *p;
	void *found;
	int32_t v;

	if (instance_len == 0 || in->n_stamps == 0)
		return true; /* the aggregate over all instances */
	found = find(in, is_lun ? in->host->luns : in->host->instances,
		     instance, instance_len);
	if (found == NULL) {
		stats->unclaimed += !is_lun;
		return false;
	}
	p = is_lun ? NULL : found;
	values += MIN(in->cut, n_values);
	n_values -= MIN(in->cut, n_values);
	n_values = MIN(n_values, in->n_stamps);
	for (size_t i = 0; i < n_values; i++) {
		if (values[i] == SAMPLE_NONE)
			continue;
		if (!convert(c, values[i], &v))
			stats->rejected++;
		else if (is_lun)
			store_lun(in, found, c, i, v);
		else
			store(in, p, c, i, v);
	}
	if (p != NULL && p->ring != NULL)
		ring_reach(p->ring, in->newest_slot);
	return true;
}

/* The slot before the oldest one that has a latency. */
static int64_t
before_first(const struct ring *r)
{
	for (int64_t s = ring_oldest(r); s <= r->newest; s++)
		if (cell_has_latency(ring_get(r, s)))
			return s - 1;
	return INT64_MIN;
}

static bool
is_old(int64_t slot, real_t now)
{
	return real_diff_us(now, slot_end(slot)) >= SLOT_FINAL_US;
}

static void
advance(struct pair *p, real_t now)
{
	static const struct cell none = { { -1, -1, -1, -1, -1, -1 } };
	unsigned mask = p->datastore->target->field_mask;

	if (p->ring == NULL)
		return;
	if (p->final_slot == INT64_MIN)
		p->final_slot = before_first(p->ring);
	if (p->final_slot == INT64_MIN)
		return;
	/* Silent for longer than the ring: the rest of the gap is one step. */
	p->final_slot = MAX(p->final_slot, slot_of(now) - RING_SLOTS);
	for (;;) {
		int64_t slot = p->final_slot + 1;
		const struct cell *c = ring_get(p->ring, slot);

		if (!is_old(slot, now) &&
		    (c == NULL || !cell_complete(c, mask)))
			return;
		p->final_slot = slot;
		tally_pair(p, slot, c != NULL ? c : &none);
	}
}

static void
advance_host(struct host *h)
{
	real_t now = target_now(h->target);

	for (size_t i = 0; i < h->n_pairs; i++) {
		forget_future(h->pairs[i]);
		if (!h->backfilling)
			advance(h->pairs[i], now);
	}
}

void
ingest_close(struct ingest *in)
{
	struct host *h = in->host;

	if (in->newest_valid_us != INT64_MIN)
		h->skew_us = in->newest_valid_us - target_now(h->target).us;
	advance_host(h);
}

void
ingest_backfilled(struct host *h)
{
	h->backfilling = false;
	advance_host(h);
}

/* By time alone: what a reply completes is final since ingest_close(), so the
 * rings need not be looked at. */
static void
age_host(struct host *h)
{
	real_t now = target_now(h->target);

	if (h->backfilling)
		return;
	for (size_t i = 0; i < h->n_pairs; i++) {
		struct pair *p = h->pairs[i];

		if (p->final_slot == INT64_MIN ||
		    is_old(p->final_slot + 1, now))
			advance(p, now);
	}
}

void
ingest_tick(struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		age_host(v);
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);)
		tally_datastore(v);
}
