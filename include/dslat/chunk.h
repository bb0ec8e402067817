/*
 * chunk.h - cells of one pair as bytes: an hour for ever, a poll for now.
 *
 * An hour is 180 cells, transposed to six columns, each value as its distance
 * from a guess; zip.h makes it smaller still where it repeats itself.  A run of updates ("live":
 * the cells that one poll of a target changed) is a flat list.  Both keep
 * SAMPLE_NONE apart from 0.  Decoders take any bytes and never read beyond
 * them.  Pure.
 */
#ifndef DSLAT_CHUNK_H
#define DSLAT_CHUNK_H

#include "dslat/buf.h"
#include "dslat/sample.h"

#define CHUNK_SLOTS 180 /* one hour; hour = floor((slot - 1) / 180) */

/* The hour whose (t - 1 h, t] a slot belongs to, and its first slot. */
int64_t chunk_hour(int64_t slot);
int64_t chunk_first_slot(int64_t hour);

/* Later fields fill what is SAMPLE_NONE in c; true when something changed. */
bool cell_fill(struct cell *c, const struct cell *more);

void chunk_encode(const struct cell cells[CHUNK_SLOTS], struct buf *out);
bool chunk_decode(const uint8_t *data, size_t len,
		  struct cell cells[CHUNK_SLOTS]) must_check;

struct live_cell {
	uint32_t pair; /* store id */
	int64_t slot;
	struct cell cell;
};

/* Begin with an empty buf; cells in any order, best by pair and slot. */
void live_encode(const struct live_cell *cells, size_t n, struct buf *out);
/* Calls fn for each; false when the bytes end early or make no sense (fn was
 * called for those before). */
bool live_decode(const uint8_t *data, size_t len,
		 void (*fn)(void *arg, const struct live_cell *c), void *arg)
	must_check;

#endif
