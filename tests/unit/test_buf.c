#include "dslat/buf.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void
test_empty(void **state unused)
{
	struct buf b;
	char *s;

	buf_init(&b, 10);
	assert_string_equal(buf_str(&b), "");
	s = buf_take(&b);
	assert_string_equal(s, "");
	free(s);
	buf_fini(&b);
}

static void
test_appends(void **state unused)
{
	struct buf b;

	buf_init(&b, 100);
	assert_int_equal(buf_adds(&b, "one"), 0);
	assert_int_equal(buf_addc(&b, ' '), 0);
	assert_int_equal(buf_add(&b, "two\0three", 9), 0);
	assert_int_equal(buf_addf(&b, "[%d]", 42), 0);
	assert_int_equal(b.len, 17);
	assert_memory_equal(b.data, "one two\0three[42]", 18);
	buf_reset(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(buf_str(&b), "");
	buf_fini(&b);
}

/* Exactly the ceiling fits, one more does not, and full stays. */
static void
test_ceiling(void **state unused)
{
	struct buf b;

	buf_init(&b, 4);
	assert_int_equal(buf_adds(&b, "1234"), 0);
	assert_false(b.full);
	assert_int_equal(buf_addc(&b, '5'), -1);
	assert_true(b.full);
	assert_string_equal(buf_str(&b), "1234");
	assert_int_equal(buf_add(&b, "", 0), -1);
	assert_int_equal(buf_addf(&b, "%s", ""), -1);
	buf_reset(&b);
	assert_int_equal(buf_adds(&b, "12345"), -1);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
	assert_int_equal(buf_adds(&b, "123"), 0); /* usable, same ceiling */
	assert_int_equal(b.max, 4);
	buf_fini(&b);
}

/* Formatted text longer than any internal buffer. */
static void
test_long_format(void **state unused)
{
	static const size_t lens[] = { 255, 256, 257, 4095, 70000 };
	struct buf b;

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		char *s = malloc(lens[i] + 1);

		assert_non_null(s);
		memset(s, 'x', lens[i]);
		s[lens[i]] = '\0';
		buf_init(&b, 100000);
		assert_int_equal(buf_addf(&b, "%s|", s), 0);
		assert_int_equal(b.len, lens[i] + 1);
		assert_memory_equal(b.data, s, lens[i]);
		assert_int_equal(b.data[lens[i]], '|');
		buf_fini(&b);
		free(s);
	}
}

static void
test_xml(void **state unused)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "a&b<c>d\"e'f", "a&amp;b&lt;c&gt;d&quot;e&apos;f" },
		{ "\t\n\r", "&#9;&#10;&#13;" },
		{ "\x01\x1f-\x7f", "-\x7f" },
		{ "\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac" },
	};
	struct buf b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		buf_init(&b, 100);
		assert_int_equal(buf_add_xml(&b, rows[i].in), 0);
		assert_string_equal(buf_str(&b), rows[i].out);
		buf_fini(&b);
	}
	buf_init(&b, 4);
	assert_int_equal(buf_add_xml(&b, "&"), -1);
	buf_fini(&b);
}

static void
test_take(void **state unused)
{
	struct buf b;
	char *s;

	buf_init(&b, 100);
	buf_adds(&b, "mine");
	s = buf_take(&b);
	assert_string_equal(buf_str(&b), "");
	buf_adds(&b, "other");
	assert_string_equal(s, "mine");
	free(s);
	buf_fini(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_appends),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_long_format),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
