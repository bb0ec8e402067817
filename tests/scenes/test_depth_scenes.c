/*
 * Device, kernel and queue time from the wire to the model: every value against
 * the simulator's oracle of LUNs, and what must not happen to the samples
 * beside them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "dslat/depth.h"
#include "dslat/mem.h"
#include "stage.h"

#define LOGIN "login monitor@vsphere.local secret\n"
#define USER "monitor@vsphere.local", "secret"
#define HOUR_S 3000
/* Of a row of the oracle, see tests/sim/README.md, and where in it. */
#define N_LUN_VALUES 10
#define PER_S 8

static struct stage s;

struct lun_row {
	char host[32], lun[96];
	int64_t slot, v[N_LUN_VALUES];
};

static struct lun_row rows[16384];
static size_t n_rows;

static void
open_scene(const char *scene)
{
	stage_add(&s, scene);
	stage_open(&s, USER, 20);
}

static int
teardown(void **state unused)
{
	if (s.loop != NULL)
		stage_close(&s);
	return 0;
}

static void
read_row(char *text, struct lun_row *r)
{
	char *f[3 + N_LUN_VALUES] = { text };
	real_t t;

	for (size_t i = 1; i < ARRAY_SIZE(f); i++) {
		f[i] = strchr(f[i - 1], ',');
		assert_non_null(f[i]);
		*f[i]++ = '\0';
	}
	assert_int_equal(real_parse(f[2], strlen(f[2]), &t), 0);
	snprintf(r->host, sizeof(r->host), "%s", f[0]);
	snprintf(r->lun, sizeof(r->lun), "%s", f[1]);
	r->slot = slot_of(t);
	for (size_t i = 0; i < N_LUN_VALUES; i++)
		r->v[i] = strtoll(f[3 + i], NULL, 10);
}

/* What the hosts of the scene must have said in the span. */
static void
read_oracle(int ago_s, int seconds)
{
	real_t to = real_add_us(target_now(s.target), -ago_s * US_PER_S);
	real_t from = real_add_us(to, -seconds * US_PER_S);
	char a[REAL_TEXT_SIZE], b[REAL_TEXT_SIZE], *text, *line, *save;
	char *what = xasprintf("oracle?luns=true&from=%s&to=%s",
			       real_format(from, a), real_format(to, b));

	n_rows = 0;
	text = stage_ask(&s, what);
	line = strtok_r(text, "\n", &save); /* the header */
	while ((line = strtok_r(NULL, "\n", &save)) != NULL) {
		assert_true(n_rows < ARRAY_SIZE(rows));
		read_row(line, &rows[n_rows++]);
	}
	free(text);
	free(what);
}

static const struct lun_row *
find_row(const char *host, const char *lun, int64_t slot)
{
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].slot == slot && strcmp(rows[i].lun, lun) == 0 &&
		    strcmp(rows[i].host, host) == 0)
			return &rows[i];
	return NULL;
}

/* Mean and worst over the extents by the definition; -1 without a value. */
static void
reckon(const struct pair *p, int64_t slot, enum layer l, enum op op,
       double *mean_us, int64_t *worst_us)
{
	const struct datastore *ds = p->datastore;
	double sum = 0, weight = 0;
	int64_t least = INT64_MAX;

	*worst_us = -1;
	*mean_us = -1;
	for (size_t x = 0; x < ds->n_extents; x++) {
		const struct lun_row *r =
			find_row(p->host->name, ds->extents[x], slot);
		double w;

		if (r == NULL || r->v[2 * l + op] < 0)
			continue;
		w = (double)r->v[PER_S + op] * SLOT_S;
		if (w == 0 && (r->v[op] > 0 || r->v[2 + op] > 0))
			w = 1;
		sum += (double)r->v[2 * l + op] * 1000 * w;
		weight += w;
		*worst_us = MAX(*worst_us, r->v[2 * l + op] * 1000);
		least = MIN(least, r->v[2 * l + op] * 1000);
	}
	if (least == *worst_us)
		*mean_us = (double)*worst_us;
	else if (weight > 0)
		*mean_us = sum / weight;
}

/* All values of the pair in the span are the oracle's; how many there were. */
static size_t
compare_pair(const struct pair *p, int64_t first, int64_t last)
{
	size_t n = 0;

	for (int64_t slot = first; slot <= last; slot++)
		for (enum layer l = 0; l < N_LAYERS; l++)
			for (enum op op = 0; op < N_OPS; op++) {
				struct depth d = depth_of(p, slot, l, op);
				double mean_us;
				int64_t worst_us;

				reckon(p, slot, l, op, &mean_us, &worst_us);
				assert_int_equal(d.worst_us, worst_us);
				assert_true(fabs((double)d.mean_us - mean_us) <=
					    0.5);
				n += worst_us > 0;
			}
	return n;
}

