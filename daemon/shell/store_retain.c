/*
 * What is thrown away: by age, and by size, oldest raw samples first.
 *
 * One hour (or day) of one table per slice, since ids begin with the time.
 * Pages that become free are used again; only when there are many of them is
 * the file made smaller, some pages per slice.
 */
#include <inttypes.h>

#include "store_parts.h"

#define HOURS_PER_DAY STORE_HOURS_PER_DAY
/* Kept whatever max_bytes says, so that there is something to go on with. */
#define KEEP_HOURS 2
#define KEEP_DAYS 1
/* Free pages kept for what comes: a 32nd of the file and 64 MiB. */
#define SPARE_RATIO 32
#define SPARE_BYTES ((int64_t)64 << 20)

/* Literals, for db_prepare(). */
static const struct table {
	const char *oldest, *newest, *drop; /* newest NULL: as of bin5 */
	int64_t keep;                       /* units of time that always stay */
} tables[] = {
	{ "SELECT min(id) FROM chunk", NULL, "DELETE FROM chunk WHERE id < ?",
	  KEEP_HOURS },
	{ "SELECT min(id) FROM bin5", "SELECT max(id) FROM bin5",
	  "DELETE FROM bin5 WHERE id < ?", KEEP_HOURS },
	{ "SELECT min(id) FROM bin60", "SELECT max(id) FROM bin60",
	  "DELETE FROM bin60 WHERE id < ?", KEEP_DAYS },
};
enum { RAW, BIN5, BIN60, N_TABLES };

struct sizes {
	int64_t page_bytes, pages, free_pages;
};

/* The time of a table's first or last row; INT64_MIN: it has none. */
static int
read_time(struct db *db, const char *sql, int64_t *time_r, struct err *e)
{
	struct db_stmt *st = db_prepare(db, sql, e);
	int rc;

	if (st == NULL)
		return -1;
	rc = db_step(st, e);
	*time_r = INT64_MIN;
	if (rc == 1 && !db_is_null(st, 0))
		*time_r = db_int(st, 0) >> STORE_NUMBER_BITS;
	db_reset(st);
	return rc < 0 ? -1 : 0;
}

static int
drop_time(struct db *db, const struct table *t, int64_t time, struct err *e)
{
	struct db_stmt *st = db_prepare(db, t->drop, e);

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, store_key(time + 1, 0));
	return db_run(st, e);
}

static int
read_sizes(struct db *db, struct sizes *s, struct err *e)
{
	if (db_number(db, "PRAGMA page_size", &s->page_bytes, e) != 0 ||
	    db_number(db, "PRAGMA page_count", &s->pages, e) != 0)
		return -1;
	return db_number(db, "PRAGMA freelist_count", &s->free_pages, e);
}

/*
 * The hour that ages count from: now, but at most a day after the newest there
 * is, so that a clock that is years ahead throws nothing away.
 */
static int
read_hour_now(struct db *db, int64_t now_slot, int64_t *hour_r, struct err *e)
{
	int64_t hour, day;

	if (read_time(db, tables[BIN5].newest, &hour, e) != 0 ||
	    read_time(db, tables[BIN60].newest, &day, e) != 0)
		return -1;
	*hour_r = chunk_hour(now_slot);
	if (day != INT64_MIN)
		hour = MAX(hour, day * HOURS_PER_DAY);
	if (hour != INT64_MIN)
		*hour_r = MIN(*hour_r, hour + HOURS_PER_DAY);
	return 0;
}

/* -> the table of which the oldest time goes now, or N_TABLES. */
static size_t
choose(const struct upkeep_task *u, int64_t hour, const int64_t times[N_TABLES],
       const struct sizes *s)
{
	int64_t day = store_day(hour);
	const int64_t now[] = { hour, hour, day };
	const int64_t limits[] = {
		hour - u->raw_days * HOURS_PER_DAY,
		hour - u->five_minute_days * HOURS_PER_DAY,
		day - u->hour_days,
	};

	for (size_t i = 0; i < N_TABLES; i++)
		if (times[i] != INT64_MIN && times[i] < limits[i])
			return i;
	if ((s->pages - s->free_pages) * s->page_bytes <= u->max_bytes)
		return N_TABLES;
	for (size_t i = 0; i < N_TABLES; i++)
		if (times[i] != INT64_MIN && times[i] < now[i] - tables[i].keep)
			return i;
	return N_TABLES;
}

