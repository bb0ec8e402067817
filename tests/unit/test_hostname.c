#include "web/hostname.h"

#include <string.h>

#include "unit.h"

static void
test_ours(void **state unused)
{
	static const char *const ours[] = {
		"localhost",         "localhost:9969", "LOCALHOST",
		"localhost.",        "app.localhost",  "127.0.0.1",
		"127.0.0.1:80",      "127.8.9.1",      "[::1]",
		"[::1]:9969",        "dslat.lan:9969", "DSLAT.lan",
		"[0:0:0:0:0:0:0:1]",
	};
	static const char *const others[] = {
		"",
		":9969",
		"evil.example",
		"evil.example:9969",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		"xlocalhost",
		".localhost",
		"128.0.0.1",
		"[::2]",
		"[",
		"[]",
		"dslat.lan.evil.example",
	};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		print_message("%s\n", ours[i]);
		assert_true(hostname_is_ours(ours[i], "dslat.lan"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		print_message("%s\n", others[i]);
		assert_false(hostname_is_ours(others[i], "dslat.lan"));
	}
}

static void
test_long(void **state unused)
{
	char name[1000];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_false(hostname_is_ours(name, name));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
