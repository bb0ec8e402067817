/*
 * The store on a real folder, in virtual time.  What must be in the file comes
 * from the formula of rig.c; rolls from those cells, slot by slot.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "daemon/shell/history_parts.h"
#include "daemon/shell/store_parts.h"
#include "daemon/shell/store_private.h"
#include "daemon/shell/store_roll.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "dslat/zip.h"
#include "rig.h"

#define T0 RIG_FIRST_SLOT
#define HOSTS 3
#define DATASTORES 2
#define HOUR CHUNK_SLOTS

struct test {
	struct rig rig;
	char dir[64];
	char said[65536]; /* lines of the log at warning and above */
};

static void
on_log(void *arg, enum log_level level, const char *subsystem, const char *text)
{
	struct test *t = arg;
	size_t n = strlen(t->said);

	if (level <= LOG_LVL_INFO)
		snprintf(t->said + n, sizeof(t->said) - n, "%s: %s\n",
			 subsystem, text);
}

static size_t
times_said(const struct test *t, const char *what)
{
	size_t n = 0;

	for (const char *p = t->said; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

static int
setup(void **state)
{
	struct test *t = xcalloc(1, sizeof(*t));

	snprintf(t->dir, sizeof(t->dir), "/tmp/dslat-store-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	log_set_sink(on_log, t);
	*state = t;
	return 0;
}

static void
remove_all(const char *dir)
{
	int status;
	pid_t pid;

	assert_int_equal(strncmp(dir, "/tmp/dslat-store-", 17), 0);
	pid = fork();
	if (pid == 0) {
		execlp("rm", "rm", "-rf", dir, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int
teardown(void **state)
{
	struct test *t = *state;

	log_set_sink(NULL, NULL);
	remove_all(t->dir);
	free(t);
	return 0;
}

static void
start(struct test *t, int64_t slot)
{
	struct err e;

	if (rig_start(&t->rig, t->dir, HOSTS, DATASTORES, slot, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(store_status(t->rig.store).state, STORE_OK);
}

/* One poll per slot, as in life; all is written when it returns. */
static void
poll_each(struct test *t, int64_t first, int64_t last)
{
	for (int64_t slot = first; slot <= last; slot++) {
		rig_poll(&t->rig, slot, slot);
		assert_true(rig_settle(&t->rig));
	}
}

static struct db *
look(const struct test *t)
{
	struct err e;
	char *path = xasprintf("%s/" STORE_FILE, t->dir);
	struct db *db = db_open(path, DB_READ, &e);

	free(path);
	if (db == NULL)
		fail_msg("%s", e.text);
	return db;
}

static int64_t
number(const struct test *t, const char *sql)
{
	struct db *db = look(t);
	struct err e;
	int64_t n;

	if (db_number(db, sql, &n, &e) != 0)
		fail_msg("%s", e.text);
	db_close(&db);
	return n;
}

static char *
text_of(const struct test *t, const char *sql)
{
	struct db *db = look(t);
	struct err e;
	struct db_stmt *st = db_prepare(db, sql, &e);
	char *s = NULL;

	assert_non_null(st);
	if (db_step(st, &e) == 1)
		s = xstrdup(db_text(st, 0));
	db_close(&db);
	return s;
}

/* ---- what is in the file ------------------------------------------------ */

struct found {
	struct cell cells[HOUR];
	uint32_t pair;
	int64_t first;
};

static void
take_live(void *arg, const struct live_cell *c)
{
	struct found *f = arg;

	if (c->pair == f->pair && c->slot >= f->first &&
	    c->slot < f->first + HOUR)
		cell_fill(&f->cells[c->slot - f->first], &c->cell);
}

/* Chunk and live rows of a pair's hour. */
static void
find(struct db *db, uint32_t pair, int64_t hour, struct found *f)
{
	struct db_stmt *st;
	const uint8_t *body;
	struct err e;
	size_t len;

	memset(f->cells, 0xff, sizeof(f->cells));
	f->pair = pair;
	f->first = chunk_first_slot(hour);
	st = db_prepare(db, "SELECT body FROM chunk WHERE id = ?", &e);
	assert_non_null(st);
	db_bind_int(st, 1, store_key(hour, pair));
	if (db_step(st, &e) == 1) {
		body = db_blob(st, 0, &len);
		assert_true(chunk_unpack(body, len, f->cells));
		db_reset(st);
	}
	st = db_prepare(db, "SELECT body FROM live ORDER BY seq", &e);
	assert_non_null(st);
	while (db_step(st, &e) == 1) {
		body = db_blob(st, 0, &len);
		assert_true(live_unpack(body, len, take_live, f));
	}
}

static uint32_t
id_of(struct test *t, size_t h, size_t d)
{
	uint32_t id = store_pair_id(rig_pair(&t->rig, h, d));

	assert_true(id != 0);
	return id;
}

/* All slots of first..last are there as they were said, and no others of their
 * hours. */
static void
assert_stored(struct test *t, int64_t first, int64_t last)
{
	struct db *db = look(t);
	struct found f;
	struct cell want;

	for (size_t h = 0; h < HOSTS; h++)
		for (size_t d = 0; d < DATASTORES; d++)
			for (int64_t hour = chunk_hour(first);
			     hour <= chunk_hour(last); hour++) {
				find(db, id_of(t, h, d), hour, &f);
				for (int64_t i = 0; i < HOUR; i++) {
					int64_t slot = f.first + i;

					rig_cell(h, d, slot, &want);
					if (slot < first || slot > last)
						memset(&want, 0xff,
						       sizeof(want));
					assert_memory_equal(&f.cells[i], &want,
							    sizeof(want));
				}
			}
	db_close(&db);
}

/* A pair, or a datastore: hosts from..to - 1 of it. */
struct series {
	uint32_t number;
	size_t from, to, datastore;
};

/* The roll of n slots from the formula, as bytes. */
static void
want_roll(struct test *t, const struct series *s, int64_t first, int64_t n,
	  struct buf *out)
{
	static struct hist hists[N_OPS];
	struct cell cells[HOSTS];
	struct roll_cell rows[HOSTS];
	struct roll r;

	roll_init(&r, hists);
	for (int64_t slot = first; slot < first + n; slot++) {
		size_t k = 0;

		for (size_t h = s->from; h < s->to; h++, k++) {
			rig_cell(h, s->datastore, slot, &cells[k]);
			rows[k] =
				(struct roll_cell){ &cells[k],
						    id_of(t, h, s->datastore) };
		}
		roll_add_slot(&r, slot, rows, k,
			      &rig_pair(&t->rig, 0, s->datastore)
				       ->datastore->threshold);
	}
	roll_encode(&r, first, out);
}

static void
assert_row(struct db *db, const char *sql, int64_t id, const struct buf *want)
{
	struct db_stmt *st;
	struct err e;
	struct buf b;
	const uint8_t *body;
	size_t len;

	buf_init(&b, 1 << 24);
	st = db_prepare(db, sql, &e);
	assert_non_null(st);
	db_bind_int(st, 1, id);
	assert_int_equal(db_step(st, &e), 1);
	body = db_blob(st, 0, &len);
	assert_int_equal(zip_unpack(body, len, &b, &e), 0);
	db_reset(st);
	assert_int_equal(b.len, want->len);
	assert_memory_equal(b.data, want->data, want->len);
	buf_fini(&b);
}

/* Rows of bin5 and bin60 of one series, where hours first_hour..last_hour of
 * one day are whole. */
static void
assert_rolls(struct test *t, const struct series *s, int64_t first_hour,
	     int64_t last_hour)
{
	struct db *db = look(t);
	struct roll none;
	struct buf want;
	int64_t day = store_day(first_hour);

	buf_init(&want, 1 << 24);
	for (int64_t hour = first_hour; hour <= last_hour; hour++) {
		buf_reset(&want);
		for (int64_t b = 0; b < 12; b++)
			want_roll(t, s, chunk_first_slot(hour) + 15 * b, 15,
				  &want);
		assert_row(db, "SELECT body FROM bin5 WHERE id = ?",
			   store_key(hour, s->number), &want);
	}
	buf_reset(&want);
	roll_init(&none, NULL);
	for (int64_t hour = day * 24; hour < day * 24 + 24; hour++)
		if (hour < first_hour || hour > last_hour)
			roll_encode(&none, chunk_first_slot(hour), &want);
		else
			want_roll(t, s, chunk_first_slot(hour), 180, &want);
	assert_row(db, "SELECT body FROM bin60 WHERE id = ?",
		   store_key(day, s->number), &want);
	buf_fini(&want);
	db_close(&db);
}

static void
assert_all_rolls(struct test *t, int64_t first_hour, int64_t last_hour)
{
	for (size_t d = 0; d < DATASTORES; d++) {
		const struct datastore *ds = rig_pair(&t->rig, 0, d)->datastore;
		struct series s = { store_datastore_series(ds->store_id), 0,
				    HOSTS, d };

		assert_rolls(t, &s, first_hour, last_hour);
		for (size_t h = 0; h < HOSTS; h++) {
			s = (struct series){ store_pair_series(id_of(t, h, d)),
					     h, h + 1, d };
			assert_rolls(t, &s, first_hour, last_hour);
		}
	}
}

/* Until the hours before the clock are made. */
static void
keep_up(struct test *t, int64_t slots)
{
	rig_pass(&t->rig, slots);
	assert_true(rig_settle(&t->rig));
}

/* ---- the cases ---------------------------------------------------------- */

static void
test_hours(void **state)
{
	struct test *t = *state;
	int64_t hour = chunk_hour(T0);

	start(t, T0 - 1);
	poll_each(t, T0, T0 + 5);
	assert_stored(t, T0, T0 + 5);
	assert_int_equal(number(t, "SELECT count(*) FROM live"), 6);
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"), 0);
	rig_poll(&t->rig, T0 + 6, T0 + HOUR - 1);
	assert_true(rig_settle(&t->rig));
	keep_up(t, 11); /* 222 s after the hour: not yet */
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"), 0);
	keep_up(t, 1);
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"),
			 HOSTS * DATASTORES);
	assert_int_equal(number(t, "SELECT count(*) FROM live"), 0);
	assert_stored(t, T0, T0 + HOUR - 1);
	assert_all_rolls(t, hour, hour);
	assert_int_equal(number(t, "SELECT min(last_hour) FROM pair"), hour);
	/* A second hour goes to the same row of the day. */
	rig_poll(&t->rig, T0 + HOUR, T0 + 2 * HOUR - 1);
	keep_up(t, 12);
	assert_stored(t, T0, T0 + 2 * HOUR - 1);
	assert_all_rolls(t, hour, hour + 1);
	assert_int_equal(store_status(t->rig.store).raw_since.us,
			 slot_end(T0 - 1).us);
	rig_stop(&t->rig);
}

/* A host that was away: its hour comes when the others' is made. */
static void
test_late(void **state)
{
	struct test *t = *state;
	int64_t hour = chunk_hour(T0);

	start(t, T0 - 1);
	for (size_t h = 0; h + 1 < HOSTS; h++) {
		rig_pass(&t->rig, h == 0 ? HOUR : 0);
		rig_poll_host(&t->rig, h, T0, T0 + HOUR - 1);
	}
	keep_up(t, 12);
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"),
			 (HOSTS - 1) * DATASTORES);
	rig_poll_host(&t->rig, HOSTS - 1, T0, T0 + HOUR + 11);
	assert_true(rig_settle(&t->rig));
	keep_up(t, 1);
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"),
			 HOSTS * DATASTORES);
	assert_all_rolls(t, hour, hour);
	/* What belongs to the next hour waits for it. */
	assert_int_equal(number(t, "SELECT count(*) FROM live"), 1);
	assert_int_equal(number(t, "SELECT min(first_slot) FROM live"),
			 T0 + HOUR);
	rig_stop(&t->rig);
}

static void
assert_ring(const struct ring *r, size_t h, size_t d, int64_t first,
	    int64_t last)
{
	struct cell want;

	assert_non_null(r);
	for (int64_t slot = first; slot <= last; slot++) {
		const struct cell *c = ring_get(r, slot);

		if (rig_cell(h, d, slot, &want) || c != NULL) {
			assert_non_null(c);
			assert_memory_equal(c, &want, sizeof(want));
		}
	}
}

static void
test_restart(void **state)
{
	struct test *t = *state;
	int64_t last = T0 + HOUR + 29, final_before;
	struct pair *p;

	start(t, T0 - 1);
	rig_poll(&t->rig, T0, T0 + HOUR - 1);
	assert_true(rig_settle(&t->rig));
	poll_each(t, T0 + HOUR, last); /* an hour in chunks, the rest live */
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"),
			 HOSTS * DATASTORES);
	final_before = rig_pair(&t->rig, 1, 1)->final_slot;
	rig_stop(&t->rig);

	start(t, last + 3);
	for (size_t h = 0; h < HOSTS; h++)
		for (size_t d = 0; d < DATASTORES; d++) {
			p = rig_pair(&t->rig, h, d);
			assert_ring(p->ring, h, d, last + 4 - RING_SLOTS, last);
			assert_true(p->newest_valid >= last - 1);
			assert_true(p->final_slot <= last);
			assert_true(p->datastore->ever_valid);
		}
	assert_int_equal(rig_pair(&t->rig, 1, 1)->final_slot, final_before);
	/* Numbers go on; nothing is counted or stored twice. */
	poll_each(t, last + 1, last + 10);
	assert_int_equal(number(t, "SELECT count(*) FROM pair"),
			 HOSTS * DATASTORES);
	assert_stored(t, T0, last + 10);
	assert_int_equal(number(t, "SELECT count(*) FROM gap"), 0);
	rig_stop(&t->rig);
}

static void
test_gap(void **state)
{
	struct test *t = *state;
	int64_t back = T0 + 1000;

	start(t, T0 - 1);
	poll_each(t, T0, T0 + 3);
	rig_stop(&t->rig);
	start(t, back - 1);
	poll_each(t, back, back);
	/* The host's own memory: but nothing of two slots in it. */
	t->rig.hole_first = back - 52;
	t->rig.hole_last = back - 51;
	for (size_t h = 0; h < HOSTS; h++)
		rig_poll_host(&t->rig, h, back - 150, back);
	for (int i = 0; i < 5; i++)
		keep_up(t, 1);
	assert_int_equal(number(t, "SELECT count(*) FROM gap"), 2);
	assert_int_equal(number(t, "SELECT min(first_slot) FROM gap"), T0 + 4);
	assert_int_equal(number(t, "SELECT min(last_slot) FROM gap"),
			 back - 151);
	assert_int_equal(number(t, "SELECT max(first_slot) FROM gap"),
			 back - 52);
	assert_int_equal(number(t, "SELECT max(last_slot) FROM gap"),
			 back - 51);
	assert_int_equal(number(t,
				"SELECT count(*) FROM gap WHERE target = 'lab'"
				" AND reason = 'dslatd was not running'"),
			 2);
	rig_stop(&t->rig);
}

static void
test_names(void **state)
{
	struct test *t = *state;
	char *json;

	start(t, T0 - 1);
	poll_each(t, T0, T0);
	assert_int_equal(number(t, "SELECT count(*) FROM object"),
			 HOSTS + DATASTORES);
	assert_int_equal(number(t, "SELECT count(*) FROM object_name"),
			 HOSTS + DATASTORES);
	rig_rename(&t->rig, "ds-1"); /* the same as before */
	poll_each(t, T0 + 1, T0 + 1);
	rig_rename(&t->rig, "new \"name\"");
	poll_each(t, T0 + 2, T0 + 2);
	rig_stop(&t->rig);
	start(t, T0 + 2); /* with the old name again */
	poll_each(t, T0 + 3, T0 + 3);
	assert_int_equal(number(t, "SELECT count(*) FROM object_name"),
			 HOSTS + DATASTORES + 2);
	json = text_of(t,
		       "SELECT group_concat(json_extract(json, '$.name') ||"
		       " '/' || since_slot || '/' || json_extract(json,"
		       " '$.protocols[0]'), ' ') FROM object_name WHERE"
		       " json_extract(json, '$.id') = 'lab:u-1'");
	assert_non_null(json);
	{
		char *want = xasprintf(
			"ds-1/%lld/nfs3 new \"name\"/%lld/nfs3"
			" ds-1/%lld/nfs3",
			(long long)(T0 - 1), (long long)(T0 + 1),
			(long long)(T0 + 2));

		assert_string_equal(json, want);
		free(want);
	}
	free(json);
	rig_stop(&t->rig);
}

/* By age: the oldest hour of raw goes, its rolls stay. */
static void
test_age(void **state)
{
	struct test *t = *state;

	t->rig.conf = (struct store_conf){ .raw_days = 1,
					   .five_minute_days = 2,
					   .hour_days = 3,
					   .max_bytes = INT64_C(1) << 40 };
	start(t, T0 - 1);
	for (int64_t h = 0; h < 30; h++) {
		rig_poll(&t->rig, T0 + h * HOUR, T0 + (h + 1) * HOUR - 1);
		keep_up(t, 12);
		rig_pass(&t->rig, -12);
	}
	/* The clock is in the first slots of hour 29: 24 hours before it are
	 * kept, and the one that is going on. */
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM chunk"),
			 chunk_hour(T0) + 6);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM bin5"),
			 chunk_hour(T0));
	/* Hour 60 comes: raw from 37 on stays, bins of 5 minutes from 13 on. */
	rig_poll(&t->rig, T0 + 60 * HOUR, T0 + 61 * HOUR - 1);
	keep_up(t, 12);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM chunk"),
			 chunk_hour(T0) + 60);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM bin5"),
			 chunk_hour(T0) + 13);
	assert_int_equal(number(t, "SELECT count(*) FROM pair"),
			 HOSTS * DATASTORES);
	/* A month later: of all that came before only the numbers are left. */
	rig_poll(&t->rig, T0 + 744 * HOUR, T0 + 745 * HOUR - 1);
	keep_up(t, 12);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM bin5"),
			 chunk_hour(T0) + 744);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM bin60"),
			 store_day(chunk_hour(T0)) + 31);
	assert_int_equal(number(t, "SELECT count(*) FROM pair"),
			 HOSTS * DATASTORES);
	/* A clock that is ahead by years throws nothing away. */
	rig_pass(&t->rig, INT64_C(3650) * 24 * HOUR);
	assert_true(rig_settle(&t->rig));
	assert_int_equal(number(t, "SELECT count(*) FROM chunk"),
			 HOSTS * DATASTORES);
	rig_stop(&t->rig);
}

