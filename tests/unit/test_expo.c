#include "web/expo.h"

#include "unit.h"

static void
test_seconds(void **state unused)
{
	static const struct {
		int64_t us;
		const char *want;
	} rows[] = {
		{ 0, "0" },
		{ 1, "0.000001" },
		{ 500, "0.0005" },
		{ 50000, "0.05" },
		{ 1000000, "1" },
		{ 10000000, "10" },
		{ 1500000, "1.5" },
		{ -1500000, "-1.5" },
		{ -1, "-0.000001" },
		{ INT64_C(1796040000000000), "1796040000" },
		{ INT64_MAX, "9223372036854.775807" },
		{ INT64_MIN, "-9223372036854.775808" },
	};
	char out[EXPO_SECONDS_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(expo_format_seconds(rows[i].us, out),
				    rows[i].want);
}

static void
add_all(struct expo *x)
{
	expo_head(x, "a_seconds", EXPO_COUNTER, "seconds", "What a is.");
	expo_begin(x, "");
	expo_label(x, "n", "x");
	expo_label(x, "m", NULL);
	expo_seconds(x, 1250000);
	expo_head(x, "b", EXPO_GAUGE, NULL, "B.");
	expo_begin(x, "");
	expo_count(x, UINT64_MAX);
	expo_head(x, "c", EXPO_INFO, NULL, "C.");
	expo_begin(x, "");
	expo_label(x, "v", "1");
	expo_count(x, 1);
	expo_head(x, "d", EXPO_HISTOGRAM, NULL, "D.");
	expo_begin(x, "_bucket");
	expo_label(x, "le", "+Inf");
	expo_count(x, 0);
	expo_end(x);
}

static void
test_formats(void **state unused)
{
	struct buf b;
	struct expo x = { .buf = &b };

	buf_init(&b, 4096);
	add_all(&x);
	assert_string_equal(buf_str(&b),
			    "# HELP a_seconds_total What a is.\n"
			    "# TYPE a_seconds_total counter\n"
			    "a_seconds_total{n=\"x\",m=\"\"} 1.25\n"
			    "# HELP b B.\n"
			    "# TYPE b gauge\n"
			    "b 18446744073709551615\n"
			    "# HELP c_info C.\n"
			    "# TYPE c_info gauge\n"
			    "c_info{v=\"1\"} 1\n"
			    "# HELP d D.\n"
			    "# TYPE d histogram\n"
			    "d_bucket{le=\"+Inf\"} 0\n");
	buf_reset(&b);
	x.openmetrics = true;
	add_all(&x);
	assert_string_equal(buf_str(&b),
			    "# HELP a_seconds What a is.\n"
			    "# TYPE a_seconds counter\n"
			    "# UNIT a_seconds seconds\n"
			    "a_seconds_total{n=\"x\",m=\"\"} 1.25\n"
			    "# HELP b B.\n"
			    "# TYPE b gauge\n"
			    "b 18446744073709551615\n"
			    "# HELP c C.\n"
			    "# TYPE c info\n"
			    "c_info{v=\"1\"} 1\n"
			    "# HELP d D.\n"
			    "# TYPE d histogram\n"
			    "d_bucket{le=\"+Inf\"} 0\n"
			    "# EOF\n");
	buf_fini(&b);
}

static void
test_escapes(void **state unused)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "a\"b\\c\nd", "a\\\"b\\\\c\\nd" },
		{ "\n", "\\n" },
		{ "t\tr\r", "t\tr\r" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "\xf0\x9f\x90\x98", "\xf0\x9f\x90\x98" },
		{ "a\xff", "a\xef\xbf\xbd" },
		{ "\xc3", "\xef\xbf\xbd" },
		{ "\xed\xa0\x80x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf b, want;
		struct expo x = { .buf = &b };

		buf_init(&b, 4096);
		buf_init(&want, 4096);
		x.family = "f";
		x.type = EXPO_GAUGE;
		expo_begin(&x, "");
		expo_label(&x, "l", rows[i].value);
		expo_count(&x, 1);
		buf_addf(&want, "f{l=\"%s\"} 1\n", rows[i].want);
		assert_string_equal(buf_str(&b), buf_str(&want));
		buf_fini(&b);
		buf_fini(&want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
