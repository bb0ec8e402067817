#include "dslat/threshold.h"

#include <string.h>

#include "dslat/mem.h"
#include "unit.h"

static struct threshold_row *
add_row(struct threshold_rules *rules, const char *match)
{
	struct threshold_row *row = threshold_rules_add(rules);

	row->match = xstrdup(match);
	return row;
}

static void
test_builtin(void **state unused)
{
	struct threshold_rules rules;
	struct threshold t;
	const char *origin;

	threshold_rules_init(&rules);
	threshold_resolve(&rules, PROTO_NFS3, "lab/nfs01", &t, &origin);
	assert_int_equal(t.warning_us, 50000);
	assert_int_equal(t.critical_us, 75000);
	assert_int_equal(t.clear_us, 40000);
	assert_int_equal(t.min_ios, 20);
	assert_int_equal(t.sparse_us, 1000000);
	assert_int_equal(t.window_samples, 5);
	assert_int_equal(t.for_samples, 3);
	assert_int_equal(t.clear_samples, 15);
	assert_string_equal(origin, "default");
	threshold_rules_fini(&rules);
}

/* default < protocol < first matching row, key by key. */
static void
test_merge(void **state unused)
{
	static const struct {
		enum protocol protocol;
		const char *path, *origin;
		int64_t warning_us, critical_us, clear_us, min_ios;
		int for_samples;
	} rows[] = {
		{ PROTO_ISCSI, "lab/vol1", "default", 50000, 75000, 40000, 20,
		  3 },
		{ PROTO_NFS3, "lab/vol1", "protocol", 30000, 45000, 24000, 100,
		  3 },
		/* the row's warning, with what it implies; the protocol's
		 * min_ios stays */
		{ PROTO_NFS3, "lab/gold-1", "lab/gold*", 10000, 15000, 8000,
		  100, 3 },
		{ PROTO_ISCSI, "lab/gold-1", "lab/gold*", 10000, 15000, 8000,
		  20, 3 },
		/* first match wins: the later row's for_samples is not used */
		{ PROTO_NFS3, "lab/gold-2", "lab/gold*", 10000, 15000, 8000,
		  100, 3 },
		{ PROTO_NFS3, "dr/gold-2", "protocol", 30000, 45000, 24000, 100,
		  2 },
		/* explicit critical stays, only clear is implied */
		{ PROTO_ISCSI, "dr/odd", "dr/odd", 7000, 90000, 5600, 20, 3 },
		/* a slash is a character like others */
		{ PROTO_ISCSI, "lab/gold/with/slash", "lab/gold*", 10000, 15000,
		  8000, 20, 3 },
		{ PROTO_ISCSI, "LAB/gold-1", "default", 50000, 75000, 40000, 20,
		  3 },
	};
	struct threshold_rules rules;
	struct threshold_row *row;

	threshold_rules_init(&rules);
	rules.protocols[PROTO_NFS3].v[THRESHOLD_WARNING_US] = 30000;
	rules.protocols[PROTO_NFS3].v[THRESHOLD_MIN_IOS] = 100;
	add_row(&rules, "lab/gold*")->v[THRESHOLD_WARNING_US] = 10000;
	add_row(&rules, "*/gold-2")->v[THRESHOLD_FOR_SAMPLES] = 2;
	row = add_row(&rules, "dr/odd");
	row->v[THRESHOLD_WARNING_US] = 7000;
	row->v[THRESHOLD_CRITICAL_US] = 90000;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct threshold t;
		const char *origin;

		print_message("%s %s\n", protocol_name(rows[i].protocol),
			      rows[i].path);
		threshold_resolve(&rules, rows[i].protocol, rows[i].path, &t,
				  &origin);
		assert_string_equal(origin, rows[i].origin);
		assert_int_equal(t.warning_us, rows[i].warning_us);
		assert_int_equal(t.critical_us, rows[i].critical_us);
		assert_int_equal(t.clear_us, rows[i].clear_us);
		assert_int_equal(t.min_ios, rows[i].min_ios);
		assert_int_equal(t.for_samples, rows[i].for_samples);
		threshold_resolve(&rules, rows[i].protocol, rows[i].path, &t,
				  NULL);
	}
	threshold_rules_fini(&rules);
	threshold_rules_fini(&rules);
}

