/*
 * Queries against a naive reckoning over the same random samples: the oracle
 * here keeps plain arrays and recomputes everything from the definitions.
 */
#include "dslat/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/ingest.h"
#include "dslat/mem.h"
#include "unit.h"

enum { HOSTS = 3, STORES = 2, SLOTS = 60 };
#define FIRST INT64_C(85000000) /* slot */

static struct site *site;
static struct target *target;
static struct threshold_rules rules;
/* ms, per second, kB/s; -1 missing */
static int64_t wire[STORES][HOSTS][SLOTS][N_FIELDS];

static unsigned seed = 11;

static int64_t
roll(int64_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int64_t)(seed >> 8) % n;
}

/* Mostly loaded, some idle, sparse, without a rate, or missing. */
static void
invent(int64_t *v)
{
	for (int op = 0; op < 2; op++) {
		int64_t kind = roll(10);

		v[op] = roll(120);
		v[2 + op] = 1 + roll(500);
		v[4 + op] = roll(90000);
		if (kind == 0)
			v[op] = v[2 + op] = v[4 + op] = 0;
		else if (kind == 1)
			v[2 + op] = 0;
		else if (kind == 2)
			v[2 + op] = -1;
		else if (kind == 3)
			v[op] = v[2 + op] = v[4 + op] = -1;
	}
}

static const struct ingest_counter counters[N_FIELDS] = {
	{ 0, UNIT_MILLISECOND }, { 1, UNIT_MILLISECOND }, { 2, UNIT_NUMBER },
	{ 3, UNIT_NUMBER },      { 4, UNIT_KIB_PER_S },   { 5, UNIT_KIB_PER_S },
};

static void
feed(int h)
{
	static struct ingest in;
	real_t stamps[SLOTS];
	char moref[24];

	for (int i = 0; i < SLOTS; i++)
		stamps[i] = slot_end(FIRST + i);
	snprintf(moref, sizeof(moref), "host-%d", h);
	assert_true(ingest_open(&in, target_find_host(target, moref), stamps,
				SLOTS));
	for (int d = 0; d < STORES; d++)
		for (unsigned f = 0; f < N_FIELDS; f++) {
			int64_t v[SLOTS];

			for (int i = 0; i < SLOTS; i++)
				v[i] = wire[d][h][i][f];
			assert_true(ingest_series(&in, &counters[f],
						  d == 0 ? "u0" : "u1", 2, v,
						  SLOTS));
		}
	ingest_close(&in);
}

static int
setup(void **state unused)
{
	struct now now = { { 1 }, slot_end(FIRST + SLOTS) };
	struct inventory *inv = inventory_new();

	threshold_rules_init(&rules);
	site = site_new(now);
	site_set_rules(site, &rules);
	target = site_add_target(site, "lab", "http://vc/sdk");
	for (int h = 0; h < HOSTS; h++) {
		char moref[24];

		snprintf(moref, sizeof(moref), "host-%d", h);
		inventory_add_host(inv, moref)->connected = true;
	}
	for (int d = 0; d < STORES; d++) {
		struct inv_datastore *ds =
			inventory_add_datastore(inv, d == 0 ? "d0" : "d1");

		ds->uuid = xstrdup(d == 0 ? "u0" : "u1");
		ds->protocol = d == 0 ? PROTO_NFS41 : PROTO_ISCSI;
		ds->protocol_known = ds->accessible = true;
		for (size_t h = 0; h < HOSTS; h++) {
			struct inv_mount *m = inventory_add_mount(ds, h);

			m->mounted = m->accessible = true;
		}
	}
	model_apply(target, inv);
	inventory_free(&inv);
	for (int d = 0; d < STORES; d++)
		for (int h = 0; h < HOSTS; h++)
			for (int i = 0; i < SLOTS; i++)
				invent(wire[d][h][i]);
	for (int h = 0; h < HOSTS; h++)
		feed(h);
	return 0;
}

static int
teardown(void **state unused)
{
	site_free(&site);
	threshold_rules_fini(&rules);
	return 0;
}

