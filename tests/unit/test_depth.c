/*
 * Device, kernel and queue time: what goes in and what comes out, against plain
 * arrays and the definitions.
 */
#include "dslat/depth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dslat/ingest.h"
#include "dslat/mem.h"
#include "unit.h"

#define T0_S INT64_C(1700000000) /* a slot's end */
#define LAST (T0_S / SLOT_S)

/* Two hosts; a of one extent, b of three, n on NFS. */
enum { DS_A, DS_B, DS_N, STORES };
static const char *const uuids[STORES] = { "uuid-a", "uuid-b", "uuid-n" };
static const char *const names_a[] = { "naa.a" };
static const char *const names_b[] = { "naa.b0", "naa.b1", "eui.b2" };

static struct site *site;
static struct target *target;
static struct ingest in;

static void
add_ds(struct inventory *inv, int which, const char *const *extents, size_t n)
{
	struct inv_datastore *ds = inventory_add_datastore(inv, uuids[which]);

	ds->uuid = xstrdup(uuids[which]);
	ds->protocol = which == DS_N ? PROTO_NFS3 : PROTO_FC;
	ds->protocol_known = ds->accessible = true;
	for (size_t i = 0; i < n; i++)
		inventory_add_extent(ds, extents[i]);
	for (size_t i = 0; i < inv->n_hosts; i++) {
		struct inv_mount *m = inventory_add_mount(ds, i);

		m->mounted = m->accessible = true;
	}
}

/* Returns what changed. */
static size_t
apply(const char *const *extents_b, size_t n_b)
{
	struct inventory *inv = inventory_new();
	size_t changes;

	inventory_add_host(inv, "host-1")->connected = true;
	inventory_add_host(inv, "host-2")->connected = true;
	add_ds(inv, DS_A, names_a, 1);
	add_ds(inv, DS_B, extents_b, n_b);
	add_ds(inv, DS_N, NULL, 0);
	changes = model_apply(target, inv);
	inventory_free(&inv);
	return changes;
}

static int
setup(void **state unused)
{
	struct now now = { { 5000000 }, { T0_S * US_PER_S } };

	site = site_new(now);
	target = site_add_target(site, "lab", "http://vc/sdk");
	target_set_time(target, now.real, now.mono);
	assert_true(apply(names_b, 3) > 0);
	assert_int_equal(apply(names_b, 3), 0);
	return 0;
}

static int
teardown(void **state unused)
{
	site_free(&site);
	return 0;
}

static struct datastore *
ds_of(int which)
{
	return target_find_datastore(target, uuids[which]);
}

static const struct pair *
pair_of(int which, int host)
{
	return ds_of(which)->pairs[host];
}

static void
open_host(int host, size_t n)
{
	real_t stamps[32];

	for (size_t i = 0; i < n; i++)
		stamps[i].us = (LAST - (int64_t)(n - 1 - i)) * SLOT_US;
	assert_true(ingest_open(
		&in, target_find_host(target, host == 0 ? "host-1" : "host-2"),
		stamps, n));
}

static bool
lun(const char *name, enum layer l, enum op op, const int64_t *ms, size_t n)
{
	struct ingest_counter c = { FIELD_LUN + layer_field(l, op),
				    UNIT_MILLISECOND };

	return ingest_series(&in, &c, name, strlen(name), ms, n);
}

static bool
lun_per_s(const char *name, enum op op, int64_t per_s)
{
	struct ingest_counter c = { FIELD_LUN_IOS + op, UNIT_NUMBER };

	return ingest_series(&in, &c, name, strlen(name), &per_s, 1);
}

static void
pair_write(const char *uuid, int64_t ms, int64_t per_s)
{
	static const struct ingest_counter us = { FIELD_US + OP_WRITE,
						  UNIT_MILLISECOND };
	static const struct ingest_counter ios = { FIELD_IOS + OP_WRITE,
						   UNIT_NUMBER };

	assert_true(ingest_series(&in, &us, uuid, strlen(uuid), &ms, 1));
	assert_true(ingest_series(&in, &ios, uuid, strlen(uuid), &per_s, 1));
}

static void
assert_depth(const struct pair *p, int64_t slot, enum layer l, enum op op,
	     int64_t mean_us, int64_t worst_us)
{
	struct depth d = depth_of(p, slot, l, op);

	assert_int_equal(d.mean_us, mean_us);
	assert_int_equal(d.worst_us, worst_us);
}

