#include "../../daemon/cli/text.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void
test_safe(void **state unused)
{
	static const struct {
		const char *in, *out, *ascii; /* ascii NULL: as out */
	} rows[] = {
		{ "", "", NULL },
		{ "nfs01", "nfs01", NULL },
		{ "a b\\c", "a b\\c", NULL },
		{ "\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac",
		  "\\u{e4}\\u{20ac}" },
		/* escape sequences, of 7 and of 8 bits */
		{ "\x1b[2J\x1b]0;x\x07", "\\x1b[2J\\x1b]0;x\\x07", NULL },
		{ "\xc2\x9b"
		  "31m",
		  "\\u{9b}31m", NULL },
		{ "a\nb\r\tc\x7f", "a\\x0ab\\x0d\\x09c\\x7f", NULL },
		/* right-to-left override, zero width, line separator, tags */
		{ "a\xe2\x80\xaeg\xe2\x80\xac", "a\\u{202e}g\\u{202c}", NULL },
		{ "a\xe2\x80\x8b\xe2\x80\xa8"
		  "b",
		  "a\\u{200b}\\u{2028}b", NULL },
		{ "\xef\xbb\xbfx\xf3\xa0\x80\xa0", "\\u{feff}x\\u{e0020}",
		  NULL },
		/* not UTF-8 */
		{ "\xff\xc3(\x80", "\\xff\\xc3(\\x80", NULL },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", NULL },
		/* unassigned, private */
		{ "\xf4\x8f\xbf\xbf", "\\u{10ffff}", NULL },
	};
	struct buf b;

	buf_init(&b, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *ascii = rows[i].ascii;

		buf_reset(&b);
		text_add_safe(&b, rows[i].in, false);
		assert_string_equal(buf_str(&b), rows[i].out);
		buf_reset(&b);
		text_add_safe(&b, rows[i].in, true);
		assert_string_equal(buf_str(&b),
				    ascii != NULL ? ascii : rows[i].out);
	}
	buf_fini(&b);
}

/* Whatever comes in, what goes out has no control character. */
static void
test_safe_random(void **state unused)
{
	unsigned seed = 1;
	struct buf b;

	buf_init(&b, 100000);
	for (int round = 0; round < 20000; round++) {
		char in[24];
		size_t n = 0;

		while (n < sizeof(in) - 1) {
			seed = seed * 1103515245 + 12345;
			in[n++] = (char)(seed >> 16);
		}
		in[n] = '\0';
		buf_reset(&b);
		text_add_safe(&b, in, false);
		for (size_t i = 0; i < b.len; i++) {
			unsigned char c = (unsigned char)b.data[i];

			assert_true(c >= 0x20 && c != 0x7f);
			/* C1 in UTF-8 */
			assert_false(c == 0xc2 &&
				     (unsigned char)b.data[i + 1] < 0xa0);
		}
	}
	buf_fini(&b);
}

static void
test_cut(void **state unused)
{
	static const struct {
		const char *in;
		size_t full, width;
		const char *out;
		size_t used;
	} rows[] = {
		{ "abc", 3, 3, "abc", 3 },
		{ "abcd", 4, 3, "ab\xe2\x80\xa6", 3 },
		{ "abcd", 4, 1, "\xe2\x80\xa6", 1 },
		{ "abcd", 4, 0, "", 0 },
		{ "", 0, 5, "", 0 },
		/* two columns each: half of one does not fit */
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4, 4, "\xe6\x97\xa5\xe6\x9c\xac",
		  4 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4, 3, "\xe6\x97\xa5\xe2\x80\xa6",
		  3 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4, 2, "\xe2\x80\xa6", 1 },
		/* a combining mark takes no column and stays with its letter */
		{ "e\xcc\x81"
		  "x",
		  2, 2,
		  "e\xcc\x81"
		  "x",
		  2 },
		{ "e\xcc\x81"
		  "xy",
		  3, 2, "e\xcc\x81\xe2\x80\xa6", 2 },
	};
	struct buf b;

	buf_init(&b, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(text_width(rows[i].in), rows[i].full);
		buf_reset(&b);
		assert_int_equal(
			text_add_cut(&b, rows[i].in, rows[i].width, false),
			rows[i].used);
		assert_string_equal(buf_str(&b), rows[i].out);
	}
	buf_reset(&b);
	assert_int_equal(text_add_cut(&b, "abcd", 3, true), 3);
	assert_string_equal(buf_str(&b), "ab~");
	buf_fini(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe),
		cmocka_unit_test(test_safe_random),
		cmocka_unit_test(test_cut),
	};

	text_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
