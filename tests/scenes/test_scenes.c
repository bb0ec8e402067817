/*
 * What broke other tools, and what a vCenter does on a bad day: each a scene
 * played by the simulator, in virtual time, against the oracle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "dslat/query.h"
#include "stage.h"

#define LOGIN "login monitor@vsphere.local secret\n"
#define USER "monitor@vsphere.local", "secret"
#define TWO_BY_TWO                                                             \
	"server vcenter seed=5\n" LOGIN                                        \
	"host esx1\nhost esx2\n"                                               \
	"datastore nfs nfs3\ndatastore lun iscsi\n"

static struct stage s;

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

/* Every value of the span is there and right. */
static void
assert_oracle(int ago_s, int seconds)
{
	size_t n;

	assert_int_equal(stage_compare(&s, ago_s, seconds, &n), 0);
	assert_true(n > 0);
}

/* The first poll brings the host's hour, and the next ones go on. */
static void
test_the_hour_before_the_start(void **state unused)
{
	open_scene(TWO_BY_TWO);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_oracle(60, 3500);
	stage_steps(&s, 12);
	assert_oracle(60, 3600);
	assert_int_equal(s.target->stats.rejected, 0);
	assert_int_equal(stage_stat(&s, "logins"), 1);
}

/* The newest slot is announced with -1 and its values come 1 to 3 minutes
 * later: none is lost, none is taken for a value. */
static void
test_newest_is_missing(void **state unused)
{
	open_scene(
		"server vcenter seed=5 late_pct=100 late_min_s=21 "
		"late_max_s=95\n" LOGIN
		"host esx1\nhost esx2\n"
		"datastore nfs nfs3\ndatastore lun iscsi\n");
	stage_steps(&s, 30);
	assert_oracle(120, 600);
	assert_int_equal(s.target->stats.rejected, 0);
}

/* Faults of an answer that cost nothing in the end: what a poll did not get
 * the next ones do. */
static void
test_odd_answers(void **state unused)
{
	static const char *const faults[] = {
		"format-normal",  "newest-first",     "newest-missing&arg=2",
		"short-series",   "value-absent",     "value-empty",
		"time-offset",    "time-micro",       "duplicate-samples",
		"type-prefix",    "perf-empty",       "perf-bare",
		"perf-no-series", "duplicate-series",
	};

	open_scene(TWO_BY_TWO);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		char what[80];

		snprintf(what, sizeof(what), "fault?name=%s&count=2",
			 faults[i]);
		stage_tell(&s, what);
		stage_steps(&s, 4);
		if (stage_compare(&s, 60, 80, &(size_t){ 0 }) != 0)
			fail_msg("%s lost something", faults[i]);
	}
	stage_tell(&s, "fault?name=format-normal");
	stage_tell(&s, "fault?name=newest-first");
	stage_steps(&s, 10);
	assert_oracle(60, 180);
	assert_int_equal(s.target->stats.rejected, 0);
	assert_int_equal(s.target->state, TARGET_OK);
}

/* 116017258324865 ms and its like are counted and kept out. */
static void
test_absurd_values(void **state unused)
{
	open_scene(TWO_BY_TWO);
	stage_tell(&s, "fault?name=absurd-value&count=1");
	stage_steps(&s, 1);
	assert_true(s.target->stats.rejected > 0);
	stage_tell(&s, "fault?name=negative-value&count=1");
	stage_steps(&s, 1);
	stage_tell(&s, "fault?name=garbage-value&count=1");
	stage_steps(&s, 4);
	assert_oracle(60, 180);
	assert_int_equal(s.target->state, TARGET_OK);
}

/* Ids beyond 16 bits, and other ones after every login. */
static void
test_counter_ids(void **state unused)
{
	open_scene(
		"fault counter-offset arg=70000\nfault renumber\n" TWO_BY_TWO);
	assert_oracle(60, 1000);
	stage_tell(&s, "fault?name=kill-sessions&count=1");
	stage_steps(&s, 6);
	assert_int_equal(stage_stat(&s, "logins"), 2);
	assert_oracle(60, 120);
}

/* A unit is the table's word: milliseconds there, microseconds here. */
static void
test_unit_from_the_table(void **state unused)
{
	const struct pair *p;

	open_scene(
		"fault unit-microsecond "
		"arg=datastore.totalReadLatency.average\n" TWO_BY_TWO);
	p = stage_datastore(&s, "nfs")->pairs[0];
	assert_non_null(p->ring);
	for (int64_t t = p->newest_valid - 20; t <= p->newest_valid; t++)
		assert_true(ring_get(p->ring, t)->v[FIELD_US] < 1000);
}

