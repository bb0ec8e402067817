/*
 * The life of latency incidents, slot by slot.  Expected logs (see
 * incident_stage.c) are worked out by hand from design section 8 with the
 * built-in thresholds: 3 of 5 slots tell, 15 below 40 ms clear, 45 idle end.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_stage.h"
#include "unit.h"

#define L5 "lllll"
#define L14 L5 L5 "llll"
#define L15 L5 L5 L5
#define IDLE5 "....."
#define IDLE10 IDLE5 IDLE5
#define IDLE15 IDLE10 IDLE5
#define IDLE44 IDLE10 IDLE10 IDLE10 IDLE10 "...."
#define IDLE45 IDLE44 "."

static const struct life {
	const char *name;
	const char *scripts[3]; /* of one host each */
	const char *log;
} lives[] = {
	/* ---- begin and tell ---- */
	{ "nothing", { L15 L15 }, "" },
	{ "the first breach opens", { "lw" }, "O1 " },
	{ "three in a row are told", { "www" }, "O0 A2 " },
	{ "three of five are told once", { "wlwlw" L5 }, "O0 A4 " },
	{ "four of five too", { "wwlww" }, "O0 A3 " },
	{ "three of six are not", { "wllwlw" }, "O0 " },
	{ "slots of different hosts add up",
	  { "wllll", "lwlll", "llwll" },
	  "O0 A2 " },
	{ "one slot of three hosts is one slot",
	  { "wll", "wll", "wll" },
	  "O0 " },
	{ "a gap counts as a slot", { "w--w-w" }, "O0 " },
	{ "idle slots count as slots", { "w..w.w" }, "O0 " },
	{ "a gap does not begin anew", { "w-w-w" }, "O0 A4 " },
	{ "missing data raises nothing",
	  { "l---------"
	    "----------" },
	  "no_data:lab:host-1:O0 no_data:lab:host-1:A5 "
	  "no_data:lab:u1:O0 no_data:lab:u1:A5 " },
	/* ---- what does not count ---- */
	{ "at or above clear_ms is no breach", { "mmmmm" }, "" },
	{ "few I/Os are none", { "fffff" }, "" },
	{ "sparse below sparse_ms is none", { "sssss" }, "" },
	{ "sparse from sparse_ms is one", { "SSS" }, "O0 A2 " },
	{ "unknown rate counts as loaded", { "uuu" }, "O0 A2 " },
	/* ---- severity: the same window ---- */
	{ "one critical slot is none", { "wwwcwww" }, "O0 A2 " },
	{ "up with the third, down with the second",
	  { "wwwcccwww" },
	  "O0 A2 +5 -8 " },
	{ "down without a breach", { "ccclll" }, "O0 A2 -5 " },
	{ "not down in idle slots", { "ccc" IDLE10 }, "O0 A2 " },
	{ "not down in missing slots", { "ccc---l" }, "O0 A2 -6 " },
	{ "not down while its host is silent",
	  { "ccc---", "llllll" },
	  "O0 A2 " },
	/* ---- the end ---- */
	{ "one breach ends quietly", { "w" L15 }, "O0 E15c " },
	{ "fifteen below clear", { "www" L15 }, "O0 A2 E17c " },
	{ "fourteen are not enough", { "www" L14 }, "O0 A2 " },
	{ "at clear_ms restarts", { "www" L14 "m" L15 }, "O0 A2 E32c " },
	{ "exactly clear_ms too", { "www" L14 "e" L15 }, "O0 A2 E32c " },
	{ "a breach restarts", { "www" L14 "w" L15 }, "O0 A2 E32c " },
	{ "any host of it restarts",
	  { "www" L14 "l" L15, "wll" L14 "m" L15 },
	  "O0 A2 E32c " },
	{ "a host that never breached does not",
	  { "www" L15, "mmm" L15 },
	  "O0 A2 E17c " },
	{ "idle slots hold", { "www" IDLE10 L15 }, "O0 A2 E27c " },
	{ "idle slots between hold", { "www" L14 IDLE10 "l" }, "O0 A2 E27c " },
	{ "few I/Os, slow: hold",
	  { "www"
	    "fffff" L15 },
	  "O0 A2 E22c " },
	{ "sparse, slow: hold",
	  { "www"
	    "sssss" L15 },
	  "O0 A2 E22c " },
	{ "sparse from sparse_ms restarts",
	  { "www" L14 "S" L15 },
	  "O0 A2 E32c " },
	{ "one idle host holds all",
	  { "www" L15, "w.." IDLE10 IDLE5 },
	  "O0 A2 " },
	{ "until it was idle for long",
	  { "www" L15 L15 L14, "w.." IDLE10 IDLE10 IDLE10 IDLE10 "...." },
	  "O0 A2 " /* from slot 45 on, and that gives two */ },
	{ "then the others are counted",
	  { "www" L15 L15 L15 L15, "w.." IDLE45 IDLE15 },
	  "O0 A2 E59c " },
	{ "45 idle slots", { "www" IDLE45 }, "O0 A2 E47i " },
	{ "44 are not enough", { "www" IDLE44 }, "O0 A2 " },
	{ "I/O begins the idle ones anew",
	  { "www" IDLE44 "l" IDLE44 },
	  "O0 A2 " },
	{ "again after the end", { "www" L15 "www" }, "O0 A2 E17c O18 A20 " },
	{ "again, and not told at once", { "www" L15 "w" }, "O0 A2 E17c O18 " },
};

