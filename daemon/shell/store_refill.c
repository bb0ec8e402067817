/*
 * What was read back, into the model: rings and their watermarks; and whether
 * there is more than they have.
 */
#include <stdlib.h>

#include "store_private.h"

#define KEEP_US (3600 * US_PER_S)

/* What was there before goes before; slots behind its newest stay unknown. */
static void
merge(struct ring *into, const struct ring *from)
{
	for (int64_t slot = ring_oldest(from); slot <= from->newest; slot++) {
		const struct cell *c = ring_get(from, slot);

		for (unsigned f = 0; f < N_FIELDS; f++)
			if (c->v[f] >= 0 && slot <= into->newest)
				(void)ring_put(into, slot, f, c->v[f]);
	}
}

static int64_t
newest_valid(const struct ring *r)
{
	for (int64_t slot = r->newest; slot >= ring_oldest(r); slot--)
		if (cell_has_latency(ring_get(r, slot)))
			return slot;
	return INT64_MIN;
}

/*
 * Up to where the slots were final when they were stored: 180 s before the
 * newest of the target, and on while they are complete.  What follows will be
 * final anew, and told.
 */
static int64_t
final_slot(struct store *s, const struct pair *p)
{
	const struct target *t = p->datastore->target;
	int64_t slot =
		store_target(s, t->name)->last_slot - SLOT_FINAL_US / SLOT_US;

	slot = MAX(slot, ring_oldest(p->ring) - 1);
	while (slot < p->ring->newest &&
	       cell_complete(ring_get(p->ring, slot + 1), t->field_mask))
		slot++;
	return slot;
}

void
store_drop_rings(struct store *s)
{
	struct store_contents *c = &s->contents;

	if (mono_diff_us(loop_now(s->loop).mono, s->opened) < KEEP_US)
		return;
	for (size_t i = 0; i < c->n_rings; i++)
		free(c->rings[i]);
	free(c->rings);
	c->rings = NULL;
	c->n_rings = 0;
}

void
store_refill(struct store *s, struct pair *p)
{
	struct store_contents *c = &s->contents;
	struct ring *r;

	if (p->store_id >= c->n_rings || c->rings[p->store_id] == NULL)
		return;
	r = c->rings[p->store_id];
	c->rings[p->store_id] = NULL;
	if (p->ring != NULL) {
		merge(p->ring, r);
		free(r);
		return;
	}
	p->ring = r;
	p->newest_valid = newest_valid(r);
	if (p->newest_valid == INT64_MIN)
		return;
	p->datastore->ever_valid = true;
	p->final_slot = final_slot(s, p);
}

bool
store_has_strays(const struct store *s, int64_t first_slot)
{
	const struct map *before = s->contents.last_slots;
	const char *name;
	void *v;

	for (size_t i = 0; before != NULL && map_next(before, &i, NULL, &v);)
		if (*(int64_t *)v >= first_slot)
			return true;
	for (size_t i = 0; map_next(s->targets, &i, &name, &v);) {
		const struct store_target *st = v;

		if (st->last_slot >= first_slot &&
		    site_find_target(s->site, name) == NULL)
			return true;
	}
	return false;
}