static void
test_missing_and_twice_counters(void **state unused)
{
	open_scene(
		"fault counter-missing arg=datastore.write.average\n"
		"fault counter-twice "
		"arg=datastore.totalReadLatency.average\n" TWO_BY_TWO);
	assert_int_equal(s.target->field_mask,
			 FIELD_MASK_ALL &
				 ~(1u << (FIELD_KIB_PER_S + OP_WRITE)));
	stage_steps(&s, 3);
	/* Complete without the field: final before 180 s. */
	assert_true(stage_datastore(&s, "nfs")->pairs[0]->final_slot >=
		    slot_of(target_now(s.target)) - 2);
}

/* One session for ever; one login when it is lost; the poll still counts. */
static void
test_session_lost(void **state unused)
{
	static const char *const faults[] = { "not-authenticated-500&count=1",
					      "kill-sessions&count=1" };

	open_scene(TWO_BY_TWO);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		uint64_t polls = s.target->stats.polls;
		char what[80];

		snprintf(what, sizeof(what), "fault?name=%s", faults[i]);
		stage_tell(&s, what);
		stage_steps(&s, 1);
		assert_int_equal(s.target->stats.polls, polls + 1);
		assert_int_equal(s.target->stats.poll_failures, 0);
		assert_int_equal(stage_stat(&s, "logins"), (int)i + 2);
	}
	stage_steps(&s, 4);
	assert_oracle(60, 180);
}

/* NotAuthenticated inside an HTTP 200, and between two pages. */
static void
test_session_lost_in_the_inventory(void **state unused)
{
	open_scene("server vcenter seed=5 page_size=2\n" LOGIN
		   "fault kill-between-pages count=1\n"
		   "fault not-authenticated-200 count=1\n"
		   "host esx1\nhost esx2\ndatastore nfs nfs3\n"
		   "datastore lun iscsi\n");
	stage_steps(&s, 4);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_int_equal(map_count(s.target->hosts), 2);
	assert_int_equal(stage_datastore(&s, "lun")->protocol, PROTO_ISCSI);
	assert_oracle(60, 600);
}

/* A refused login is not tried again for 15 minutes. */
static void
test_invalid_login(void **state unused)
{
	stage_add(&s, TWO_BY_TWO);
	stage_open(&s, "monitor@vsphere.local", "wrong", 20);
	assert_int_equal(s.target->state, TARGET_AUTH_FAILED);
	assert_non_null(strstr(s.target->error, "900 s"));
	stage_steps(&s, 44);
	assert_int_equal(stage_stat(&s, "logins_refused"), 1);
	stage_steps(&s, 2);
	assert_int_equal(stage_stat(&s, "logins_refused"), 2);
	setenv("STAGE_PASSWORD", "secret", 1);
	stage_steps(&s, 46);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_false(stage_logged("wrong,") || stage_logged("secret"));
}

/* The password is mended and the daemon told to read its configuration: it
 * tries at once. */
static void
test_reload_tries_a_login_again(void **state unused)
{
	stage_add(&s, TWO_BY_TWO);
	stage_open(&s, "monitor@vsphere.local", "wrong", 20);
	assert_int_equal(s.target->state, TARGET_AUTH_FAILED);
	setenv("STAGE_PASSWORD", "secret", 1);
	stage_reload(&s, "monitor@vsphere.local", 20);
	stage_settle(&s);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_int_equal(stage_stat(&s, "logins_refused"), 1);
}

/* & < > " and blanks in user and password. */
static void
test_odd_credentials(void **state unused)
{
	stage_add(&s,
		  "server vcenter\n"
		  "login \"us er&<x>\\\"@d\" \"p & <w> \\\"q\\\" \"\n"
		  "host esx1\ndatastore nfs nfs3\n");
	stage_open(&s, "us er&<x>\"@d", "p & <w> \"q\" ", 20);
	assert_int_equal(s.target->state, TARGET_OK);
}

/* Whatever comes instead of an answer: the state says so, the next tries come
 * slowly, and all is back when the server is. */
