/*
 * The reading side of the store over a database made by hand: whatever the
 * span, the points and the source, the answer is that of the samples.
 *
 * Four hosts and two datastores, 60 hours.  Raw samples of the last 40 hours
 * are kept, bins of five minutes of the last 50, bins of an hour of all.  The
 * last two hours are not in chunks yet, and one sample in 50 of the hour before
 * them came late: it is in no chunk and no bin.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../daemon/shell/history_parts.h"
#include "../unit/unit.h"
#include "dslat/mem.h"
#include "dslat/zip.h"

#define HOSTS 4
#define STORES 2
#define PAIRS (HOSTS * STORES)
#define HOURS 60
#define SLOTS (HOURS * 180)
#define FIRST_HOUR 498913 /* in 2026, at 01:00 */
#define FIRST_SLOT (FIRST_HOUR * 180 + 1)
#define RAW_HOUR (FIRST_HOUR + 20)
#define FIVE_HOUR (FIRST_HOUR + 10)
#define OPEN_HOUR (FIRST_HOUR + HOURS - 2)
#define LATE_HOUR (OPEN_HOUR - 1)

static struct cell cells[PAIRS][SLOTS];
static char dir[] = "/tmp/dslat-history-XXXXXX";
static char path[64];
static struct db *db;
static struct history *history;
static unsigned seed = 5;

static const struct threshold threshold = {
	.warning_us = 50000,
	.critical_us = 75000,
	.min_ios = 20,
	.sparse_us = 1000000,
};

static unsigned
pick(unsigned below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static uint32_t
pair_id(int d, int h)
{
	return (uint32_t)(10 + d * HOSTS + h);
}

static bool
is_late(int pair, int64_t slot)
{
	return chunk_hour(slot) == LATE_HOUR && (slot + pair) % 50 == 7;
}

/* Mostly quiet, now and then a peak; some values missing; host 3 is away for
 * ten hours. */
static void
make_cells(void)
{
	for (int p = 0; p < PAIRS; p++)
		for (int i = 0; i < SLOTS; i++) {
			int32_t *v = cells[p][i].v;
			bool away =
				p % HOSTS == 3 && i / 180 >= 30 && i / 180 < 40;

			for (int op = 0; op < 2; op++) {
				v[op] = (int32_t)pick(8) * 1000;
				if (pick(200) == 0)
					v[op] = (int32_t)pick(300) * 1000;
				v[2 + op] = (int32_t)pick(90) * 20;
				v[4 + op] = (int32_t)pick(4000);
			}
			for (int f = 0; f < 6; f++)
				if (away || pick(40) == 0)
					v[f] = -1;
		}
}

static void
run(const char *sql)
{
	struct err e;

	if (db_exec(db, sql, &e) != 0)
		fail_msg("%s: %s", sql, e.text);
}

static void
put_row(const char *sql, int64_t id, struct buf *plain)
{
	struct db_stmt *st;
	struct err e;
	struct buf packed;

	buf_init(&packed, 1 << 20);
	zip_pack(plain->data, plain->len, &packed);
	st = db_prepare(db, sql, &e);
	assert_non_null(st);
	db_bind_int(st, 1, id);
	db_bind_blob(st, 2, packed.data, packed.len);
	assert_int_equal(db_run(st, &e), 0);
	buf_fini(&packed);
}

static const struct cell *
cell_at(int pair, int64_t slot)
{
	int64_t i = slot - FIRST_SLOT;

	assert_in_range(i, 0, SLOTS - 1);
	return &cells[pair][i];
}

/* What was there when the hour was sealed. */
static struct cell
sealed_cell(int p, int64_t slot)
{
	static const struct cell none = { { -1, -1, -1, -1, -1, -1 } };

	return is_late(p, slot) ? none : *cell_at(p, slot);
}

static void
put_chunks(void)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	for (int64_t hour = RAW_HOUR; hour < OPEN_HOUR; hour++)
		for (int p = 0; p < PAIRS; p++) {
			struct cell hour_cells[CHUNK_SLOTS];

			for (int i = 0; i < CHUNK_SLOTS; i++)
				hour_cells[i] = sealed_cell(
					p, chunk_first_slot(hour) + i);
			buf_reset(&b);
			chunk_encode(hour_cells, &b);
			put_row("INSERT INTO chunk VALUES (?, ?)",
				store_key(hour, pair_id(p / HOSTS, p % HOSTS)),
				&b);
		}
	buf_fini(&b);
}

