#include "dslat/ingest.h"

#include <string.h>

#include "dslat/bus.h"
#include "dslat/query.h"
#include "unit.h"

/*
 * One target, two hosts, one iSCSI datastore on both; server time T0 and our
 * clock agree unless a test says otherwise.
 */
#define T0_S INT64_C(1700000000) /* a slot's end: divisible by 20 */

struct bed {
	struct site *site;
	struct target *t;
	struct threshold_rules rules;
	struct ingest in;
};

static const struct ingest_counter read_ms = { FIELD_US + OP_READ,
					       UNIT_MILLISECOND };
static const struct ingest_counter write_ms = { FIELD_US + OP_WRITE,
						UNIT_MILLISECOND };
static const struct ingest_counter read_ps = { FIELD_IOS + OP_READ,
					       UNIT_NUMBER };
static const struct ingest_counter write_ps = { FIELD_IOS + OP_WRITE,
						UNIT_NUMBER };
static const struct ingest_counter read_kib = { FIELD_KIB_PER_S + OP_READ,
						UNIT_KIB_PER_S };
static const struct ingest_counter write_kib = { FIELD_KIB_PER_S + OP_WRITE,
						 UNIT_KIB_PER_S };

static void
advance_s(struct bed *b, int64_t s)
{
	b->site->now.mono.us += s * US_PER_S;
	b->site->now.real.us += s * US_PER_S;
}

static void
bed_init(struct bed *b)
{
	struct inventory *inv = inventory_new();
	struct inv_datastore *ds;
	struct now now = { { 5000000 }, { T0_S * US_PER_S } };

	memset(b, 0, sizeof(*b));
	threshold_rules_init(&b->rules);
	b->site = site_new(now);
	site_set_rules(b->site, &b->rules);
	b->t = site_add_target(b->site, "lab", "http://vc/sdk");
	target_set_time(b->t, now.real, now.mono);
	inventory_add_host(inv, "host-1")->connected = true;
	inventory_add_host(inv, "host-2")->connected = true;
	ds = inventory_add_datastore(inv, "datastore-1");
	ds->uuid = strdup("uuid-a");
	ds->protocol = PROTO_ISCSI;
	ds->protocol_known = ds->accessible = true;
	for (size_t i = 0; i < 2; i++) {
		struct inv_mount *m = inventory_add_mount(ds, i);

		m->mounted = m->accessible = true;
	}
	assert_true(model_apply(b->t, inv) > 0);
	assert_int_equal(model_apply(b->t, inv), 0);
	inventory_free(&inv);
}

static void
bed_fini(struct bed *b)
{
	site_free(&b->site);
	threshold_rules_fini(&b->rules);
}

static struct host *
host(struct bed *b, const char *moref)
{
	struct host *h = target_find_host(b->t, moref);

	assert_non_null(h);
	return h;
}

static struct datastore *
ds_a(struct bed *b)
{
	struct datastore *ds = site_find_datastore(b->site, "lab:uuid-a");

	assert_non_null(ds);
	return ds;
}

/* Open with n stamps, 20 s apart, the last at newest_s. */
static bool
open_at(struct bed *b, const char *moref, int64_t newest_s, int n)
{
	real_t stamps[200];

	for (int i = 0; i < n; i++)
		stamps[i].us = (newest_s - SLOT_S * (n - 1 - i)) * US_PER_S;
	return ingest_open(&b->in, host(b, moref), stamps, (size_t)n);
}

static void
series(struct bed *b, const struct ingest_counter *c, const int64_t *v, int n)
{
	assert_true(ingest_series(&b->in, c, "uuid-a", 6, v, (size_t)n));
}

static void
one(struct bed *b, const struct ingest_counter *c, int64_t v)
{
	series(b, c, &v, 1);
}

/* All six fields of one slot. */
static void
full(struct bed *b, int64_t r_ms, int64_t w_ms, int64_t r_ps, int64_t w_ps)
{
	one(b, &read_ms, r_ms);
	one(b, &write_ms, w_ms);
	one(b, &read_ps, r_ps);
	one(b, &write_ps, w_ps);
	one(b, &read_kib, r_ps * 4);
	one(b, &write_kib, w_ps * 4);
}

