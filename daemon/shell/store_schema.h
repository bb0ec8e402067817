/*
 * store_schema.h - the tables of the history, and how they got there.
 *
 * What is kept by time has the id `time << 24 | number`, so that it is written
 * and thrown away in order, whole pages at a time, and what a page of the
 * browser shows of one datastore lies together:
 *
 *	chunk	hour (chunk_hour()), pair	zip(chunk_encode()): 180 cells
 *	bin5	hour, series			zip(12 x roll_encode())
 *	bin60	day (store_day()), series	zip(24 x roll_encode())
 *
 * A series is a pair (2 x pair) or a datastore over all its hosts (2 x object +
 * 1).  Base of a roll: the first slot of its bin.  An hour of raw cells is in
 * `chunk` when it is over, and before that in `live`; a late sample may be in
 * `live` while its hour has a chunk already: readers fill the chunk's cells
 * with those of live rows whose slots overlap (cell_fill()).
 *
 *	live	a poll of a target: zip(live_encode()); deleted when chunked
 *	object	a datastore (kind 0, key its uuid) or a host (kind 1, key its
 *		systemInfo.uuid, else its moref) of a target, for ever
 *	object_name	what it was called, from that slot on: JSON with id,
 *		name, moref, datacenter, cluster, protocol, protocols, backing,
 *		fs, version; a row only when something changed
 *	pair	a host's view of a datastore; last_hour has its newest chunk
 *	gap	slots that nothing can bring back, and why
 *	doc	documents of incidents, events, silences, notifiers
 *	meta	singular values
 *
 * SELECT id >> 24 AS hour, id & 0xffffff AS pair, length(body) FROM chunk
 */
#ifndef DSLAT_STORE_SCHEMA_H
#define DSLAT_STORE_SCHEMA_H

#include "db.h"
#include "dslat/chunk.h"

#define STORE_FILE "history.db"
#define STORE_NUMBER_BITS 24
#define STORE_MAX_PAIRS (1 << 23) /* a series has one bit more */

#define STORE_BINS_PER_HOUR 12 /* rolls in a row of bin5 */
#define STORE_HOURS_PER_DAY 24 /* rolls in a row of bin60 */

enum store_kind { STORE_DATASTORE, STORE_HOST };

static inline int64_t
store_key(int64_t time, uint32_t number)
{
	assert(number >> STORE_NUMBER_BITS == 0);
	return time * ((int64_t)1 << STORE_NUMBER_BITS) + number;
}

static inline uint32_t
store_pair_series(uint32_t pair)
{
	return pair * 2;
}

static inline uint32_t
store_datastore_series(uint32_t object)
{
	return object * 2 + 1;
}

/* Rounds down, also before 1970. */
static inline int64_t
store_day(int64_t hour)
{
	return hour / STORE_HOURS_PER_DAY - (hour % STORE_HOURS_PER_DAY < 0);
}

/*
 * Creates what is missing and migrates forward, all or nothing.  ERR_CONF: the
 * file is of a newer dslat, or of another program.
 */
int schema_apply(struct db *db, struct err *e) must_check;

#endif
