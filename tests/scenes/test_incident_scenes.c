/*
 * Incidents from end to end: the simulated vSphere has a bad day, and what the
 * watch makes of it.  Slots of 20 s in virtual time; the inventory is read
 * every 5 minutes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "dslat/watch.h"
#include "stage.h"

#define LOGIN "login monitor@vsphere.local secret\n"
#define USER "monitor@vsphere.local", "secret"
#define THREE_BY_TWO                                                           \
	"server vcenter seed=5\n" LOGIN                                        \
	"host esx1\nhost esx2\nhost esx3\n"                                    \
	"datastore nfs nfs3 read_ms=2 write_ms=2 noise=0\n"                    \
	"datastore lun iscsi read_ms=2 write_ms=2 noise=0\n"

static struct stage s;
static struct watch *w;

static void
open_scene(const char *scene)
{
	stage_add(&s, scene);
	stage_open(&s, USER, 20);
	w = watch_new(s.loop, s.site, NULL);
}

static int
teardown(void **state unused)
{
	watch_free(&w);
	if (s.loop != NULL)
		stage_close(&s);
	return 0;
}

/* The newest of a kind; NULL: none. */
static const struct incident *
find(enum incident_kind kind, const char *summary)
{
	const struct incident *in;

	for (size_t i = 0; (in = incidents_at(watch_incidents(w), i)) != NULL;
	     i++)
		if (in->kind == kind && strstr(in->summary, summary) != NULL)
			return in;
	return NULL;
}

static const struct incident *
get(enum incident_kind kind, const char *summary)
{
	const struct incident *in = find(kind, summary);

	if (in == NULL)
		fail_msg("no incident says %s", summary);
	return in;
}

/* Who would be told: announced, not nested. */
static size_t
n_told(void)
{
	const struct incident *in;
	size_t n = 0;

	for (size_t i = 0; (in = incidents_at(watch_incidents(w), i)) != NULL;
	     i++)
		n += in->state == INCIDENT_ANNOUNCED && in->nested_in == NULL;
	return n;
}

static void
assert_over(enum incident_kind kind, const char *summary, const char *reason)
{
	const struct incident *in = get(kind, summary);

	assert_int_equal(in->state, INCIDENT_ENDED);
	assert_string_equal(in->end_reason, reason);
}

static void
test_quiet(void **state unused)
{
	open_scene(THREE_BY_TWO);
	stage_steps(&s, 30);
	assert_int_equal(incidents_count(watch_incidents(w)), 0);
}

/* One host writes slowly to a LUN: its path, and beyond the host. */
static void
test_slow_path(void **state unused)
{
	const struct incident *in;

	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s,
		   "event?kind=latency&ds=lun&host=esx2&write_ms=60&"
		   "for_s=200");
	stage_steps(&s, 8);
	in = get(INCIDENT_SLOW, "lun write");
	assert_int_equal(in->state, INCIDENT_ANNOUNCED);
	assert_int_equal(in->severity, SEVERITY_WARNING);
	assert_int_equal(in->n_hosts, 1);
	assert_string_equal(in->protocol, "iscsi");
	assert_non_null(strstr(in->where,
			       "only esx2, the other 2 hosts with I/O are "
			       "fine: its path; device "));
	assert_non_null(strstr(in->where, ": beyond the host"));
	assert_int_equal(n_told(), 1);
	stage_steps(&s, 25);
	assert_over(INCIDENT_SLOW, "lun write", "cleared");
	assert_int_equal(incidents_count(watch_incidents(w)), 1);
}

/* All hosts read slowly: the array; and critical, since it is above 75 ms. */
static void
test_slow_array(void **state unused)
{
	const struct incident *in;

	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s, "event?kind=latency&ds=nfs&read_ms=90&for_s=300");
	stage_steps(&s, 8);
	in = get(INCIDENT_SLOW, "nfs read");
	assert_int_equal(in->severity, SEVERITY_CRITICAL);
	assert_int_equal(in->n_hosts, 3);
	assert_string_equal(in->where, "all 3 hosts: the array or its network");
	/* I/O stops: that is no end, until it has lasted 15 minutes. */
	stage_tell(&s, "event?kind=idle&ds=nfs&at_s=240&for_s=3000");
	stage_steps(&s, 30);
	assert_int_equal(get(INCIDENT_SLOW, "nfs read")->state,
			 INCIDENT_ANNOUNCED);
	stage_steps(&s, 40);
	assert_over(INCIDENT_SLOW, "nfs read", "idle");
}

/* An hour filled in at the start was terrible: nobody is told today. */
static void
test_terrible_past(void **state unused)
{
	stage_add(&s,
		  THREE_BY_TWO
		  "event latency ds=nfs read_ms=90 at_s=600 for_s=1200 "
		  "every_s=3600 past=true\n");
	stage_open(&s, USER, 20);
	w = watch_new(s.loop, s.site, NULL);
	stage_steps(&s, 6);
	assert_int_equal(incidents_count(watch_incidents(w)), 0);
}