/* A host that left, until nothing of it is left; then it comes back. */
static void
test_forgotten(void **state)
{
	struct test *t = *state;
	int64_t day = 24 * HOUR, last = T0 + 4 * day;

	t->rig.conf = (struct store_conf){ .raw_days = 1,
					   .five_minute_days = 1,
					   .hour_days = 1,
					   .max_bytes = INT64_C(1) << 40 };
	start(t, T0 - 1);
	rig_poll(&t->rig, T0, T0 + HOUR - 1);
	for (int64_t d = 1; d <= 4; d++) {
		rig_pass(&t->rig, day);
		for (size_t h = 0; h + 1 < HOSTS; h++)
			rig_poll_host(&t->rig, h, T0 + d * day,
				      T0 + d * day + HOUR - 1);
		keep_up(t, 12);
		rig_pass(&t->rig, -12);
	}
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM bin60"),
			 store_day(chunk_hour(T0)) + 3);
	assert_int_equal(number(t, "SELECT count(*) FROM pair"),
			 (HOSTS - 1) * DATASTORES);
	assert_true(number(t, "SELECT min(last_slot) FROM gap") >=
		    T0 + 2 * day);
	rig_poll(&t->rig, last + HOUR, last + 2 * HOUR - 1);
	keep_up(t, 12);
	assert_stored(t, last + HOUR, last + 2 * HOUR - 1);
	/* All of it has a name again. */
	assert_int_equal(number(t, "SELECT count(*) FROM object"),
			 HOSTS + DATASTORES);
	assert_int_equal(number(t, "SELECT count(*) FROM pair"),
			 HOSTS * DATASTORES);
	assert_int_equal(times_said(t, "store: "), 0);
	rig_stop(&t->rig);
}

