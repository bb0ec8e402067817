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

/* Store one valid value (>= 0); reaches the slot. */
enum ring_put ring_put(struct ring *r, int64_t slot, unsigned field,
		       int32_t value);

/* The cell of a slot, or NULL outside the window.  Borrowed. */
const struct cell *ring_get(const struct ring *r, int64_t slot);

/* Oldest slot inside the window; above newest while empty. */
int64_t ring_oldest(const struct ring *r);

#endif