static void
test_weighted_mean_and_worst(void **state unused)
{
	struct bed b;
	struct latest l;

	bed_init(&b);
	assert_true(open_at(&b, "host-1", T0_S, 1));
	full(&b, 10, 0, 90, 0);
	ingest_close(&b.in);
	assert_true(open_at(&b, "host-2", T0_S, 1));
	full(&b, 110, 3, 10, 0);
	ingest_close(&b.in);
	l = datastore_latest(ds_a(&b));
	assert_int_equal(l.slot, T0_S / SLOT_S);
	assert_int_equal(l.hosts_n, 2);
	assert_int_equal(l.op[OP_READ].mean_us, 20000); /* (900+1100)/100 */
	assert_int_equal(l.op[OP_READ].worst_us, 110000);
	assert_string_equal(l.op[OP_READ].worst_host->moref, "host-2");
	assert_int_equal(l.op[OP_READ].breach, BREACH_CRITICAL);
	/* host-1 idle, host-2 sparse: 3 ms with a rate of 0. */
	assert_int_equal(l.op[OP_WRITE].load, LOAD_SPARSE);
	assert_int_equal(l.op[OP_WRITE].mean_us, 3000);
	assert_int_equal(datastore_state(ds_a(&b)), DS_CRITICAL);
	bed_fini(&b);
}

/* The newest slot is announced before its value: -1, filled by a later poll;
 * what was there stays. */
static void
test_minus_one_is_filled_later(void **state unused)
{
	static const int64_t first[] = { 4, 5, -1 }, second[] = { 8, 5, 6 };
	struct bed b;
	const struct pair *p;

	bed_init(&b);
	p = ds_a(&b)->pairs[0];
	assert_true(open_at(&b, "host-1", T0_S, 3));
	series(&b, &read_ms, first, 3);
	ingest_close(&b.in);
	assert_int_equal(p->newest_valid, T0_S / SLOT_S - 1);
	bus_samples(b.site->bus, b.t);
	assert_int_equal(p->dirty_slot, INT64_MAX);
	assert_true(open_at(&b, "host-1", T0_S, 3));
	series(&b, &read_ms, second, 3);
	ingest_close(&b.in);
	assert_int_equal(ring_get(p->ring, T0_S / SLOT_S - 2)->v[FIELD_US],
			 4000);
	assert_int_equal(ring_get(p->ring, T0_S / SLOT_S)->v[FIELD_US], 6000);
	assert_int_equal(p->dirty_slot, T0_S / SLOT_S);
	assert_int_equal(b.t->stats.samples, 3);
	assert_int_equal(b.t->stats.rejected, 0);
	bed_fini(&b);
}

static void
test_absurd_values_are_rejected(void **state unused)
{
	struct bed b;

	bed_init(&b);
	assert_true(open_at(&b, "host-1", T0_S, 1));
	one(&b, &read_ms, INT64_C(116017258324865));
	one(&b, &read_ms, 600001);
	one(&b, &read_ms, -2);
	one(&b, &read_ms, INT64_MIN);
	one(&b, &read_ps, INT32_MAX);
	one(&b, &read_kib, INT64_MAX);
	assert_int_equal(b.t->stats.rejected, 6);
	assert_int_equal(b.t->stats.samples, 0);
	one(&b, &read_ms, 600000);
	assert_int_equal(b.t->stats.samples, 1);
	ingest_close(&b.in);
	bed_fini(&b);
}

static void
test_unclaimed_short_long_and_newest_first(void **state unused)
{
	static const int64_t v[] = { 1, 2, 3, 4 };
	real_t down[3];
	struct bed b;
	const struct pair *p;

	bed_init(&b);
	p = ds_a(&b)->pairs[0];
	for (int i = 0; i < 3; i++)
		down[i].us = (T0_S - i * SLOT_S) * US_PER_S;
	assert_true(ingest_open(&b.in, host(&b, "host-1"), down, 3));
	assert_false(ingest_series(&b.in, &read_ms, "uuid-x", 6, v, 3));
	assert_int_equal(b.t->stats.unclaimed, 1);
	/* The aggregate over all instances is no datastore's. */
	assert_true(ingest_series(&b.in, &read_ms, "", 0, v, 3));
	assert_int_equal(b.t->stats.unclaimed, 1);
	series(&b, &read_ms, v, 2);  /* shorter than the stamps */
	series(&b, &write_ms, v, 4); /* longer */
	ingest_close(&b.in);
	assert_int_equal(ring_get(p->ring, T0_S / SLOT_S)->v[0], 1000);
	assert_int_equal(ring_get(p->ring, T0_S / SLOT_S - 1)->v[0], 2000);
	assert_int_equal(ring_get(p->ring, T0_S / SLOT_S - 2)->v[0], -1);
	assert_int_equal(ring_get(p->ring, T0_S / SLOT_S - 2)->v[1], 3000);
	bed_fini(&b);
}