/* The datastore on every host, against the oracle; something is there. */
static void
assert_depth_is_oracle(const char *name, int ago_s, int seconds)
{
	const struct datastore *ds = stage_datastore(&s, name);
	int64_t last =
		slot_of(real_add_us(target_now(s.target), -ago_s * US_PER_S));
	size_t n = 0;

	read_oracle(ago_s, seconds);
	assert_true(n_rows > 0 && ds->n_pairs > 0);
	for (size_t i = 0; i < ds->n_pairs; i++)
		n += compare_pair(ds->pairs[i], last - seconds / SLOT_S + 1,
				  last);
	assert_true(n > 0);
}

static void
assert_samples(int ago_s, int seconds)
{
	size_t n;

	assert_int_equal(stage_compare(&s, ago_s, seconds, &n), 0);
	assert_true(n > 0);
}

static void
assert_no_depth(const char *name)
{
	const struct datastore *ds = stage_datastore(&s, name);

	for (size_t i = 0; i < ds->n_pairs; i++)
		assert_null(ds->pairs[i]->depth);
}

/* The hour before the start and what follows; late values fill in. */
static void
test_all_values(void **state unused)
{
	open_scene(
		"server vcenter seed=5 late_pct=60 late_min_s=3 "
		"late_max_s=95\n" LOGIN
		"host esx1\nhost esx2\n"
		"datastore nfs nfs3\ndatastore fc fc read_ms=9 write_ms=7\n"
		"datastore hot iscsi read_ms=20 write_ms=30 "
		"kernel_pct=80\n");
	assert_depth_is_oracle("fc", 120, HOUR_S);
	stage_steps(&s, 12);
	assert_depth_is_oracle("fc", 120, HOUR_S);
	assert_depth_is_oracle("hot", 120, HOUR_S);
	assert_samples(120, HOUR_S);
	assert_no_depth("nfs");
	assert_int_equal(s.target->state, TARGET_OK);
	assert_int_equal(s.target->stats.rejected, 0);
	assert_int_equal(s.target->stats.unclaimed, 0);
}

/* Where nothing can come nothing is asked. */
static void
test_nfs_alone(void **state unused)
{
	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\n"
		   "datastore a nfs3\ndatastore b nfs41\n");
	stage_tell(&s, "stats/reset");
	stage_steps(&s, 1);
	assert_int_equal(stage_stat(&s, "perf_series"), 2 * 2 * N_FIELDS);
	assert_no_depth("a");
	assert_no_depth("b");
}

/* Device and kernel time are the latency, and say whose it is. */
static void
test_parts_are_the_whole(void **state unused)
{
	static const struct {
		const char *name;
		enum layer more, less;
	} cases[] = {
		{ "array", LAYER_DEVICE, LAYER_KERNEL },
		{ "queue", LAYER_KERNEL, LAYER_DEVICE },
	};

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\n"
		   "datastore array fc write_ms=60 write_iops=500\n"
		   "datastore queue fc write_ms=60 write_iops=500 "
		   "kernel_pct=80\n");
	stage_steps(&s, 3);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct datastore *ds = stage_datastore(&s, cases[i].name);
		struct latest now = datastore_latest(ds);
		struct merged part[N_LAYERS];
		int64_t sum_us;

		for (enum layer l = 0; l < N_LAYERS; l++)
			part[l] = depth_merge_hosts(ds, now.slot, l, OP_WRITE);
		sum_us =
			part[LAYER_DEVICE].mean_us + part[LAYER_KERNEL].mean_us;
		assert_in_range(now.op[OP_WRITE].mean_us - sum_us, 0, 1000);
		assert_true(now.op[OP_WRITE].mean_us > 20000);
		assert_true(part[cases[i].more].mean_us >
			    3 * part[cases[i].less].mean_us);
		assert_true(part[LAYER_QUEUE].mean_us <=
			    part[LAYER_KERNEL].mean_us);
	}
}