static void
test_host_lost(void **state unused)
{
	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s, "set?host=esx2&connection=notResponding");
	stage_steps(&s, 20);
	assert_int_equal(get(INCIDENT_UNREACHABLE, "esx2")->state,
			 INCIDENT_ANNOUNCED);
	assert_string_equal(get(INCIDENT_NO_DATA, "t0/esx2")->nested_in,
			    get(INCIDENT_UNREACHABLE, "esx2")->key);
	assert_int_equal(n_told(), 1);
	stage_tell(&s, "set?host=esx2&connection=connected");
	stage_steps(&s, 20);
	assert_over(INCIDENT_UNREACHABLE, "esx2", "back");
	assert_over(INCIDENT_NO_DATA, "t0/esx2", "back");
	assert_int_equal(incidents_open(watch_incidents(w)), 0);
}

static void
test_host_in_maintenance(void **state unused)
{
	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s, "set?host=esx2&maintenance=true");
	stage_steps(&s, 16); /* known now */
	stage_tell(&s, "set?host=esx2&connection=disconnected");
	stage_steps(&s, 30);
	assert_int_equal(incidents_count(watch_incidents(w)), 0);
}

static void
test_inaccessible(void **state unused)
{
	const struct incident *in;

	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s, "set?host=esx2&datastore=nfs&accessible=false");
	stage_tell(&s, "event?kind=missing&ds=nfs&host=esx2&for_s=500");
	stage_steps(&s, 20);
	in = get(INCIDENT_INACCESSIBLE, "nfs");
	assert_int_equal(in->state, INCIDENT_ANNOUNCED);
	assert_string_equal(in->summary, "t0/nfs is inaccessible on esx2");
	assert_non_null(strstr(in->where, "only esx2, the other 2 hosts"));
	assert_string_equal(get(INCIDENT_NO_DATA, "nfs")->nested_in, in->key);
	assert_int_equal(n_told(), 1);
	stage_tell(&s, "set?host=esx2&datastore=nfs&accessible=true");
	stage_steps(&s, 25);
	assert_over(INCIDENT_INACCESSIBLE, "nfs", "back");
	assert_over(INCIDENT_NO_DATA, "nfs", "back");
	assert_int_equal(incidents_open(watch_incidents(w)), 0);
}

static void
test_unreachable(void **state unused)
{
	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s, "fault?name=http-503");
	stage_steps(&s, 3);
	assert_int_equal(n_told(), 0);
	stage_steps(&s, 12);
	assert_int_equal(get(INCIDENT_UNREACHABLE, "t0")->state,
			 INCIDENT_ANNOUNCED);
	assert_non_null(strstr(get(INCIDENT_UNREACHABLE, "t0")->where, "503"));
	assert_string_equal(get(INCIDENT_NO_DATA, "nfs")->nested_in,
			    "unreachable:t0");
	assert_int_equal(n_told(), 1);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 20);
	assert_over(INCIDENT_UNREACHABLE, "t0", "back");
	assert_over(INCIDENT_NO_DATA, "nfs", "back");
	assert_int_equal(incidents_open(watch_incidents(w)), 0);
}

static void
test_login(void **state unused)
{
	stage_add(&s, THREE_BY_TWO);
	stage_open(&s, "monitor@vsphere.local", "wrong", 20);
	w = watch_new(s.loop, s.site, NULL);
	stage_steps(&s, 2);
	assert_int_equal(get(INCIDENT_LOGIN, "t0 refuses")->state,
			 INCIDENT_ANNOUNCED);
	setenv("STAGE_PASSWORD", "secret", 1);
	stage_reload(&s, "monitor@vsphere.local", 20);
	stage_steps(&s, 2);
	assert_over(INCIDENT_LOGIN, "t0 refuses", "back");
	stage_steps(&s, 8);
	assert_int_equal(incidents_open(watch_incidents(w)), 0);
}

/* A slow datastore, a silent poll, a restart of the target by a reload: one
 * incident all along. */
static void
test_one_all_along(void **state unused)
{
	open_scene(THREE_BY_TWO);
	stage_steps(&s, 3);
	stage_tell(&s,
		   "event?kind=latency&ds=nfs&host=esx1&read_ms=90&"
		   "for_s=1000");
	stage_steps(&s, 6);
	assert_int_equal(get(INCIDENT_SLOW, "nfs read")->state,
			 INCIDENT_ANNOUNCED);
	stage_tell(&s, "fault?name=http-503");
	stage_steps(&s, 10);
	stage_tell(&s, "fault/clear");
	stage_steps(&s, 12);
	stage_reload(&s, "monitor@vsphere.local", 60);
	stage_steps(&s, 10);
	assert_int_equal(get(INCIDENT_SLOW, "nfs read")->state,
			 INCIDENT_ANNOUNCED);
	stage_steps(&s, 45);
	assert_over(INCIDENT_SLOW, "nfs read", "cleared");
	assert_int_equal(incidents_open(watch_incidents(w)), 0);
	assert_int_equal(watch_announced(w, INCIDENT_SLOW), 1);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
		CASE(test_quiet),        CASE(test_slow_path),
		CASE(test_slow_array),   CASE(test_terrible_past),
		CASE(test_host_lost),    CASE(test_host_in_maintenance),
		CASE(test_inaccessible), CASE(test_unreachable),
		CASE(test_login),        CASE(test_one_all_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
