#include "dslat/silence.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "unit.h"

#define AT(minute)                                                             \
	((real_t){ INT64_C(1700000000) * US_PER_S + (minute)*60 * US_PER_S })

static const struct silence_subject write_on_esx3 = {
	"lab", "nfs01", "esx3", "nfs3", "slow", "write"
};
static const struct silence_subject target_lab = { "lab", NULL,    NULL,
						   NULL,  "login", NULL };

static void
test_patterns(void **state unused)
{
	static const struct {
		const char *name;
		struct silence s; /* strings are not freed here */
		bool slow, login;
	} cases[] = {
		{ "all", { .match = "*" }, true, true },
		{ "empty", { .match = "" }, true, true },
		{ "target", { .match = "lab" }, true, true },
		{ "another target", { .match = "lab2" }, false, false },
		{ "datastore", { .match = "lab/nfs0?" }, true, false },
		{ "host", { .match = "lab/esx3" }, true, false },
		{ "another host", { .match = "lab/esx4" }, false, false },
		{ "protocol",
		  { .match = "*", .protocol = "nfs*" },
		  true,
		  false },
		{ "kind", { .match = "*", .kind = "login" }, false, true },
		{ "op", { .match = "*", .op = "write" }, true, false },
		{ "other op", { .match = "*", .op = "read" }, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct silence row = cases[i].s;
		struct silences s = { .rows = &row, .n = 1 };
		char *slow, *login;

		print_message("%s\n", cases[i].name);
		row.id = 12;
		row.from = AT(0);
		row.until = AT(10);
		slow = silences_match(&s, &write_on_esx3, AT(5));
		login = silences_match(&s, &target_lab, AT(5));
		assert_int_equal(slow != NULL, cases[i].slow);
		assert_int_equal(login != NULL, cases[i].login);
		if (slow != NULL)
			assert_string_equal(slow, "silence 12");
		free(slow);
		free(login);
		assert_null(silences_match(&s, &write_on_esx3, AT(-1)));
		assert_null(silences_match(&s, &write_on_esx3, AT(10)));
	}
}

static int minute;

static int
minute_of_week(real_t t unused, bool utc)
{
	return utc ? minute : (minute + 120) % (7 * 24 * 60);
}

#define MIN_OF(day, hour, min) ((day)*24 * 60 + (hour)*60 + (min))

static void
test_windows(void **state unused)
{
	static const struct maintenance windows[] = {
		/* Saturday and Sunday 22:00 to 06:00 of the next day. */
		{ "night", "lab/*", 1u << 5 | 1u << 6, 22 * 60, 6 * 60, true },
		/* Wednesday, all of it. */
		{ "whole day", "lab/*", 1u << 2, 0, 0, true },
		{ "lunch", "lab/*", 1u << 1, 12 * 60, 13 * 60, true },
		{ "local", "lab/*", 1u << 0, 12 * 60, 13 * 60, false },
	};
	static const struct {
		int minute;
		const char *by;
	} cases[] = {
		{ MIN_OF(5, 21, 59), NULL },
		{ MIN_OF(5, 22, 0), "maintenance night" },
		{ MIN_OF(6, 5, 59), "maintenance night" },
		{ MIN_OF(6, 6, 0), NULL },
		{ MIN_OF(6, 23, 59), "maintenance night" },
		{ MIN_OF(0, 5, 59), "maintenance night" }, /* over the week */
		{ MIN_OF(0, 6, 0), NULL },
		{ MIN_OF(4, 23, 0), NULL },
		{ MIN_OF(2, 0, 0), "maintenance whole day" },
		{ MIN_OF(2, 23, 59), "maintenance whole day" },
		{ MIN_OF(3, 0, 0), NULL },
		{ MIN_OF(1, 23, 59), NULL },
		{ MIN_OF(1, 12, 0), "maintenance lunch" },
		{ MIN_OF(1, 13, 0), NULL },
		{ MIN_OF(1, 10, 30), NULL },
		{ MIN_OF(0, 10, 30), "maintenance local" },
		{ MIN_OF(0, 12, 30), NULL },
	};
	const struct silences s = { .windows = windows,
				    .n_windows = ARRAY_SIZE(windows),
				    .minute_of_week = minute_of_week };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *by;

		minute = cases[i].minute;
		print_message("minute %d\n", minute);
		by = silences_match(&s, &write_on_esx3, AT(0));
		if (cases[i].by == NULL)
			assert_null(by);
		else
			assert_string_equal(by, cases[i].by);
		free(by);
	}
	assert_null(silences_match(&s, &target_lab, AT(0)));
}