static void
test_no_answer_worth_the_name(void **state unused)
{
	static const char *const faults[] = {
		"http-404",
		"http-502",
		"http-503",
		"http-504",
		"html-200",
		"empty-200",
		"redirect",
		"truncate",
		"close",
		"dtd",
		"entity-bomb",
		"wrong-namespace",
		"deep-nesting",
		"huge",
		"bad-utf8&method=QueryPerf",
		"soap-fault&arg=SystemError&method=CurrentTime",
		"endless&method=CurrentTime",
	};

	open_scene(TWO_BY_TWO);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		char what[120];
		int tries = 0;

		snprintf(what, sizeof(what), "fault?name=%s", faults[i]);
		stage_tell(&s, what);
		stage_steps(&s, 2);
		if (s.target->state != TARGET_UNREACHABLE)
			fail_msg("%s: %s", faults[i],
				 target_state_name(s.target->state));
		assert_non_null(s.target->error);
		stage_tell(&s, "fault/clear");
		while (s.target->state != TARGET_OK && tries++ < 20)
			stage_steps(&s, 1);
		if (s.target->state != TARGET_OK)
			fail_msg("%s: not back: %s", faults[i],
				 s.target->error);
	}
	stage_steps(&s, 4);
	assert_oracle(60, 3000);
}

/* Half an hour without the server: back-filled from the hosts' hour. */
static void
test_outage_is_backfilled(void **state unused)
{
	open_scene(TWO_BY_TWO);
	stage_steps(&s, 5);
	stage_tell(&s, "fault?name=http-503");
	stage_steps(&s, 90);
	assert_int_equal(s.target->state, TARGET_UNREACHABLE);
	assert_int_equal(datastore_state(stage_datastore(&s, "nfs")),
			 DS_NO_DATA);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 20);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_oracle(60, 2400);
}

/* One host that faults, disconnects or goes costs the others nothing. */
static void
test_one_bad_host(void **state unused)
{
	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\nhost esx3\nhost esx4\nhost esx5\n"
		   "datastore nfs nfs3\ndatastore lun iscsi\n");
	stage_tell(&s, "fault?name=perf-invalid&arg=esx3");
	stage_steps(&s, 10);
	assert_int_equal(s.target->state, TARGET_DEGRADED);
	assert_non_null(stage_host(&s, "esx3")->error);
	for (int i = 1; i <= 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "esx%d", i);
		if (i != 3)
			assert_null(stage_host(&s, name)->error);
	}
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 40);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_null(stage_host(&s, "esx3")->error);
	assert_oracle(60, 800); /* esx3's own hour included */
	stage_tell(&s, "fault?name=perf-disconnect&arg=esx2&count=1");
	stage_steps(&s, 3);
	assert_int_equal(stage_host(&s, "esx1")->pairs[0]->newest_valid,
			 slot_of(target_now(s.target)));
	stage_tell(&s, "set?host=esx4&gone=true");
	stage_steps(&s, 20);
	assert_null(target_find_host(s.target, "esx4"));
	assert_in_range(stage_stat(&s, "concurrent_max"), 1, 2);
	assert_int_equal(stage_host(&s, "esx1")->pairs[0]->newest_valid,
			 slot_of(target_now(s.target)));
}

/* Bisection asks a handful of times, not once per host. */
static void
test_bisection_is_cheap(void **state unused)
{
	int64_t before;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\nhost esx2\nhost esx3\nhost esx4\nhost esx5\n"
		   "host esx6\nhost esx7\nhost esx8\ndatastore nfs nfs3\n");
	before = stage_stat(&s, "QueryPerf");
	stage_tell(&s, "fault?name=perf-invalid&arg=esx6");
	stage_steps(&s, 1);
	assert_in_range(stage_stat(&s, "QueryPerf") - before, 4, 7);
	before = stage_stat(&s, "QueryPerf");
	stage_steps(&s, 10); /* alone now, ever less often */
	assert_in_range(stage_stat(&s, "QueryPerf") - before, 10, 16);
}

/* vSphere's limit of elements in an answer. */
static void
test_element_limit(void **state unused)
{
	open_scene("server vcenter seed=5 element_limit=20000\n" LOGIN
		   "host esx1\nhost esx2\nhost esx3\nhost esx4\n"
		   "datastore nfs nfs3\ndatastore lun iscsi\n"
		   "fault format-normal\n");
	stage_steps(&s, 3);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_oracle(60, 3000);
}

