/*
 * The loop thread's half: what a question must say of the live state.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/chunk.h"
#include "dslat/history.h"
#include "dslat/mem.h"

/* The first hour that starts inside a ring with that newest slot. */
static int64_t
hour_inside(int64_t newest)
{
	int64_t oldest, hour;

	if (newest == INT64_MIN)
		return INT64_MAX;
	oldest = newest - RING_SLOTS + 1;
	hour = chunk_hour(oldest);
	if (chunk_first_slot(hour) < oldest)
		hour++;
	return chunk_first_slot(hour);
}

int64_t
history_ring_from(const struct ring *r)
{
	return hour_inside(r->newest);
}

/* Of the ring that is ahead of the others; INT64_MIN without any. */
static int64_t
newest_slot(const struct target *t)
{
	int64_t newest = INT64_MIN;
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		const struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			if (ds->pairs[j]->ring != NULL)
				newest =
					MAX(newest, ds->pairs[j]->ring->newest);
	}
	return newest;
}

int64_t
history_rings_from(const struct target *t)
{
	return hour_inside(newest_slot(t));
}

int64_t
history_rings_hold(const struct target *t)
{
	int64_t newest = newest_slot(t);

	return newest == INT64_MIN ? INT64_MAX : newest - RING_SLOTS + 1;
}

static void
set_live(struct history_ask *ask, uint32_t pair)
{
	size_t bytes = pair / 8 + 1;

	if (pair == 0)
		return;
	if (pair >= ask->n_live) {
		size_t had = (ask->n_live + 7) / 8;
		size_t room = MAX(bytes, had * 2);

		ask->live = xreallocarray(ask->live, room, 1);
		memset(ask->live + had, 0, room - had);
		ask->n_live = room * 8;
	}
	ask->live[pair / 8] |= (uint8_t)(1u << pair % 8);
}

static void
ask_target(struct history_ask *ask, const struct target *t)
{
	struct history_part *part = &ask->parts[ask->n_parts++];
	void *v;

	*part = (struct history_part){
		.target = xstrdup(t->name),
		.first = ask->first,
		.last = ask->last,
		.rings_from = history_rings_from(t),
	};
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		const struct datastore *ds = v;
		struct threshold *copy = xmalloc(sizeof(*copy));

		*copy = ds->threshold;
		free(map_find_str(ask->thresholds, ds->id));
		map_set(ask->thresholds, ds->id, copy);
		for (size_t j = 0; j < ds->n_pairs; j++)
			if (ds->pairs[j]->ring != NULL)
				set_live(ask, store_pair_id(ds->pairs[j]));
	}
}

struct history_ask *
history_ask_new(const struct site *site, int64_t first_slot, int64_t last_slot)
{
	struct history_ask *ask = xcalloc(1, sizeof(*ask));

	ask->first = first_slot;
	ask->last = last_slot;
	ask->thresholds = map_new();
	threshold_resolve(site->rules, PROTO_UNKNOWN, "", &ask->threshold,
			  NULL);
	ask->parts = xcalloc(site->n_targets, sizeof(*ask->parts));
	for (size_t i = 0; i < site->n_targets; i++)
		ask_target(ask, site->targets[i]);
	return ask;
}
