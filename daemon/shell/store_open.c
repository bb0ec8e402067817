/*
 * Opening the file: folder, lock, a damaged one set aside, what is in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "dslat/zip.h"
#include "store_parts.h"

#define CHUNK_MAX_BYTES 65536
#define LIVE_MAX_BYTES ((size_t)256 << 20)
/* A file up to this size is looked through; some 0.2 s. */
#define CHECK_MAX_BYTES ((int64_t)64 << 20)
#define SLOTS_AHEAD 6 /* of our clock, as the model allows */

void
contents_fini(struct store_contents *c)
{
	void *v;

	catalogue_free(&c->catalogue);
	for (size_t i = 0; i < c->n_rings; i++)
		free(c->rings[i]);
	free(c->rings);
	if (c->last_slots != NULL)
		for (size_t i = 0; map_next(c->last_slots, &i, NULL, &v);)
			free(v);
	map_free(&c->last_slots);
	*c = (struct store_contents){ 0 };
}

/* ---- pieces ------------------------------------------------------------- */

bool
chunk_unpack(const uint8_t *body, size_t len, struct cell cells[CHUNK_SLOTS])
{
	struct buf b;
	struct err e;
	bool good;

	buf_init(&b, CHUNK_MAX_BYTES);
	good = zip_unpack(body, len, &b, &e) == 0 &&
		chunk_decode((const uint8_t *)buf_str(&b), b.len, cells);
	buf_fini(&b);
	return good;
}

bool
live_unpack(const uint8_t *body, size_t len,
	    void (*fn)(void *arg, const struct live_cell *c), void *arg)
{
	struct buf b;
	struct err e;
	bool good;

	buf_init(&b, LIVE_MAX_BYTES);
	good = zip_unpack(body, len, &b, &e) == 0 &&
		live_decode((const uint8_t *)buf_str(&b), b.len, fn, arg);
	buf_fini(&b);
	return good;
}

/* ---- the file ----------------------------------------------------------- */

void
store_close(struct writer *w)
{
	hour_forget(w);
	db_close(&w->db);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	w->lock_fd = -1;
}

/* Two daemons on one file would give the same numbers to different pairs. */
static int
take_lock(struct writer *w, struct err *e)
{
	char *path = xasprintf("%s/lock", w->dir);
	int rc = -1;

	w->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	if (w->lock_fd < 0)
		err_set(e, ERR_IO,
			"%s: %s: the folder must be writable for dslatd's user",
			path, strerror(errno));
	else if (flock(w->lock_fd, LOCK_EX | LOCK_NB) != 0)
		err_set(e, ERR_IO,
			"%s: another dslatd is using it: give each a "
			"state_dir of its own",
			w->dir);
	else
		rc = 0;
	free(path);
	return rc;
}

static int
make_folder(const struct writer *w, struct err *e)
{
	if (mkdir(w->dir, 0750) == 0 || errno == EEXIST)
		return 0;
	return err_set(e, ERR_IO, "%s: %s: create it for dslatd's user", w->dir,
		       strerror(errno));
}

/* "history.db.damaged-20261130T191500Z", and its parts likewise. */
static int
set_aside(struct writer *w, real_t now, struct err *e)
{
	static const char *const parts[] = { "-wal", "-shm", "" };
	char text[REAL_TEXT_SIZE], stamp[REAL_TEXT_SIZE], *aside;
	size_t n = 0;
	int rc = 0;

	real_format((real_t){ now.us - now.us % US_PER_S }, text);
	for (const char *p = text; *p != '\0'; p++)
		if (*p != '-' && *p != ':')
			stamp[n++] = *p;
	stamp[n] = '\0';
	aside = xasprintf("%s.damaged-%s", w->path, stamp);
	for (int i = 2; access(aside, F_OK) == 0; i++) {
		free(aside);
		aside = xasprintf("%s.damaged-%s-%d", w->path, stamp, i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts) && rc == 0; i++) {
		char *from = xasprintf("%s%s", w->path, parts[i]);
		char *to = xasprintf("%s%s", aside, parts[i]);

		if (rename(from, to) != 0 && errno != ENOENT)
			rc = err_set(e, ERR_IO,
				     "%s is damaged and cannot be set aside: "
				     "%s",
				     w->path, strerror(errno));
		free(from);
		free(to);
	}
	if (rc == 0) {
		free(w->aside);
		w->aside = aside;
	} else {
		free(aside);
	}
	return rc;
}

static int
check_whole(struct db *db, struct err *e)
{
	int64_t pages, page_bytes;
	struct db_stmt *st;
	int rc;

	if (db_number(db, "PRAGMA page_count", &pages, e) != 0 ||
	    db_number(db, "PRAGMA page_size", &page_bytes, e) != 0)
		return -1;
	if (pages * page_bytes > CHECK_MAX_BYTES)
		return 0;
	st = db_prepare(db, "PRAGMA quick_check(1)", e);
	if (st == NULL)
		return -1;
	rc = db_step(st, e);
	if (rc == 1 && strcmp(db_text(st, 0), "ok") != 0)
		rc = err_set(e, ERR_DAMAGED, "the file is damaged: %s",
			     db_text(st, 0));
	db_reset(st);
	return rc < 0 ? -1 : 0;
}

/* A file that opens read-only or on a full disk is found out here. */
static int
probe(struct db *db, real_t now, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db, "INSERT OR REPLACE INTO meta VALUES ('opened_us', ?)", e);

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, now.us);
	return db_run(st, e);
}

/* ---- what is in it ------------------------------------------------------ */

