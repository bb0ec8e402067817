#include "history_parts.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/zip.h"

bool
history_filter_takes(const struct history_filter *f,
		     const struct object_pair *p)
{
	if (f->datastore != NULL && p->datastore != f->datastore)
		return false;
	if (f->host != NULL && p->host != f->host)
		return false;
	return f->target == NULL ||
		strcmp(p->datastore->target, f->target) == 0;
}

/* What was packed, or nothing when it is damaged: then it is left out. */
static bool
unpack(struct history *h, struct db_stmt *st, int column)
{
	struct err e;
	size_t len;
	const uint8_t *data = db_blob(st, column, &len);

	buf_reset(&h->body);
	if (data != NULL && zip_unpack(data, len, &h->body, &e) == 0 &&
	    h->body.len != 0)
		return true;
	h->damaged++;
	return false;
}

/* ---- cells that are in no chunk ---- */

struct live_load {
	struct history *h;
	const struct history_ask *ask;
	const struct history_filter *filter;
	struct history_part part;
	struct history_live *live;
};

static void
take_cell(void *arg, const struct live_cell *c)
{
	struct live_load *l = arg;
	const struct object_pair *p;

	if (c->slot < l->part.first || c->slot > l->part.last)
		return;
	if (c->slot >= l->part.rings_from && history_is_live(l->ask, c->pair))
		return;
	p = history_pair(l->h, c->pair);
	if (p == NULL || !history_filter_takes(l->filter, p))
		return;
	l->live->cells =
		xgrow(l->live->cells, l->live->n, sizeof(*l->live->cells));
	l->live->cells[l->live->n++] = *c;
	l->live->first_hour = MIN(l->live->first_hour, chunk_hour(c->slot));
	l->live->last_hour = MAX(l->live->last_hour, chunk_hour(c->slot));
}

static int
load_rows(struct live_load *l, const char *target, int64_t last, struct err *e)
{
	struct db_stmt *st =
		db_prepare(l->h->db,
			   "SELECT body FROM live WHERE last_slot >= ?1 AND "
			   "first_slot <= ?2 AND target = ?3",
			   e);
	int rc;

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, l->part.first);
	db_bind_int(st, 2, last);
	db_bind_text(st, 3, target);
	while ((rc = db_step(st, e)) == 1)
		if (unpack(l->h, st, 0) &&
		    !live_decode((const uint8_t *)l->h->body.data,
				 l->h->body.len, take_cell, l))
			l->h->damaged++;
	return rc;
}

/*
 * Is there a pair that is in no ring and may have samples as young as the
 * rings'?  Those that left long ago have nothing there.
 */
static int
has_strays(struct live_load *l, const char *target, bool *has_r, struct err *e)
{
	struct db_stmt *st = db_prepare(
		l->h->db,
		"SELECT last_hour IS NULL OR last_hour >= ?2 FROM pair "
		"WHERE id = ?1",
		e);

	*has_r = false;
	if (st == NULL)
		return -1;
	for (size_t i = 0; i < l->h->n_pairs && !*has_r; i++) {
		const struct object_pair *p = &l->h->pairs[i];
		int rc;

		if (history_is_live(l->ask, p->id) ||
		    strcmp(p->datastore->target, target) != 0 ||
		    !history_filter_takes(l->filter, p))
			continue;
		db_bind_int(st, 1, p->id);
		db_bind_int(st, 2, chunk_hour(l->part.rings_from) - 2);
		rc = db_step(st, e);
		if (rc < 0)
			return -1;
		if (rc == 1) {
			*has_r = db_int(st, 0) != 0;
			db_reset(st);
		}
	}
	return 0;
}

static int
load_target(struct live_load *l, const char *target, struct err *e)
{
	int64_t last;
	bool strays = true;

	l->part = history_part_of(l->ask, target);
	last = l->part.last;
	if (last >= l->part.rings_from) {
		if (has_strays(l, target, &strays, e) != 0)
			return -1;
		if (!strays)
			last = l->part.rings_from - 1;
	}
	return load_rows(l, target, last, e);
}