/* Each of the six has its place, and each slot. */
static void
test_one_extent(void **state unused)
{
	open_host(0, 2);
	for (enum layer l = 0; l < N_LAYERS; l++)
		for (enum op op = 0; op < N_OPS; op++) {
			int64_t ms[2] = { 10 * (int)l + (int)op,
					  100 + 10 * (int)l + (int)op };

			assert_true(lun("naa.a", l, op, ms, 2));
		}
	ingest_close(&in);
	for (enum layer l = 0; l < N_LAYERS; l++)
		for (enum op op = 0; op < N_OPS; op++) {
			int64_t us = (10 * (int)l + (int)op) * 1000;

			assert_depth(pair_of(DS_A, 0), LAST - 1, l, op, us, us);
			assert_depth(pair_of(DS_A, 0), LAST, l, op, us + 100000,
				     us + 100000);
			assert_depth(pair_of(DS_A, 1), LAST, l, op, -1, -1);
			assert_depth(pair_of(DS_B, 0), LAST, l, op, -1, -1);
		}
	assert_depth(pair_of(DS_A, 0), LAST - 2, 0, 0, -1, -1);
	assert_depth(pair_of(DS_A, 0), LAST + 1, 0, 0, -1, -1);
	/* Nothing of it is a sample, and nothing is kept where nothing is. */
	assert_null(pair_of(DS_A, 0)->ring);
	assert_null(pair_of(DS_A, 1)->depth);
	assert_int_equal(pair_of(DS_A, 0)->dirty_slot, LAST - 1);
	assert_int_equal(pair_of(DS_B, 0)->dirty_slot, INT64_MAX);
	assert_int_equal(target->stats.samples, 0);
}

/* The first valid value stays; -1 is none, nonsense is counted. */
static void
test_first_valid_stays(void **state unused)
{
	static const int64_t first[] = { 7, -1, 600001, -5 };
	static const int64_t again[] = { 9, 3, 600000, -1 };

	open_host(0, 4);
	assert_true(lun("naa.a", LAYER_KERNEL, OP_READ, first, 4));
	assert_int_equal(target->stats.rejected, 2);
	assert_true(lun("naa.a", LAYER_KERNEL, OP_READ, again, 4));
	assert_depth(pair_of(DS_A, 0), LAST - 3, LAYER_KERNEL, OP_READ, 7000,
		     7000);
	assert_depth(pair_of(DS_A, 0), LAST - 2, LAYER_KERNEL, OP_READ, 3000,
		     3000);
	assert_depth(pair_of(DS_A, 0), LAST - 1, LAYER_KERNEL, OP_READ,
		     600000000, 600000000);
	assert_depth(pair_of(DS_A, 0), LAST, LAYER_KERNEL, OP_READ, -1, -1);
}

/* A LUN that no datastore of the host claims: not kept, not counted. */
static void
test_nobody_claims(void **state unused)
{
	static const int64_t ms[] = { 5 };

	open_host(0, 1);
	assert_false(lun("naa.other", LAYER_DEVICE, OP_READ, ms, 1));
	assert_false(lun("uuid-a", LAYER_DEVICE, OP_READ, ms, 1));
	assert_true(lun("", LAYER_DEVICE, OP_READ, ms, 1)); /* the aggregate */
	assert_int_equal(target->stats.unclaimed, 0);
	assert_null(pair_of(DS_A, 0)->depth);
	assert_null(pair_of(DS_N, 0)->depth);
}

/* Weighted by the I/Os of each extent, and the worst beside it. */
static void
test_several_extents(void **state unused)
{
	static const int64_t ms[3] = { 10, 40, 90 }, per_s[3] = { 70, 20, 10 };
	const struct pair *p = pair_of(DS_B, 0);

	open_host(0, 1);
	for (int i = 0; i < 3; i++)
		assert_true(lun(names_b[i], LAYER_DEVICE, OP_WRITE, &ms[i], 1));
	/* Nothing to weigh by yet. */
	assert_depth(p, LAST, LAYER_DEVICE, OP_WRITE, -1, 90000);
	for (int i = 0; i < 3; i++)
		assert_true(lun_per_s(names_b[i], OP_WRITE, per_s[i]));
	/* (10 x 70 + 40 x 20 + 90 x 10) / 100 = 24 */
	assert_depth(p, LAST, LAYER_DEVICE, OP_WRITE, 24000, 90000);
	assert_depth(p, LAST, LAYER_DEVICE, OP_READ, -1, -1);
	/* One extent's I/Os are nothing to keep. */
	assert_true(lun_per_s("naa.a", OP_WRITE, 5));
	assert_null(pair_of(DS_A, 0)->depth);
}