static void
test_size(void **state)
{
	struct test *t = *state;
	int64_t hour = chunk_hour(T0), pages;

	start(t, T0 - 1);
	for (int64_t h = 0; h < 30; h++) {
		rig_poll(&t->rig, T0 + h * HOUR, T0 + (h + 1) * HOUR - 1);
		keep_up(t, 12);
		rig_pass(&t->rig, -12);
	}
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM chunk"), hour);
	pages = number(t, "PRAGMA page_count");
	rig_stop(&t->rig);
	/* Two thirds of that: raw goes, what is rolled up stays. */
	t->rig.conf = (struct store_conf){ .raw_days = 100,
					   .five_minute_days = 100,
					   .hour_days = 100,
					   .max_bytes = pages * 8192 * 2 / 3 };
	start(t, T0 + 30 * HOUR);
	for (int i = 0; i < 3; i++)
		keep_up(t, 1);
	assert_true(number(t, "PRAGMA page_count") <= pages * 2 / 3);
	assert_true(number(t, "SELECT min(id) >> 24 FROM chunk") > hour);
	assert_int_equal(number(t, "SELECT max(id) >> 24 FROM chunk"),
			 hour + 29);
	rig_stop(&t->rig);
	/* Next to nothing: rolls of hours are the last to go. */
	t->rig.conf.max_bytes = 8192;
	start(t, T0 + 30 * HOUR + 5);
	for (int i = 0; i < 3; i++)
		keep_up(t, 1);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM chunk"),
			 hour + 28);
	assert_int_equal(number(t, "SELECT min(id) >> 24 FROM bin5"),
			 hour + 28);
	rig_stop(&t->rig);
}

