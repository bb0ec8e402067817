/*
 * Hours that are over: live rows become one chunk per pair, and rolls.
 *
 * A job is one hour of which there are live rows, begun in one slice and gone
 * on with in others, some datastores at a time, so that polls are written in
 * between.  What the chunks of the hour hold already is filled with the cells
 * of the live rows, so late samples, rows read twice and a job that was cut off
 * all come to the same.  In the end the live rows go; what came while the job
 * ran is the next job's.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "store_parts.h"
#include "store_roll.h"

#define SLICE_PAIRS 1024 /* and the rest of the last datastore */
#define BODY_MAX_BYTES 65536

struct hour_pair {
	uint32_t id, datastore;
	bool live; /* has cells in live rows */
};

struct hour_job {
	int64_t hour;
	int64_t last_seq;        /* of the live rows it takes */
	bool said;               /* that a row is damaged */
	struct hour_pair *pairs; /* by datastore */
	size_t n_pairs, next;
};

/* The pairs of one slice, while it is worked on. */
struct slice {
	struct hour_job *job;
	const struct hour_pair *pairs;
	size_t n;
	struct cell (*cells)[CHUNK_SLOTS]; /* n of them */
	bool *changed;
	uint32_t *place; /* pair -> index + 1; by pair id - least */
	uint32_t least, most;
	uint32_t *ids; /* of the pairs */
	struct rolls *rolls;
};

void
hour_forget(struct writer *w)
{
	if (w->hour == NULL)
		return;
	free(w->hour->pairs);
	free(w->hour);
	w->hour = NULL;
}

/* ---- which pairs -------------------------------------------------------- */

struct marking {
	struct hour_job *job;
	uint8_t *live; /* by pair */
	size_t n;
};

static void
mark_live(void *arg, const struct live_cell *c)
{
	struct marking *m = arg;

	if (chunk_hour(c->slot) == m->job->hour && c->pair < m->n)
		m->live[c->pair] = 1;
}

/* Calls fn for the cells of all live rows of the job; a damaged row is said
 * and left out. */
static int
each_live(struct db *db, struct hour_job *j,
	  void (*fn)(void *arg, const struct live_cell *c), void *arg,
	  struct err *e)
{
	int64_t first = chunk_first_slot(j->hour);
	struct db_stmt *st =
		db_prepare(db,
			   "SELECT seq, body FROM live WHERE last_slot >= ?"
			   " AND first_slot <= ? AND seq <= ? ORDER BY seq",
			   e);
	int rc;

	if (st == NULL)
		return -1;
	db_bind_int(st, 1, first);
	db_bind_int(st, 2, first + CHUNK_SLOTS - 1);
	db_bind_int(st, 3, j->last_seq);
	while ((rc = db_step(st, e)) == 1) {
		const uint8_t *body;
		size_t len;

		body = db_blob(st, 1, &len);
		if (live_unpack(body, len, fn, arg) || j->said)
			continue;
		log_warn("store",
			 "row %lld of live is damaged: its samples are lost",
			 (long long)db_int(st, 0));
		j->said = true;
	}
	return rc;
}

static int
read_pairs(struct db *db, struct hour_job *j, struct marking *m, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db, "SELECT id, datastore FROM pair ORDER BY datastore, id", e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1) {
		int64_t id = db_int(st, 0);

		if (id <= 0 || id >= STORE_MAX_PAIRS)
			continue;
		j->pairs = xgrow(j->pairs, j->n_pairs, sizeof(*j->pairs));
		j->pairs[j->n_pairs++] = (struct hour_pair){
			.id = (uint32_t)id, .datastore = (uint32_t)db_int(st, 1)
		};
		m->n = MAX(m->n, (size_t)id + 1);
	}
	return rc;
}

static size_t
datastore_end(const struct hour_job *j, size_t begin)
{
	size_t i = begin;

	while (i < j->n_pairs &&
	       j->pairs[i].datastore == j->pairs[begin].datastore)
		i++;
	return i;
}

/* Only datastores of which there is something live stay. */
static void
keep_live(struct hour_job *j, const struct marking *m)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_pairs;) {
		size_t end = datastore_end(j, i);
		bool any = false;

		for (size_t k = i; k < end; k++) {
			j->pairs[k].live = m->live[j->pairs[k].id] != 0;
			any |= j->pairs[k].live;
		}
		for (; i < end; i++)
			if (any)
				j->pairs[n++] = j->pairs[i];
	}
	j->n_pairs = n;
}