/* Windows come from the server's clock, and ages too. */
static void
test_server_an_hour_ahead(void **state unused)
{
	open_scene("server vcenter seed=5 clock_offset_s=3600\n" LOGIN
		   "host esx1\ndatastore nfs nfs3\n");
	stage_steps(&s, 5);
	assert_in_range(s.target->clock_skew_us, 3599 * US_PER_S,
			3601 * US_PER_S);
	assert_int_equal(stage_host(&s, "esx1")->shift_slots, 0);
	assert_oracle(60, 3000);
	assert_int_not_equal(datastore_state(stage_datastore(&s, "nfs")),
			     DS_NO_DATA);
}

/* It was a day ahead of itself and is set right: the hour comes again. */
static void
test_server_set_back(void **state unused)
{
	struct latest l;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\ndatastore nfs nfs3\n");
	stage_steps(&s, 3);
	stage_tell(&s, "set?clock_offset_s=86400");
	stage_steps(&s, 5);
	l = datastore_latest(stage_datastore(&s, "nfs"));
	assert_true(latest_age_us(s.target, &l) <= 60 * US_PER_S);
	stage_tell(&s, "set?clock_offset_s=0");
	stage_steps(&s, 5);
	l = datastore_latest(stage_datastore(&s, "nfs"));
	assert_in_range(latest_age_us(s.target, &l), 0, 60 * US_PER_S);
	assert_oracle(60, 3000);
}

static void
on_stopped(void *arg)
{
	*(bool *)arg = true;
}

/* A reload while all is being stopped starts nothing. */
static void
test_reload_while_stopping(void **state unused)
{
	bool stopped = false;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\ndatastore nfs nfs3\n");
	targets_stop(s.targets, on_stopped, &stopped);
	while (!stopped)
		loop_turn(s.loop, 20);
	assert_int_equal(s.site->n_targets, 0);
	stage_reload(&s, "u", 0);
	stage_settle(&s);
	assert_int_equal(s.site->n_targets, 0);
}

/* A host 2,939 s behind the others stands at its true time, and says so. */
static void
test_host_behind(void **state unused)
{
	struct latest l;

	open_scene("server vcenter seed=5\n" LOGIN
		   "host esx1\n"
		   "host esx2 clock_offset_s=-2939\ndatastore nfs nfs3\n");
	stage_steps(&s, 6);
	assert_in_range(stage_host(&s, "esx2")->shift_slots, 146, 148);
	assert_int_equal(stage_host(&s, "esx1")->shift_slots, 0);
	l = datastore_latest(stage_datastore(&s, "nfs"));
	assert_int_equal(l.hosts_n, 2);
	assert_true(latest_age_us(s.target, &l) <= 60 * US_PER_S);
	/* Its clock is set right; nothing stands twice or is lost. */
	stage_tell(&s, "set?host=esx2&clock_offset_s=0");
	stage_steps(&s, 8);
	assert_int_equal(stage_host(&s, "esx2")->shift_slots, 0);
	/* ... and jumps back by an hour. */
	stage_tell(&s, "set?host=esx1&clock_offset_s=-3600");
	stage_steps(&s, 12);
	assert_in_range(stage_host(&s, "esx1")->shift_slots, 179, 181);
	l = datastore_latest(stage_datastore(&s, "nfs"));
	assert_int_equal(l.hosts_n, 2);
}

static void
test_empty_inventory(void **state unused)
{
	open_scene("server vcenter\n" LOGIN);
	assert_int_equal(s.target->state, TARGET_DEGRADED);
	assert_non_null(strstr(s.target->error, "Propagate"));
	stage_steps(&s, 3);
	assert_int_equal(s.target->state, TARGET_DEGRADED);
}

/* A hiccup of permissions hides everything for a while, and costs nothing. */
static void
test_inventory_hiccup(void **state unused)
{
	open_scene(TWO_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s, "fault?name=empty-inventory");
	stage_steps(&s, 20);
	assert_int_equal(s.target->state, TARGET_DEGRADED);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 20);
	assert_int_equal(s.target->state, TARGET_OK);
	assert_oracle(60, 1400);
}

/* Counters of a datastore that is in no inventory are counted, and looked up
 * once, not at every poll. */
static void
test_instance_nobody_claims(void **state unused)
{
	int64_t views;

	open_scene(TWO_BY_TWO "datastore ghost nfs3 hidden=true\n");
	assert_true(s.target->stats.unclaimed > 0);
	stage_steps(&s, 5);
	views = stage_stat(&s, "CreateContainerView");
	stage_steps(&s, 9);
	assert_int_equal(stage_stat(&s, "CreateContainerView"), views);
	assert_oracle(60, 200);
	/* It appears: known within the minute, not after five. */
	stage_tell(&s, "set?datastore=ghost&hidden=false");
	stage_steps(&s, 16);
	assert_non_null(stage_datastore(&s, "ghost"));
}