/* The roll of n slots over pairs first..last. */
static void
add_roll(int first, int last, int64_t slot, int n, struct buf *b)
{
	static struct hist hists[N_OPS];
	struct roll_cell row[HOSTS];
	struct cell at[HOSTS];
	struct roll r;

	roll_init(&r, hists);
	for (int64_t s = slot; s < slot + n; s++) {
		if (s < FIRST_SLOT || chunk_hour(s) >= OPEN_HOUR)
			continue;
		for (int p = first; p <= last; p++) {
			at[p - first] = sealed_cell(p, s);
			row[p - first] = (struct roll_cell){
				&at[p - first], pair_id(p / HOSTS, p % HOSTS)
			};
		}
		roll_add_slot(&r, s, row, (size_t)last - (size_t)first + 1,
			      &threshold);
	}
	roll_encode(&r, slot, b);
}

static void
put_bins_of(uint32_t series, int first, int last)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	for (int64_t hour = FIVE_HOUR; hour < OPEN_HOUR; hour++) {
		buf_reset(&b);
		for (int i = 0; i < 12; i++)
			add_roll(first, last, chunk_first_slot(hour) + i * 15,
				 15, &b);
		put_row("INSERT INTO bin5 VALUES (?, ?)",
			store_key(hour, series), &b);
	}
	for (int64_t day = store_day(FIRST_HOUR);
	     day <= store_day(OPEN_HOUR - 1); day++) {
		buf_reset(&b);
		for (int i = 0; i < 24; i++)
			add_roll(first, last, chunk_first_slot(day * 24 + i),
				 180, &b);
		put_row("INSERT INTO bin60 VALUES (?, ?)",
			store_key(day, series), &b);
	}
	buf_fini(&b);
}

/* A poll: all pairs' cells of a slot that pass, in one row. */
static void
put_live(int64_t slot, bool late)
{
	struct live_cell list[PAIRS];
	struct buf plain, packed;
	struct db_stmt *st;
	struct err e;
	size_t n = 0;

	for (int p = 0; p < PAIRS; p++)
		if (!late || is_late(p, slot))
			list[n++] =
				(struct live_cell){ pair_id(p / HOSTS,
							    p % HOSTS),
						    slot, *cell_at(p, slot) };
	if (n == 0)
		return;
	buf_init(&plain, 1 << 16);
	buf_init(&packed, 1 << 16);
	live_encode(list, n, &plain);
	zip_pack(plain.data, plain.len, &packed);
	st = db_prepare(db,
			"INSERT INTO live (target, first_slot, last_slot, "
			"body) VALUES ('lab', ?1, ?1, ?2)",
			&e);
	assert_non_null(st);
	db_bind_int(st, 1, slot);
	db_bind_blob(st, 2, packed.data, packed.len);
	assert_int_equal(db_run(st, &e), 0);
	buf_fini(&plain);
	buf_fini(&packed);
}

static void
put_objects(void)
{
	char sql[512];

	for (int d = 0; d < STORES; d++) {
		snprintf(sql, sizeof(sql),
			 "INSERT INTO object VALUES (%d, 0, 'lab', 'u%d');"
			 "INSERT INTO object_name VALUES (%d, %d, '{\"id\":"
			 "\"lab:u%d\",\"name\":\"old%d\",\"protocol\":\"%s\"}')"
			 ";INSERT INTO object_name VALUES (%d, %d, '{\"id\":"
			 "\"lab:u%d\",\"name\":\"ds%d\",\"protocol\":\"%s\"}')",
			 1 + d, d, 1 + d, FIRST_SLOT, d, d,
			 d == 0 ? "nfs3" : "iscsi", 1 + d,
			 FIRST_SLOT + 20 * 180, d, d,
			 d == 0 ? "nfs41" : "iscsi");
		run(sql);
	}
	for (int h = 0; h < HOSTS; h++) {
		snprintf(sql, sizeof(sql),
			 "INSERT INTO object VALUES (%d, 1, 'lab', 'h%d');"
			 "INSERT INTO object_name VALUES (%d, %d, '{\"id\":"
			 "\"lab:host-%d\",\"name\":\"esx%d\",\"cluster\":"
			 "\"c%d\",\"datacenter\":\"dc\"}')",
			 5 + h, h, 5 + h, FIRST_SLOT, h, h, h / 2);
		run(sql);
	}
	for (int p = 0; p < PAIRS; p++) {
		snprintf(sql, sizeof(sql),
			 "INSERT INTO pair VALUES (%u, %d, %d, %d)",
			 pair_id(p / HOSTS, p % HOSTS), 1 + p / HOSTS,
			 5 + p % HOSTS, OPEN_HOUR - 1);
		run(sql);
	}
}

