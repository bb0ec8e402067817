/*
 * What is missing: data, access, hosts, targets, the right to log in; and which
 * of several is told.  Each case plays a site of three hosts and two datastores
 * in virtual time; expected slots follow from "now is 5 s behind the slot's
 * end": five slots without data are 105 s, four 85 s.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_stage.h"
#include "unit.h"

#define HOSTS 3
#define DATASTORES 2

static struct stage s;

static int
setup(void **state unused)
{
	stage_setup(&s, HOSTS, DATASTORES);
	return 0;
}

static int
teardown(void **state unused)
{
	stage_teardown(&s);
	return 0;
}

/* Nothing comes from these. */
struct mute {
	int host, ds; /* -1: all of them; MUTE_NONE: of none */
};
#define MUTE_NONE 9
static const struct mute none = { MUTE_NONE, MUTE_NONE };

static bool
is_mute(struct mute m, int host, int ds)
{
	return (m.host == -1 || m.host == host) && (m.ds == -1 || m.ds == ds);
}

/* Slots in which all hosts but the mute have quick I/O. */
static void
play(int slots, struct mute m)
{
	while (slots-- > 0) {
		stage_next(&s);
		for (int h = 0; h < HOSTS; h++) {
			for (int d = 0; d < DATASTORES; d++) {
				if (is_mute(m, h, d))
					continue;
				for (enum op op = 0; op < N_OPS; op++)
					stage_put(&s, (size_t)h, (size_t)d,
						  s.slot, op,
						  stage_letter('l'));
			}
		}
		stage_poll(&s);
	}
}

static void
fail_for(int slots, enum target_state state)
{
	while (slots-- > 0) {
		stage_next(&s);
		stage_fail(&s, state, "connection refused");
	}
}

static const struct incident *
newest(const char *key)
{
	const struct incident *in;

	for (size_t i = 0; (in = incidents_at(s.i, i)) != NULL; i++)
		if (strcmp(in->key, key) == 0)
			return in;
	fail_msg("no incident %s", key);
	return NULL;
}

static void
assert_nested(const char *key, const char *outer)
{
	const struct incident *in = newest(key);

	assert_int_equal(in->state, INCIDENT_ANNOUNCED);
	if (outer == NULL)
		assert_null(in->nested_in);
	else
		assert_string_equal(in->nested_in, outer);
}

static void
assert_ended(const char *key, const char *reason)
{
	assert_int_equal(newest(key)->state, INCIDENT_ENDED);
	assert_string_equal(newest(key)->end_reason, reason);
}

/* The log since the last look. */
static void
assert_log(const char *expected)
{
	assert_string_equal(s.log, expected);
	s.log[0] = '\0';
}

/* ---- no data ------------------------------------------------------------- */

static void
test_pair_silent(void **state unused)
{
	const struct incident *in;

	play(10, none);
	play(4, (struct mute){ 1, 0 });
	assert_log("");
	play(1, (struct mute){ 1, 0 });
	assert_log("no_data:lab:u1:O9 no_data:lab:u1:A14 ");
	in = newest("no_data:lab:u1");
	assert_null(in->nested_in);
	assert_int_equal(in->n_hosts, 1);
	assert_string_equal(in->hosts[0].name, "esx2");
	assert_string_equal(in->host, "esx2");
	assert_string_equal(in->summary, "lab/nfs01: no data from esx2");
	assert_int_equal(in->severity, SEVERITY_WARNING);
	/* A second one joins. */
	play(6, (struct mute){ -1, 0 });
	assert_int_equal(newest("no_data:lab:u1")->n_hosts, 3);
	assert_string_equal(newest("no_data:lab:u1")->summary,
			    "lab/nfs01: no data from all 3 hosts");
	play(1, (struct mute){ 0, 0 });
	assert_int_equal(newest("no_data:lab:u1")->n_hosts, 1);
	play(1, none);
	assert_log("no_data:lab:u1:E22b ");
}