/* ---- documents and jobs ------------------------------------------------- */

struct docs {
	char text[1024];
	int ready;
};

static void
add_doc(void *arg, int64_t id, real_t t, const char *text)
{
	struct docs *d = arg;
	size_t n = strlen(d->text);

	snprintf(d->text + n, sizeof(d->text) - n, "%lld@%lld=%s;",
		 (long long)id, (long long)t.us, text);
}

static void
on_ready(void *arg)
{
	((struct docs *)arg)->ready++;
}

static void
test_docs(void **state)
{
	struct test *t = *state;
	struct docs d = { 0 };
	struct store *s;

	start(t, T0 - 1);
	s = t->rig.store;
	store_on_ready(s, on_ready, &d);
	store_doc_put(s, "event", 2, (real_t){ 7 }, "{\"a\":1}");
	store_doc_put(s, "event", 1, (real_t){ 8 }, "first");
	store_doc_put(s, "other", 1, (real_t){ 9 }, "other");
	store_doc_put(s, "event", 2, (real_t){ 10 }, "again");
	store_doc_put(s, "event", 3, (real_t){ 11 }, "gone");
	store_doc_delete(s, "event", 3);
	store_doc_delete(s, "event", 4); /* was never there */
	assert_true(rig_settle(&t->rig));
	store_doc_each(s, "event", add_doc, &d);
	assert_string_equal(d.text, "1@8=first;2@10=again;");
	/* At the end all that was put is written. */
	store_doc_put(s, "event", 5, (real_t){ 12 }, "last");
	rig_stop(&t->rig);
	start(t, T0);
	d.text[0] = '\0';
	store_doc_each(t->rig.store, "event", add_doc, &d);
	assert_string_equal(d.text, "1@8=first;2@10=again;5@12=last;");
	assert_int_equal(d.ready, 0);
	rig_stop(&t->rig);
}

