#include "dslat/clock.h"

#include <string.h>

#include "unit.h"

/* Expected values: date -u -d TEXT +%s (GNU coreutils). */
static const struct {
	const char *text;
	int64_t us;
} good[] = {
	{ "1970-01-01T00:00:00Z", 0 },
	{ "2022-05-17T17:26:00Z", INT64_C(1652808360000000) },
	{ "2022-05-17t17:26:00z", INT64_C(1652808360000000) },
	{ "2022-05-17 17:26:00", INT64_C(1652808360000000) },
	{ "2023-12-14T06:53:33.763524Z", INT64_C(1702536813763524) },
	{ "2023-12-14T06:53:33.763524999Z", INT64_C(1702536813763524) },
	{ "2023-12-14T06:53:33.7Z", INT64_C(1702536813700000) },
	{ "2026-11-30T12:41:40+02:00", INT64_C(1796035300000000) },
	{ "2026-02-28T23:30:00-05:30", INT64_C(1772341200000000) },
	{ "1969-12-31T23:59:59Z", INT64_C(-1000000) },
	{ "1900-01-01T00:00:00Z", INT64_C(-2208988800000000) },
	{ "0001-01-01T00:00:00Z", INT64_C(-62135596800000000) },
	{ "2000-02-29T00:00:00Z", INT64_C(951782400000000) },
	{ "2016-02-29T12:00:00Z", INT64_C(1456747200000000) },
	{ "2100-03-01T00:00:00Z", INT64_C(4107542400000000) },
	{ "9999-12-31T23:59:59Z", INT64_C(253402300799000000) },
	/* xsd:dateTime: the end of a day; RFC 3339: a leap second */
	{ "1969-12-31T24:00:00Z", 0 },
	{ "1969-12-31T23:59:60Z", 0 },
};

static const char *const bad[] = {
	"",
	"2022",
	"2022-05-17",
	"2022-05-17T17:26",
	"2022-05-17T17:26:0Z",
	"2022-05-17T17:26:00ZZ",
	"2022-05-17T17:26:00Z ",
	" 2022-05-17T17:26:00Z",
	"2022-05-17T17:26:00.Z",
	"2022-05-17T17:26:00+2:00",
	"2022-05-17T17:26:00+0200",
	"2022-05-17T17:26:00+24:00",
	"2022-05-17T17:26:00+02:60",
	"2022-13-17T17:26:00Z",
	"2022-00-17T17:26:00Z",
	"2022-05-00T17:26:00Z",
	"2022-05-32T17:26:00Z",
	"2022-04-31T17:26:00Z",
	"2022-02-29T17:26:00Z",
	"2100-02-29T00:00:00Z",
	"2022-05-17T25:00:00Z",
	"2022-05-17T24:00:01Z",
	"2022-05-17T17:60:00Z",
	"2022-05-17T17:26:61Z",
	"20220517T172600Z",
	"2022/05/17T17:26:00Z",
	"-022-05-17T17:26:00Z",
	"2022-05-17X17:26:00Z",
	"garbage",
	"1652808360",
};

static void
test_parse_good(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		real_t t = { -7 };

		print_message("%s\n", good[i].text);
		assert_int_equal(
			real_parse(good[i].text, strlen(good[i].text), &t), 0);
		assert_int_equal(t.us, good[i].us);
	}
}

static void
test_parse_bad(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		real_t t = { -7 };

		print_message("%s\n", bad[i]);
		assert_int_equal(real_parse(bad[i], strlen(bad[i]), &t), -1);
		assert_int_equal(t.us, -7); /* untouched */
	}
}

/* The length counts, not the NUL: what follows is not read. */
static void
test_parse_length(void **state unused)
{
	real_t t;

	assert_int_equal(real_parse("2022-05-17T17:26:00Z,9", 20, &t), 0);
	assert_int_equal(t.us, INT64_C(1652808360000000));
	for (size_t len = 0; len < 19; len++)
		assert_int_equal(real_parse("2022-05-17T17:26:00Z", len, &t),
				 -1);
}

static void
test_format(void **state unused)
{
	static const struct {
		int64_t us;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00Z" },
		{ INT64_C(1652808360000000), "2022-05-17T17:26:00Z" },
		{ INT64_C(1702536813763524), "2023-12-14T06:53:33.763Z" },
		{ INT64_C(1702536813000999), "2023-12-14T06:53:33Z" },
		{ INT64_C(-1000000), "1969-12-31T23:59:59Z" },
		{ INT64_C(-1), "1969-12-31T23:59:59.999Z" },
		{ INT64_C(-62135596800000000), "0001-01-01T00:00:00Z" },
		{ INT64_C(253402300799000000), "9999-12-31T23:59:59Z" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[REAL_TEXT_SIZE];
		real_t t = { rows[i].us };

		assert_string_equal(real_format(t, text), rows[i].text);
	}
}

/* Whatever the int64_t, the text fits and is terminated. */
static void
test_format_extremes(void **state unused)
{
	static const int64_t us[] = { INT64_MIN, INT64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(us); i++) {
		char text[REAL_TEXT_SIZE];
		size_t len = strlen(real_format((real_t){ us[i] }, text));

		assert_true(len < sizeof(text));
		assert_int_equal(text[len - 1], 'Z');
	}
}

static void
test_round_trip(void **state unused)
{
	/* every day from 1899 to 2101, at a time of day that moves too */
	for (int64_t s = INT64_C(-2240524800); s < INT64_C(4133980800);
	     s += 86400 + 61) {
		char text[REAL_TEXT_SIZE];
		real_t t = { s * US_PER_S }, back;

		real_format(t, text);
		assert_int_equal(real_parse(text, strlen(text), &back), 0);
		assert_int_equal(back.us, t.us);
	}
}

static void
test_sample_and_arithmetic(void **state unused)
{
	struct now a = clock_sample(), b = clock_sample();

	assert_true(mono_diff_us(b.mono, a.mono) >= 0);
	assert_true(a.real.us > INT64_C(1600000000000000)); /* after 2020 */
	assert_int_equal(mono_diff_us(mono_add_us(a.mono, 5), a.mono), 5);
	assert_int_equal(real_diff_us(real_add_us(a.real, -5), a.real), -5);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_good),
		cmocka_unit_test(test_parse_bad),
		cmocka_unit_test(test_parse_length),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_extremes),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_sample_and_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