/* A host that is silent altogether is one incident, not one per datastore. */
static void
test_host_silent(void **state unused)
{
	play(10, none);
	play(5, (struct mute){ 1, -1 });
	assert_log(
		"no_data:lab:host-2:O9 no_data:lab:host-2:A14 "
		"no_data:lab:u1:O9 no_data:lab:u1:A14 "
		"no_data:lab:u2:O9 no_data:lab:u2:A14 ");
	assert_nested("no_data:lab:host-2", NULL);
	assert_nested("no_data:lab:u1", "no_data:lab:host-2");
	/* Another host loses one datastore: that is not covered. */
	play(5, (struct mute){ 1, -1 });
	for (int i = 0; i < 6; i++) {
		stage_next(&s);
		stage_put(&s, 0, 0, s.slot, OP_READ, stage_letter('l'));
		stage_put(&s, 2, 0, s.slot, OP_READ, stage_letter('l'));
		stage_put(&s, 2, 1, s.slot, OP_READ, stage_letter('l'));
		stage_poll(&s);
	}
	assert_nested("no_data:lab:u1", "no_data:lab:host-2");
	play(5, (struct mute){ 1, -1 });
	assert_nested("no_data:lab:u2", "no_data:lab:host-2");
	play(1, none);
	assert_ended("no_data:lab:host-2", "back");
	assert_ended("no_data:lab:u1", "back");
	assert_int_equal(incidents_open(s.i), 0);
}

/* All hosts at once: the target's own. */
static void
test_all_silent(void **state unused)
{
	play(10, none);
	play(5, (struct mute){ -1, -1 });
	assert_nested("no_data:lab", NULL);
	assert_nested("no_data:lab:host-1", "no_data:lab");
	assert_nested("no_data:lab:u1", "no_data:lab");
	play(1, none);
	assert_ended("no_data:lab", "back");
	assert_int_equal(incidents_open(s.i), 0);
}

static void
test_long_interval(void **state unused)
{
	s.t->poll_interval_us = 60 * US_PER_S;
	play(10, none);
	play(6, (struct mute){ 1, 0 }); /* 125 s; 90 + 40 are allowed */
	assert_log("");
	play(1, (struct mute){ 1, 0 });
	assert_log("no_data:lab:u1:O9 no_data:lab:u1:A16 ");
}

/* ---- hosts --------------------------------------------------------------- */

static void
test_host_lost(void **state unused)
{
	play(10, none);
	play(5, (struct mute){ 1, -1 });
	stage_inv_host(&s, 1)->connected = false;
	stage_apply(&s);
	s.log[0] = '\0';
	play(1, (struct mute){ 1, -1 });
	assert_log("unreachable:lab:host-2:O15 unreachable:lab:host-2:A15 ");
	assert_nested("unreachable:lab:host-2", NULL);
	assert_nested("no_data:lab:host-2", "unreachable:lab:host-2");
	assert_nested("no_data:lab:u1", "unreachable:lab:host-2");
	assert_string_equal(newest("unreachable:lab:host-2")->summary,
			    "lab/esx2 is not connected");
	assert_int_equal(newest("unreachable:lab:host-2")->severity,
			 SEVERITY_CRITICAL);
	stage_inv_host(&s, 1)->connected = true;
	stage_apply(&s);
	/* Its data need a moment: not told meanwhile. */
	play(4, (struct mute){ 1, -1 });
	assert_ended("unreachable:lab:host-2", "back");
	assert_non_null(newest("no_data:lab:host-2")->nested_in);
	play(1, none);
	assert_int_equal(incidents_open(s.i), 0);
}