/* The oldest hour that has live rows, if it is due. */
static int
begin(struct writer *w, int64_t due_hour, struct err *e)
{
	struct hour_job *j;
	struct marking m = { 0 };
	int64_t rows, first_slot, last_seq;
	int rc = -1;

	if (db_number(w->db, "SELECT count(*) FROM live", &rows, e) != 0 ||
	    db_number(w->db, "SELECT min(first_slot) FROM live", &first_slot,
		      e) != 0 ||
	    db_number(w->db, "SELECT max(seq) FROM live", &last_seq, e) != 0)
		return -1;
	if (rows == 0 || chunk_hour(first_slot) > due_hour)
		return 0;
	w->hour = j = xcalloc(1, sizeof(*j));
	j->hour = chunk_hour(first_slot);
	j->last_seq = last_seq;
	m.job = j;
	if (read_pairs(w->db, j, &m, e) == 0) {
		m.live = xcalloc(m.n + 1, 1);
		rc = each_live(w->db, j, mark_live, &m, e);
		keep_live(j, &m);
	}
	free(m.live);
	return rc;
}

/* ---- the cells of a slice ----------------------------------------------- */

static void
slice_init(struct slice *s, struct hour_job *j, size_t end)
{
	*s = (struct slice){ .job = j,
			     .pairs = &j->pairs[j->next],
			     .n = end - j->next,
			     .least = UINT32_MAX };
	s->cells = xreallocarray(NULL, s->n, sizeof(*s->cells));
	memset(s->cells, 0xff, s->n * sizeof(*s->cells));
	s->changed = xcalloc(s->n, sizeof(*s->changed));
	for (size_t i = 0; i < s->n; i++) {
		s->least = MIN(s->least, s->pairs[i].id);
		s->most = MAX(s->most, s->pairs[i].id);
	}
	s->place = xcalloc(s->most - s->least + 1, sizeof(*s->place));
	s->ids = xcalloc(s->n, sizeof(*s->ids));
	for (size_t i = 0; i < s->n; i++) {
		s->ids[i] = s->pairs[i].id;
		s->place[s->ids[i] - s->least] = (uint32_t)i + 1;
	}
	s->rolls = rolls_new();
}

static void
slice_fini(struct slice *s)
{
	free(s->cells);
	free(s->changed);
	free(s->place);
	free(s->ids);
	rolls_free(&s->rolls);
}

/* -> the place of a pair in the slice, or -1. */
static int64_t
place_of(const struct slice *s, uint32_t pair)
{
	if (pair < s->least || pair > s->most)
		return -1;
	return (int64_t)s->place[pair - s->least] - 1;
}

static void
fill_live(void *arg, const struct live_cell *c)
{
	struct slice *s = arg;
	int64_t i = place_of(s, c->pair);
	int64_t at = c->slot - chunk_first_slot(s->job->hour);

	if (i >= 0 && at >= 0 && at < CHUNK_SLOTS &&
	    cell_fill(&s->cells[i][at], &c->cell))
		s->changed[i] = true;
}

static int
read_chunks(struct db *db, struct slice *s, struct err *e)
{
	struct db_stmt *st =
		db_prepare(db, "SELECT body FROM chunk WHERE id = ?", e);
	const uint8_t *body;
	size_t len;
	int rc;

	if (st == NULL)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		db_bind_int(st, 1, store_key(s->job->hour, s->pairs[i].id));
		rc = db_step(st, e);
		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		body = db_blob(st, 0, &len);
		if (!chunk_unpack(body, len, s->cells[i])) {
			memset(s->cells[i], 0xff, sizeof(s->cells[i]));
			log_warn("store",
				 "hour %lld of pair %u is damaged: it is made "
				 "anew from what is left",
				 (long long)s->job->hour, s->pairs[i].id);
		}
		db_reset(st);
	}
	return 0;
}

/* ---- what is written ---------------------------------------------------- */

static int
put_chunk(struct db *db, const struct slice *s, size_t i, struct err *e)
{
	struct db_stmt *st = db_prepare(
		db, "INSERT OR REPLACE INTO chunk (id, body) VALUES (?, ?)", e);
	struct db_stmt *seen = db_prepare(
		db,
		"UPDATE pair SET last_hour = max(ifnull(last_hour, ?1), ?1)"
		" WHERE id = ?2",
		e);
	struct buf b;
	int rc;

	if (st == NULL || seen == NULL)
		return -1;
	buf_init(&b, BODY_MAX_BYTES);
	chunk_encode(s->cells[i], &b);
	rc = put_body(st, store_key(s->job->hour, s->pairs[i].id), &b, e);
	buf_fini(&b);
	if (rc != 0)
		return -1;
	db_bind_int(seen, 1, s->job->hour);
	db_bind_int(seen, 2, s->pairs[i].id);
	return db_run(seen, e);
}