static int
set_up(void **state unused)
{
	struct err e;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/" STORE_FILE, dir);
	db = db_open(path, DB_WRITE, &e);
	assert_non_null(db);
	assert_int_equal(schema_apply(db, &e), 0);
	make_cells();
	assert_int_equal(db_begin(db, &e), 0);
	put_objects();
	put_chunks();
	for (int d = 0; d < STORES; d++) {
		put_bins_of(store_datastore_series((uint32_t)(1 + d)),
			    d * HOSTS, d * HOSTS + HOSTS - 1);
		for (int h = 0; h < HOSTS; h++)
			put_bins_of(store_pair_series(pair_id(d, h)),
				    d * HOSTS + h, d * HOSTS + h);
	}
	for (int i = 0; i < 180; i++)
		put_live(chunk_first_slot(LATE_HOUR) + i, true);
	for (int i = 0; i < 360; i++)
		put_live(chunk_first_slot(OPEN_HOUR) + i, false);
	assert_int_equal(db_commit(db, &e), 0);
	history = history_new(db);
	return 0;
}

static int
tear_down(void **state unused)
{
	static const char *const endings[] = { "", "-wal", "-shm" };

	history_free(&history);
	db_close(&db);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		snprintf(path, sizeof(path), "%s/" STORE_FILE "%s", dir,
			 endings[i]);
		unlink(path);
	}
	return rmdir(dir);
}

/* ---- questions ---- */

/* Of one target, with every pair (but those of host `stray`) in the rings. */
static struct history_ask *
make_ask(int64_t first, int64_t last, int64_t rings_from, int stray)
{
	struct history_ask *ask = xcalloc(1, sizeof(*ask));

	ask->parts = xcalloc(1, sizeof(*ask->parts));
	ask->n_parts = 1;
	ask->parts[0] = (struct history_part){ xstrdup("lab"), first, last,
					       rings_from };
	ask->first = first;
	ask->last = last;
	ask->threshold = threshold;
	ask->thresholds = map_new();
	ask->n_live = 32;
	ask->live = xcalloc(ask->n_live / 8, 1);
	for (int p = 0; p < PAIRS; p++) {
		uint32_t id = pair_id(p / HOSTS, p % HOSTS);

		if (p % HOSTS != stray)
			ask->live[id / 8] |= (uint8_t)(1u << id % 8);
	}
	return ask;
}

/* ---- series ---- */

/* What the definitions say of one value: does it carry I/O, its weight. */
static bool
is_busy(const int32_t *v, int op, double *weight_r)
{
	if (v[op] < 0)
		return false;
	*weight_r = v[2 + op] > 0 ? v[2 + op] : v[2 + op] == 0 ? 1 : 0;
	return v[2 + op] != 0 || v[op] > 0 || v[4 + op] > 0;
}

/* What is asked for, and what the rings answer: slots from rings_from on, but
 * for the stray host (-1: none). */
struct view {
	int64_t first, last, rings_from;
	int d, host; /* host -1: all */
	int stray;
};

/* The samples that the store answers for, one by one. */
static void
assert_bin(const struct roll *r, int op, const struct view *view)
{
	const int64_t first = view->first, last = view->last;
	double sum = 0, weight = 0, ios_sum = 0;
	int64_t max = -1, min = INT64_MAX, ios_max = -1;
	uint64_t n = 0, busy = 0, over = 0, ios_n = 0;

	for (int64_t s = MAX(first, FIRST_SLOT);
	     s <= last && s < FIRST_SLOT + SLOTS; s++) {
		int64_t ios = -1;

		for (int h = 0; h < HOSTS; h++) {
			const int32_t *v = cell_at(view->d * HOSTS + h, s)->v;
			double w;

			if (view->host >= 0 && h != view->host)
				continue;
			if (s >= view->rings_from && h != view->stray)
				continue;
			if (v[2 + op] >= 0)
				ios = MAX(ios, 0) + v[2 + op];
			n += v[op] >= 0;
			if (!is_busy(v, op, &w))
				continue;
			busy++;
			sum += w * v[op];
			weight += w;
			max = MAX(max, v[op]);
			min = MIN(min, v[op]);
			over += v[op] >= (v[2 + op] == 0 ? 1000000 : 50000);
		}
		if (ios < 0)
			continue;
		ios_n++;
		ios_sum += (double)ios;
		ios_max = MAX(ios_max, ios);
	}
	assert_int_equal(r->op[op].n, n);
	assert_int_equal(r->op[op].busy_n, busy);
	assert_int_equal(r->op[op].over_n, over);
	assert_int_equal(r->op[op].max_us, max);
	assert_int_equal(r->op[op].min_us, busy != 0 ? min : -1);
	assert_int_equal(r->op[op].weight, (int64_t)weight);
	assert_int_equal(r->op[op].sum_us, (int64_t)sum);
	assert_int_equal(r->op[op].ios.n, ios_n);
	assert_int_equal(r->op[op].ios.sum, (int64_t)ios_sum);
	assert_int_equal(r->op[op].ios.max, ios_max);
}

static void
ask_series(struct history_series *s)
{
	struct err e;
	int rc;

	for (size_t i = 0; i < s->span->n_bins; i++)
		roll_init(&s->bins[i], NULL);
	do
		rc = history_series_step(history, s, &e);
	while (rc == 0);
	if (rc < 0)
		fail_msg("%s", e.text);
	history_series_end(s);
}