/* Fewer I/Os than a rate can count weigh as one, idle ones nothing. */
static void
test_sparse_and_idle_extents(void **state unused)
{
	static const int64_t device_ms[3] = { 50, 0, 20 };
	static const int64_t kernel_ms[3] = { 4, 0, 0 };
	static const int64_t per_s[3] = { 0, 0, 1 };
	const struct pair *p = pair_of(DS_B, 1);

	open_host(1, 1);
	for (int i = 0; i < 3; i++) {
		const char *name = names_b[i];

		assert_true(lun(name, LAYER_DEVICE, OP_READ, &device_ms[i], 1));
		assert_true(lun(name, LAYER_KERNEL, OP_READ, &kernel_ms[i], 1));
		assert_true(lun_per_s(name, OP_READ, per_s[i]));
	}
	/* Weights 1, 0 and 20: (50 + 20 x 20) / 21 and 4 / 21 ms. */
	assert_depth(p, LAST, LAYER_DEVICE, OP_READ, 21429, 50000);
	assert_depth(p, LAST, LAYER_KERNEL, OP_READ, 190, 4000);
}

/* Over hosts by the pair's own I/Os; an idle one has no say. */
static void
test_over_hosts(void **state unused)
{
	static const int64_t ms[2] = { 30, 80 };
	const struct datastore *ds = ds_of(DS_A);
	struct merged m;

	for (int h = 0; h < 2; h++) {
		open_host(h, 1);
		pair_write("uuid-a", ms[h] + 1, h == 0 ? 90 : 10);
		assert_true(lun("naa.a", LAYER_DEVICE, OP_WRITE, &ms[h], 1));
	}
	m = depth_merge_hosts(ds, LAST, LAYER_DEVICE, OP_WRITE);
	/* (30 x 90 + 80 x 10) / 100 = 35 */
	assert_int_equal(m.mean_us, 35000);
	assert_int_equal(m.worst_us, 80000);
	assert_int_equal(m.min_us, 30000);
	assert_ptr_equal(m.worst_host, target_find_host(target, "host-2"));
	assert_int_equal(m.n, 2);
	m = depth_merge_one(ds->pairs[0], LAST, LAYER_DEVICE, OP_WRITE);
	assert_int_equal(m.mean_us, 30000);
	m = depth_merge_hosts(ds, LAST, LAYER_KERNEL, OP_WRITE);
	assert_int_equal(m.mean_us, -1);
	assert_int_equal(m.n, 0);
	assert_int_equal(m.load, LOAD_MISSING);
	m = depth_merge_hosts(ds_of(DS_N), LAST, LAYER_DEVICE, OP_WRITE);
	assert_int_equal(m.n, 0);
}

static void
test_idle_pair(void **state unused)
{
	static const int64_t ms = 0;
	struct merged m;

	open_host(0, 1);
	pair_write("uuid-a", 0, 0);
	m = depth_merge_hosts(ds_of(DS_A), LAST, LAYER_DEVICE, OP_WRITE);
	assert_int_equal(m.mean_us, -1); /* idle or not, there is no value */
	assert_true(lun("naa.a", LAYER_DEVICE, OP_WRITE, &ms, 1));
	m = depth_merge_hosts(ds_of(DS_A), LAST, LAYER_DEVICE, OP_WRITE);
	assert_int_equal(m.mean_us, 0);
	assert_int_equal(m.load, LOAD_IDLE);
}

/* One disk, two datastores on its partitions: it is the time of both. */
static void
test_partitions(void **state unused)
{
	static const char *const shared[] = { "naa.a" };
	static const int64_t ms[] = { 12 };

	assert_true(apply(shared, 1) > 0);
	open_host(0, 1);
	assert_true(lun("naa.a", LAYER_DEVICE, OP_READ, ms, 1));
	assert_depth(pair_of(DS_A, 0), LAST, LAYER_DEVICE, OP_READ, 12000,
		     12000);
	assert_depth(pair_of(DS_B, 0), LAST, LAYER_DEVICE, OP_READ, 12000,
		     12000);
}