/* It is connected again, but its data do not come: told after 90 s. */
static void
test_host_half_back(void **state unused)
{
	play(10, none);
	stage_inv_host(&s, 1)->connected = false;
	stage_apply(&s);
	play(6, (struct mute){ 1, -1 });
	stage_inv_host(&s, 1)->connected = true;
	stage_apply(&s);
	play(5, (struct mute){ 1, -1 }); /* 80 s after the first look */
	assert_string_equal(newest("no_data:lab:host-2")->nested_in,
			    "unreachable:lab:host-2");
	play(1, (struct mute){ 1, -1 });
	assert_nested("no_data:lab:host-2", NULL);
	assert_nested("no_data:lab:u1", "no_data:lab:host-2");
}

static void
test_maintenance(void **state unused)
{
	play(10, none);
	stage_inv_host(&s, 1)->maintenance = true;
	stage_apply(&s);
	play(10, (struct mute){ 1, -1 });
	stage_inv_host(&s, 1)->connected = false; /* standby */
	stage_apply(&s);
	play(10, (struct mute){ 1, -1 });
	assert_log("");
	/* Into maintenance while it is missed: that is an end. */
	stage_inv_host(&s, 1)->maintenance = false;
	stage_apply(&s);
	play(1, (struct mute){ 1, -1 });
	assert_nested("unreachable:lab:host-2", NULL);
	stage_inv_host(&s, 1)->maintenance = true;
	stage_apply(&s);
	play(1, (struct mute){ 1, -1 });
	assert_ended("unreachable:lab:host-2", "maintenance");
	assert_ended("no_data:lab:host-2", "maintenance");
	assert_ended("no_data:lab:u1", "maintenance");
	assert_int_equal(incidents_open(s.i), 0);
}

/* One that was never there is nobody's news. */
static void
test_never_seen(void **state unused)
{
	stage_inv_host(&s, 1)->connected = false;
	stage_apply(&s);
	play(20, (struct mute){ 1, -1 });
	assert_log("");
}

/* ---- access -------------------------------------------------------------- */

static void
cut_off(size_t host, bool accessible)
{
	struct inv_mount *m = stage_inv_mount(&s, host, 0);

	m->accessible = accessible;
	free(m->reason);
	m->reason = accessible ? NULL : xstrdup("AllPathsDown_Start");
	stage_apply(&s);
}

static void
test_inaccessible(void **state unused)
{
	const struct incident *in;

	play(10, none);
	cut_off(1, false);
	play(1, (struct mute){ 1, 0 });
	assert_log("inaccessible:lab:u1:O10 inaccessible:lab:u1:A10 ");
	in = newest("inaccessible:lab:u1");
	assert_int_equal(in->severity, SEVERITY_WARNING);
	assert_string_equal(in->summary, "lab/nfs01 is inaccessible on esx2");
	assert_string_equal(in->where,
			    "only esx2, the other 2 hosts reach it: its path "
			    "(AllPathsDown_Start)");
	play(5, (struct mute){ 1, 0 });
	assert_nested("no_data:lab:u1", "inaccessible:lab:u1");
	s.log[0] = '\0';
	cut_off(0, false);
	play(1, (struct mute){ 1, 0 });
	in = newest("inaccessible:lab:u1");
	assert_string_equal(in->summary,
			    "lab/nfs01 is inaccessible on 2 of 3 hosts");
	assert_int_equal(in->n_hosts, 2);
	cut_off(2, false);
	play(1, (struct mute){ -1, 0 });
	in = newest("inaccessible:lab:u1");
	assert_log("inaccessible:lab:u1:+17 ");
	assert_string_equal(in->where,
			    "all 3 hosts: the array or its network "
			    "(AllPathsDown_Start)");
	cut_off(0, true);
	cut_off(2, true);
	play(1, (struct mute){ 1, 0 });
	assert_log("inaccessible:lab:u1:-18 ");
	cut_off(1, true);
	play(1, none);
	assert_ended("inaccessible:lab:u1", "back");
	assert_ended("no_data:lab:u1", "back");
	assert_int_equal(newest("inaccessible:lab:u1")->worst_severity,
			 SEVERITY_CRITICAL);
	assert_int_equal(incidents_open(s.i), 0);
}