static void
check_series(const struct view *view, size_t points, int64_t least)
{
	struct span span = span_make(slot_end(view->first - 1),
				     slot_end(view->last), points, least);
	struct history_ask *ask =
		make_ask(span.first_slot, span_last_slot(&span),
			 view->rings_from, view->stray);
	struct view part = *view;
	struct roll *bins = xcalloc(span.n_bins, sizeof(*bins));
	char ds_id[16], host_id[16];
	struct history_series s = { .ask = ask,
				    .datastore_id = ds_id,
				    .host_id = view->host >= 0 ? host_id : NULL,
				    .span = &span,
				    .bins = bins };
	int64_t most[N_OPS] = { -1, -1 };

	snprintf(ds_id, sizeof(ds_id), "lab:u%d", view->d);
	snprintf(host_id, sizeof(host_id), "lab:host-%d", view->host);
	ask_series(&s);
	for (size_t i = 0; i < span.n_bins; i++) {
		part.first = span.first_slot + (int64_t)i * span.step_slots;
		part.last = part.first + span.step_slots - 1;
		for (int op = 0; op < 2; op++) {
			assert_bin(&bins[i], op, &part);
			most[op] = MAX(most[op], bins[i].op[op].max_us);
		}
	}
	/* No peak is lost, whatever the bins. */
	part.first = span.first_slot;
	part.last = span_last_slot(&span);
	for (int op = 0; op < 2; op++) {
		struct roll all;

		roll_init(&all, NULL);
		for (size_t i = 0; i < span.n_bins; i++)
			roll_merge(&all, &bins[i]);
		assert_bin(&all, op, &part);
		assert_int_equal(all.op[op].max_us, most[op]);
	}
	free(bins);
	history_ask_free(&ask);
}

static int64_t
any_slot(int64_t from_hour, int64_t to_hour)
{
	return chunk_first_slot(from_hour) +
		pick((unsigned)(to_hour - from_hour) * 180);
}

/* Any span, any points: raw, five minutes, hours. */
static void
test_series(void **state unused)
{
	static const struct {
		int64_t from_hour, least;
	} tiers[] = {
		{ RAW_HOUR, 1 },
		{ FIVE_HOUR, 15 },
		{ FIRST_HOUR, 180 },
	};

	for (int i = 0; i < 60; i++) {
		size_t tier = pick(3);
		struct view view;
		int64_t a = any_slot(tiers[tier].from_hour, OPEN_HOUR + 2);
		int64_t b = any_slot(tiers[tier].from_hour, OPEN_HOUR + 2);
		int64_t rings_from =
			chunk_first_slot(OPEN_HOUR - 3 + (int64_t)pick(6));
		/* A bin may begin up to 45 minutes before. */
		int64_t at_least = chunk_first_slot(tiers[tier].from_hour + 1);

		a = MAX(a, at_least);
		view = (struct view){ MIN(a, b),
				      MAX(a, b),
				      rings_from,
				      (int)pick(2),
				      (int)pick(HOSTS + 2) - 2,
				      (int)pick(6) - 1 };
		check_series(&view, 1 + pick(400), tiers[tier].least);
	}
}

/* ---- groups ---- */