/* A datastore that grows keeps what it had; one that is another does not; one
 * that does not say is the same. */
static void
test_extents_change(void **state unused)
{
	static const char *const grown[] = { "naa.b0", "naa.b1", "eui.b2",
					     "naa.b3" };
	static const char *const other[] = { "naa.b1", "naa.b0", "eui.b2" };
	static const int64_t ms[] = { 8 };
	const struct pair *p = pair_of(DS_B, 0);

	open_host(0, 1);
	assert_true(lun("naa.b0", LAYER_DEVICE, OP_READ, ms, 1));
	assert_false(lun("naa.b3", LAYER_DEVICE, OP_READ, ms, 1));
	assert_true(apply(grown, 4) > 0);
	open_host(0, 1);
	assert_true(lun("naa.b3", LAYER_KERNEL, OP_READ, ms, 1));
	assert_depth(p, LAST, LAYER_DEVICE, OP_READ, 8000, 8000);
	assert_depth(p, LAST, LAYER_KERNEL, OP_READ, 8000, 8000);
	assert_int_equal(apply(NULL, 0), 0);
	assert_depth(p, LAST, LAYER_DEVICE, OP_READ, 8000, 8000);
	assert_true(apply(other, 3) > 0);
	assert_depth(p, LAST, LAYER_DEVICE, OP_READ, -1, -1);
}

/* No more than VMFS allows. */
static void
test_too_many_extents(void **state unused)
{
	static const int64_t ms[] = { 1 };
	const char *names[DEPTH_MAX_EXTENTS + 1];
	char text[DEPTH_MAX_EXTENTS + 1][16];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(text[i], sizeof(text[i]), "naa.x%zu", i);
		names[i] = text[i];
	}
	assert_true(apply(names, ARRAY_SIZE(names)) > 0);
	open_host(0, 1);
	assert_true(lun(names[DEPTH_MAX_EXTENTS - 1], LAYER_DEVICE, OP_READ, ms,
			1));
	assert_false(
		lun(names[DEPTH_MAX_EXTENTS], LAYER_DEVICE, OP_READ, ms, 1));
}

/* A name longer than any cache of it, and two that differ at the end. */
static void
test_long_names(void **state unused)
{
	static const int64_t ms[] = { 1, 2 };
	char a[201], b[201];
	const char *names[] = { a, b };

	memset(a, 'x', sizeof(a) - 1);
	memset(b, 'x', sizeof(b) - 1);
	a[199] = 'a';
	a[200] = b[200] = '\0';
	assert_true(apply(names, 2) > 0);
	open_host(0, 1);
	assert_true(lun(a, LAYER_DEVICE, OP_READ, &ms[0], 1));
	assert_true(lun(b, LAYER_DEVICE, OP_READ, &ms[1], 1));
	assert_true(lun_per_s(a, OP_READ, 3));
	assert_true(lun_per_s(b, OP_READ, 1));
	assert_depth(pair_of(DS_B, 0), LAST, LAYER_DEVICE, OP_READ, 1250, 2000);
}

/* One direction of both hosts in the two newest slots; a per host. */
static void
fill_two_slots(enum op op, const int64_t pair_ms[2][2],
	       const int64_t per_s[2][2], const int64_t kernel_ms[2][2])
{
	struct ingest_counter us = { FIELD_US + op, UNIT_MILLISECOND };
	struct ingest_counter ios = { FIELD_IOS + op, UNIT_NUMBER };

	for (int h = 0; h < 2; h++) {
		open_host(h, 2);
		assert_true(
			ingest_series(&in, &us, "uuid-a", 6, pair_ms[h], 2));
		assert_true(ingest_series(&in, &ios, "uuid-a", 6, per_s[h], 2));
		assert_true(lun("naa.a", LAYER_KERNEL, op, kernel_ms[h], 2));
		ingest_close(&in);
	}
}

/* Bins of two slots: means by I/Os, the worst kept, idle ones without a say;
 * both directions together are the worse of each figure. */
