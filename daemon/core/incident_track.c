/*
 * Which of the last slots of a (datastore, direction) breached.
 */
#include <stdlib.h>

#include "dslat/mem.h"
#include "incident_private.h"
#include "model_private.h"

struct track *
track_find(const struct incidents *i, const char *key)
{
	return map_find_str(i->tracks, key);
}

struct track *
track_get(struct incidents *i, const char *key)
{
	struct track *k = track_find(i, key);

	if (k != NULL)
		return k;
	k = xcalloc(1, sizeof(*k));
	k->slot = k->ended_slot = INT64_MIN;
	map_set(i->tracks, key, k);
	return k;
}

void
track_restore(struct incidents *i, struct record *r)
{
	struct track *k = track_get(i, r->in.key);

	if (r->in.state == INCIDENT_ENDED)
		k->ended_slot = MAX(k->ended_slot, slot_of(r->in.ended));
	else
		k->open = r;
	if (r->in.window_slot < k->slot)
		return;
	k->slot = r->in.window_slot;
	k->breach = r->in.window_breach;
	k->critical = r->in.window_critical;
}

static void
shift_to(struct track *k, int64_t slot)
{
	bool is_far = k->slot == INT64_MIN || slot - k->slot >= TRACK_SLOTS;

	k->breach = is_far ? 0 : k->breach << (slot - k->slot);
	k->critical = is_far ? 0 : k->critical << (slot - k->slot);
	k->slot = slot;
}

bool
track_note(struct track *k, int64_t slot, enum severity s)
{
	uint32_t bit;
	bool is_new;

	if (slot > k->slot)
		shift_to(k, slot);
	if (k->slot - slot >= TRACK_SLOTS)
		return false;
	bit = UINT32_C(1) << (k->slot - slot);
	is_new = (k->breach & bit) == 0;
	k->breach |= bit;
	if (s == SEVERITY_CRITICAL)
		k->critical |= bit;
	return is_new;
}

int
track_count(const struct track *k, uint32_t mask, int64_t slot, int n)
{
	int count = 0;

	for (int64_t s = slot; s > slot - n; s--) {
		uint64_t back = (uint64_t)k->slot - (uint64_t)s;

		if (back < TRACK_SLOTS)
			count += (int)(mask >> back & 1);
	}
	return count;
}

void
track_forget_future(struct track *k, int64_t now)
{
	if (k->ended_slot > now + SLOTS_AHEAD)
		k->ended_slot = now;
	if (k->slot <= now + SLOTS_AHEAD)
		return;
	k->slot = now;
	k->breach = k->critical = 0;
}

/* Is what it remembers too old for any window by this clock? */
static bool
is_over(const struct track *k, int64_t now)
{
	return k->open == NULL && k->slot < now - TRACK_SLOTS &&
		k->ended_slot < now - TRACK_SLOTS;
}

void
tracks_prune(struct incidents *i)
{
	int64_t now = INT64_MAX;
	const char *key;
	void *v;

	for (size_t j = 0; j < i->site->n_targets; j++)
		now = MIN(now, slot_of(target_now(i->site->targets[j])));
	for (size_t j = 0;
	     now != INT64_MAX && map_next(i->tracks, &j, &key, &v);)
		if (is_over(v, now))
			free(map_del(i->tracks, key));
}