static int
by_value(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Which group the sample belongs to: the names as of its hour. */
static void
expected_group(enum group_by by, int d, int h, int64_t slot, char out[16])
{
	bool renamed = slot >= FIRST_SLOT + 20 * 180;

	switch (by) {
	case GROUP_PROTOCOL:
		snprintf(out, 16, "%s",
			 d == 1            ? "iscsi"
				 : renamed ? "nfs41"
					   : "nfs3");
		return;
	case GROUP_FAMILY:
		snprintf(out, 16, "%s", d == 1 ? "iscsi" : "nfs");
		return;
	case GROUP_CLUSTER:
		snprintf(out, 16, "c%d", h / 2);
		return;
	case GROUP_HOST:
		break;
	}
	snprintf(out, 16, "esx%d", h);
}

static void
assert_group(const struct history_group *g, int op, enum group_by by,
	     const struct view *view)
{
	const int64_t first = view->first, last = view->last;
	static int32_t values[PAIRS * SLOTS];
	const struct roll_op *o = &g->roll.op[op];
	double sum = 0, weight = 0, w;
	uint64_t over = 0, all = 0;
	size_t n = 0;
	char name[16], id[16];
	int32_t median;

	for (int p = 0; p < PAIRS; p++)
		for (int64_t s = MAX(first, FIRST_SLOT);
		     s <= last && s < FIRST_SLOT + SLOTS; s++) {
			const int32_t *v = cell_at(p, s)->v;

			if (s >= view->rings_from && p % HOSTS != view->stray)
				continue;
			expected_group(by, p / HOSTS, p % HOSTS, s, name);
			if (strcmp(name, g->name) != 0)
				continue;
			all += v[op] >= 0;
			if (!is_busy(v, op, &w))
				continue;
			values[n++] = v[op];
			sum += w * v[op];
			weight += w;
			over += v[op] >= (v[2 + op] == 0 ? 1000000 : 50000);
		}
	qsort(values, n, sizeof(values[0]), by_value);
	assert_int_equal(o->n, all);
	assert_int_equal(o->busy_n, n);
	assert_int_equal(o->hist->n, n);
	assert_int_equal(o->weight, (int64_t)weight);
	assert_int_equal(o->sum_us, (int64_t)sum);
	assert_int_equal(o->over_n, over);
	assert_int_equal(g->threshold_us[op], all != 0 ? 50000 : INT64_MAX);
	if (n == 0)
		return;
	assert_int_equal(o->max_us, values[n - 1]);
	median = values[(n + 1) / 2 - 1];
	assert_in_range(hist_quantile_us(o->hist, 0.5, o->max_us), median,
			median + median / 25);
	/* The worst is the sample that its names say. */
	snprintf(id, sizeof(id), "lab:u%u", (o->max_pair - 10) / HOSTS);
	assert_string_equal(g->max[op].datastore_id, id);
	snprintf(id, sizeof(id), "esx%u", (o->max_pair - 10) % HOSTS);
	assert_string_equal(g->max[op].host, id);
	assert_int_equal(
		cells[o->max_pair - 10][o->max_slot - FIRST_SLOT].v[op],
		o->max_us);
}

static void
check_groups(enum group_by by, int64_t first, int64_t last, int64_t rings_from,
	     int stray)
{
	static const size_t most[] = { 3, 2, 2, HOSTS };
	struct history_ask *ask = make_ask(first, last, rings_from, stray);
	const struct view view = { first, last, rings_from, 0, -1, stray };
	struct history_groups g = { .ask = ask, .by = by };
	struct err e;
	void *v;
	int rc;

	do
		rc = history_groups_step(history, &g, &e);
	while (rc == 0);
	assert_int_equal(rc, 1);
	assert_in_range(map_count(g.groups), 0, most[by]);
	for (size_t i = 0; map_next(g.groups, &i, NULL, &v);)
		for (int op = 0; op < 2; op++)
			assert_group(v, op, by, &view);
	/* An hour in the middle has some of each. */
	if (last - first > 360 && first < chunk_first_slot(OPEN_HOUR - 2))
		assert_in_range(map_count(g.groups), 2, most[by]);
	history_groups_end(&g);
	history_ask_free(&ask);
}

/* Where samples are kept, the borders are those of samples. */
static void
test_groups(void **state unused)
{
	for (int i = 0; i < 24; i++) {
		int64_t a = any_slot(RAW_HOUR, OPEN_HOUR + 2);
		int64_t b = any_slot(RAW_HOUR, OPEN_HOUR + 2);

		check_groups((enum group_by)(i % 4), MIN(a, b), MAX(a, b),
			     chunk_first_slot(OPEN_HOUR - 3 + (int64_t)pick(6)),
			     (int)pick(6) - 1);
	}
	/* Whole hours from bins alone. */
	check_groups(GROUP_PROTOCOL, FIRST_SLOT,
		     chunk_first_slot(FIRST_HOUR + 30) - 1, INT64_MAX, -1);
	check_groups(GROUP_HOST, FIRST_SLOT,
		     chunk_first_slot(FIRST_HOUR + 30) - 1, INT64_MAX, -1);
	/* Whole bins of five minutes. */
	check_groups(GROUP_CLUSTER, chunk_first_slot(FIVE_HOUR + 1) + 15,
		     chunk_first_slot(FIVE_HOUR + 3) + 44, INT64_MAX, -1);
}

/* ---- peaks ---- */

struct sample {
	int64_t us, slot;
	int pair, op;
};
static struct sample samples[PAIRS * SLOTS * 2];

static int
worst_first(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->us != y->us)
		return x->us < y->us ? 1 : -1;
	return (x->slot < y->slot) - (x->slot > y->slot);
}

static size_t
list_samples(int64_t first, int64_t last, int64_t rings_from, int stray)
{
	size_t n = 0;
	double w;

	for (int p = 0; p < PAIRS; p++)
		for (int64_t s = MAX(first, FIRST_SLOT);
		     s <= last && s < FIRST_SLOT + SLOTS; s++)
			for (int op = 0; op < 2; op++) {
				const int32_t *v = cell_at(p, s)->v;

				if ((s < rings_from || p % HOSTS == stray) &&
				    is_busy(v, op, &w))
					samples[n++] =
						(struct sample){ v[op], s, p,
								 op };
			}
	qsort(samples, n, sizeof(samples[0]), worst_first);
	return n;
}