/* A host 2,939 s behind: shifted at first sight, samples at true slots. */
static void
test_host_behind(void **state unused)
{
	struct bed b;
	const struct pair *p;

	bed_init(&b);
	p = ds_a(&b)->pairs[0];
	assert_true(open_at(&b, "host-1", T0_S - 2940, 1));
	full(&b, 5, 5, 50, 50);
	ingest_close(&b.in);
	assert_int_equal(host(&b, "host-1")->shift_slots, 147);
	assert_int_equal(p->newest_valid, T0_S / SLOT_S);
	assert_int_equal(host(&b, "host-1")->skew_us, -2940 * US_PER_S);
	bed_fini(&b);
}

/* One reply with a strange clock is not used; a second that agrees is. */
static void
test_clock_jump_needs_two(void **state unused)
{
	struct bed b;

	bed_init(&b);
	assert_true(open_at(&b, "host-1", T0_S, 1));
	full(&b, 5, 5, 50, 50);
	ingest_close(&b.in);
	advance_s(&b, 20);
	assert_false(open_at(&b, "host-1", T0_S + 20 - 3600, 1));
	advance_s(&b, 20);
	assert_true(open_at(&b, "host-1", T0_S + 40 - 3600, 1));
	assert_int_equal(host(&b, "host-1")->shift_slots, 180);
	ingest_close(&b.in);
	/* ... and back again. */
	advance_s(&b, 20);
	assert_false(open_at(&b, "host-1", T0_S + 60, 1));
	advance_s(&b, 20);
	assert_true(open_at(&b, "host-1", T0_S + 80, 1));
	assert_int_equal(host(&b, "host-1")->shift_slots, 0);
	/* Silence is not a clock: the same newest stamp, minutes later. */
	ingest_close(&b.in);
	advance_s(&b, 300);
	assert_true(open_at(&b, "host-1", T0_S + 80, 1));
	assert_int_equal(host(&b, "host-1")->shift_slots, 0);
	bed_fini(&b);
}

struct finals {
	int n;
	int64_t last;
	int missing;
};

static void
on_final(void *arg, struct pair *p unused, int64_t slot, const struct cell *c)
{
	struct finals *f = arg;

	assert_true(f->n == 0 || slot == f->last + 1);
	f->n++;
	f->last = slot;
	f->missing += !cell_has_latency(c);
}

/* Final when complete, or 180 s old; in order; a silent host's gap too. */
static void
test_finality(void **state unused)
{
	static const struct bus_ops ops = { .final = on_final };
	static const int64_t v[] = { 7, 7 };
	struct finals f = { 0 };
	struct bed b;

	bed_init(&b);
	bus_subscribe(b.site->bus, &ops, &f);
	assert_true(open_at(&b, "host-1", T0_S, 2));
	series(&b, &read_ms, v, 2);
	ingest_close(&b.in);
	assert_int_equal(f.n, 0);
	assert_true(open_at(&b, "host-1", T0_S - SLOT_S, 1));
	full(&b, 7, 7, 50, 50);
	ingest_close(&b.in);
	assert_int_equal(f.n, 1);
	advance_s(&b, 179);
	ingest_tick(b.t);
	assert_int_equal(f.n, 1);
	advance_s(&b, 1);
	ingest_tick(b.t);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.last, T0_S / SLOT_S);
	advance_s(&b, 40);
	ingest_tick(b.t);
	assert_int_equal(f.n, 4);
	assert_int_equal(f.missing, 2);
	assert_int_equal(b.t->stats.gaps, 2);
	/* A value for T0 + 20 s: too late to be counted, but kept. */
	assert_true(open_at(&b, "host-1", T0_S + 220, 11));
	one(&b, &read_ms, 9);
	ingest_close(&b.in);
	assert_int_equal(f.n, 4);
	assert_int_equal(b.t->stats.late, 1);
	bed_fini(&b);
}

