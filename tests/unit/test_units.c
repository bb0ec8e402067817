#include "dslat/units.h"

#include <string.h>

#include "unit.h"

static void
test_keys(void **state unused)
{
	static const struct {
		const char *key;
		enum unit unit;
	} rows[] = {
		{ "millisecond", UNIT_MILLISECOND },
		{ "microsecond", UNIT_MICROSECOND },
		{ "number", UNIT_NUMBER },
		{ "kiloBytesPerSecond", UNIT_KIB_PER_S },
		{ "", UNIT_UNKNOWN },
		{ "milliseconds", UNIT_UNKNOWN },
		{ "Millisecond", UNIT_UNKNOWN },
		{ "second", UNIT_UNKNOWN },
		{ "percent", UNIT_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(
			unit_from_key(rows[i].key, strlen(rows[i].key)),
			rows[i].unit);
	assert_int_equal(unit_from_key("numbers", 6), UNIT_NUMBER);
	assert_int_equal(unit_from_key("number", 5), UNIT_UNKNOWN);
}

static void
test_to_us(void **state unused)
{
	static const struct {
		enum unit unit;
		int64_t value, us;
	} rows[] = {
		{ UNIT_MILLISECOND, 0, 0 },
		{ UNIT_MILLISECOND, 50, 50000 },
		{ UNIT_MILLISECOND, -1, -1000 },
		{ UNIT_MICROSECOND, 50, 50 },
		{ UNIT_MICROSECOND, INT64_MAX, INT64_MAX },
		/* seen on a real host */
		{ UNIT_MILLISECOND, INT64_C(116017258324865),
		  INT64_C(116017258324865000) },
		{ UNIT_MILLISECOND, INT64_MAX, INT64_MAX },
		{ UNIT_MILLISECOND, INT64_MIN, INT64_MIN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(unit_to_us(rows[i].unit, rows[i].value),
				 rows[i].us);
}

static void
test_out(void **state unused)
{
	assert_int_equal(ms_to_us(75), 75000);
	assert_true(us_to_ms(1500) == 1.5);
	assert_true(us_to_s(250000) == 0.25);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_to_us),
		cmocka_unit_test(test_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