static void
test_lives(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		struct stage s;
		size_t n = 0;

		while (n < 3 && lives[i].scripts[n] != NULL)
			n++;
		print_message("%s\n", lives[i].name);
		stage_setup(&s, n, 1);
		stage_play(&s, lives[i].scripts, n);
		assert_string_equal(s.log, lives[i].log);
		stage_teardown(&s);
	}
}

/* ---- KB 309140 and the edges of thresholds -------------------------------- */

/* One read value in each of five slots; how many incidents, and told. */
static void
five_slots(struct stage *s, struct stage_value v)
{
	for (int i = 0; i < 5; i++) {
		stage_next(s);
		stage_put(s, 0, 0, s->slot, OP_READ, v);
		stage_poll(s);
	}
}

static void
test_edges(void **state unused)
{
	static const struct {
		const char *name;
		struct stage_value v;
		const char *log;
	} cases[] = {
		/* KB 309140: 9 I/Os of 1 ms and one of 500 ms: (9 + 500) / 10 */
		{ "mean 50.9 ms of 10 I/Os", { 50900, 10, 40 }, "" },
		{ "the same as vSphere rounds 0.5 I/Os per s",
		  { 50900, 0, 40 },
		  "" },
		{ "50.0 ms breaches", { 50000, 400, 40 }, "O0 A2 " },
		{ "49.999 ms does not", { 49999, 400, 40 }, "" },
		{ "74.999 ms is no critical one",
		  { 74999, 400, 40 },
		  "O0 A2 " },
		{ "20 I/Os are enough", { 60000, 20, 40 }, "O0 A2 " },
		{ "19 are not", { 60000, 19, 40 }, "" },
		{ "sparse, 1000 ms", { 1000000, 0, 1 }, "O0 A2 " },
		{ "sparse, 999.999 ms", { 999999, 0, 1 }, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stage s;

		print_message("%s\n", cases[i].name);
		stage_setup(&s, 1, 1);
		five_slots(&s, cases[i].v);
		assert_string_equal(s.log, cases[i].log);
		if (s.log[0] != '\0')
			assert_int_equal(incidents_at(s.i, 0)->severity,
					 cases[i].v.us >= 75000);
		stage_teardown(&s);
	}
}

/* ---- what is kept of it ---------------------------------------------------- */

static void
test_facts(void **state unused)
{
	static const char *const scripts[] = { "wwc" L15, "lw." IDLE15 };
	struct stage s;
	const struct incident *in;

	stage_setup(&s, 2, 1);
	stage_play(&s, scripts, 2);
	in = incidents_at(s.i, 0);
	assert_string_equal(in->key, "slow:lab:u1:read");
	assert_string_equal(in->target, "lab");
	assert_string_equal(in->datastore_id, "lab:u1");
	assert_string_equal(in->datastore, "nfs01");
	assert_string_equal(in->protocol, "nfs3");
	assert_int_equal(in->op, OP_READ);
	assert_int_equal(in->breach_slots, 3);
	assert_int_equal(in->worst_us, 80000);
	assert_int_equal(in->worst_ios, 400);
	assert_string_equal(in->worst_host, "esx1");
	assert_int_equal(in->worst_t.us, slot_end(STAGE_BASE + 2).us);
	assert_string_equal(in->summary,
			    "lab/nfs01 read 80 ms on esx1 (>= 75)");
	assert_int_equal(in->n_hosts, 2);
	assert_string_equal(in->hosts[0].name, "esx1");
	assert_int_equal(in->hosts[0].severity, SEVERITY_CRITICAL);
	assert_string_equal(in->hosts[1].name, "esx2");
	assert_int_equal(in->hosts[1].worst_us, 60000);
	assert_int_equal(in->hosts[1].severity, SEVERITY_WARNING);
	assert_int_equal(in->severity, SEVERITY_WARNING); /* one of three */
	assert_int_equal(in->threshold.warning_us, 50000);
	stage_teardown(&s);
}

/* Reads and writes are incidents of their own, and so are datastores. */
static void
test_apart(void **state unused)
{
	struct stage s;

	stage_setup(&s, 1, 2);
	for (int i = 0; i < 3; i++) {
		stage_next(&s);
		stage_put(&s, 0, 0, s.slot, OP_READ, stage_letter('w'));
		stage_put(&s, 0, 0, s.slot, OP_WRITE, stage_letter('c'));
		stage_put(&s, 0, 1, s.slot, OP_READ, stage_letter('l'));
		stage_put(&s, 0, 1, s.slot, OP_WRITE, stage_letter('w'));
		stage_poll(&s);
	}
	assert_string_equal(s.log,
			    "O0 write:O0 write:O0 A2 write:A2 "
			    "write:A2 ");
	assert_int_equal(incidents_open(s.i), 3);
	stage_teardown(&s);
}

/* Updates are told once per poll, and only when there is something to tell. */
static void
test_updates(void **state unused)
{
	static const char *const scripts[] = { "wwwcll", "lllwll" };
	struct stage s;

	stage_setup(&s, 2, 1);
	s.all = true;
	stage_play(&s, scripts, 2);
	assert_string_equal(s.log, "O0 U1 A2 U3 ");
	stage_teardown(&s);
}

/* ---- time ------------------------------------------------------------------ */

/* Values of 180 s ago count, older ones are history. */
static void
test_late(void **state unused)
{
	for (int late = 8; late <= 9; late++) {
		struct stage s;

		stage_setup(&s, 1, 1);
		s.slow_only = true;
		for (int i = 0; i < 30; i++) {
			stage_next(&s);
			if (i >= late && i - late < 3)
				stage_put(&s, 0, 0, s.slot - late, OP_READ,
					  stage_letter('w'));
			stage_poll(&s);
		}
		assert_string_equal(s.log, late == 8 ? "O0 A10 " : "");
		stage_teardown(&s);
	}
}

/* An hour that is filled in at the start raises nothing, however bad. */
static void
test_back_fill(void **state unused)
{
	struct stage s;

	stage_setup(&s, 1, 1);
	s.slot += 180;
	stage_next(&s);
	for (int i = 20; i < 180; i++)
		stage_put(&s, 0, 0, s.slot - i, OP_READ, stage_letter('c'));
	for (int i = 0; i < 20; i++)
		stage_put(&s, 0, 0, s.slot - i, OP_READ, stage_letter('l'));
	stage_poll(&s);
	assert_string_equal(s.log, "");
	stage_teardown(&s);
}

/* A later value moves the start back. */
static void
test_earlier_start(void **state unused)
{
	struct stage s;

	stage_setup(&s, 2, 1);
	for (int i = 0; i < 4; i++) {
		stage_next(&s);
		stage_put(&s, 0, 0, s.slot, OP_READ,
			  stage_letter(i == 3 ? 'w' : 'l'));
		stage_poll(&s);
	}
	assert_int_equal(incidents_at(s.i, 0)->started.us,
			 slot_end(STAGE_BASE + 3).us);
	stage_next(&s);
	stage_put(&s, 1, 0, STAGE_BASE + 1, OP_READ, stage_letter('w'));
	stage_put(&s, 1, 0, STAGE_BASE + 2, OP_READ, stage_letter('w'));
	stage_poll(&s);
	assert_string_equal(s.log, "O3 A4 ");
	assert_int_equal(incidents_count(s.i), 1);
	assert_int_equal(incidents_at(s.i, 0)->started.us,
			 slot_end(STAGE_BASE + 1).us);
	/* Told as of the slot that was the third. */
	assert_int_equal(incidents_at(s.i, 0)->announced.us,
			 slot_end(STAGE_BASE + 3).us);
	stage_teardown(&s);
}

/* The server's clock was an hour ahead when it began. */
static void
test_clock_set_back(void **state unused)
{
	static const char *const slow[] = { "www" }, *const fine[] = { L15 };
	struct stage s;

	stage_setup(&s, 1, 1);
	s.slot += 180;
	stage_play(&s, slow, 1);
	s.slot -= 181;
	stage_next(&s);
	stage_poll(&s); /* what lies ahead is forgotten */
	stage_play(&s, fine, 1);
	assert_string_equal(s.log, "O180 A182 E17c ");
	stage_play(&s, slow, 1);
	assert_string_equal(s.log, "O180 A182 E17c O18 A20 ");
	stage_teardown(&s);
}

/* ---- reload, maintenance, what leaves -------------------------------------- */

/* Changed thresholds apply from then on. */
static void
test_reload(void **state unused)
{
	static const char *const slow[] = { "wwww" }, *const fine[] = { "mm" };
	struct stage s;

	stage_setup(&s, 1, 1);
	s.rules.fallback.v[THRESHOLD_WARNING_US] = 70000;
	site_set_rules(s.site, &s.rules);
	stage_play(&s, slow, 1);
	assert_string_equal(s.log, "");
	s.rules.fallback.v[THRESHOLD_WARNING_US] = 55000;
	site_set_rules(s.site, &s.rules);
	stage_play(&s, slow, 1);
	assert_string_equal(s.log, "O4 A6 ");
	s.rules.fallback.v[THRESHOLD_CLEAR_US] = 50000;
	s.rules.fallback.v[THRESHOLD_CLEAR_SAMPLES] = 2;
	site_set_rules(s.site, &s.rules);
	stage_play(&s, fine, 1);
	assert_string_equal(s.log, "O4 A6 E9c ");
	assert_int_equal(incidents_at(s.i, 0)->threshold.clear_us, 50000);
	stage_teardown(&s);
}

/* The text names the limits in force, and none that nothing is over. */
static void
test_reload_text(void **state unused)
{
	static const char *const slow[] = { "wwww" };
	const struct incident *in;
	struct stage s;

	stage_setup(&s, 1, 1);
	stage_play(&s, slow, 1);
	in = incidents_at(s.i, 0);
	assert_non_null(strstr(in->summary, "(>= 50)"));
	s.rules.fallback.v[THRESHOLD_WARNING_US] = 20000;
	s.rules.fallback.v[THRESHOLD_CLEAR_US] = 16000;
	site_set_rules(s.site, &s.rules);
	stage_play(&s, slow, 1);
	in = incidents_at(s.i, 0);
	assert_non_null(strstr(in->summary, "(>= 20)"));
	assert_int_equal(in->threshold.clear_us, 16000);
	s.rules.fallback.v[THRESHOLD_WARNING_US] = 200000;
	s.rules.fallback.v[THRESHOLD_CRITICAL_US] = 300000;
	site_set_rules(s.site, &s.rules);
	stage_play(&s, slow, 1);
	in = incidents_at(s.i, 0);
	assert_non_null(strstr(in->summary, "(>= 20)"));
	stage_teardown(&s);
}

static void
test_host_in_maintenance(void **state unused)
{
	static const char *const slow[] = { "llll", "cccc" };
	static const char *const fine[] = { L15,
					    "ccccc"
					    "ccccc"
					    "ccccc" };
	struct stage s;

	stage_setup(&s, 2, 1);
	stage_inv_host(&s, 1)->maintenance = true;
	stage_apply(&s);
	stage_play(&s, slow, 2);
	assert_string_equal(s.log, "");
	stage_inv_host(&s, 1)->maintenance = false;
	stage_apply(&s);
	stage_play(&s, slow, 2);
	assert_string_equal(s.log, "O4 A6 ");
	/* Nor does it hold up the end of one; all of it in maintenance does. */
	stage_inv_host(&s, 1)->maintenance = true;
	stage_apply(&s);
	stage_play(&s, fine, 2);
	assert_string_equal(s.log, "O4 A6 ");
	stage_inv_host(&s, 1)->maintenance = false;
	stage_inv_host(&s, 0)->maintenance = true;
	stage_apply(&s);
	stage_play(&s, (const char *const[]){ L15, L15 }, 2);
	assert_string_equal(s.log, "O4 A6 -23 E37c ");
	stage_teardown(&s);
}

static void
test_datastore_in_maintenance(void **state unused)
{
	static const char *const slow[] = { "cccc" };
	struct stage s;

	stage_setup(&s, 1, 1);
	s.inv->datastores[0].maintenance = true;
	stage_apply(&s);
	stage_play(&s, slow, 1);
	assert_string_equal(s.log, "");
	stage_teardown(&s);
}

/* A host that is slow and silent holds the incident until the model drops it. */
static void
test_host_gone(void **state unused)
{
	static const char *const slow[] = { "www", "ccc" };
	static const char *const fine[] = { L15,
					    "-----"
					    "-----"
					    "-----" };
	struct stage s;
	size_t n;

	stage_setup(&s, 2, 1);
	stage_play(&s, slow, 2);
	stage_play(&s, fine, 2);
	n = s.inv->n_hosts--;
	s.inv->datastores[0].n_mounts--;
	stage_apply(&s);
	s.n_hosts = 1;
	stage_play(&s, fine, 1);
	assert_int_equal(incidents_at(s.i, incidents_count(s.i) - 1)->state,
			 INCIDENT_ANNOUNCED);
	s.slot += 180;
	stage_next(&s);
	model_expire(s.site);
	stage_play(&s, fine, 1);
	assert_int_equal(incidents_at(s.i, incidents_count(s.i) - 1)->state,
			 INCIDENT_ENDED);
	s.inv->n_hosts = n;
	s.inv->datastores[0].n_mounts++;
	stage_teardown(&s);
}

static void
test_unmounted(void **state unused)
{
	static const char *const slow[] = { "wwww" };
	struct stage s;

	stage_setup(&s, 1, 1);
	stage_play(&s, slow, 1);
	stage_inv_mount(&s, 0, 0)->mounted = false;
	stage_apply(&s);
	stage_next(&s);
	stage_poll(&s);
	/* It may have been a hiccup of the start: not before an hour. */
	assert_string_equal(s.log, "O0 A2 ");
	s.slot += 180;
	stage_next(&s);
	stage_poll(&s);
	assert_string_equal(s.log, "O0 A2 E185g ");
	stage_teardown(&s);
}

static void
test_target_removed(void **state unused)
{
	static const char *const slow[] = { "www" };
	struct stage s;

	stage_setup(&s, 1, 1);
	stage_play(&s, slow, 1);
	site_remove_target(s.site, "lab");
	incidents_tick(s.i);
	assert_true(incidents_open(s.i) > 0); /* it may just be restarted */
	for (int i = 0; i < 5; i++) {
		stage_next(&s);
		incidents_tick(s.i);
	}
	assert_string_equal(s.log, "O0 A2 E7g ");
	stage_teardown(&s);
}

/* ---- restart --------------------------------------------------------------- */

/* Told once: before, or after when the third breach comes then. */
static void
test_restart(void **state unused)
{
	static const char *const two[] = { "ww" }, *const one[] = { "w" };
	static const char *const some[] = { "lllll" },
				 *const rest[] = { L5 L5 };
	struct stage s;

	stage_setup(&s, 1, 1);
	stage_play(&s, two, 1);
	stage_restart(&s);
	stage_play(&s, one, 1);
	assert_string_equal(s.log, "O0 A2 ");
	stage_restart(&s);
	stage_play(&s, one, 1);
	stage_play(&s, some, 1);
	stage_restart(&s);
	stage_play(&s, rest, 1);
	assert_string_equal(s.log, "O0 A2 E18c ");
	assert_int_equal(incidents_count(s.i), 1);
	assert_int_equal(incidents_at(s.i, 0)->breach_slots, 4);
	stage_teardown(&s);
}

/* The inventory is not there yet: nothing is gone. */
static void
test_restart_unreachable(void **state unused)
{
	static const char *const slow[] = { "www" };
	struct stage s;
	json_t *v;

	stage_setup(&s, 1, 1);
	stage_play(&s, slow, 1);
	v = incident_json(incidents_at(s.i, 0));
	stage_teardown(&s);
	stage_setup(&s, 0, 0);
	assert_true(incidents_restore(s.i, v));
	json_decref(v);
	for (int i = 0; i < 10; i++) {
		stage_next(&s);
		stage_fail(&s, TARGET_UNREACHABLE, "no route to host");
	}
	assert_int_equal(incidents_at(s.i, 1)->state, INCIDENT_ANNOUNCED);
	stage_teardown(&s);
}

/* ---- silences -------------------------------------------------------------- */

static void
test_silenced(void **state unused)
{
	static const char *const slow[] = { "www" }, *const more[] = { "w" };
	struct silence row = { .id = 1, .match = (char[]){ "lab/esx1" } };
	struct silences all = { .rows = &row, .n = 1 };
	struct stage s;

	stage_setup(&s, 2, 1);
	row.until = slot_end(STAGE_BASE + 4);
	incidents_set_silences(s.i, &all);
	s.all = true;
	stage_play(&s, slow, 1);
	assert_string_equal(incidents_at(s.i, 0)->silenced_by, "silence 1");
	/* It runs out: that is an update. */
	s.log[0] = '\0';
	stage_play(&s, more, 1);
	assert_string_equal(s.log, "U3 ");
	stage_play(&s, more, 1);
	assert_null(incidents_at(s.i, 0)->silenced_by);
	/* Another host joins: a silence of one of them is none of it. */
	row.until.us += 100 * SLOT_US;
	incidents_set_silences(s.i, &all);
	assert_string_equal(incidents_at(s.i, 0)->silenced_by, "silence 1");
	stage_play(&s, (const char *const[]){ "w", "w" }, 2);
	assert_null(incidents_at(s.i, 0)->silenced_by);
	stage_teardown(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_back_fill),
		cmocka_unit_test(test_earlier_start),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_reload),
		cmocka_unit_test(test_reload_text),
		cmocka_unit_test(test_host_in_maintenance),
		cmocka_unit_test(test_datastore_in_maintenance),
		cmocka_unit_test(test_host_gone),
		cmocka_unit_test(test_unmounted),
		cmocka_unit_test(test_target_removed),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_restart_unreachable),
		cmocka_unit_test(test_silenced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