static int
load_objects(struct db *db, struct catalogue *c, struct err *e)
{
	struct db_stmt *st =
		db_prepare(db, "SELECT id, kind, target, key FROM object", e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1)
		catalogue_load_object(c, (uint32_t)db_int(st, 0),
				      db_int(st, 1) == STORE_HOST
					      ? STORE_HOST
					      : STORE_DATASTORE,
				      db_text(st, 2), db_text(st, 3));
	return rc;
}

static int
load_pairs(struct db *db, struct catalogue *c, struct err *e)
{
	struct db_stmt *st =
		db_prepare(db, "SELECT id, datastore, host FROM pair", e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1) {
		int64_t id = db_int(st, 0);

		if (id <= 0 || id >= STORE_MAX_PAIRS)
			continue;
		catalogue_load_pair(c, (uint32_t)id, (uint32_t)db_int(st, 1),
				    (uint32_t)db_int(st, 2));
	}
	return rc;
}

static int
load_last_slots(struct db *db, struct map *m, struct err *e)
{
	struct db_stmt *st =
		db_prepare(db,
			   "SELECT substr(key, 11), value FROM meta"
			   " WHERE key >= 'last_slot/' AND key < 'last_slot0'",
			   e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1) {
		int64_t *slot = xmalloc(sizeof(*slot));

		*slot = db_int(st, 1);
		free(map_find_str(m, db_text(st, 0)));
		map_set(m, db_text(st, 0), slot);
	}
	return rc;
}

struct loading {
	struct store_contents *contents;
	int64_t first, last; /* slots of the window */
};

static void
load_cell(void *arg, const struct live_cell *c)
{
	struct loading *l = arg;
	struct store_contents *s = l->contents;

	if (c->slot < l->first || c->slot > l->last || c->pair == 0 ||
	    c->pair >= STORE_MAX_PAIRS)
		return;
	while (s->n_rings <= c->pair) {
		s->rings = xgrow(s->rings, s->n_rings, sizeof(*s->rings));
		s->rings[s->n_rings++] = NULL;
	}
	if (s->rings[c->pair] == NULL) {
		s->rings[c->pair] = xmalloc(sizeof(struct ring));
		ring_init(s->rings[c->pair]);
	}
	for (unsigned f = 0; f < N_FIELDS; f++)
		if (c->cell.v[f] >= 0)
			ring_put(s->rings[c->pair], c->slot, f, c->cell.v[f]);
}

static int
load_chunks(struct db *db, struct loading *l, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db, "SELECT id, body FROM chunk WHERE id >= ? ORDER BY id", e);
	struct cell cells[CHUNK_SLOTS];
	int rc;

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, store_key(chunk_hour(l->first), 0));
	while ((rc = db_step(st, e)) == 1) {
		int64_t id = db_int(st, 0), hour = id >> STORE_NUMBER_BITS;
		uint32_t pair = (uint32_t)(id - store_key(hour, 0));
		const uint8_t *body;
		size_t len;

		body = db_blob(st, 1, &len);
		if (!chunk_unpack(body, len, cells))
			continue;
		for (int64_t i = 0; i < CHUNK_SLOTS; i++)
			load_cell(l,
				  &(struct live_cell){
					  pair, chunk_first_slot(hour) + i,
					  cells[i] });
	}
	return rc;
}

static int
load_live(struct db *db, struct loading *l, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db,
		"SELECT body FROM live WHERE last_slot >= ? AND first_slot <= ?"
		" ORDER BY seq",
		e);
	const uint8_t *body;
	size_t len;
	int rc;

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, l->first);
	db_bind_int(st, 2, l->last);
	while ((rc = db_step(st, e)) == 1) {
		body = db_blob(st, 0, &len);
		if (!live_unpack(body, len, load_cell, l))
			continue; /* the hour of it says so */
	}
	return rc;
}

static int
load(struct db *db, real_t now, struct store_contents *c, struct err *e)
{
	struct loading l = { .contents = c,
			     .first = slot_of(now) - RING_SLOTS + 1,
			     .last = slot_of(now) + SLOTS_AHEAD };

	c->catalogue = catalogue_new();
	c->last_slots = map_new();
	if (load_objects(db, c->catalogue, e) == 0 &&
	    load_pairs(db, c->catalogue, e) == 0 &&
	    load_last_slots(db, c->last_slots, e) == 0 &&
	    load_chunks(db, &l, e) == 0 && load_live(db, &l, e) == 0)
		return 0;
	contents_fini(c);
	return -1;
}

static int
try_open(struct writer *w, real_t now, struct store_contents *c, struct err *e)
{
	if (w->db == NULL)
		w->db = db_open(w->path, DB_WRITE, e);
	if (w->db == NULL)
		return -1;
	if (check_whole(w->db, e) == 0 && schema_apply(w->db, e) == 0 &&
	    probe(w->db, now, e) == 0 && retain_since(w, e) == 0 &&
	    load(w->db, now, c, e) == 0)
		return 0;
	return -1;
}

int
store_open(struct writer *w, real_t now, struct store_contents *c,
	   struct err *e)
{
	/* Open still after a failure, but the file has another place now. */
	if (w->db != NULL && !db_is_in_place(w->db))
		store_close(w);
	if (make_folder(w, e) != 0)
		return -1;
	if (w->lock_fd < 0 && take_lock(w, e) != 0)
		return -1;
	if (!w->damaged) {
		if (try_open(w, now, c, e) == 0)
			return 0;
		if (e->code != ERR_DAMAGED)
			return -1;
		w->damaged = true;
	}
	db_close(&w->db);
	if (set_aside(w, now, e) != 0)
		return -1;
	w->damaged = false;
	return try_open(w, now, c, e);
}