static void
ask_peaks(struct history_peaks *p)
{
	struct err e;
	int rc;

	do
		rc = history_peaks_step(history, p, &e);
	while (rc == 0);
	assert_int_equal(rc, 1);
}

static void
check_peaks(int64_t first, int64_t last, size_t limit, int64_t rings_from,
	    int stray)
{
	struct history_ask *ask = make_ask(first, last, rings_from, stray);
	struct history_peaks p = { .ask = ask, .limit = limit };
	size_t n = list_samples(first, last, rings_from, stray);

	ask_peaks(&p);
	assert_int_equal(p.n, MIN(n, limit));
	for (size_t i = 0; i < p.n; i++) {
		const struct history_peak *row = &p.rows[i];
		int pair = (int)row->pair - 10;
		const int32_t *v = cells[pair][row->slot - FIRST_SLOT].v;
		char id[16];

		assert_int_equal(row->us, samples[i].us);
		assert_int_equal(row->slot, samples[i].slot);
		assert_int_equal(row->us, v[row->op]);
		assert_int_equal(row->ios, v[2 + row->op]);
		assert_int_equal(row->bin_s, 0);
		assert_int_equal(
			row->breach,
			row->us < (v[2 + row->op] == 0 ? 1000000 : 50000)
				? BREACH_NONE
				: row->us < 75000 ? BREACH_WARNING
						  : BREACH_CRITICAL);
		snprintf(id, sizeof(id), "lab:host-%d", pair % HOSTS);
		assert_string_equal(row->names.host_id, id);
		snprintf(id, sizeof(id), "lab:u%d", pair / HOSTS);
		assert_string_equal(row->names.datastore_id, id);
	}
	history_peaks_end(&p);
	history_ask_free(&ask);
}

static void
test_peaks(void **state unused)
{
	static const size_t limits[] = { 1, 20, 100, 1000 };

	for (int i = 0; i < 24; i++) {
		int64_t a = any_slot(RAW_HOUR, OPEN_HOUR + 2);
		int64_t b = any_slot(RAW_HOUR, OPEN_HOUR + 2);

		check_peaks(MIN(a, b), MAX(a, b), limits[i % 4],
			    chunk_first_slot(OPEN_HOUR - 3 + (int64_t)pick(6)),
			    (int)pick(6) - 1);
	}
}

/* Where the samples are gone: the worst of each pair's bin, and it says so. */
static void
test_peaks_of_bins(void **state unused)
{
	static const struct {
		int64_t from_hour, to_hour, slots;
	} rows[] = {
		{ FIRST_HOUR, FIVE_HOUR, 180 },
		{ FIVE_HOUR, RAW_HOUR, 15 },
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		int64_t first = chunk_first_slot(rows[r].from_hour);
		int64_t last = chunk_first_slot(rows[r].to_hour) - 1;
		struct history_ask *ask = make_ask(first, last, INT64_MAX, -1);
		struct history_peaks p = { .ask = ask, .limit = 50 };
		size_t n = list_samples(first, last, INT64_MAX, -1), row = 0;
		static bool taken[PAIRS][2][SLOTS];

		memset(taken, 0, sizeof(taken));
		ask_peaks(&p);
		assert_int_equal(p.n, 50);
		for (size_t i = 0; i < n && row < p.n; i++) {
			const struct sample *s = &samples[i];
			bool *seen =
				&taken[s->pair][s->op]
				      [(s->slot - FIRST_SLOT) / rows[r].slots];

			if (*seen)
				continue;
			*seen = true;
			assert_int_equal(p.rows[row].us, s->us);
			assert_int_equal(p.rows[row].slot, s->slot);
			assert_int_equal(p.rows[row].bin_s,
					 rows[r].slots * SLOT_S);
			row++;
		}
		assert_int_equal(row, 50);
		history_peaks_end(&p);
		history_ask_free(&ask);
	}
}

/* ---- comparisons ---- */

/* What a comparison of both datastores must make of the cells. */
struct wanted {
	double *ms[2]; /* by bin; NAN: none */
	uint64_t busy_n[2];
	int64_t max_us[2];
};

struct asked {
	int64_t first, last, step, rings_from;
	int stray;
};

/* I/O-weighted, of one host's cells from a slot on; its weight. */
static double
want_pair(struct wanted *w, const struct asked *q, int pair, int op,
	  int64_t from, double *weight_r)
{
	int d = pair / HOSTS;
	double sum = 0;

	*weight_r = 0;
	for (int64_t s = MAX(from, FIRST_SLOT);
	     s < from + q->step && s < FIRST_SLOT + SLOTS; s++) {
		const int32_t *v = cell_at(pair, s)->v;
		double weight;

		if ((s >= q->rings_from && pair % HOSTS != q->stray) ||
		    !is_busy(v, op, &weight))
			continue;
		w->busy_n[d]++;
		w->max_us[d] = MAX(w->max_us[d], v[op]);
		sum += weight * v[op];
		*weight_r += weight;
	}
	return sum;
}

