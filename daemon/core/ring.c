#include "dslat/ring.h"

#include <string.h>

/* The modulo of a negative slot (before 1970) still lands inside. */
static size_t
index_of(int64_t slot)
{
	return (size_t)(((slot % RING_SLOTS) + RING_SLOTS) % RING_SLOTS);
}

/* All bits set is SAMPLE_NONE in every field. */
static void
clear_cells(struct ring *r, int64_t first, int64_t last)
{
	static_assert(SAMPLE_NONE + 1 == 0, "memset fills with ones");
	for (int64_t s = first; s <= last; s++)
		memset(&r->cells[index_of(s)], 0xff, sizeof(struct cell));
}

void
ring_init(struct ring *r)
{
	r->newest = INT64_MIN;
	memset(r->cells, 0xff, sizeof(r->cells));
}

void
ring_reach(struct ring *r, int64_t slot)
{
	if (slot <= r->newest)
		return;
	if (r->newest == INT64_MIN || slot - r->newest >= RING_SLOTS)
		clear_cells(r, slot - RING_SLOTS + 1, slot);
	else
		clear_cells(r, r->newest + 1, slot);
	r->newest = slot;
}

enum ring_put
ring_put(struct ring *r, int64_t slot, unsigned field, int32_t value)
{
	int32_t *v;

	assert(field < N_FIELDS && value >= 0);
	ring_reach(r, slot);
	if (slot <= r->newest - RING_SLOTS)
		return RING_TOO_OLD;
	v = &r->cells[index_of(slot)].v[field];
	if (*v >= 0)
		return RING_KEPT;
	*v = value;
	return RING_STORED;
}

int64_t
ring_oldest(const struct ring *r)
{
	return r->newest == INT64_MIN ? INT64_MAX : r->newest - RING_SLOTS + 1;
}

const struct cell *
ring_get(const struct ring *r, int64_t slot)
{
	if (slot > r->newest || slot < ring_oldest(r))
		return NULL;
	return &r->cells[index_of(slot)];
}