/* A host that is not there cannot reach it either: its own incident. */
static void
test_inaccessible_host_away(void **state unused)
{
	play(10, none);
	stage_inv_host(&s, 1)->connected = false;
	cut_off(1, false);
	play(1, (struct mute){ 1, -1 });
	assert_log("unreachable:lab:host-2:O10 unreachable:lab:host-2:A10 ");
}

static void
test_not_watched(void **state unused)
{
	s.inv->datastores[0].protocol = PROTO_VSAN;
	s.inv->datastores[1].maintenance = true;
	stage_apply(&s);
	play(10, (struct mute){ -1, 0 });
	cut_off(1, false);
	stage_inv_mount(&s, 1, 1)->accessible = false;
	stage_apply(&s);
	play(10, (struct mute){ -1, 0 });
	assert_log("");
}

/* ---- the target ---------------------------------------------------------- */

static void
test_unreachable(void **state unused)
{
	play(10, none);
	fail_for(5, TARGET_UNREACHABLE);
	/* 80 s: the last data are 105 s old by now. */
	assert_int_equal(newest("unreachable:lab")->state, INCIDENT_OPEN);
	assert_nested("no_data:lab:host-1", "unreachable:lab");
	assert_nested("no_data:lab:u1", "unreachable:lab");
	s.log[0] = '\0';
	fail_for(1, TARGET_UNREACHABLE);
	assert_log("unreachable:lab:A15 ");
	assert_string_equal(newest("unreachable:lab")->where,
			    "connection refused");
	play(1, (struct mute){ -1, -1 });
	assert_ended("unreachable:lab", "back");
	assert_non_null(newest("no_data:lab:u1")->nested_in);
	play(1, none);
	assert_int_equal(incidents_open(s.i), 0);
}

static void
test_unreachable_short(void **state unused)
{
	play(10, none);
	fail_for(2, TARGET_UNREACHABLE);
	play(1, none);
	assert_log("unreachable:lab:O10 unreachable:lab:E12b ");
	assert_false(newest("unreachable:lab")->was_announced);
}

/* The target is back, one host is not. */
static void
test_half_back(void **state unused)
{
	play(10, none);
	fail_for(10, TARGET_UNREACHABLE);
	play(5, (struct mute){ 1, -1 });
	assert_string_equal(newest("no_data:lab:host-2")->nested_in,
			    "unreachable:lab");
	play(1, (struct mute){ 1, -1 });
	assert_nested("no_data:lab:host-2", NULL);
	assert_nested("no_data:lab:u1", "no_data:lab:host-2");
	assert_ended("no_data:lab:host-1", "back");
}

/* What is inside stays as it was while nobody can look. */
static void
test_inaccessible_then_unreachable(void **state unused)
{
	play(10, none);
	cut_off(1, false);
	play(1, none);
	fail_for(3, TARGET_UNREACHABLE);
	assert_nested("inaccessible:lab:u1", "unreachable:lab");
	play(1, none);
	assert_int_equal(newest("inaccessible:lab:u1")->state,
			 INCIDENT_ANNOUNCED);
	play(5, none);
	assert_nested("inaccessible:lab:u1", NULL);
}

static void
test_login(void **state unused)
{
	play(10, none);
	fail_for(1, TARGET_AUTH_FAILED);
	assert_log("login:lab:O10 login:lab:A10 ");
	assert_string_equal(newest("login:lab")->summary,
			    "lab refuses the login");
	fail_for(5, TARGET_AUTH_FAILED);
	assert_nested("no_data:lab:u1", "login:lab");
	/* The network fails too; that says nothing of the login. */
	fail_for(1, TARGET_UNREACHABLE);
	assert_int_equal(newest("login:lab")->state, INCIDENT_ANNOUNCED);
	play(1, none);
	assert_ended("login:lab", "back");
	assert_ended("unreachable:lab", "back");
	assert_int_equal(incidents_open(s.i), 0);
}

