#include "dslat/err.h"

#include <string.h>

#include "unit.h"

static void
test_set_and_wrap(void **state unused)
{
	struct err e;

	assert_int_equal(err_set(&e, ERR_NET, "cannot reach %s", "esx1"), -1);
	assert_int_equal(e.code, ERR_NET);
	assert_string_equal(e.text, "cannot reach esx1");
	assert_int_equal(err_wrap(&e, "target %s", "lab"), -1);
	assert_int_equal(e.code, ERR_NET);
	assert_string_equal(e.text, "target lab: cannot reach esx1");
	err_set(&e, ERR_AUTH, "no");
	assert_int_equal(e.code, ERR_AUTH);
	assert_string_equal(e.text, "no");
}

static void
test_one_line(void **state unused)
{
	struct err e;

	err_set(&e, ERR_FAULT, "a\nb\r\nc");
	assert_string_equal(e.text, "a b  c");
}

static void
test_too_long(void **state unused)
{
	char text[2 * sizeof(((struct err *)NULL)->text)];
	const size_t room = sizeof(((struct err *)NULL)->text);
	struct err e;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, ERR_LIMIT, "%s", text);
	assert_int_equal(strlen(e.text), room - 1);
	assert_string_equal(e.text + room - 4, "...");
	err_wrap(&e, "front");
	assert_int_equal(strlen(e.text), room - 1);
	assert_memory_equal(e.text, "front: xxx", 10);
	assert_string_equal(e.text + room - 4, "...");

	text[room - 1] = '\0'; /* fits exactly */
	err_set(&e, ERR_LIMIT, "%s", text);
	assert_string_equal(e.text, text);
}

/* Every code has its own word. */
static void
test_names(void **state unused)
{
	for (int i = ERR_NONE; i <= ERR_IO; i++) {
		const char *name = err_code_name((enum err_code)i);

		assert_non_null(name);
		assert_true(strlen(name) > 0);
		for (int j = ERR_NONE; j < i; j++)
			assert_string_not_equal(
				name, err_code_name((enum err_code)j));
	}
	assert_string_equal(err_code_name(ERR_TIMEOUT), "timeout");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_and_wrap),
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