struct asked {
	int64_t rows; /* of live */
	int runs, dones;
	char error[512];
};

static int
ask(void *arg, struct history *h, struct err *e)
{
	struct asked *a = arg;

	a->runs++;
	return db_number(h->db, "SELECT count(*) FROM live", &a->rows, e);
}

static int
ask_wrong(void *arg, struct history *h, struct err *e)
{
	((struct asked *)arg)->runs++;
	(void)h;
	return err_set(e, ERR_USAGE, "no such thing");
}

static void
answer(void *arg, const char *error)
{
	struct asked *a = arg;

	a->dones++;
	snprintf(a->error, sizeof(a->error), "%s", error != NULL ? error : "");
}

/* The end comes while hours are made and documents written: no harm, and all
 * that was put is there. */
static void
test_end(void **state)
{
	struct test *t = *state;
	struct docs d = { 0 };

	start(t, T0 - 1);
	rig_poll(&t->rig, T0, T0 + HOUR - 1);
	rig_poll(&t->rig, T0 + HOUR, T0 + 2 * HOUR - 1);
	assert_true(rig_settle(&t->rig));
	rig_poll(&t->rig, T0 + 2 * HOUR, T0 + 2 * HOUR + 11);
	for (int i = 0; i < 20; i++)
		store_doc_put(t->rig.store, "event", i % 10, (real_t){ i },
			      "x");
	loop_turn(t->rig.loop, 0); /* begins with the first hour */
	rig_stop(&t->rig);
	start(t, T0 + 2 * HOUR + 11);
	assert_stored(t, T0, T0 + 2 * HOUR + 11);
	store_doc_each(t->rig.store, "event", add_doc, &d);
	assert_string_equal(d.text,
			    "0@10=x;1@11=x;2@12=x;3@13=x;4@14=x;5@15=x;"
			    "6@16=x;7@17=x;8@18=x;9@19=x;");
	keep_up(t, 1);
	assert_stored(t, T0, T0 + 2 * HOUR + 11);
	assert_all_rolls(t, chunk_hour(T0), chunk_hour(T0) + 1);
	rig_stop(&t->rig);
}