/* What the definitions say of one value: does it carry I/O, its weight. */
static bool
naive_busy(const int64_t *v, int op, double *weight_r)
{
	if (v[op] < 0)
		return false;
	*weight_r = 0;
	if (v[2 + op] < 0)
		return true;
	*weight_r = (double)v[2 + op] * 20;
	if (v[2 + op] > 0)
		return true;
	*weight_r = 1;
	return v[op] > 0 || v[4 + op] > 0;
}

static void
check_latency_bin(const struct bin *b, int d, int only_host, int op, int first,
		  int last)
{
	double sum = 0, weight = 0, w, max = -1, min = 1e9;
	int n = 0;

	for (int i = MAX(first, 0); i <= MIN(last, SLOTS - 1); i++)
		for (int h = 0; h < HOSTS; h++) {
			const int64_t *v = wire[d][h][i];

			if (only_host >= 0 && h != only_host)
				continue;
			n += v[op] >= 0;
			if (!naive_busy(v, op, &w))
				continue;
			sum += w * (double)v[op];
			weight += w;
			max = fmax(max, (double)v[op]);
			min = fmin(min, (double)v[op]);
		}
	assert_int_equal(b->n, n);
	if (weight > 0) {
		/* whole microseconds */
		assert_true(fabs(b->mean - sum / weight) < 0.00051);
		assert_true(b->max == max && b->min == min);
	} else if (max >= 0) { /* no rate known: nothing to weigh by */
		assert_true(min == max ? b->mean == max : isnan(b->mean));
	} else if (n > 0) {
		assert_true(b->mean == 0 && b->max == 0);
	} else {
		assert_true(isnan(b->mean) && isnan(b->max));
	}
}

static void
test_series_latency(void **state unused)
{
	static const size_t points[] = { 1, 3, 7, 20, 60, 1000 };
	static struct roll rolls[1000];

	for (size_t k = 0; k < ARRAY_SIZE(points); k++)
		for (int d = 0; d < STORES; d++)
			for (int h = -1; h < HOSTS; h++)
				for (int op = 0; op < 2; op++) {
					const struct datastore *ds =
						site_find_datastore(
							site,
							d == 0 ? "lab:u0"
							       : "lab:"
								 "u1");
					struct span s = span_make(
						slot_end(FIRST - 1),
						slot_end(FIRST + SLOTS - 1),
						points[k], 1);

					assert_true(s.n_bins <= points[k] + 1);
					for (size_t i = 0; i < s.n_bins; i++)
						roll_init(&rolls[i], NULL);
					series_add_rings(
						ds,
						h < 0 ? NULL
						      : ds->pairs[h]->host,
						&s, INT64_MIN, FIRST + 9,
						rolls);
					series_add_rings(
						ds,
						h < 0 ? NULL
						      : ds->pairs[h]->host,
						&s, FIRST + 10, INT64_MAX,
						rolls);
					for (size_t i = 0; i < s.n_bins; i++) {
						struct bin b =
							bin_of(&rolls[i],
							       (enum metric)op);
						int a = (int)(s.first_slot -
							      FIRST) +
							(int)i *
								(int)s.step_slots;

						check_latency_bin(
							&b, d, h, op, a,
							a + (int)s.step_slots -
								1);
					}
				}
}