static void
test_property_missing(void **state unused)
{
	open_scene("fault property-missing arg=summary.url\n" TWO_BY_TWO);
	assert_int_equal(map_count(s.target->datastores), 2);
	assert_non_null(stage_datastore(&s, "nfs"));
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 20);
	assert_oracle(60, 200);
	assert_int_equal(map_count(s.target->datastores), 2);
}

/* A path the server does not know, or does not show. */
static void
test_paths_refused(void **state unused)
{
	open_scene(
		"fault invalid-property arg=summary.maintenanceMode\n"
		"fault invalid-property "
		"arg=config.storageDevice.nvmeTopology\n"
		"fault no-permission arg=config.product.version\n" TWO_BY_TWO);
	assert_int_equal(stage_datastore(&s, "lun")->protocol, PROTO_ISCSI);
	assert_oracle(60, 600);
}

/* A slow or silent target delays nobody. */
static void
test_black_hole_beside(void **state unused)
{
	struct target *other;
	uint64_t polls;

	stage_add(&s, TWO_BY_TWO);
	stage_add(&s, "server esxi\n" LOGIN "host e\ndatastore d nfs3\n");
	stage_open(&s, USER, 20);
	other = site_find_target(s.site, "t1");
	assert_int_equal(other->state, TARGET_OK);
	assert_string_equal(other->api_type, "HostAgent");
	stage_tell(&s, "fault?name=blackhole");
	polls = other->stats.polls;
	/* t0 hangs: its transfer never ends, so turn by hand. */
	for (int i = 0; i < 5; i++) {
		s.now.mono.us += SLOT_US;
		s.now.real.us += SLOT_US;
		for (int k = 0;
		     k < 200 && other->stats.polls == polls + (uint64_t)i; k++)
			loop_turn(s.loop, 10);
	}
	assert_int_equal(other->stats.polls, polls + 5);
	stage_tell(&s, "fault/clear");
}

/* Every kind of datastore is listed; those without counters say why. */
static void
test_esxi_and_unmeasured(void **state unused)
{
	open_scene("server esxi seed=3\n" LOGIN
		   "host esx77\n"
		   "datastore a nfs41\ndatastore b local url_slash=true\n"
		   "datastore c vsan\ndatastore d pmem\ndatastore e iscsi\n");
	assert_string_equal(s.target->api_type, "HostAgent");
	assert_int_equal(stage_datastore(&s, "a")->protocol, PROTO_NFS41);
	assert_int_equal(stage_datastore(&s, "b")->protocol, PROTO_LOCAL);
	assert_int_equal(stage_datastore(&s, "e")->protocol, PROTO_ISCSI);
	assert_int_equal(datastore_state(stage_datastore(&s, "c")),
			 DS_NOT_MEASURED);
	assert_int_equal(datastore_state(stage_datastore(&s, "d")),
			 DS_NOT_MEASURED);
	stage_steps(&s, 3);
	assert_oracle(60, 3000);
}

#define SCENE(t) cmocka_unit_test_teardown(t, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		SCENE(test_the_hour_before_the_start),
		SCENE(test_newest_is_missing),
		SCENE(test_odd_answers),
		SCENE(test_absurd_values),
		SCENE(test_counter_ids),
		SCENE(test_unit_from_the_table),
		SCENE(test_missing_and_twice_counters),
		SCENE(test_session_lost),
		SCENE(test_session_lost_in_the_inventory),
		SCENE(test_invalid_login),
		SCENE(test_reload_tries_a_login_again),
		SCENE(test_odd_credentials),
		SCENE(test_no_answer_worth_the_name),
		SCENE(test_outage_is_backfilled),
		SCENE(test_one_bad_host),
		SCENE(test_bisection_is_cheap),
		SCENE(test_element_limit),
		SCENE(test_server_an_hour_ahead),
		SCENE(test_server_set_back),
		SCENE(test_reload_while_stopping),
		SCENE(test_host_behind),
		SCENE(test_empty_inventory),
		SCENE(test_inventory_hiccup),
		SCENE(test_instance_nobody_claims),
		SCENE(test_property_missing),
		SCENE(test_paths_refused),
		SCENE(test_black_hole_beside),
		SCENE(test_esxi_and_unmeasured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
