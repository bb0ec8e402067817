/*
 * store_roll.h - the rolls of one hour of one series, from its cells.
 *
 * The writer thread's; one struct rolls (some 240 KB) serves all series of a
 * slice.
 */
#ifndef DSLAT_STORE_ROLL_H
#define DSLAT_STORE_ROLL_H

#include "dslat/roll.h"
#include "store_schema.h"

struct rolls;
struct rolls *rolls_new(void) must_check;
void rolls_free(struct rolls **r);

/* What a series is made of: one pair, or all of a datastore. */
struct rolls_from {
	int64_t hour;
	const struct cell (*cells)[CHUNK_SLOTS]; /* of each pair */
	const uint32_t *pairs;
	size_t n;
	const struct threshold *threshold;
};

/* Replaces the hour's row of bin5 and its part of the day's row of bin60;
 * inside a transaction. */
int rolls_put(struct rolls *r, struct db *db, uint32_t series,
	      const struct rolls_from *from, struct err *e) must_check;

/* INSERT OR REPLACE of a packed body; st has id and body as 1 and 2. */
int put_body(struct db_stmt *st, int64_t id, const struct buf *plain,
	     struct err *e) must_check;

#endif