/* While a host's hour is being fetched nothing becomes final, then all does. */
static void
test_backfill(void **state unused)
{
	static const struct bus_ops ops = { .final = on_final };
	struct finals f = { 0 };
	struct bed b;

	bed_init(&b);
	bus_subscribe(b.site->bus, &ops, &f);
	host(&b, "host-1")->backfilling = true;
	for (int i = 0; i >= -2; i--) {
		assert_true(open_at(&b, "host-1", T0_S + i * SLOT_S, 1));
		full(&b, 7, 7, 50, 50);
		ingest_close(&b.in);
	}
	advance_s(&b, 200);
	ingest_tick(b.t);
	assert_int_equal(f.n, 0);
	ingest_backfilled(host(&b, "host-1"));
	/* Three with values, and one more that is 180 s old without. */
	assert_int_equal(f.n, 4);
	assert_int_equal(f.missing, 1);
	assert_int_equal(f.last, T0_S / SLOT_S + 1);
	bed_fini(&b);
}

/* Series find their datastore in any order, by either form of its name. */
static void
test_instances_in_any_order(void **state unused)
{
	static const char a
		[] = "uuid-a",
	       b1[] = "vvol:uuid-a1-and-a-name-"
		      "that-is-longer-than-what-ingest-keeps-of-it-in-its-own-room";
	struct inventory *inv = inventory_new();
	const char *const order[] = { a, b1, b1, a, a, b1 + 5, b1, a, b1 + 5 };
	struct ring *ra, *rb;
	int64_t v = 0;
	struct bed b;

	bed_init(&b);
	inventory_add_host(inv, "host-1")->connected = true;
	for (int i = 0; i < 2; i++) {
		struct inv_datastore *ds = inventory_add_datastore(
			inv, i == 0 ? "datastore-1" : "datastore-2");
		struct inv_mount *m = inventory_add_mount(ds, 0);

		ds->uuid = strdup(i == 0 ? a : b1);
		m->mounted = m->accessible = true;
	}
	model_apply(b.t, inv);
	inventory_free(&inv);
	/* One slot per series: a slot's value says which series it was. */
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		int64_t row[ARRAY_SIZE(order)];

		for (size_t j = 0; j < ARRAY_SIZE(order); j++)
			row[j] = j == i ? ++v : SAMPLE_NONE;
		if (i == 0)
			assert_true(
				open_at(&b, "host-1", T0_S, ARRAY_SIZE(order)));
		assert_true(ingest_series(&b.in, &read_ps, order[i],
					  strlen(order[i]), row,
					  ARRAY_SIZE(order)));
		assert_false(ingest_series(&b.in, &read_ps, "uuid-", 5, row,
					   ARRAY_SIZE(order)));
	}
	ingest_close(&b.in);
	ra = ds_a(&b)->pairs[0]->ring;
	rb = target_find_datastore(b.t, b1)->pairs[0]->ring;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		int64_t slot = T0_S / SLOT_S - (int64_t)ARRAY_SIZE(order) + 1 +
			(int64_t)i;
		int32_t want = ((int32_t)i + 1) * SLOT_S;
		bool is_a = order[i] == a;

		assert_int_equal(ring_get(ra, slot)->v[FIELD_IOS],
				 is_a ? want : SAMPLE_NONE);
		assert_int_equal(ring_get(rb, slot)->v[FIELD_IOS],
				 is_a ? SAMPLE_NONE : want);
	}
	assert_int_equal(b.t->stats.unclaimed, ARRAY_SIZE(order));
	bed_fini(&b);
}

