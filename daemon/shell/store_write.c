/*
 * The writer thread's tasks, and what a poll writes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "dslat/mem.h"
#include "dslat/zip.h"
#include "store_parts.h"

#define MAX_BODY_BYTES ((size_t)256 << 20)

struct writer *
writer_new(const char *dir)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	w->dir = xstrdup(dir);
	w->path = xasprintf("%s/" STORE_FILE, dir);
	w->lock_fd = -1;
	w->since = (struct store_since){ INT64_MIN, INT64_MIN, INT64_MIN };
	err_set(&w->error, ERR_IO, "%s: not open yet", w->path);
	w->failed = true;
	return w;
}

void
writer_free(struct writer **wp)
{
	struct writer *w = *wp;

	if (w == NULL)
		return;
	*wp = NULL;
	store_close(w);
	free(w->aside);
	free(w->dir);
	free(w->path);
	free(w);
}

/* With a full disk the file stays open, for its readers' sake: closing it would
 * want to write.  Everything else is tried anew from the start. */
static void
failed(struct writer *w, const struct err *e)
{
	w->failed = true;
	w->damaged |= e->code == ERR_DAMAGED;
	w->error = *e;
	if (w->db != NULL)
		db_rollback(w->db);
	hour_forget(w);
	if (e->code != ERR_LIMIT)
		store_close(w);
}

static int64_t
size_of(const char *path, const char *end)
{
	char *name = xasprintf("%s%s", path, end);
	struct stat st;
	int rc = stat(name, &st);

	free(name);
	return rc == 0 ? st.st_size : 0;
}

static void
fill_report(struct writer *w, struct store_report *r)
{
	struct statvfs fs;

	r->aside = w->aside;
	w->aside = NULL;
	r->forgot = w->forgot;
	w->forgot = false;
	r->since = w->since;
	r->bytes = size_of(w->path, "") + size_of(w->path, "-wal");
	r->free_bytes = -1;
	if (statvfs(w->dir, &fs) == 0)
		r->free_bytes = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
}

static int
work(struct writer *w, struct writer_task *t, struct err *e)
{
	if (t->opens)
		return t->work(t, e);
	if (w->failed) {
		*e = w->error;
		return -1;
	}
	if (t->opening != w->opening)
		return err_set(e, ERR_GONE, "%s: made for an earlier file",
			       w->path);
	if (!db_is_in_place(w->db)) {
		err_set(e, ERR_IO,
			"%s: the file is gone; it is begun anew when %s can "
			"be written",
			w->path, w->dir);
		failed(w, e);
		return -1;
	}
	if (t->work(t, e) == 0)
		return 0;
	failed(w, e);
	return -1;
}

void
writer_run(struct task *task)
{
	struct writer_task *t = (struct writer_task *)task;
	struct store_report *r = &t->report;

	static_assert(offsetof(struct writer_task, task) == 0, "it is first");
	r->ok = work(t->writer, t, &r->error) == 0;
	fill_report(t->writer, r);
}

int
open_work(struct writer_task *t, struct err *e)
{
	struct open_task *o = (struct open_task *)t;
	struct writer *w = t->writer;

	if (store_open(w, o->now, &o->contents, e) != 0) {
		failed(w, e);
		return -1;
	}
	w->failed = false;
	w->opening = t->opening;
	return 0;
}

/* ---- a poll ------------------------------------------------------------- */

static int
put_objects(struct db *db, const struct store_news *n, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db,
		"INSERT INTO object (id, kind, target, key) VALUES (?, ?, ?, ?)"
		" ON CONFLICT (id) DO UPDATE SET key = excluded.key",
		e);

	if (st == NULL)
		return -1;
	for (size_t i = 0; i < n->n_objects; i++) {
		const struct news_object *o = &n->objects[i];

		db_bind_int(st, 1, o->id);
		db_bind_int(st, 2, o->kind);
		db_bind_text(st, 3, o->target);
		db_bind_text(st, 4, o->key);
		if (db_run(st, e) != 0)
			return -1;
	}
	return 0;
}

static int
put_pairs(struct db *db, const struct store_news *n, struct err *e)
{
	struct db_stmt *st =
		db_prepare(db,
			   "INSERT OR IGNORE INTO pair (id, datastore, host)"
			   " VALUES (?, ?, ?)",
			   e);

	if (st == NULL)
		return -1;
	for (size_t i = 0; i < n->n_pairs; i++) {
		const struct news_pair *p = &n->pairs[i];

		db_bind_int(st, 1, p->id);
		db_bind_int(st, 2, p->datastore);
		db_bind_int(st, 3, p->host);
		if (db_run(st, e) != 0)
			return -1;
	}
	return 0;
}

