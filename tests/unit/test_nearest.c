#include "web/nearest.h"

#include <string.h>

#include "unit.h"

static void
test_nearest(void **state unused)
{
	static const char *const names[] = { "iscsi-01", "nfs-gold", "nfs-cold",
					     "lab:61a-b", "x" };
	static const struct {
		const char *wrong, *best;
	} rows[] = {
		{ "iscsi-1", "iscsi-01" },
		{ "ISCSI-01", "iscsi-01" },
		{ "nfs-gold", "nfs-gold" },
		{ "nfs-bold", "nfs-gold" },
		{ "nfs-colds", "nfs-cold" },
		{ "lab:61a-c", "lab:61a-b" },
		{ "al:61a-b", "lab:61a-b" },
		{ "zzzzzz", NULL },
		{ "", NULL },
		{ "X", "x" },
		{ "xy", NULL },
		{ "nfs", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nearest n;

		print_message("%s\n", rows[i].wrong);
		nearest_init(&n, rows[i].wrong);
		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			nearest_try(&n, names[j], names[j]);
		if (rows[i].best == NULL)
			assert_null(n.best);
		else
			assert_string_equal(n.best, rows[i].best);
	}
}

static void
test_long_names(void **state unused)
{
	char a[200], b[200];
	struct nearest n;

	memset(a, 'a', sizeof(a));
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	b[5] = 'b';
	nearest_init(&n, a);
	nearest_try(&n, b, b); /* too long to be compared */
	assert_null(n.best);
	nearest_try(&n, a, a);
	assert_ptr_equal(n.best, a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