static void
want_compare(struct wanted *w, const struct asked *q, int op)
{
	size_t n = (size_t)((q->last - q->first + 1) / q->step);

	for (int d = 0; d < STORES; d++) {
		w->ms[d] = xcalloc(n, sizeof(double));
		w->busy_n[d] = 0;
		w->max_us[d] = -1;
		for (size_t i = 0; i < n; i++) {
			int64_t from = q->first + (int64_t)i * q->step;
			double sum = 0, weight = 0;

			for (int h = 0; h < HOSTS; h++) {
				double mine,
					s = want_pair(w, q, d * HOSTS + h, op,
						      from, &mine);

				if (mine < 20 * (double)q->step)
					continue;
				sum += s;
				weight += mine;
			}
			w->ms[d][i] =
				weight > 0 ? sum / weight / 1000 : (double)NAN;
		}
	}
}

static struct compare *
compared(const char *a, const struct asked *asked)
{
	struct history_ask *ask = make_ask(asked->first, asked->last,
					   asked->rings_from, asked->stray);
	int64_t step = asked->step;
	struct compare_conf conf = { .paired = true, .step_slots = step };
	struct compare *c;
	struct err e;
	int rc;

	assert_int_equal(side_parse(a, &conf.side[0], &e), 0);
	assert_int_equal(side_parse("family:iscsi", &conf.side[1], &e), 0);
	c = compare_new(&conf);
	for (enum compare_side s = 0; s < 2; s++) {
		struct history_compare q = {
			.ask = ask, .compare = c, .side = s, .step_slots = step
		};

		do
			rc = history_compare_step(history, &q, &e);
		while (rc == 0);
		if (rc < 0)
			fail_msg("%s", e.text);
		history_compare_end(&q);
	}
	history_ask_free(&ask);
	while (!compare_step(c))
		;
	return c;
}

static void
check_compare(const struct asked *q)
{
	struct compare *c = compared("family:nfs", q);

	for (int op = 0; op < 2; op++) {
		const struct compare_op *got =
			compare_result(c, op == 0 ? OP_READ : OP_WRITE);
		double sum[2] = { 0, 0 };
		struct wanted w;
		size_t n = 0;

		want_compare(&w, q, op);
		for (size_t i = 0;
		     i < (size_t)((q->last - q->first + 1) / q->step); i++) {
			if (isnan(w.ms[0][i]) || isnan(w.ms[1][i]))
				continue;
			n++;
			for (int d = 0; d < 2; d++)
				sum[d] += w.ms[d][i];
		}
		assert_int_equal(got->stats.a_n, n);
		if (n != 0) {
			assert_true(fabs(got->stats.a_mean_ms -
					 sum[0] / (double)n) < 1e-9);
			assert_true(fabs(got->stats.b_mean_ms -
					 sum[1] / (double)n) < 1e-9);
		}
		for (int d = 0; d < 2; d++) {
			assert_int_equal(got->side[d].all->busy_n, w.busy_n[d]);
			assert_int_equal(got->side[d].all->max_us, w.max_us[d]);
			free(w.ms[d]);
		}
	}
	compare_free(&c);
}

/* Samples, bins of five minutes and of an hour, beside rings or not. */
static void
test_compare(void **state unused)
{
	static const struct {
		int64_t from_hour, step;
	} tiers[] = {
		{ RAW_HOUR, 1 },
		{ FIVE_HOUR, 15 },
		{ FIRST_HOUR, 180 },
	};
	const int64_t end = chunk_first_slot(FIRST_HOUR + HOURS) - 1;
	struct asked any = { any_slot(RAW_HOUR, RAW_HOUR + 5),
			     any_slot(OPEN_HOUR - 2, OPEN_HOUR), 1, INT64_MAX,
			     -1 };
	struct asked all = { chunk_first_slot(FIRST_HOUR), end, 180, INT64_MAX,
			     -1 };
	struct compare *c;

	for (size_t i = 0; i < ARRAY_SIZE(tiers) * 4; i++) {
		/* all there is, then a part that begins with a bin */
		int64_t later = i % 4 >= 2 ? 3 + pick(5) : 0;
		struct asked q = {
			.first = chunk_first_slot(tiers[i / 4].from_hour +
						  later),
			.last = end,
			.step = tiers[i / 4].step,
			.rings_from = i % 2 != 0
				? chunk_first_slot(OPEN_HOUR + 1)
				: INT64_MAX,
			.stray = i % 4 == 3 ? 2 : -1,
		};

		check_compare(&q);
	}
	check_compare(&any);
	/* the datastore was something else before hour 20 */
	c = compared("protocol:nfs3", &all);
	assert_in_range(compare_result(c, OP_READ)->side[0].samples_n, 19, 20);
	assert_string_equal(
		compare_result(c, OP_READ)->side[0].place.datastore_name,
		"old0");
	compare_free(&c);
}