/* ---- start, restart, end ------------------------------------------------- */

/* Samples read back are old; the first polls decide. */
static void
test_grace(void **state unused)
{
	play(10, none);
	stage_new_engine(&s);
	s.t->state = TARGET_STARTING;
	s.t->last_poll.us = 0;
	for (int i = 0; i < 30; i++)
		stage_next(&s);
	incidents_tick(s.i);
	fail_for(3, TARGET_UNREACHABLE);
	assert_log("unreachable:lab:O40 ");
	play(4, (struct mute){ 1, -1 });
	assert_log("unreachable:lab:E43b ");
	play(2, (struct mute){ 1, -1 });
	assert_nested("no_data:lab:host-2", NULL);
	assert_int_equal(incidents_open(s.i), 3); /* and its two datastores */
}

/* Everything goes on after a restart, and nothing is told twice. */
static void
test_restart(void **state unused)
{
	play(10, none);
	cut_off(1, false);
	play(10, (struct mute){ 1, 0 });
	fail_for(10, TARGET_UNREACHABLE);
	s.log[0] = '\0';
	stage_restart(&s);
	s.t->state = TARGET_STARTING;
	s.t->last_poll.us = 0;
	incidents_tick(s.i);
	fail_for(5, TARGET_UNREACHABLE);
	assert_log("");
	assert_nested("unreachable:lab", NULL);
	assert_nested("no_data:lab:u1", "unreachable:lab");
	play(10, (struct mute){ 1, 0 });
	assert_nested("inaccessible:lab:u1", NULL);
	assert_nested("no_data:lab:u1", "inaccessible:lab:u1");
	assert_ended("unreachable:lab", "back");
}

/* The program starts anew beside what was missing: nothing known of the samples
 * is no proof that they are back. */
static void
test_restart_without_samples(void **state unused)
{
	json_t *all = json_array();
	const struct incident *in;

	play(10, none);
	stage_inv_host(&s, 1)->connected = false;
	stage_apply(&s);
	play(10, (struct mute){ 1, -1 });
	for (size_t i = 0; (in = incidents_at(s.i, i)) != NULL; i++)
		json_array_append_new(all, incident_json(in));
	assert_int_equal(incidents_open(s.i), 4);
	stage_teardown(&s);
	stage_setup(&s, HOSTS, DATASTORES);
	stage_inv_host(&s, 1)->connected = false;
	stage_apply(&s);
	s.slot += 20;
	for (size_t i = 0; i < json_array_size(all); i++)
		assert_true(incidents_restore(s.i, json_array_get(all, i)));
	json_decref(all);
	play(20, (struct mute){ 1, -1 });
	assert_log("");
	assert_nested("unreachable:lab:host-2", NULL);
	assert_nested("no_data:lab:u1", "unreachable:lab:host-2");
	stage_inv_host(&s, 1)->connected = true;
	stage_apply(&s);
	play(1, none);
	assert_int_equal(incidents_open(s.i), 0);
	assert_ended("unreachable:lab:host-2", "back");
	assert_ended("no_data:lab:host-2", "back");
	assert_ended("no_data:lab:u1", "back");
}

/* Cut off first, then gone altogether: it is not back, it is inside. */
static void
test_inaccessible_then_host_lost(void **state unused)
{
	play(10, none);
	cut_off(1, false);
	play(1, (struct mute){ 1, 0 });
	stage_inv_host(&s, 1)->connected = false;
	stage_apply(&s);
	play(1, (struct mute){ 1, -1 });
	assert_nested("inaccessible:lab:u1", "unreachable:lab:host-2");
	stage_inv_host(&s, 1)->connected = true;
	cut_off(1, true);
	play(1, none);
	assert_ended("inaccessible:lab:u1", "back");
}

