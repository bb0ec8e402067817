#include "../../collectors/vsphere/xsd.h"

#include "unit.h"

static const struct {
	const char *text;
	int64_t value;
	int used; /* characters; -1: no integer */
} integers[] = {
	{ "0", 0, 1 },
	{ "7", 7, 1 },
	{ "-1", -1, 2 },
	{ "+12", 12, 3 },
	{ "  42 \n", 42, 6 },
	{ "116017258324865", INT64_C(116017258324865), 15 },
	{ "9223372036854775807", INT64_MAX, 19 },
	{ "9223372036854775808", INT64_MAX, 19 },
	{ "-9223372036854775807", -INT64_MAX, 20 },
	{ "-9223372036854775808", -INT64_MAX, 20 },
	{ "18446744073709551616", INT64_MAX, 20 },
	{ "99999999999999999999999999999999", INT64_MAX, 32 },
	{ "00000000000000000000000000000000000012", 12, 38 },
	{ "12,34", 12, 2 },
	{ "1.5", 1, 1 },
	{ "12 34", 12, 3 },
	{ "0x10", 0, 1 },
	{ "", 0, -1 },
	{ " ", 0, -1 },
	{ "-", 0, -1 },
	{ "--1", 0, -1 },
	{ "x", 0, -1 },
	{ "\xc3\xa9", 0, -1 },
	{ ",", 0, -1 },
};

static void
test_integers(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		const char *s = integers[i].text, *end;
		int64_t v = 0;

		print_message("\"%s\"\n", s);
		end = xsd_i64(s, &v);
		if (integers[i].used < 0) {
			assert_null(end);
			assert_false(xsd_i64_all(s, &v));
			continue;
		}
		assert_ptr_equal(end, s + integers[i].used);
		assert_true(v == integers[i].value);
		assert_int_equal(xsd_i64_all(s, &v), *end == '\0');
	}
}

static void
test_i32(void **state unused)
{
	int32_t v = 0;

	assert_true(xsd_i32_all("70000", &v));
	assert_int_equal(v, 70000);
	assert_true(xsd_i32_all("2147483647", &v));
	assert_true(v == INT32_MAX);
	assert_true(xsd_i32_all("-2147483648", &v));
	assert_true(v == INT32_MIN);
	assert_false(xsd_i32_all("2147483648", &v));
	assert_false(xsd_i32_all("-2147483649", &v));
	assert_false(xsd_i32_all("4294967297", &v));
	assert_false(xsd_i32_all("99999999999999999999", &v));
	assert_false(xsd_i32_all("", &v));
}

static void
test_bool(void **state unused)
{
	assert_true(xsd_bool("true"));
	assert_true(xsd_bool(" true "));
	assert_true(xsd_bool("1"));
	assert_false(xsd_bool("false"));
	assert_false(xsd_bool("0"));
	assert_false(xsd_bool(""));
	assert_false(xsd_bool("tru"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_i32),
		cmocka_unit_test(test_bool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