/* Only what differs from the newest there is. */
static int
put_names(struct db *db, const struct store_news *n, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db,
		"INSERT OR REPLACE INTO object_name (object, since_slot, json)"
		" SELECT ?1, ?2, ?3 WHERE ?3 IS NOT (SELECT json FROM"
		" object_name WHERE object = ?1 ORDER BY since_slot DESC"
		" LIMIT 1)",
		e);

	if (st == NULL)
		return -1;
	for (size_t i = 0; i < n->n_names; i++) {
		db_bind_int(st, 1, n->names[i].object);
		db_bind_int(st, 2, n->names[i].since_slot);
		db_bind_text(st, 3, n->names[i].json);
		if (db_run(st, e) != 0)
			return -1;
	}
	return 0;
}

static int
put_gaps(struct db *db, const struct store_news *n, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db,
		"INSERT INTO gap (target, first_slot, last_slot, reason)"
		" VALUES (?, ?, ?, ?)",
		e);

	if (st == NULL)
		return -1;
	for (size_t i = 0; i < n->n_gaps; i++) {
		const struct news_gap *g = &n->gaps[i];

		db_bind_text(st, 1, g->target);
		db_bind_int(st, 2, g->first_slot);
		db_bind_int(st, 3, g->last_slot);
		db_bind_text(st, 4, g->reason);
		if (db_run(st, e) != 0)
			return -1;
	}
	return 0;
}

static int
put_live(struct db *db, const struct batch_task *b, const struct buf *body,
	 struct err *e)
{
	struct db_stmt *st = db_prepare(
		db,
		"INSERT INTO live (target, first_slot, last_slot, body)"
		" VALUES (?, ?, ?, ?)",
		e);

	if (st == NULL)
		return -1;
	db_bind_text(st, 1, b->target);
	db_bind_int(st, 2, b->first_slot);
	db_bind_int(st, 3, b->last_slot);
	db_bind_blob(st, 4, body->data, body->len);
	return db_run(st, e);
}

static int
put_last_slot(struct db *db, const struct batch_task *b, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db,
		"INSERT INTO meta (key, value) VALUES ('last_slot/' || ?1, ?2)"
		" ON CONFLICT (key) DO UPDATE"
		" SET value = max(value, excluded.value)",
		e);

	if (st == NULL)
		return -1;
	db_bind_text(st, 1, b->target);
	db_bind_int(st, 2, b->last_slot);
	return db_run(st, e);
}

static int
put_cells(struct db *db, const struct batch_task *b, struct err *e)
{
	struct buf plain, packed;
	int rc;

	buf_init(&plain, MAX_BODY_BYTES);
	buf_init(&packed, MAX_BODY_BYTES);
	live_encode(b->cells, b->n_cells, &plain);
	zip_pack(plain.data, plain.len, &packed);
	assert(!packed.full);
	rc = put_live(db, b, &packed, e);
	if (rc == 0)
		rc = put_last_slot(db, b, e);
	buf_fini(&plain);
	buf_fini(&packed);
	return rc;
}

int
batch_work(struct writer_task *t, struct err *e)
{
	const struct batch_task *b = (const struct batch_task *)t;
	struct db *db = t->writer->db;

	if (db_begin(db, e) != 0)
		return -1;
	if (put_objects(db, &b->news, e) != 0 ||
	    put_pairs(db, &b->news, e) != 0 ||
	    put_names(db, &b->news, e) != 0 || put_gaps(db, &b->news, e) != 0 ||
	    (b->n_cells != 0 && put_cells(db, b, e) != 0))
		return -1; /* rolled back by failed() */
	return db_commit(db, e);
}

/* ---- documents ---------------------------------------------------------- */

static int
put_doc(struct db *db, const struct doc_row *d, struct err *e)
{
	struct db_stmt *st;

	if (d->body == NULL)
		st = db_prepare(db, "DELETE FROM doc WHERE kind = ? AND id = ?",
				e);
	else
		st = db_prepare(db,
				"INSERT OR REPLACE INTO doc (kind, id, t_us,"
				" body) VALUES (?, ?, ?, ?)",
				e);
	if (st == NULL)
		return -1;
	db_bind_text(st, 1, d->kind);
	db_bind_int(st, 2, d->id);
	if (d->body != NULL) {
		db_bind_int(st, 3, d->t_us);
		db_bind_text(st, 4, d->body);
	}
	return db_run(st, e);
}

int
docs_work(struct writer_task *t, struct err *e)
{
	const struct docs_task *d = (const struct docs_task *)t;
	struct db *db = t->writer->db;

	if (db_begin(db, e) != 0)
		return -1;
	for (size_t i = 0; i < d->n_rows; i++)
		if (put_doc(db, &d->rows[i], e) != 0)
			return -1;
	return db_commit(db, e);
}

/* ---- upkeep ------------------------------------------------------------- */

int
upkeep_work(struct writer_task *t, struct err *e)
{
	struct upkeep_task *u = (struct upkeep_task *)t;

	u->more = false;
	if (hour_slice(t->writer, u, &u->more, e) != 0)
		return -1;
	if (u->more)
		return 0;
	return retain_slice(t->writer, u, &u->more, e);
}
