#include "dslat/ring.h"

#include <string.h>

/* All bits set is SAMPLE_NONE in every field. */
static void
clear_cells(struct ring *r, int64_t first, int64_t last)
{
	static_assert(SAMPLE_NONE + 1 == 0, "memset fills with ones");
	for (int64_t s = first; s <= last; s++)
		memset(&r->cells[ring_index(s)], 0xff, sizeof(struct cell));
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

int64_t
ring_oldest(const struct ring *r)
{
	return r->newest == INT64_MIN ? INT64_MAX : r->newest - RING_SLOTS + 1;
}