/* IOPS: hosts add up per slot; mean, least and most of the slots. */
static void
test_series_rate(void **state unused)
{
	const struct datastore *ds = site_find_datastore(site, "lab:u1");
	struct span s = span_make(slot_end(FIRST - 1),
				  slot_end(FIRST + SLOTS - 1), 6, 1);
	struct roll rolls[8];

	assert_in_range(s.n_bins, 4, 7);
	for (size_t b = 0; b < s.n_bins; b++)
		roll_init(&rolls[b], NULL);
	series_add_rings(ds, NULL, &s, INT64_MIN, INT64_MAX, rolls);
	for (size_t b = 0; b < s.n_bins; b++) {
		struct bin got = bin_of(&rolls[b], METRIC_WRITE_IOPS);
		double total = 0, max = -1;
		int n = 0;

		for (int64_t k = 0; k < s.step_slots; k++) {
			int64_t i = s.first_slot - FIRST +
				(int64_t)b * s.step_slots + k;
			double slot = -1;

			for (int h = 0; i >= 0 && i < SLOTS && h < HOSTS; h++)
				if (wire[1][h][i][3] >= 0)
					slot = fmax(slot, 0) +
						(double)wire[1][h][i][3];
			if (slot < 0)
				continue;
			total += slot;
			max = fmax(max, slot);
			n++;
		}
		assert_int_equal(got.n, n);
		if (n != 0) {
			assert_true(fabs(got.mean - total / n) < 1e-6);
			assert_true(got.max == max);
		}
	}
}

/* The bin ends do not depend on where the question starts. */
static void
test_bins_are_aligned(void **state unused)
{
	struct span a = span_make(slot_end(1000), slot_end(1120), 12, 1);
	struct span b = span_make(slot_end(1003), slot_end(1123), 12, 1);
	struct span whole = span_make((real_t){ slot_end(10).us + 1 },
				      (real_t){ slot_end(12).us + 1 }, 100, 1);
	struct span early =
		span_make((real_t){ -3600 * US_PER_S }, (real_t){ 0 }, 3, 1);

	assert_int_equal(a.step_slots, 15);
	assert_int_equal(b.step_slots, 15);
	assert_int_equal((a.first_slot - 1) % 15, 0);
	assert_int_equal((b.first_slot - 1) % 15, 0);
	assert_int_equal(span_last_slot(&a), 1125);
	assert_int_equal(whole.n_bins, 3);
	assert_int_equal(span_bin_end(&whole, 2).us, slot_end(13).us);
	assert_int_equal(span_make(slot_end(5), slot_end(5), 10, 1).n_bins, 0);
	assert_int_equal(early.step_slots, 60);
	assert_int_equal(early.first_slot, -179);
	assert_int_equal(early.n_bins, 3);
}