/* What the rings begin with may be in chunks for long, when a target does not
 * answer; who asks may ask for the year 9999. */
static void
test_far_away(void **state unused)
{
	const int64_t first = chunk_first_slot(OPEN_HOUR - 4);
	const int64_t rings_from = chunk_first_slot(OPEN_HOUR - 3);
	const int64_t far = INT64_C(253402300799) / SLOT_S;
	const struct view view = { first, far, rings_from, 1, -1, 1 };

	check_peaks(first, far, 100, rings_from, 1);
	check_peaks(0, 1, 100, rings_from, 1);
	for (enum group_by by = GROUP_PROTOCOL; by <= GROUP_HOST; by++)
		check_groups(by, first, far, rings_from, 1);
	check_series(&view, 10, 1);
	check_series(
		&(struct view){ first, first + 1000, rings_from, 1, -1, 1 },
		1000, 1);
}

static void
test_series_of_nothing(void **state unused)
{
	struct span span = span_make(slot_end(FIRST_SLOT),
				     slot_end(FIRST_SLOT + 99), 1000, 1);
	struct history_ask *ask =
		make_ask(FIRST_SLOT, FIRST_SLOT + 99, INT64_MAX, -1);
	struct roll *bins = xcalloc(span.n_bins, sizeof(*bins));
	struct history_series s = { .ask = ask,
				    .datastore_id = "lab:u9",
				    .span = &span,
				    .bins = bins };

	ask_series(&s);            /* never heard of it */
	s.datastore_id = "lab:u0"; /* raw is gone */
	ask_series(&s);
	for (size_t i = 0; i < span.n_bins; i++)
		assert_true(roll_is_empty(&bins[i]));
	free(bins);
	history_ask_free(&ask);
}

static void
test_who(void **state unused)
{
	struct history_known k;
	struct history_who who;
	struct err e;

	assert_int_equal(history_refresh(history, &e), 0);
	assert_true(history_who(history, pair_id(0, 3), FIRST_SLOT, &who));
	assert_string_equal(who.datastore, "old0");
	assert_int_equal(who.protocol, PROTO_NFS3);
	assert_string_equal(who.host, "esx3");
	assert_string_equal(who.host_id, "lab:host-3");
	assert_string_equal(who.cluster, "c1");
	assert_string_equal(who.datacenter, "dc");
	assert_true(history_who(history, pair_id(0, 3), INT64_MAX, &who));
	assert_string_equal(who.datastore, "ds0");
	assert_int_equal(who.protocol, PROTO_NFS41);
	assert_true(history_who(history, pair_id(0, 3), 0, &who));
	assert_string_equal(who.datastore, "old0"); /* the first heard of */
	assert_false(history_who(history, 99, FIRST_SLOT, &who));
	assert_int_equal(history_known(history, "lab:u1", "lab:host-2", &k, &e),
			 0);
	assert_true(k.has_datastore && k.has_host && k.has_pair);
	assert_string_equal(k.datastore_name, "ds1");
	assert_string_equal(k.host_name, "esx2");
	free(k.datastore_name);
	free(k.host_name);
	assert_int_equal(history_known(history, "lab:u7", "lab:host-2", &k, &e),
			 0);
	assert_true(!k.has_datastore && k.has_host && !k.has_pair);
	free(k.host_name);
}

/* Which resolution is there: what is kept, against what there ever was. */
static void
test_least(void **state unused)
{
#define AT(hour) ((hour) == 0 ? 0 : (hour)*3600 * US_PER_S)
	static const struct {
		int64_t raw, five, hours, from_hour, least;
	} rows[] = {
		{ 0, 0, 0, 500000, 1 },
		{ 500000, 500000, 499992, 500010, 1 },
		{ 500000, 500000, 499992, 400000, 1 }, /* all there ever was */
		{ 500000, 499000, 498984, 400000, 15 },
		{ 500000, 499000, 498984, 500000, 1 },
		{ 500000, 499000, 498984, 499999, 15 },
		{ 500000, 499000, 490008, 498999, 180 },
		{ 500000, 499000, 490008, 499000, 15 },
		{ 0, 499000, 490008, 499000, 15 }, /* all raw is gone */
		{ 0, 0, 490008, 499000, 180 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct store_status st = {
			.raw_since = { AT(rows[i].raw) },
			.five_minute_since = { AT(rows[i].five) },
			.hour_since = { AT(rows[i].hours) },
		};

		print_message("row %zu\n", i);
		assert_int_equal(
			history_least_slots(
				&st, chunk_first_slot(rows[i].from_hour)),
			rows[i].least);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_peaks_of_bins),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_far_away),
		cmocka_unit_test(test_series_of_nothing),
		cmocka_unit_test(test_who),
		cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