static const struct threshold *
threshold_of(const struct upkeep_task *u, uint32_t object)
{
	for (size_t a = 0, b = u->n_thresholds; a < b;) {
		size_t mid = (a + b) / 2;

		if (u->thresholds[mid].object == object)
			return &u->thresholds[mid].threshold;
		if (u->thresholds[mid].object < object)
			a = mid + 1;
		else
			b = mid;
	}
	return &u->fallback;
}

/* Rolls of the datastore of pairs begin..end, and of those that changed. */
static int
put_rolls(struct writer *w, const struct upkeep_task *u, struct slice *s,
	  size_t begin_i, size_t end_i, struct err *e)
{
	uint32_t ds = s->pairs[begin_i].datastore;
	struct rolls_from from = {
		.hour = s->job->hour,
		.threshold = threshold_of(u, ds),
		.n = 1,
	};

	for (size_t i = begin_i; i < end_i; i++) {
		from.cells = (const struct cell(*)[CHUNK_SLOTS]) & s->cells[i];
		from.pairs = &s->ids[i];
		if (s->changed[i] &&
		    rolls_put(s->rolls, w->db, store_pair_series(s->ids[i]),
			      &from, e) != 0)
			return -1;
	}
	from.cells = (const struct cell(*)[CHUNK_SLOTS]) & s->cells[begin_i];
	from.pairs = &s->ids[begin_i];
	from.n = end_i - begin_i;
	return rolls_put(s->rolls, w->db, store_datastore_series(ds), &from, e);
}

static int
put_slice(struct writer *w, const struct upkeep_task *u, struct slice *s,
	  struct err *e)
{
	size_t end_i;

	if (db_begin(w->db, e) != 0 || read_chunks(w->db, s, e) != 0 ||
	    each_live(w->db, s->job, fill_live, s, e) != 0)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (s->changed[i] && put_chunk(w->db, s, i, e) != 0)
			return -1;
	for (size_t i = 0; i < s->n; i = end_i) {
		bool any = false;

		for (end_i = i; end_i < s->n &&
		     s->pairs[end_i].datastore == s->pairs[i].datastore;
		     end_i++)
			any |= s->changed[end_i];
		if (any && put_rolls(w, u, s, i, end_i, e) != 0)
			return -1;
	}
	return db_commit(w->db, e);
}

/* The job is done: its live rows go, or at least their part in this hour. */
static int
end(struct writer *w, struct err *e)
{
	const struct hour_job *j = w->hour;
	int64_t last = chunk_first_slot(j->hour) + CHUNK_SLOTS - 1;
	struct db_stmt *drop = db_prepare(
		w->db, "DELETE FROM live WHERE last_slot <= ? AND seq <= ?", e);
	struct db_stmt *cut =
		db_prepare(w->db,
			   "UPDATE live SET first_slot = ?1 + 1"
			   " WHERE first_slot <= ?1 AND seq <= ?2",
			   e);

	if (drop == NULL || cut == NULL || db_begin(w->db, e) != 0)
		return -1;
	db_bind_int(drop, 1, last);
	db_bind_int(drop, 2, j->last_seq);
	db_bind_int(cut, 1, last);
	db_bind_int(cut, 2, j->last_seq);
	if (db_run(drop, e) != 0 || db_run(cut, e) != 0 ||
	    db_commit(w->db, e) != 0)
		return -1;
	hour_forget(w);
	return retain_since(w, e);
}

int
hour_slice(struct writer *w, const struct upkeep_task *u, bool *more_r,
	   struct err *e)
{
	struct hour_job *j;
	struct slice s;
	size_t end_i;
	int rc;

	if (w->hour == NULL && begin(w, u->due_hour, e) != 0)
		return -1;
	j = w->hour;
	if (j == NULL)
		return 0;
	*more_r = true;
	if (j->next == j->n_pairs)
		return end(w, e);
	for (end_i = j->next;
	     end_i < j->n_pairs && end_i - j->next < SLICE_PAIRS;)
		end_i = datastore_end(j, end_i);
	slice_init(&s, j, end_i);
	rc = put_slice(w, u, &s, e);
	slice_fini(&s);
	j->next = end_i;
	return rc;
}
