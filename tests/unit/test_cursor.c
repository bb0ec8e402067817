#include "web/cursor.h"

#include <string.h>

#include "unit.h"

static void
test_round_trip(void **state unused)
{
	static const char *const keys[][CURSOR_PARTS] = {
		{ "lab", "nfs-gold", "lab:uuid" },
		{ "", "", "" },
		{ "a", "", "" },
		{ "a", "b", "" },
		{ "lab", "odd \"name\"\nwith \xc3\xa9 \xff", "lab:/%:," },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct cursor c;
		struct buf b;

		buf_init(&b, 4096);
		assert_int_equal(cursor_append(&b, keys[i]), 0);
		/* nothing that an address would have to escape */
		assert_int_equal(strspn(buf_str(&b),
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"abcdefghijklmnopqrstuvwxyz"
					"0123456789-_"),
				 b.len);
		assert_int_equal(cursor_parse(&c, buf_str(&b)), 0);
		for (size_t j = 0; j < CURSOR_PARTS; j++)
			assert_string_equal(c.part[j], keys[i][j]);
		assert_int_equal(cursor_compare(keys[i], &c), 0);
		cursor_fini(&c);
		buf_fini(&b);
	}
}

static void
test_known(void **state unused)
{
	const char *const key[CURSOR_PARTS] = { "a", "b", "c" };
	struct buf b;

	buf_init(&b, 64);
	cursor_append(&b, key); /* python: urlsafe_b64encode(b"a\0b\0c\0") */
	assert_string_equal(buf_str(&b), "YQBiAGMA");
	buf_fini(&b);
}

static void
test_refuse(void **state unused)
{
	static const char *const rows[] = { "",    "A",          "AA",
					    "AAA", "!",          "YQBi",
					    "Y=Q", "YQBiAGMAAA", "YQBiAGM",
					    "\xc3" };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cursor c;

		print_message("%s\n", rows[i]);
		assert_int_equal(cursor_parse(&c, rows[i]), -1);
		cursor_fini(&c);
	}
}

static void
test_order(void **state unused)
{
	static const char *const sorted[][CURSOR_PARTS] = {
		{ "", "z", "z" },  { "a", "", "" },   { "a", "B", "z" },
		{ "a", "a", "a" }, { "a", "a", "b" }, { "a", "aa", "" },
		{ "b", "", "" },
	};
	struct cursor c = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		cursor_set(&c, sorted[i]);
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++) {
			int d = cursor_compare(sorted[j], &c);

			assert_int_equal((d > 0) - (d < 0), (j > i) - (j < i));
		}
	}
	cursor_fini(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
