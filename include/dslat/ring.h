/*
 * ring.h - the live samples of one pair: the newest 64 minutes, raw.
 *
 * 192 cells of 24 bytes, indexed by slot modulo 192; the window is
 * (newest - 192, newest].  Moving the window forward empties the cells it
 * enters.  Each field keeps its first valid value.  Fixed size, no heap of its
 * own; the loop thread.
 */
#ifndef DSLAT_RING_H
#define DSLAT_RING_H

#include "dslat/sample.h"

#define RING_SLOTS 192

struct ring {
	int64_t newest; /* newest slot announced; INT64_MIN while empty */
	struct cell cells[RING_SLOTS];
};

enum ring_put {
	RING_STORED,  /* the field was empty and has the value now */
	RING_KEPT,    /* a value was there already (or the same came again) */
	RING_TOO_OLD, /* the slot has left the window */
};

void ring_init(struct ring *r);

/* Make slot part of the window (announce it), without a value. */
void ring_reach(struct ring *r, int64_t slot);

/* These two are called for every value there is, so they are here. */

/* The bias, a multiple of RING_SLOTS, keeps slots before 1970 in order. */
static inline size_t
ring_index(int64_t slot)
{
	return ((uint64_t)slot + ((uint64_t)RING_SLOTS << 55)) % RING_SLOTS;
}

/* One comparison for both ends: a newer slot wraps around to far away. */
static inline bool
ring_holds(const struct ring *r, int64_t slot)
{
	return (uint64_t)r->newest - (uint64_t)slot < RING_SLOTS &&
		r->newest != INT64_MIN;
}

/* The cell of a slot, or NULL outside the window.  Borrowed. */
static inline const struct cell *
ring_get(const struct ring *r, int64_t slot)
{
	return ring_holds(r, slot) ? &r->cells[ring_index(slot)] : NULL;
}

/* Store one valid value (>= 0); reaches the slot. */
static inline enum ring_put
ring_put(struct ring *r, int64_t slot, unsigned field, int32_t value)
{
	int32_t *v;

	assert(field < N_FIELDS && value >= 0);
	if (slot > r->newest)
		ring_reach(r, slot);
	if (!ring_holds(r, slot))
		return RING_TOO_OLD;
	v = &r->cells[ring_index(slot)].v[field];
	if (*v >= 0)
		return RING_KEPT;
	*v = value;
	return RING_STORED;
}

/* Oldest slot inside the window; above newest while empty. */
int64_t ring_oldest(const struct ring *r);

#endif