/* Extents that differ in latency and load: weighted, and the worst. */
static void
test_several_extents(void **state unused)
{
	const struct pair *p;
	struct depth d;
	int64_t slot;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\n"
		   "datastore wide fc extents=3 extent_x=2 read_ms=8 "
		   "write_ms=9\n"
		   "datastore one fc\n");
	stage_steps(&s, 4);
	assert_depth_is_oracle("wide", 60, 600);
	assert_depth_is_oracle("one", 60, 600);
	p = stage_datastore(&s, "wide")->pairs[0];
	slot = slot_of(target_now(s.target)) - 4;
	d = depth_of(p, slot, LAYER_DEVICE, OP_WRITE);
	assert_true(d.mean_us > 0 && d.mean_us < d.worst_us);
}

/* Counters that a server lacks, or counts otherwise, are not there; no more. */
static void
test_counters_missing(void **state unused)
{
	const struct pair *p;
	int64_t slot;

	open_scene(
		"fault counter-missing arg=disk.kernelReadLatency.average\n"
		"fault counter-missing arg=disk.queueWriteLatency.average\n"
		"fault counter-missing "
		"arg=disk.numberReadAveraged.average\n"
		"server vcenter seed=5\n" LOGIN
		"host esx1\ndatastore fc fc read_ms=30 write_ms=30\n");
	stage_steps(&s, 3);
	assert_samples(60, HOUR_S);
	assert_int_equal(s.target->state, TARGET_OK);
	p = stage_datastore(&s, "fc")->pairs[0];
	slot = slot_of(target_now(s.target)) - 3;
	assert_true(depth_of(p, slot, LAYER_DEVICE, OP_READ).worst_us > 0);
	assert_true(depth_of(p, slot, LAYER_KERNEL, OP_READ).worst_us < 0);
	assert_true(depth_of(p, slot, LAYER_QUEUE, OP_WRITE).worst_us < 0);
}

static void
test_no_counters_at_all(void **state unused)
{
	open_scene(
		"fault counter-missing arg=disk.deviceReadLatency.average\n"
		"fault counter-missing arg=disk.deviceWriteLatency.average\n"
		"fault counter-missing arg=disk.kernelReadLatency.average\n"
		"fault counter-missing arg=disk.kernelWriteLatency.average\n"
		"fault counter-missing arg=disk.queueReadLatency.average\n"
		"fault counter-missing arg=disk.queueWriteLatency.average\n"
		"server vcenter seed=5\n" LOGIN
		"host esx1\ndatastore fc fc extents=2\n");
	stage_steps(&s, 3);
	assert_samples(60, HOUR_S);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_no_depth("fc");
}

/* Counted in microseconds, they are: the unit is the table's. */
static void
test_unit_from_the_table(void **state unused)
{
	const struct pair *p;
	struct depth d;
	int64_t slot;

	open_scene(
		"fault unit-microsecond arg=disk.deviceReadLatency.average\n"
		"server vcenter seed=5\n" LOGIN
		"host esx1\ndatastore fc fc read_ms=300 read_iops=900\n");
	stage_steps(&s, 3);
	p = stage_datastore(&s, "fc")->pairs[0];
	slot = slot_of(target_now(s.target)) - 3;
	d = depth_of(p, slot, LAYER_DEVICE, OP_READ);
	assert_in_range(d.worst_us, 50, 999);
}

/* A server that faults on disk.* of any host: found out with few requests,
 * costs no sample, is tried again, and then all is well. */
static void
test_server_refuses(void **state unused)
{
	int64_t calls;

	open_scene("fault perf-disk\nserver vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\nhost esx3\nhost esx4\nhost esx5\n"
		   "host esx6\nhost esx7\nhost esx8\n"
		   "datastore nfs nfs3\ndatastore fc fc read_ms=9\n");
	assert_true(stage_logged("refuses the latency of its LUNs"));
	assert_samples(60, HOUR_S);
	assert_no_depth("fc");
	assert_int_equal(s.target->state, TARGET_OK);
	stage_tell(&s, "stats/reset");
	stage_steps(&s, 1); /* too soon to try again: one request for all */
	calls = stage_stat(&s, "QueryPerf");
	assert_int_equal(calls, 1);
	stage_steps(&s, 30);
	calls = stage_stat(&s, "QueryPerf");
	/* Three or four tries (40, 80, 160 s apart, less up to a quarter), in
	 * which 8 hosts come down to two at a time that are asked without. */
	assert_in_range(calls, 31 + 3, 31 + 4 * 12);
	assert_samples(60, 560);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 16);
	assert_depth_is_oracle("fc", 60, 40);
	assert_int_equal(s.target->stats.polls, 48);
	assert_samples(60, 800);
}

