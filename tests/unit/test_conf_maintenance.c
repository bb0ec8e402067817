/*
 * "maintenance:" of the configuration: every fault with its place and cure, and
 * what comes out of a good one.
 */
#include <stdlib.h>

#include "conf_faults.h"

/* One window in line 2, its first key in column 18. */
#define ONE(keys) GOOD "maintenance: [ { " keys " } ]\n"
#define TIMES "from: 22:00, to: 06:00"

static const struct row rows[] = {
	{ ONE("name: a"),
	  "2:16: no \"from\"; add it\n2:16: no \"to\"; add it\n" },
	{ ONE(TIMES), "2:16: no \"name\"; add it\n" },
	{ ONE("name: a b, " TIMES),
	  "2:24: \"name\" is \"a b\"; it may have letters, digits, - and _ "
	  "only\n" },
	{ GOOD "maintenance: [ { name: a, " TIMES " }, { name: a, " TIMES
	       " } ]\n",
	  "2:61: a second maintenance window named \"a\", the first is in line "
	  "2; rename one\n" },
	{ ONE("name: a, from: 24:00, to: 6"),
	  "2:33: \"from\" is \"24:00\"; write hours and minutes from \"00:00\" "
	  "to \"23:59\"\n"
	  "2:44: \"to\" is \"6\"; write hours and minutes from \"00:00\" to "
	  "\"23:59\"\n" },
	{ ONE("name: a, from: 1:60, to: x1:00"),
	  "2:33: \"from\" is \"1:60\"; write hours and minutes from \"00:00\" "
	  "to \"23:59\"\n"
	  "2:43: \"to\" is \"x1:00\"; write hours and minutes from \"00:00\" "
	  "to \"23:59\"\n" },
	{ ONE("name: a, weekdays: [sat, Sunday], " TIMES),
	  "2:43: \"Sunday\" is none of mon, tue, wed, thu, fri, sat and sun\n" },
	{ ONE("name: a, timezone: CET, " TIMES),
	  "2:37: \"timezone\" is \"CET\"; write utc or local\n" },
};

static void
test_faults(void **state unused)
{
	check_rows(rows, ARRAY_SIZE(rows));
}

static void
test_values(void **state unused)
{
	static const char text[] = GOOD
		"maintenance:\n"
		"  - { name: night, match: lab/*, weekdays: [sat, sun], "
		"from: \"22:00\", to: 6:05, timezone: utc }\n"
		"  - { name: noon, weekdays: wed, from: 12:00, to: 12:00 }\n"
		"  - { name: daily, from: 00:00, to: 23:59 }\n";
	struct buf problems;
	struct err e;
	struct conf *c;
	const struct maintenance *m;

	buf_init(&problems, 65536);
	c = conf_parse(text, strlen(text), "f", &problems, &e);
	assert_non_null(c);
	assert_int_equal(c->n_maintenance, 3);
	m = &c->maintenance[0].window;
	assert_string_equal(m->name, "night");
	assert_string_equal(m->match, "lab/*");
	assert_int_equal(m->weekdays, 0x60);
	assert_int_equal(m->start_min, 1320);
	assert_int_equal(m->end_min, 365);
	assert_true(m->utc);
	m = &c->maintenance[1].window;
	assert_string_equal(m->match, "*");
	assert_int_equal(m->weekdays, 0x04);
	assert_int_equal(m->start_min, 720);
	assert_int_equal(m->end_min, 720);
	assert_false(m->utc);
	assert_int_equal(c->maintenance[2].window.weekdays, 0x7f);
	conf_free(&c);
	buf_fini(&problems);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
