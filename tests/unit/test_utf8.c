#include "dslat/utf8.h"

#include <string.h>

#include "dslat/buf.h"
#include "unit.h"

/* Expected: Python's bytes.decode("utf-8", "replace"), as code points. */
static void
test_sequences(void **state unused)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "a", "61" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "e4 20ac 1f600" },
		{ "\x7f\xc2\x80", "7f 80" },
		{ "\x80", "fffd" },
		{ "\xc0\xaf", "fffd fffd" },          /* overlong / */
		{ "\xe0\x80\xaf", "fffd fffd fffd" }, /* overlong / */
		{ "\xed\xa0\x80", "fffd fffd fffd" }, /* surrogate */
		{ "\xf4\x90\x80\x80", "fffd fffd fffd fffd" },
		{ "\xf4\x8f\xbf\xbf", "10ffff" },
		{ "\xe2\x82"
		  "A",
		  "fffd 41" },
		{ "\xf0\x9f\x98", "fffd" },
		{ "\xe2", "fffd" },
		{ "\xff\xfe", "fffd fffd" },
		{ "\xef\xbf\xbd", "fffd" },
		/* table 3-8 of the standard */
		{ "\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64",
		  "61 fffd fffd fffd 62 fffd 63 fffd fffd 64" },
	};
	struct buf b;

	buf_init(&b, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *s = rows[i].in;

		buf_reset(&b);
		while (*s != '\0') {
			uint32_t cp;

			s += utf8_next(s, &cp, NULL);
			buf_addf(&b, "%s%x", b.len != 0 ? " " : "", cp);
		}
		assert_ptr_equal(s, rows[i].in + strlen(rows[i].in));
		assert_string_equal(buf_str(&b), rows[i].out);
	}
	buf_fini(&b);
}

static void
test_valid(void **state unused)
{
	uint32_t cp;
	bool valid;

	assert_int_equal(utf8_next("\xef\xbf\xbd", &cp, &valid), 3);
	assert_true(valid);
	assert_int_equal(utf8_next("\xef\xbf", &cp, &valid), 2);
	assert_false(valid);
	assert_int_equal(cp, UTF8_REPLACEMENT);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
