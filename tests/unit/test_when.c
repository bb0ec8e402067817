#include "web/when.h"

#include "unit.h"

#define NOW_S INT64_C(1796040000) /* 2026-11-30T12:00:00Z */

static void
test_parse(void **state unused)
{
	static const struct {
		const char *text;
		int64_t us;
	} rows[] = {
		{ "now", NOW_S * US_PER_S },
		{ "now-1h", (NOW_S - 3600) * US_PER_S },
		{ "-1h", (NOW_S - 3600) * US_PER_S },
		{ "-90s", (NOW_S - 90) * US_PER_S },
		{ "now-1h30m", (NOW_S - 5400) * US_PER_S },
		{ "now-1d+1h", (NOW_S - 86400 + 3600) * US_PER_S },
		{ "now 5m", (NOW_S + 300) * US_PER_S },
		{ "+2w", (NOW_S + 1209600) * US_PER_S },
		{ " 1s", (NOW_S + 1) * US_PER_S },
		{ "now-0s", NOW_S * US_PER_S },
		{ "0", 0 },
		{ "1796040000", NOW_S * US_PER_S },
		{ "1796040000.5", NOW_S * US_PER_S + 500000 },
		{ "1796040000.0000019", NOW_S * US_PER_S + 1 },
		{ "1796040000123", NOW_S * US_PER_S + 123000 },
		{ "1796040000123.25", NOW_S * US_PER_S + 123250 },
		{ "100000000000", INT64_C(100000000000000) },
		{ "2026-11-30T12:00:00Z", NOW_S * US_PER_S },
		{ "2026-11-30T12:00:00", NOW_S * US_PER_S },
		{ "2026-11-30T13:30:00+01:30", NOW_S * US_PER_S },
		{ "2026-11-30T13:30:00 01:30", NOW_S * US_PER_S },
		{ "2026-11-30T04:00:00-08:00", NOW_S * US_PER_S },
		{ "2026-11-30 12:00:00.25Z", NOW_S * US_PER_S + 250000 },
		{ "1970-01-01T00:00:00Z", 0 },
		{ "9999-12-31T23:59:59Z", INT64_C(253402300799000000) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		real_t now = { NOW_S * US_PER_S }, t;

		print_message("%s\n", rows[i].text);
		assert_int_equal(when_parse(rows[i].text, now, &t), 0);
		assert_int_equal(t.us, rows[i].us);
	}
}

static void
test_refuse(void **state unused)
{
	static const char *const rows[] = {
		"",
		"-",
		"x",
		"now-",
		"now1h",
		"nowx",
		"-1",
		"-1y",
		"-1 h",
		"-h",
		"--1h",
		"1h",
		"1e9",
		"1.",
		"1..2",
		"1x",
		"0x10",
		"99999999999999999999",
		"9999999999999999",
		"253402300800000",
		"-999999999999w",
		"-9999999999999999999s",
		"now-2000000d",
		"+2000000000d",
		"now+99999999d+99999999d+99999999d",
		"2026-11-30",
		"2026-11-30T",
		"2026-13-30T12:00:00Z",
		"2026-11-30T12:00:00Q",
		"2026-11-30T12:00:00+0100",
		"1969-12-31T23:59:59Z",
		"yesterday",
		"12:00",
		"2026-11-30T12:00:00.0000000000000000000000000000000000000000000Z",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		real_t now = { NOW_S * US_PER_S }, t;

		print_message("%s\n", rows[i]);
		assert_int_equal(when_parse(rows[i], now, &t), -1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