static struct silence
silence_to(real_t until)
{
	return (struct silence){ .match = xstrdup("*"), .until = until };
}

static void
test_list(void **state unused)
{
	struct silences s = { 0 };
	struct silence a = silence_to(AT(10)), b = silence_to(AT(20));
	struct silence c = silence_to(AT(30)), d = silence_to(AT(40));

	assert_int_equal(silences_add(&s, &a)->id, 1);
	assert_null(a.match);
	c.id = 7; /* as read back */
	assert_int_equal(silences_add(&s, &c)->id, 7);
	assert_int_equal(silences_add(&s, &b)->id, 8);
	assert_true(silences_remove(&s, 8));
	assert_false(silences_remove(&s, 8));
	assert_int_equal(silences_add(&s, &d)->id, 9); /* 8 was used */
	assert_int_equal(silences_expire(&s, AT(31), 60 * US_PER_S), 1);
	assert_int_equal(s.n, 2);
	assert_int_equal(silences_expire(&s, AT(32), 60 * US_PER_S), 1);
	assert_int_equal(s.rows[0].id, 9);
	silences_fini(&s);
}

static void
test_from_json(void **state unused)
{
	static const struct {
		const char *text, *fault; /* part of the error; NULL: fine */
	} cases[] = {
		{ "{\"match\":\"*\",\"until\":\"2026-11-30T22:00:00Z\"}",
		  NULL },
		{ "{\"match\":\"lab/*\",\"protocol\":\"nfs*\",\"kind\":null,"
		  "\"op\":\"read\",\"from\":\"2026-11-30T21:00:00Z\","
		  "\"until\":\"2026-11-30T22:00:00Z\",\"note\":\"x\"}",
		  NULL },
		{ "[]", "object" },
		{ "{}", "\"match\" is missing" },
		{ "{\"match\":\"*\"}", "\"until\" is missing" },
		{ "{\"match\":\"\"}", "\"match\" is empty" },
		{ "{\"match\":1}", "must be a text" },
		{ "{\"matches\":\"lab/*\"}", "no \"matches\"" },
		{ "{\"match\":\"*\",\"until\":\"soon\"}", "must be a time" },
		{ "{\"match\":\"*\",\"from\":\"2026-11-30T22:00:00Z\","
		  "\"until\":\"2026-11-30T22:00:00Z\"}",
		  "not after" },
		{ "{\"match\":\"*\",\"until\":\"2026-11-30T22:00:00Z\","
		  "\"kind\":\"slowly\"}",
		  "\"kind\" fits none" },
		{ "{\"match\":\"*\",\"until\":\"2026-11-30T22:00:00Z\","
		  "\"protocol\":\"nfs4\"}",
		  "\"protocol\" fits no" },
		{ "{\"match\":\"*\",\"until\":\"2026-11-30T22:00:00Z\","
		  "\"op\":\"both\"}",
		  "read or write" },
		{ "{\"id\":0,\"match\":\"*\"}", "\"id\" must" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *v = json_loads(cases[i].text, 0, NULL);
		struct silence s;
		struct err e;
		bool is;

		print_message("%s\n", cases[i].text);
		is = silence_from_json(v, &s, &e);
		assert_int_equal(is, cases[i].fault == NULL);
		if (!is)
			assert_non_null(strstr(e.text, cases[i].fault));
		silence_fini(&s);
		json_decref(v);
	}
}

/* What silence_json() writes is read back as it was. */
static void
test_round_trip(void **state unused)
{
	struct silence s = {
		.id = 3,
		.match = xstrdup("lab/nfs*"),
		.kind = xstrdup("no_*"),
		.from = AT(0),
		.until = AT(60),
		.by = xstrdup("ops"),
		.note = xstrdup("\"moving\" volumes"),
	};
	struct silence back;
	struct err e;
	json_t *v = silence_json(&s, AT(30));

	assert_string_equal(json_string_value(json_object_get(v, "state")),
			    "active");
	assert_true(silence_from_json(v, &back, &e));
	assert_int_equal(back.id, 3);
	assert_string_equal(back.match, s.match);
	assert_string_equal(back.kind, s.kind);
	assert_string_equal(back.by, s.by);
	assert_string_equal(back.note, s.note);
	assert_null(back.op);
	assert_null(back.protocol);
	assert_int_equal(back.from.us, s.from.us);
	assert_int_equal(back.until.us, s.until.us);
	json_decref(v);
	silence_fini(&s);
	silence_fini(&back);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_from_json),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
