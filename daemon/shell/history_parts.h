/*
 * history_parts.h - what the files of the history share; private to them, but
 * for history_new() and history_free(), which the store's reader calls.
 *
 * history.c knows whose everything is, history_rows.c reads the rows of the
 * database (their form: store_schema.h), the others answer questions.  The
 * reader thread.
 */
#ifndef DSLAT_HISTORY_PARTS_H
#define DSLAT_HISTORY_PARTS_H

#include "dslat/history.h"
#include "store_schema.h"

/* db is borrowed; free it before the connection is closed. */
struct history *history_new(struct db *db) must_check;
void history_free(struct history **h);

/* ---- history.c ---- */

struct object_name {
	int64_t since_slot;
	char *id, *name, *datacenter, *cluster; /* NULL: not known */
	enum protocol protocol;
};

struct object {
	uint32_t id;
	enum store_kind kind;
	char *target;
	struct object_name *names; /* by since_slot */
	size_t n_names;
};

struct object_pair {
	uint32_t id;
	const struct object *datastore, *host;
};

struct history {
	uint32_t magic;
	struct db *db;
	int64_t version;        /* of the data that the lists below are from */
	struct object *objects; /* by id, as are the pairs */
	size_t n_objects;
	struct object_pair *pairs;
	size_t n_pairs;
	struct buf body;
	uint64_t damaged;
};
#define HISTORY_MAGIC OBJ_MAGIC('h', 'i', 's', 't')

/* Objects and pairs as of now: at the beginning of each step.  What is borrowed
 * from the lists does not outlive it. */
int history_refresh(struct history *h, struct err *e) must_check;
/* The newest one that ever had this id; NULL. */
const struct object *history_find(const struct history *h, enum store_kind kind,
				  const char *id);
const struct object_pair *history_pair(const struct history *h, uint32_t id);
/* As of that slot; NULL when nobody said. */
const struct object_name *object_name_at(const struct object *o, int64_t slot);

/* Copies. */
struct history_names history_names_of(struct history *h, uint32_t pair,
				      int64_t slot);

/* What the question says of a target, a pair, a datastore. */
struct history_part history_part_of(const struct history_ask *ask,
				    const char *target);
bool history_is_live(const struct history_ask *ask, uint32_t pair);
const struct threshold *history_threshold(const struct history_ask *ask,
					  const struct object *datastore);

/* ---- history_rows.c ---- */

/* Which pairs a question is about; NULL: all. */
struct history_filter {
	const char *target;
	const struct object *datastore, *host;
};
bool history_filter_takes(const struct history_filter *f,
			  const struct object_pair *p);

/* Cells that are in no chunk yet, or late: by pair and slot, fields of one slot
 * possibly in several. */
struct history_live {
	struct live_cell *cells;
	size_t n;
	int64_t first_hour, last_hour; /* none: INT64_MAX, INT64_MIN */
};
/* Those that the store answers for: slots before rings_from, or of pairs that
 * are in no ring.  NULL on error. */
struct history_live *history_live_load(struct history *h,
				       const struct history_ask *ask,
				       const struct history_filter *f,
				       struct err *e) must_check;
void history_live_free(struct history_live **live);
/* Some of them are in the hour, and of the pairs in question (datastore NULL:
 * of any). */
bool history_live_has(const struct history *h, const struct history_live *live,
		      int64_t hour, const struct object *datastore);
/* The same of one pair, and quick. */
bool history_live_has_pair(const struct history_live *live, int64_t hour,
			   uint32_t pair);
/* The hour of a pair from its chunk and the live cells (NULL: none): 1; 0:
 * there is nothing. */
int history_cells(struct history *h, const struct history_live *live,
		  uint32_t pair, int64_t hour, struct cell cells[CHUNK_SLOTS],
		  struct err *e) must_check;

enum history_tier { TIER_RAW, TIER_FIVE_MINUTES, TIER_HOUR };
struct history_at {
	enum history_tier tier;
	int64_t time; /* hour; of TIER_HOUR: day */
	uint32_t series;
};
/* The row that is there, unpacked: 1; 0: there is none.  Borrowed until the
 * next call. */
int history_row(struct history *h, const struct history_at *at,
		const uint8_t **p_r, const uint8_t **end_r, struct err *e)
	must_check;
struct history_hours {
	int64_t first, last;
};
/* All that a question is about, whichever target's part of it. */
struct history_hours history_asked(const struct history_ask *ask);
/* Cut to those that the tiers finest..coarsest, and the live cells, have
 * something of: a question may ask for the year 9999.  None: last < first. */
int history_hours(struct history *h, const struct history_live *live,
		  enum history_tier finest, enum history_tier coarsest,
		  struct history_hours *hours, struct err *e) must_check;

#endif
