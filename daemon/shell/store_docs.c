/*
 * Documents: one task at a time takes all that was put since the last.
 *
 * While the store does not work, what is put is dropped, since its owner puts
 * it again; what is deleted is remembered, since nobody would say so again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "store_private.h"

#define MAX_DELETES 10000 /* remembered while nothing can be written */

static void
row_fini(struct doc_row *d)
{
	free(d->kind);
	free(d->body);
}

static void
row_free(struct doc_row *d)
{
	if (d != NULL) {
		row_fini(d);
		free(d);
	}
}

static char *
row_key(const char *kind, int64_t id)
{
	return xasprintf("%s/%" PRId64, kind, id);
}

static void
docs_end(struct writer_task *t)
{
	struct docs_task *d = (struct docs_task *)t;
	struct store *s = t->store;
	bool ok = t->report.ok;

	s->docs_flying = false;
	for (size_t i = 0; i < d->n_rows; i++) {
		struct doc_row *r = &d->rows[i];
		char *key = row_key(r->kind, r->id);

		if (!t->report.ok && r->body == NULL &&
		    map_find_str(s->docs, key) == NULL &&
		    map_count(s->docs) < MAX_DELETES) {
			struct doc_row *again = xmalloc(sizeof(*again));

			*again = *r;
			map_set(s->docs, key, again);
		} else {
			row_fini(r);
		}
		free(key);
	}
	free(d->rows);
	free(d);
	if (ok)
		store_docs_flush(s);
}

void
store_docs_flush(struct store *s)
{
	struct docs_task *d;
	void *v;

	if (s->status.state != STORE_OK || s->docs_flying ||
	    map_count(s->docs) == 0)
		return;
	d = xcalloc(1, sizeof(*d));
	d->rows = xcalloc(map_count(s->docs), sizeof(*d->rows));
	for (size_t i = 0; map_next(s->docs, &i, NULL, &v);) {
		d->rows[d->n_rows++] = *(struct doc_row *)v;
		free(v);
	}
	map_free(&s->docs);
	s->docs = map_new();
	s->docs_flying = true;
	store_post(s, &d->t, docs_work, docs_end);
}

static void
put(struct store *s, const char *kind, int64_t id, real_t t, const char *text)
{
	struct doc_row *d;
	char *key;

	if (s->conf.state_dir == NULL ||
	    (s->status.state != STORE_OK &&
	     (text != NULL || map_count(s->docs) >= MAX_DELETES)))
		return;
	d = xcalloc(1, sizeof(*d));
	d->kind = xstrdup(kind);
	d->id = id;
	d->t_us = t.us;
	d->body = text != NULL ? xstrdup(text) : NULL;
	key = row_key(kind, id);
	row_free(map_find_str(s->docs, key));
	map_set(s->docs, key, d);
	free(key);
	store_docs_flush(s);
}

void
store_doc_put(struct store *s, const char *kind, int64_t id, real_t t,
	      const char *text)
{
	assert(text != NULL);
	put(s, kind, id, t, text);
}

void
store_doc_delete(struct store *s, const char *kind, int64_t id)
{
	put(s, kind, id, (real_t){ 0 }, NULL);
}

void
store_doc_each(struct store *s, const char *kind,
	       void (*fn)(void *arg, int64_t id, real_t t, const char *text),
	       void *arg)
{
	struct db_stmt *st;
	struct db *db;
	struct err e;
	char *path;

	if (s->status.state != STORE_OK)
		return;
	path = xasprintf("%s/" STORE_FILE, s->conf.state_dir);
	db = db_open(path, DB_READ, &e);
	free(path);
	st = db == NULL
		? NULL
		: db_prepare(db,
			     "SELECT id, t_us, body FROM doc WHERE kind = ?"
			     " ORDER BY id",
			     &e);
	if (st != NULL) {
		db_bind_text(st, 1, kind);
		while (db_step(st, &e) == 1)
			fn(arg, db_int(st, 0), (real_t){ db_int(st, 1) },
			   db_text(st, 2));
	}
	db_close(&db);
}

void
store_docs_free(struct store *s)
{
	void *v;

	for (size_t i = 0; map_next(s->docs, &i, NULL, &v);)
		row_free(v);
	map_free(&s->docs);
}