static int
by_pair_and_slot(const void *a, const void *b)
{
	const struct live_cell *x = a, *y = b;

	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

struct history_live *
history_live_load(struct history *h, const struct history_ask *ask,
		  const struct history_filter *f, struct err *e)
{
	struct history_live *live = xcalloc(1, sizeof(*live));
	struct live_load l = { h, ask, f, { 0 }, live };
	struct map *seen = map_new();
	int rc = 0;

	live->first_hour = INT64_MAX;
	live->last_hour = INT64_MIN;
	for (size_t i = 0; rc == 0 && i < h->n_objects; i++) {
		const char *target = h->objects[i].target;

		if (map_find_str(seen, target) != NULL ||
		    (f->target != NULL && strcmp(f->target, target) != 0))
			continue;
		map_set(seen, target, live);
		rc = load_target(&l, target, e);
	}
	map_free(&seen);
	if (rc != 0) {
		history_live_free(&live);
		return NULL;
	}
	if (live->n > 1)
		qsort(live->cells, live->n, sizeof(*live->cells),
		      by_pair_and_slot);
	return live;
}

void
history_live_free(struct history_live **lp)
{
	struct history_live *live = *lp;

	if (live == NULL)
		return;
	free(live->cells);
	free(live);
	*lp = NULL;
}

bool
history_live_has(const struct history *h, const struct history_live *live,
		 int64_t hour, const struct object *datastore)
{
	if (hour < live->first_hour || hour > live->last_hour)
		return false;
	for (size_t i = 0; i < live->n; i++) {
		const struct object_pair *p;

		if (chunk_hour(live->cells[i].slot) != hour)
			continue;
		if (datastore == NULL)
			return true;
		p = history_pair(h, live->cells[i].pair);
		if (p != NULL && p->datastore == datastore)
			return true;
	}
	return false;
}

/* Where the pair's cells from that slot on begin. */
static size_t
live_from(const struct history_live *live, uint32_t pair, int64_t slot)
{
	struct live_cell want = { .pair = pair, .slot = slot };
	size_t low = 0, high = live->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (by_pair_and_slot(&live->cells[mid], &want) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
history_live_has_pair(const struct history_live *live, int64_t hour,
		      uint32_t pair)
{
	int64_t first = chunk_first_slot(hour);
	size_t i = live_from(live, pair, first);

	return i < live->n && live->cells[i].pair == pair &&
		live->cells[i].slot < first + CHUNK_SLOTS;
}

int
history_cells(struct history *h, const struct history_live *live, uint32_t pair,
	      int64_t hour, struct cell cells[CHUNK_SLOTS], struct err *e)
{
	struct db_stmt *st =
		db_prepare(h->db, "SELECT body FROM chunk WHERE id = ?", e);
	int64_t first = chunk_first_slot(hour);
	bool have = false;
	int rc;

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, store_key(hour, pair));
	rc = db_step(st, e);
	if (rc < 0)
		return -1;
	if (rc == 1) {
		have = unpack(h, st, 0);
		db_reset(st);
		if (have &&
		    !chunk_decode((const uint8_t *)h->body.data, h->body.len,
				  cells)) {
			h->damaged++;
			have = false;
		}
	}
	if (!have)
		memset(cells, 0xff, CHUNK_SLOTS * sizeof(*cells));
	if (live == NULL)
		return have;
	for (size_t i = live_from(live, pair, first);
	     i < live->n && live->cells[i].pair == pair &&
	     live->cells[i].slot < first + CHUNK_SLOTS;
	     i++)
		have |= cell_fill(&cells[live->cells[i].slot - first],
				  &live->cells[i].cell);
	return have;
}

/* ---- bins ---- */

int
history_row(struct history *h, const struct history_at *at, const uint8_t **p_r,
	    const uint8_t **end_r, struct err *e)
{
	struct db_stmt *st = at->tier == TIER_HOUR
		? db_prepare(h->db, "SELECT body FROM bin60 WHERE id = ?", e)
		: db_prepare(h->db, "SELECT body FROM bin5 WHERE id = ?", e);
	bool have;
	int rc;

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, store_key(at->time, at->series));
	rc = db_step(st, e);
	if (rc != 1)
		return rc;
	have = unpack(h, st, 0);
	db_reset(st);
	*p_r = (const uint8_t *)h->body.data;
	*end_r = *p_r + h->body.len;
	return have;
}

static int
add_tier(struct history *h, enum history_tier tier, struct history_hours *hours,
	 struct err *e)
{
	static const char *const sql[] = {
		[TIER_RAW] = "SELECT min(id) >> 24, max(id) >> 24 FROM chunk",
		[TIER_FIVE_MINUTES] =
			"SELECT min(id) >> 24, max(id) >> 24 FROM bin5",
		[TIER_HOUR] = ("SELECT (min(id) >> 24) * 24, "
			       "(max(id) >> 24) * 24 + 23 FROM bin60"),
	};
	struct db_stmt *st = db_prepare(h->db, sql[tier], e);
	int rc = st != NULL ? db_step(st, e) : -1;

	if (rc < 0)
		return -1;
	if (!db_is_null(st, 0)) {
		hours->first = MIN(hours->first, db_int(st, 0));
		hours->last = MAX(hours->last, db_int(st, 1));
	}
	db_reset(st);
	return 0;
}

int
history_hours(struct history *h, const struct history_live *live,
	      enum history_tier finest, enum history_tier coarsest,
	      struct history_hours *hours, struct err *e)
{
	struct history_hours kept = { live->first_hour, live->last_hour };

	for (enum history_tier t = finest; t <= coarsest; t++)
		if (add_tier(h, t, &kept, e) != 0)
			return -1;
	if (kept.first > kept.last)
		kept = (struct history_hours){ 0, -1 };
	hours->first = MAX(hours->first, kept.first);
	hours->last = MIN(hours->last, kept.last);
	return 0;
}
