#include "dslat/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* The value's text; takes the value. */
static const char *
text_of(json_t *v)
{
	static struct buf b;

	buf_fini(&b);
	buf_init(&b, 10000);
	assert_non_null(v);
	assert_int_equal(json_append(&b, v), 0);
	json_decref(v);
	return buf_str(&b);
}

static void
test_ms(void **state unused)
{
	static const struct {
		int64_t us;
		const char *text;
	} rows[] = {
		{ -1, "null" },
		{ INT64_MIN, "null" },
		{ 0, "0" },
		{ 1, "0.001" },
		{ 12300, "12.3" },
		{ 12345, "12.345" },
		{ 50000, "50" },
		{ 600000000, "600000" },
		{ 599999999, "599999.999" },
		{ 33333, "33.333" },
		{ 100, "0.1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(text_of(json_ms(rows[i].us)), rows[i].text);
}

/* Every value of 0 to 200 ms comes out as its own decimal notation. */
static void
test_ms_exact(void **state unused)
{
	char want[32];

	for (int us = 0; us <= 200000; us++) {
		size_t n = (size_t)snprintf(want, sizeof(want), "%d.%03d",
					    us / 1000, us % 1000);

		while (want[n - 1] == '0')
			want[--n] = '\0';
		if (want[n - 1] == '.')
			want[n - 1] = '\0';
		assert_string_equal(text_of(json_ms(us)), want);
	}
}

static void
test_num(void **state unused)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{ 0.0, "0" },
		{ -0.0, "0" },
		{ 0.0004, "0" },
		{ -0.0004, "0" },
		{ 0.0005, "0.001" },
		{ 12.3, "12.3" },
		{ 1.0 / 3, "0.333" },
		{ 2.0 / 3, "0.667" },
		{ -1.25, "-1.25" },
		{ 1e6, "1000000" },
		{ 1e15, "1000000000000000" },
		{ 123456789.1234, "123456789.123" },
		{ 0.1 + 0.2, "0.3" },
		{ 1e300, "1e300" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(text_of(json_num(rows[i].v)), rows[i].text);
	assert_string_equal(text_of(json_num(NAN)), "null");
	assert_string_equal(text_of(json_num(INFINITY)), "null");
	assert_string_equal(text_of(json_num(-INFINITY)), "null");
}

static void
test_text(void **state unused)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ NULL, "null" },
		{ "", "\"\"" },
		{ "nfs01", "\"nfs01\"" },
		{ "a\"b\\c\n\x01", "\"a\\\"b\\\\c\\n\\u0001\"" },
		{ "\xc3\xa4", "\"\xc3\xa4\"" },
		{ "<\xff>", "\"<\xef\xbf\xbd>\"" },
		{ "\xff\xff\xff\xff",
		  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		  "\xef\xbf\xbd\"" },
		{ "\xe2\x82", "\"\xef\xbf\xbd\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(text_of(json_text(rows[i].in)),
				    rows[i].out);
}

static void
test_time(void **state unused)
{
	assert_string_equal(text_of(json_time((real_t){ 0 })), "null");
	assert_string_equal(text_of(json_time((real_t){ 1795956100000000 })),
			    "\"2026-11-29T12:41:40Z\"");
}

/* Compact, in order of insertion, and jansson reads it back. */
static void
test_append(void **state unused)
{
	json_t *v = json_object(), *back, *a = json_array();
	json_error_t je;
	struct buf b;

	json_array_append_new(a, json_ms(12345));
	json_array_append_new(a, json_null());
	json_object_set_new(v, "zz", json_text("x"));
	json_object_set_new(v, "a", a);
	buf_init(&b, 1000);
	buf_adds(&b, "data: ");
	assert_int_equal(json_append(&b, v), 0);
	assert_string_equal(buf_str(&b),
			    "data: {\"zz\":\"x\",\"a\":[12.345,null]}");
	back = json_loads(buf_str(&b) + 6, 0, &je);
	assert_non_null(back);
	assert_true(json_equal(v, back));
	json_decref(back);
	buf_fini(&b);

	buf_init(&b, 10); /* too small */
	assert_int_equal(json_append(&b, v), -1);
	assert_true(b.full);
	buf_fini(&b);
	json_decref(v);
}

static void
test_rows(void **state unused)
{
	static const struct {
		const char *head, *tail; /* JSON; NULL: none */
		int n;
		const char *want;
	} cases[] = {
		{ NULL, NULL, 0, "{\"k\":[]}" },
		{ "{}", "{}", 1, "{\"k\":[0]}" },
		{ "{\"a\":{\"b\":1}}", NULL, 2,
		  "{\"a\":{\"b\":1},\"k\":[0,1]}" },
		{ NULL, "{\"z\":\"}\"}", 0, "{\"k\":[],\"z\":\"}\"}" },
		{ "{\"a\":1,\"b\":2}", "{\"y\":[],\"z\":null}", 3,
		  "{\"a\":1,\"b\":2,\"k\":[0,1,2],\"y\":[],"
		  "\"z\":null}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *head = cases[i].head, *tail = cases[i].tail;
		struct json_rows r;
		struct buf b;

		buf_init(&b, 4096);
		assert_int_equal(
			json_rows_begin(&r, &b,
					head != NULL ? json_loads(head, 0, NULL)
						     : NULL,
					"k"),
			0);
		for (int j = 0; j < cases[i].n; j++)
			assert_int_equal(json_rows_add(&r, json_integer(j)), 0);
		assert_int_equal(
			json_rows_end(&r,
				      tail != NULL ? json_loads(tail, 0, NULL)
						   : NULL),
			0);
		assert_string_equal(buf_str(&b), cases[i].want);
		buf_fini(&b);
	}
}

/* A ceiling that is met anywhere is an error at the end (in between a byte or
 * two more are needed). */
static void
test_rows_full(void **state unused)
{
	const size_t len = strlen("{\"a\":1,\"k\":[2],\"z\":3}");

	for (size_t max = 0; max < len + 3; max++) {
		struct json_rows r;
		struct buf b;
		int rc;

		buf_init(&b, max);
		json_rows_begin(&r, &b, json_pack("{s:i}", "a", 1), "k");
		json_rows_add(&r, json_integer(2));
		rc = json_rows_end(&r, json_pack("{s:i}", "z", 3));
		if (max < len)
			assert_int_equal(rc, -1);
		if (max == len + 2)
			assert_int_equal(rc, 0);
		buf_fini(&b);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ms),   cmocka_unit_test(test_ms_exact),
		cmocka_unit_test(test_num),  cmocka_unit_test(test_text),
		cmocka_unit_test(test_time), cmocka_unit_test(test_append),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_rows_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