static void
test_series(void **state unused)
{
	static const int64_t read_ms[2][2] = { { 9, 0 }, { 60, 30 } };
	static const int64_t read_ps[2][2] = { { 30, 0 }, { 10, 60 } };
	static const int64_t read_kernel[2][2] = { { 1, 0 }, { 50, 20 } };
	static const int64_t write_ms[2][2] = { { 40, 41 }, { -1, 9 } };
	static const int64_t write_ps[2][2] = { { 1, 3 }, { -1, 1 } };
	static const int64_t write_kernel[2][2] = { { 30, 38 }, { -1, 2 } };
	const struct datastore *ds = ds_of(DS_A);
	struct span all, one;
	struct bin b[200];
	int64_t before = (LAST - 2) / 2 * 2;

	fill_two_slots(OP_READ, read_ms, read_ps, read_kernel);
	fill_two_slots(OP_WRITE, write_ms, write_ps, write_kernel);
	all = (struct span){ LAST - 1, 2, 1 };
	depth_series(ds, NULL, METRIC_READ_KERNEL_MS, &all, b);
	/* (1 x 30 + 50 x 10 + 20 x 60) / 100 */
	assert_float_equal(b[0].mean, 17.3, 1e-9);
	assert_float_equal(b[0].max, 50, 0);
	assert_float_equal(b[0].min, 1, 0);
	assert_int_equal(b[0].n, 4);
	depth_series(ds, NULL, METRIC_WRITE_KERNEL_MS, &all, b);
	/* (30 x 1 + 38 x 3 + 2 x 1) / 5 */
	assert_float_equal(b[0].mean, 29.2, 1e-9);
	assert_float_equal(b[0].max, 38, 0);
	assert_float_equal(b[0].min, 2, 0);
	assert_int_equal(b[0].n, 3);
	depth_series(ds, NULL, METRIC_KERNEL_MS, &all, b);
	assert_float_equal(b[0].mean, 29.2, 1e-9);
	assert_float_equal(b[0].max, 50, 0);
	assert_float_equal(b[0].min, 2, 0);
	assert_int_equal(b[0].n, 4);
	depth_series(ds, ds->pairs[0]->host, METRIC_READ_KERNEL_MS, &all, b);
	assert_float_equal(b[0].mean, 1, 1e-9);
	/* Slot by slot, and slots that no ring has. */
	one = (struct span){ LAST - 3, 1, 6 };
	depth_series(ds, ds->pairs[0]->host, METRIC_READ_KERNEL_MS, &one, b);
	assert_true(isnan(b[1].mean) && isnan(b[1].max) && b[1].n == 0);
	assert_float_equal(b[2].mean, 1, 1e-9);
	assert_float_equal(b[3].mean, 0, 0); /* idle */
	assert_float_equal(b[3].max, 0, 0);
	assert_true(isnan(b[4].mean) && isnan(b[5].min));
	/* A span of years is as quick. */
	all = (struct span){ before - 100 * 200000 + 1, 200000, 200 };
	depth_series(ds, NULL, METRIC_KERNEL_MS, &all, b);
	assert_true(isnan(b[0].mean));
	assert_float_equal(b[100].max, 50, 0);
	depth_series(ds, NULL, METRIC_DEVICE_MS, &all, b);
	assert_true(isnan(b[100].max));
	depth_series(ds_of(DS_N), NULL, METRIC_KERNEL_MS, &all, b);
	assert_true(isnan(b[100].max) && b[100].n == 0);
}

static void
test_metric_names(void **state unused)
{
	static const char *const names[] = {
		"read_device_ms", "write_device_ms", "device_ms",
		"read_kernel_ms", "write_kernel_ms", "kernel_ms",
		"read_queue_ms",  "write_queue_ms",  "queue_ms",
	};
	enum metric m;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_true(metric_from_name(names[i], strlen(names[i]), &m));
		assert_int_equal(m, METRIC_READ_DEVICE_MS + i);
		assert_true(metric_is_layer(m));
	}
	assert_false(metric_is_layer(METRIC_WRITE_BYTES_PER_S));
	for (enum layer l = 0; l < N_LAYERS; l++)
		assert_non_null(strstr(names[3 * l + 2], layer_name(l)));
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		T(test_one_extent),
		T(test_first_valid_stays),
		T(test_nobody_claims),
		T(test_several_extents),
		T(test_sparse_and_idle_extents),
		T(test_over_hosts),
		T(test_idle_pair),
		T(test_partitions),
		T(test_extents_change),
		T(test_too_many_extents),
		T(test_long_names),
		T(test_series),
		T(test_metric_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