/* One host does: the others' come, and all samples. */
static void
test_one_host_refuses(void **state unused)
{
	const struct datastore *ds;

	open_scene("fault perf-disk arg=esx2\nserver vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\nhost esx3\n"
		   "datastore fc fc read_ms=9\n");
	stage_steps(&s, 5);
	assert_samples(60, HOUR_S);
	assert_int_equal(s.target->state, TARGET_OK);
	ds = stage_datastore(&s, "fc");
	for (size_t i = 0; i < ds->n_pairs; i++)
		assert_int_equal(ds->pairs[i]->depth == NULL,
				 strcmp(ds->pairs[i]->host->name, "esx2") == 0);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 16);
	assert_depth_is_oracle("fc", 60, 40);
}

/* A host that is in trouble anyhow costs one request more, once. */
static void
test_trouble_of_another_kind(void **state unused)
{
	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\n"
		   "host esx3\ndatastore fc fc read_ms=9\n");
	stage_steps(&s, 2);
	stage_tell(&s, "fault?name=perf-invalid&arg=esx2&count=-1");
	stage_steps(&s, 3);
	assert_false(stage_logged("refuses the latency of its LUNs"));
	assert_int_equal(s.target->state, TARGET_DEGRADED);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 20);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_samples(60, HOUR_S);
	assert_depth_is_oracle("fc", 60, 120);
}

/* LUNs that no datastore claims are no news, are not counted, and when there
 * are many the host's own are asked for by name. */
static void
test_strangers(void **state unused)
{
	int64_t before, few, views;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\n"
		   "datastore fc fc read_ms=9\n"
		   "datastore raw fc hidden=true extents=40\n");
	before = stage_stat(&s, "perf_series");
	stage_tell(&s, "stats/reset");
	stage_steps(&s, 1);
	few = stage_stat(&s, "perf_series");
	/* Six of each datastore, listed or not, and six of one LUN. */
	assert_int_equal(few, 6 + 6 + 6);
	assert_true(before > 6 * 40);
	stage_steps(&s, 8);
	assert_depth_is_oracle("fc", 60, 600);
	views = stage_stat(&s, "CreateContainerView");
	stage_steps(&s, 5);
	assert_int_equal(stage_stat(&s, "CreateContainerView"), views);
	/* Mounted where all can see it: a datastore of 41 extents. */
	stage_tell(&s, "set?datastore=raw&hidden=false");
	stage_steps(&s, 20);
	assert_depth_is_oracle("fc", 60, 600);
	assert_true(stage_datastore(&s, "raw")->pairs[0]->depth != NULL);
}

/* ESXi itself, whose ids need 32 bits. */
static void
test_esxi(void **state unused)
{
	open_scene("server esxi seed=3\n" LOGIN
		   "host esx77\ndatastore a iscsi read_ms=9 extents=2\n"
		   "datastore b local write_ms=12\n");
	stage_steps(&s, 3);
	assert_depth_is_oracle("a", 60, HOUR_S);
	assert_depth_is_oracle("b", 60, HOUR_S);
	assert_samples(60, HOUR_S);
}

/* A host whose clock is wrong stands at its true time with them, too. */
static void
test_clock_off(void **state unused)
{
	struct merged m;
	const struct datastore *ds;
	struct latest l;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1 clock_offset_s=-2939\n"
		   "datastore fc fc write_ms=40 write_iops=900\n");
	stage_steps(&s, 6);
	assert_in_range(stage_host(&s, "esx1")->shift_slots, 146, 148);
	ds = stage_datastore(&s, "fc");
	l = datastore_latest(ds);
	m = depth_merge_hosts(ds, l.slot, LAYER_DEVICE, OP_WRITE);
	assert_true(m.mean_us > 0);
	assert_true(latest_age_us(s.target, &l) <= 60 * US_PER_S);
}

#define SCENE(t) cmocka_unit_test_teardown(t, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		SCENE(test_all_values),
		SCENE(test_nfs_alone),
		SCENE(test_parts_are_the_whole),
		SCENE(test_several_extents),
		SCENE(test_counters_missing),
		SCENE(test_no_counters_at_all),
		SCENE(test_unit_from_the_table),
		SCENE(test_server_refuses),
		SCENE(test_one_host_refuses),
		SCENE(test_trouble_of_another_kind),
		SCENE(test_strangers),
		SCENE(test_esxi),
		SCENE(test_clock_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