static void
test_jobs(void **state)
{
	struct test *t = *state;
	static struct asked all[STORE_MAX_JOBS + 1];
	struct asked good = { 0 }, wrong = { 0 }, cancelled = { 0 };
	struct store *s;
	uint64_t ticket;

	memset(all, 0, sizeof(all));
	start(t, T0 - 1);
	poll_each(t, T0, T0 + 2);
	s = t->rig.store;
	assert_true(store_submit(
			    s, &(struct store_job){ ask, answer, &good }) != 0);
	assert_true(store_submit(s,
				 &(struct store_job){ ask_wrong, answer,
						      &wrong }) != 0);
	ticket =
		store_submit(s, &(struct store_job){ ask, answer, &cancelled });
	store_job_cancel(s, ticket);
	store_job_cancel(s, ticket);
	store_job_cancel(s, 12345);
	assert_int_equal(store_status(s).jobs, 3);
	assert_true(rig_settle(&t->rig));
	assert_int_equal(good.dones, 1);
	assert_int_equal(good.rows, 3);
	assert_string_equal(good.error, "");
	assert_int_equal(wrong.dones, 1);
	assert_string_equal(wrong.error, "no such thing");
	assert_int_equal(cancelled.dones, 1);
	assert_string_equal(cancelled.error, "cancelled");
	/* The queue is bounded, and each is answered at the end. */
	for (size_t i = 0; i < STORE_MAX_JOBS; i++)
		assert_true(store_submit(s,
					 &(struct store_job){ ask, answer,
							      &all[i] }) != 0);
	assert_true(store_submit(s,
				 &(struct store_job){ ask, answer,
						      &all[STORE_MAX_JOBS] }) ==
		    0);
	rig_stop(&t->rig);
	for (size_t i = 0; i < STORE_MAX_JOBS; i++)
		assert_int_equal(all[i].dones, 1);
	assert_int_equal(all[STORE_MAX_JOBS].dones, 0);
}