/* A hiccup hides a host: what it misses is neither back nor gone. */
static void
test_host_hidden(void **state unused)
{
	play(10, none);
	play(5, (struct mute){ 2, 0 });
	assert_nested("no_data:lab:u1", NULL);
	s.inv->n_hosts--;
	s.inv->datastores[0].n_mounts--;
	s.inv->datastores[1].n_mounts--;
	stage_apply(&s);
	play(5, (struct mute){ 2, -1 });
	assert_nested("no_data:lab:u1", NULL);
	s.inv->n_hosts++;
	s.inv->datastores[0].n_mounts++;
	s.inv->datastores[1].n_mounts++;
	stage_apply(&s);
	play(1, none);
	assert_ended("no_data:lab:u1", "back");
}

/* All a host has is out of its reach: its silence is explained. */
static void
test_all_inaccessible(void **state unused)
{
	play(10, none);
	for (size_t d = 0; d < DATASTORES; d++)
		stage_inv_mount(&s, 1, d)->accessible = false;
	stage_apply(&s);
	play(6, (struct mute){ 1, -1 });
	assert_nested("inaccessible:lab:u1", NULL);
	assert_nested("inaccessible:lab:u2", NULL);
	assert_nested("no_data:lab:host-2", "inaccessible:lab:u2");
	assert_nested("no_data:lab:u1", "inaccessible:lab:u1");
	assert_nested("no_data:lab:u2", "inaccessible:lab:u2");
}

static void
pass_s(int64_t seconds)
{
	s.slot += seconds / SLOT_S;
	stage_next(&s);
	model_expire(s.site);
}

static void
test_gone(void **state unused)
{
	play(10, none);
	cut_off(1, false);
	play(6, (struct mute){ 1, 0 });
	assert_int_equal(incidents_open(s.i), 2);
	/* The datastore is not listed any more. */
	struct inv_datastore *ds = &s.inv->datastores[0];
	struct inv_datastore kept = *ds;
	size_t n = s.inv->n_datastores;

	s.inv->datastores[0] = s.inv->datastores[1];
	s.inv->n_datastores = 1;
	stage_apply(&s);
	s.inv->datastores[0] = kept;
	s.inv->n_datastores = n;
	play(1, (struct mute){ -1, 0 });
	assert_int_equal(incidents_open(s.i), 2); /* it may come back */
	pass_s(3600);
	incidents_tick(s.i);
	assert_ended("inaccessible:lab:u1", "gone");
	assert_ended("no_data:lab:u1", "gone");
}

static void
test_target_removed(void **state unused)
{
	play(10, none);
	fail_for(6, TARGET_UNREACHABLE);
	assert_true(incidents_open(s.i) > 3);
	site_remove_target(s.site, "lab");
	incidents_tick(s.i);
	assert_true(incidents_open(s.i) > 0); /* it may just be restarted */
	for (int i = 0; i < 5; i++) {
		stage_next(&s);
		incidents_tick(s.i);
	}
	assert_int_equal(incidents_open(s.i), 0);
	assert_ended("unreachable:lab", "gone");
	assert_ended("no_data:lab:u1", "gone");
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(test_pair_silent),
		CASE(test_host_silent),
		CASE(test_all_silent),
		CASE(test_long_interval),
		CASE(test_host_lost),
		CASE(test_host_half_back),
		CASE(test_maintenance),
		CASE(test_never_seen),
		CASE(test_inaccessible),
		CASE(test_inaccessible_host_away),
		CASE(test_not_watched),
		CASE(test_unreachable),
		CASE(test_unreachable_short),
		CASE(test_half_back),
		CASE(test_inaccessible_then_unreachable),
		CASE(test_login),
		CASE(test_grace),
		CASE(test_restart),
		CASE(test_restart_without_samples),
		CASE(test_inaccessible_then_host_lost),
		CASE(test_host_hidden),
		CASE(test_all_inaccessible),
		CASE(test_gone),
		CASE(test_target_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