/* Counters: each slot once, none that ended before the start. */
static void
test_tallies(void **state unused)
{
	struct bed b;
	struct datastore *ds;

	bed_init(&b);
	ds = ds_a(&b);
	for (int i = -2; i <= 3; i++) {
		if (i > 0)
			advance_s(&b, SLOT_S);
		assert_true(open_at(&b, "host-1", T0_S + i * SLOT_S, 1));
		full(&b, i == 2 ? 80 : 10, 0, 100, 0);
		ingest_close(&b.in);
		assert_true(open_at(&b, "host-2", T0_S + i * SLOT_S, 1));
		full(&b, i >= 2 ? 60 : 10, 0, 1, 0);
		ingest_close(&b.in);
		ingest_tick(b.t);
	}
	/* Slots 1..3 count: 3 x 2,000 I/Os of host-1, 3 x 20 of host-2. */
	assert_int_equal(ds->pairs[0]->tally[OP_READ].ios, 6000);
	assert_int_equal(ds->pairs[1]->tally[OP_READ].ios, 60);
	assert_int_equal(ds->pairs[0]->tally[OP_READ].sum_us,
			 INT64_C(2000) * (10000 + 80000 + 10000));
	assert_int_equal(ds->tally[OP_READ].breach_us, 2 * SLOT_US);
	assert_int_equal(ds->tally[OP_READ].breaches, 1);
	assert_int_equal(ds->tally[OP_READ].slow_ios, 2000 + 20 + 20);
	assert_int_equal(ds->tally[OP_READ].active, BREACH_WARNING);
	assert_int_equal(ds->tally[OP_WRITE].breach_us, 0);
	bed_fini(&b);
}

/* Our own clock is set back by an hour: slots go on being counted. */
static void
test_own_clock_set_back(void **state unused)
{
	struct bed b;

	bed_init(&b);
	advance_s(&b, SLOT_S);
	b.site->now.real.us -= 3600 * US_PER_S;
	target_set_time(b.t, (real_t){ (T0_S + SLOT_S) * US_PER_S },
			b.site->now.mono);
	assert_true(open_at(&b, "host-1", T0_S + SLOT_S, 1));
	full(&b, 10, 0, 100, 0);
	ingest_close(&b.in);
	assert_int_equal(ds_a(&b)->pairs[0]->tally[OP_READ].ios, 2000);
	bed_fini(&b);
}

/* The server's clock runs a day ahead for a while, and is set right. */
static void
test_server_clock_set_back(void **state unused)
{
	struct bed b;
	struct datastore *ds;
	struct latest l;

	bed_init(&b);
	ds = ds_a(&b);
	for (int i = 0; i < 6; i++) {
		int64_t t_s = T0_S + i * SLOT_S + (i < 3 ? 86400 : 0);

		advance_s(&b, SLOT_S);
		target_set_time(b.t, (real_t){ t_s * US_PER_S },
				b.site->now.mono);
		assert_true(open_at(&b, "host-1", t_s, 1));
		full(&b, 10 + i, 0, 100, 0);
		ingest_close(&b.in);
		ingest_tick(b.t);
	}
	l = pair_latest(ds->pairs[0]);
	assert_int_equal(l.slot, T0_S / SLOT_S + 5);
	assert_int_equal(l.op[OP_READ].mean_us, 15000);
	assert_int_equal(merge_hosts(ds, l.slot - 2, OP_READ).mean_us, 13000);
	/* Each is counted; the one at the turn may count as over already. */
	assert_int_equal(ds->pairs[0]->final_slot, l.slot);
	assert_int_equal(ds->final_slot, l.slot);
	assert_in_range(ds->pairs[0]->tally[OP_READ].ios, 5 * 2000, 6 * 2000);
	bed_fini(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weighted_mean_and_worst),
		cmocka_unit_test(test_minus_one_is_filled_later),
		cmocka_unit_test(test_absurd_values_are_rejected),
		cmocka_unit_test(test_unclaimed_short_long_and_newest_first),
		cmocka_unit_test(test_host_behind),
		cmocka_unit_test(test_clock_jump_needs_two),
		cmocka_unit_test(test_finality),
		cmocka_unit_test(test_backfill),
		cmocka_unit_test(test_instances_in_any_order),
		cmocka_unit_test(test_tallies),
		cmocka_unit_test(test_own_clock_set_back),
		cmocka_unit_test(test_server_clock_set_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