/* ---- trouble ------------------------------------------------------------ */

/* The folder is gone for a while: all comes from the rings. */
static void
test_vanished(void **state)
{
	struct test *t = *state;
	struct store_status st;
	struct docs d = { 0 };
	struct asked a = { 0 };

	start(t, T0 - 1);
	store_on_ready(t->rig.store, on_ready, &d);
	poll_each(t, T0, T0 + 9);
	store_doc_put(t->rig.store, "event", 1, (real_t){ 1 }, "x");
	assert_true(rig_settle(&t->rig));
	remove_all(t->dir);
	assert_int_equal(close(open(t->dir, O_CREAT | O_WRONLY, 0600)), 0);
	poll_each(t, T0 + 10, T0 + 14);
	st = store_status(t->rig.store);
	assert_int_equal(st.state, STORE_FAILED);
	assert_non_null(strstr(st.error, t->dir));
	assert_true(st.failures > 0);
	assert_true(store_submit(t->rig.store,
				 &(struct store_job){ ask, answer, &a }) != 0);
	assert_true(rig_settle(&t->rig));
	assert_int_equal(a.dones, 1);
	assert_non_null(strstr(a.error, t->dir));
	assert_int_equal(a.runs, 0);
	assert_int_equal(times_said(t, "polling and serving go on"), 1);
	assert_int_equal(d.ready, 0);
	unlink(t->dir);
	poll_each(t, T0 + 15, T0 + 22); /* retries come within a minute */
	assert_int_equal(store_status(t->rig.store).state, STORE_OK);
	assert_null(store_status(t->rig.store).error);
	assert_int_equal(times_said(t, "works again"), 1);
	assert_stored(t, T0, T0 + 22);
	assert_int_equal(d.ready, 1);
	a = (struct asked){ 0 };
	assert_true(store_submit(t->rig.store,
				 &(struct store_job){ ask, answer, &a }) != 0);
	assert_true(rig_settle(&t->rig));
	assert_int_equal(a.dones, 1);
	assert_string_equal(a.error, "");
	rig_stop(&t->rig);
}

static void
overwrite(const struct test *t, off_t from, size_t len)
{
	char *path = xasprintf("%s/" STORE_FILE, t->dir);
	int fd = open(path, O_RDWR);
	unsigned seed = 5;

	free(path);
	assert_true(fd >= 0);
	for (size_t i = 0; i < len; i++) {
		uint8_t byte;

		seed = seed * 1103515245u + 12345u;
		byte = (uint8_t)(seed >> 16);
		assert_int_equal(pwrite(fd, &byte, 1, from + (off_t)i), 1);
	}
	close(fd);
}

static void
assert_set_aside(struct test *t, off_t size)
{
	struct store_status st = store_status(t->rig.store);
	struct stat file;

	assert_int_equal(st.state, STORE_OK);
	assert_non_null(st.aside);
	assert_non_null(strstr(st.aside, "/history.db.damaged-2026113"));
	assert_int_equal(stat(st.aside, &file), 0);
	assert_int_equal(file.st_size, size);
	assert_int_equal(times_said(t, "a new one is begun"), 1);
}

static off_t
file_size(const struct test *t)
{
	char *path = xasprintf("%s/" STORE_FILE, t->dir);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	free(path);
	return st.st_size;
}

/* What a question about the newest hour must ask the store for. */
static void
test_strays(void **state)
{
	struct test *t = *state;

	start(t, T0 - 1);
	poll_each(t, T0, T0 + 3);
	assert_false(store_has_strays(t->rig.store, T0));
	rig_stop(&t->rig);
	start(t, T0 + 9); /* hosts may have left meanwhile */
	poll_each(t, T0 + 10, T0 + 12);
	assert_true(store_has_strays(t->rig.store, T0 + 3));
	assert_false(store_has_strays(t->rig.store, T0 + 4));
	site_remove_target(t->rig.site, "lab");
	assert_true(store_has_strays(t->rig.store, T0 + 12));
	assert_false(store_has_strays(t->rig.store, T0 + 13));
	rig_stop(&t->rig);
}