/* critical_ms alone does not move the other two. */
static void
test_merge_without_warning(void **state unused)
{
	struct threshold_rules rules;
	struct threshold t;

	threshold_rules_init(&rules);
	add_row(&rules, "*")->v[THRESHOLD_CRITICAL_US] = 60000;
	threshold_resolve(&rules, PROTO_FC, "a/b", &t, NULL);
	assert_int_equal(t.warning_us, 50000);
	assert_int_equal(t.critical_us, 60000);
	assert_int_equal(t.clear_us, 40000);
	threshold_rules_fini(&rules);
}

static void
test_imply_top(void **state unused)
{
	struct threshold_rules rules;
	struct threshold t;

	threshold_rules_init(&rules);
	add_row(&rules, "*")->v[THRESHOLD_WARNING_US] = 500 * US_PER_S;
	threshold_resolve(&rules, PROTO_FC, "a/b", &t, NULL);
	assert_int_equal(t.clear_us, 400 * US_PER_S);
	assert_int_equal(t.critical_us, 600 * US_PER_S);
	threshold_rules_fini(&rules);
}

static void
test_check(void **state unused)
{
	/* Against 50 / 75 ms, 20 I/Os, sparse from 1000 ms. */
	static const struct {
		const char *name;
		struct point p;
		enum breach breach;
	} rows[] = {
#define POINT(load, us, ios) { load, us, ios, 1, SAMPLE_NONE }
		{ "50.0 ms", POINT(LOAD_NORMAL, 50000, 20), BREACH_WARNING },
		{ "49.999 ms", POINT(LOAD_NORMAL, 49999, 2000), BREACH_NONE },
		{ "74.999 ms", POINT(LOAD_NORMAL, 74999, 20), BREACH_WARNING },
		{ "75.0 ms", POINT(LOAD_NORMAL, 75000, 20), BREACH_CRITICAL },
		{ "19 I/Os", POINT(LOAD_NORMAL, 75000, 19), BREACH_NONE },
		{ "below 1 ms", POINT(LOAD_NORMAL, 0, 20000), BREACH_NONE },
		/* KB 309140: nine of 1 ms and one of 500 ms are 50.9 ms; ten
		 * in 20 s are rate 0 on the wire. */
		{ "9 x 1 ms + 500 ms", POINT(LOAD_SPARSE, 50900, 0),
		  BREACH_NONE },
		{ "9 x 1 ms + 500 ms, counted", POINT(LOAD_NORMAL, 50900, 10),
		  BREACH_NONE },
		{ "4 x 1 ms + 500 ms", POINT(LOAD_SPARSE, 100800, 0),
		  BREACH_NONE },
		{ "19 x 1 ms + 500 ms", POINT(LOAD_NORMAL, 25950, 20),
		  BREACH_NONE },
		{ "sparse 999.999 ms", POINT(LOAD_SPARSE, 999999, 0),
		  BREACH_NONE },
		{ "sparse 1 s", POINT(LOAD_SPARSE, 1000000, 0),
		  BREACH_CRITICAL },
		{ "a 7 s write", POINT(LOAD_SPARSE, 7000000, 0),
		  BREACH_CRITICAL },
		{ "unknown rate 50 ms", POINT(LOAD_UNKNOWN, 50000, SAMPLE_NONE),
		  BREACH_WARNING },
		{ "unknown rate 75 ms", POINT(LOAD_UNKNOWN, 75000, SAMPLE_NONE),
		  BREACH_CRITICAL },
		{ "unknown rate 49.999 ms",
		  POINT(LOAD_UNKNOWN, 49999, SAMPLE_NONE), BREACH_NONE },
		{ "idle", POINT(LOAD_IDLE, 0, 0), BREACH_NONE },
		{ "missing", POINT(LOAD_MISSING, SAMPLE_NONE, SAMPLE_NONE),
		  BREACH_NONE },
	};
	struct threshold_rules rules;
	struct threshold t;

	threshold_rules_init(&rules);
	threshold_resolve(&rules, PROTO_NFS3, "lab/nfs01", &t, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].name);
		assert_int_equal(threshold_check(&t, &rows[i].p),
				 rows[i].breach);
	}

	/* A sparse sample can be made to breach below critical_ms too. */
	t.sparse_us = 60000;
	assert_int_equal(
		threshold_check(&t,
				&(struct point)POINT(LOAD_SPARSE, 60000, 0)),
		BREACH_WARNING);
	/* A threshold of 0 ms: nothing is idle enough to breach it. */
	t.warning_us = t.critical_us = t.sparse_us = t.min_ios = 0;
	assert_int_equal(
		threshold_check(&t, &(struct point)POINT(LOAD_IDLE, 0, 0)),
		BREACH_NONE);
	threshold_rules_fini(&rules);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_without_warning),
		cmocka_unit_test(test_imply_top),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