/* Rows about what has no data left.  ?1: the first hour of which there is any,
 * ?2 its first slot. */
static const struct {
	const char *sql;
	bool by_slot, is_number; /* ?2 instead of ?1; numbers were given back */
} forgotten[] = {
	{ "DELETE FROM pair WHERE last_hour < ?1", false, true },
	{ "DELETE FROM object WHERE ?1 NOT NULL"
	  " AND id NOT IN (SELECT datastore FROM pair)"
	  " AND id NOT IN (SELECT host FROM pair)",
	  false, true },
	{ "DELETE FROM object_name WHERE ?1 NOT NULL"
	  " AND object NOT IN (SELECT id FROM object)",
	  false, false },
	/* What something newer replaced before the first data. */
	{ "DELETE FROM object_name WHERE since_slot < ?2 AND EXISTS"
	  " (SELECT 1 FROM object_name AS n WHERE n.object = object_name.object"
	  " AND n.since_slot > object_name.since_slot AND n.since_slot <= ?2)",
	  true, false },
	{ "DELETE FROM gap WHERE last_slot < ?2", true, false },
};

static int
forget(struct writer *w, const int64_t times[N_TABLES], struct err *e)
{
	int64_t first_hour = INT64_MAX;

	for (size_t i = 0; i < N_TABLES; i++)
		if (times[i] != INT64_MIN)
			first_hour = MIN(first_hour,
					 i == BIN60 ? times[i] * HOURS_PER_DAY
						    : times[i]);
	if (first_hour == INT64_MAX)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(forgotten); i++) {
		struct db_stmt *st = db_prepare(w->db, forgotten[i].sql, e);

		if (st == NULL)
			return -1;
		if (forgotten[i].by_slot)
			db_bind_int(st, 2, chunk_first_slot(first_hour));
		else
			db_bind_int(st, 1, first_hour);
		if (db_run(st, e) != 0)
			return -1;
		w->forgot |= forgotten[i].is_number && db_changes(w->db) != 0;
	}
	return 0;
}

static int
drop_oldest(struct writer *w, size_t which, const int64_t times[N_TABLES],
	    struct err *e)
{
	if (db_begin(w->db, e) != 0 ||
	    drop_time(w->db, &tables[which], times[which], e) != 0)
		return -1;
	if (which == BIN60 && forget(w, times, e) != 0)
		return -1;
	return db_commit(w->db, e);
}

/* A slice of giving pages back, if there are too many free ones. */
static int
shrink(struct writer *w, const struct upkeep_task *u, const struct sizes *s,
       bool *more_r, struct err *e)
{
	int64_t spare =
		MIN(SPARE_BYTES / s->page_bytes, s->pages / SPARE_RATIO);

	if (s->pages * s->page_bytes > u->max_bytes)
		spare = 0;
	if (s->free_pages <= spare)
		return 0;
	*more_r = true;
	return db_exec(w->db, "PRAGMA incremental_vacuum(256)", e);
}

static int
read_times(struct writer *w, int64_t times[N_TABLES], struct err *e)
{
	for (size_t i = 0; i < N_TABLES; i++)
		if (read_time(w->db, tables[i].oldest, &times[i], e) != 0)
			return -1;
	w->since =
		(struct store_since){ times[RAW], times[BIN5], times[BIN60] };
	return 0;
}

int
retain_since(struct writer *w, struct err *e)
{
	int64_t times[N_TABLES];

	return read_times(w, times, e);
}

int
retain_slice(struct writer *w, const struct upkeep_task *u, bool *more_r,
	     struct err *e)
{
	int64_t times[N_TABLES], hour;
	struct sizes s;
	size_t which;

	if (read_times(w, times, e) != 0 || read_sizes(w->db, &s, e) != 0 ||
	    read_hour_now(w->db, u->now_slot, &hour, e) != 0)
		return -1;
	which = choose(u, hour, times, &s);
	if (which == N_TABLES)
		return shrink(w, u, &s, more_r, e);
	*more_r = true;
	return drop_oldest(w, which, times, e);
}