/* It works again in the middle of the end, when its owners are gone. */
static void
test_end_while_opening(void **state)
{
	struct test *t = *state;
	struct docs d = { 0 };
	struct store *s;

	start(t, T0 - 1);
	s = t->rig.store;
	store_on_ready(s, on_ready, &d);
	poll_each(t, T0, T0 + 2);
	remove_all(t->dir);
	assert_int_equal(close(open(t->dir, O_CREAT | O_WRONLY, 0600)), 0);
	poll_each(t, T0 + 3, T0 + 4);
	assert_int_equal(store_status(s).state, STORE_FAILED);
	unlink(t->dir);
	rig_pass(&t->rig, 4);
	while (!s->opening_now)
		loop_turn(t->rig.loop, 0);
	rig_stop(&t->rig);
	assert_int_equal(d.ready, 0);
}

static void
test_damaged(void **state)
{
	/* Of the header; of the schema; of pages in the middle. */
	static const struct {
		off_t at;
		size_t len;
	} rows[] = { { 0, 100 }, { 100, 4000 }, { 32768, 60000 } };
	struct test *t = *state;
	off_t size;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		remove_all(t->dir);
		t->said[0] = '\0';
		start(t, T0 - 1);
		rig_poll(&t->rig, T0, T0 + HOUR - 1);
		keep_up(t, 12);
		rig_stop(&t->rig);
		size = file_size(t);
		overwrite(t, rows[i].at, rows[i].len);
		start(t, T0 + HOUR + 12);
		assert_set_aside(t, size);
		poll_each(t, T0 + HOUR + 13, T0 + HOUR + 15);
		assert_stored(t, T0 + HOUR + 13, T0 + HOUR + 15);
		rig_stop(&t->rig);
	}
}

/* While it is in use: found when it is written or read. */
static void
test_damaged_in_use(void **state)
{
	struct test *t = *state;
	off_t size;

	start(t, T0 - 1);
	rig_poll(&t->rig, T0, T0 + 99);
	assert_true(rig_settle(&t->rig));
	{
		struct db *db = look(t);
		struct err e;

		/* All into the file, so that it is read from there. */
		assert_int_equal(db_exec(db,
					 "PRAGMA query_only = 0;"
					 "PRAGMA wal_checkpoint(TRUNCATE)",
					 &e),
				 0);
		db_close(&db);
	}
	size = file_size(t);
	overwrite(t, 100, (size_t)size - 100);
	rig_poll(&t->rig, T0 + 100, T0 + HOUR - 1);
	for (int i = 0; i < 6; i++)
		keep_up(t, 6);
	assert_set_aside(t, file_size(t) > 0 ? size : 0);
	/* The rings had the whole hour. */
	assert_stored(t, T0, T0 + HOUR - 1);
	rig_stop(&t->rig);
}

static void
test_refused(void **state)
{
	struct test *t = *state;
	char *path = xasprintf("%s/" STORE_FILE, t->dir);
	struct err e;
	struct db *db;

	start(t, T0 - 1);
	rig_stop(&t->rig);
	db = db_open(path, DB_WRITE, &e);
	assert_non_null(db);
	assert_int_equal(db_exec(db, "PRAGMA user_version = 99", &e), 0);
	db_close(&db);
	free(path);
	assert_int_equal(rig_start(&t->rig, t->dir, HOSTS, DATASTORES, T0, &e),
			 -1);
	assert_int_equal(e.code, ERR_CONF);
	assert_non_null(strstr(e.text, "newer dslat"));
	rig_stop(&t->rig);
}

/* A second daemon on the same folder is told so, and writes nothing. */
static void
test_two(void **state)
{
	struct test *t = *state;
	struct rig other = { 0 };
	struct err e;

	start(t, T0 - 1);
	assert_int_equal(
		rig_start(&other, t->dir, HOSTS, DATASTORES, T0 - 1, &e), 0);
	assert_int_equal(store_status(other.store).state, STORE_FAILED);
	assert_non_null(
		strstr(store_status(other.store).error, "another dslatd"));
	rig_poll(&other, T0, T0 + 3);
	assert_true(rig_settle(&other));
	assert_int_equal(number(t, "SELECT count(*) FROM live"), 0);
	rig_stop(&t->rig);
	rig_poll(&other, T0 + 4, T0 + 4);
	assert_true(rig_settle(&other));
	assert_int_equal(store_status(other.store).state, STORE_OK);
	assert_true(number(t, "SELECT count(*) FROM live") > 0);
	rig_stop(&other);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	static const struct CMUnitTest tests[] = {
		CASE(test_hours),     CASE(test_late),
		CASE(test_restart),   CASE(test_gap),
		CASE(test_names),     CASE(test_age),
		CASE(test_forgotten), CASE(test_size),
		CASE(test_docs),      CASE(test_end),
		CASE(test_jobs),      CASE(test_vanished),
		CASE(test_strays),    CASE(test_end_while_opening),
		CASE(test_damaged),   CASE(test_damaged_in_use),
		CASE(test_refused),   CASE(test_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