/* Steps as people think of time, never finer than what is kept. */
static void
test_steps_are_round(void **state unused)
{
	static const struct {
		int64_t slots;
		size_t points;
		int64_t least, step_s;
	} rows[] = {
		{ 180, 180, 1, 20 },
		{ 180, 179, 1, 40 },
		{ 180, 100, 1, 40 },
		{ 180, 60, 1, 60 },
		{ 180, 59, 1, 120 },
		{ 180, 180, 15, 300 },
		{ 180, 180, 180, 3600 },
		{ 180, 7, 1, 600 },
		{ 30 * 4320, 1000, 1, 2700 },
		{ 365 * 4320, 1000, 1, 12 * 3600 },
		{ 365 * 4320, 400, 1, 86400 },
		{ 365 * 4320, 300, 1, 2 * 86400 },
		{ 56 * 365 * 4320, 500, 1, 56 * 86400 },
		{ 56 * 365 * 4320, 1, 1, INT64_C(28672) * 86400 },
		{ 7, 1000, 16, 600 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct span s = span_make(slot_end(FIRST - 1),
					  slot_end(FIRST - 1 + rows[i].slots),
					  rows[i].points, rows[i].least);

		assert_int_equal(s.step_slots * SLOT_S, rows[i].step_s);
		assert_in_range(s.n_bins, 1, rows[i].points + 1);
		assert_true(s.first_slot <= FIRST);
		assert_true(span_last_slot(&s) >= FIRST - 1 + rows[i].slots);
	}
}

static int
descending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

static void
test_peaks(void **state unused)
{
	static int64_t all[STORES * HOSTS * SLOTS * 2];
	struct scan *s = scan_peaks(site, slot_end(FIRST - 1),
				    slot_end(FIRST + SLOTS - 1), 25);
	const struct peak *rows;
	size_t n = 0, n_rows;
	double w;
	int steps = 0;

	for (int d = 0; d < STORES; d++)
		for (int h = 0; h < HOSTS; h++)
			for (int i = 0; i < SLOTS; i++)
				for (int op = 0; op < 2; op++)
					if (naive_busy(wire[d][h][i], op, &w))
						all[n++] = wire[d][h][i][op];
	qsort(all, n, sizeof(all[0]), descending);
	while (!scan_step(s, 1))
		steps++;
	assert_int_equal(steps, STORES * HOSTS - 1);
	rows = scan_peak_rows(s, &n_rows);
	assert_int_equal(n_rows, 25);
	for (size_t i = 0; i < n_rows; i++) {
		const char *moref = rows[i].pair->host->moref;
		int d = rows[i].pair->datastore->uuid[1] - '0';
		int h = moref[5] - '0';

		assert_int_equal(rows[i].us, all[i] * 1000);
		assert_int_equal(wire[d][h][rows[i].slot - FIRST][rows[i].op],
				 all[i]);
	}
	scan_free(&s);
}

static void
check_group(const struct roll_op *g, int d, int op)
{
	static int64_t v[HOSTS * SLOTS];
	double w, sum = 0, weight = 0;
	size_t n = 0;

	for (int h = 0; h < HOSTS; h++)
		for (int i = 0; i < SLOTS; i++)
			if (naive_busy(wire[d][h][i], op, &w)) {
				v[n++] = wire[d][h][i][op];
				sum += w * (double)wire[d][h][i][op] * 1000;
				weight += w;
			}
	qsort(v, n, sizeof(v[0]), descending);
	assert_int_equal(g->busy_n, n);
	assert_int_equal(g->max_us, v[0] * 1000);
	assert_true(fabs((double)g->sum_us - sum) < 0.5);
	assert_true(fabs((double)g->weight - weight) < 0.5);
	for (int pct = 50; pct <= 99; pct += 7) {
		size_t rank = (size_t)ceil(pct * (double)n / 100);
		int64_t exact = v[n - rank] * 1000;
		int64_t got = hist_quantile_us(g->hist, pct / 100.0, g->max_us);

		assert_true(got >= exact);
		assert_true((double)got <= (double)exact * 1.032 + 1);
	}
}

static void
test_groups(void **state unused)
{
	struct scan *s = scan_groups(site, GROUP_FAMILY, slot_end(FIRST - 1),
				     slot_end(FIRST + SLOTS - 1));
	const struct group *const *rows;
	size_t n;

	assert_false(scan_step(s, 2));
	site->freed++; /* something went: the walk starts over */
	while (!scan_step(s, 2))
		;
	rows = scan_group_rows(s, &n);
	assert_int_equal(n, 2);
	assert_string_equal(rows[0]->name, "iscsi");
	assert_string_equal(rows[1]->name, "nfs");
	for (int op = 0; op < 2; op++) {
		check_group(&rows[0]->roll.op[op], 1, op);
		check_group(&rows[1]->roll.op[op], 0, op);
	}
	scan_free(&s);
}

/* Our clock is an hour behind the target's: "now-1h" is the target's hour. */
static void
test_each_clock(void **state unused)
{
	struct now kept = site->now;
	struct scan *s;
	real_t ours = real_add_us(kept.real, -3600 * US_PER_S);
	size_t n[2];

	site->now.real = ours;
	target_set_time(target, kept.real, kept.mono);
	for (int moves = 0; moves < 2; moves++) {
		s = scan_peaks(site, real_add_us(ours, -3600 * US_PER_S), ours,
			       25);
		scan_by_each_clock(s, ours, moves, moves);
		while (!scan_step(s, 100))
			;
		(void)scan_peak_rows(s, &n[moves]);
		scan_free(&s);
	}
	assert_int_equal(n[0], 0);
	assert_int_equal(n[1], 25);
	site->now = kept;
	target_set_time(target, kept.real, kept.mono);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_latency),
		cmocka_unit_test(test_series_rate),
		cmocka_unit_test(test_bins_are_aligned),
		cmocka_unit_test(test_steps_are_round),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_each_clock),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
