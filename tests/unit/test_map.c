#include "dslat/map.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static int values[2000];

static void
test_set_find_replace(void **state unused)
{
	struct map *m = map_new();

	assert_null(map_find_str(m, "a"));
	map_set(m, "a", &values[1]);
	map_set(m, "", &values[2]);
	assert_ptr_equal(map_find_str(m, "a"), &values[1]);
	assert_ptr_equal(map_find_str(m, ""), &values[2]);
	assert_ptr_equal(map_find(m, "abc", 1), &values[1]);
	assert_null(map_find(m, "abc", 2));
	map_set(m, "a", &values[3]);
	assert_ptr_equal(map_find_str(m, "a"), &values[3]);
	assert_int_equal(map_count(m), 2);
	map_free(&m);
	assert_null(m);
	map_free(&m);
}

/* The key is a copy. */
static void
test_key_copied(void **state unused)
{
	struct map *m = map_new();
	char key[] = "key";

	map_set(m, key, &values[0]);
	key[0] = 'X';
	assert_ptr_equal(map_find_str(m, "key"), &values[0]);
	assert_null(map_find_str(m, "Xey"));
	map_free(&m);
}

static void
assert_order(const struct map *m, const char *const *keys, size_t n)
{
	const char *key;
	void *value;
	size_t seen = 0;

	for (size_t i = 0; map_next(m, &i, &key, &value); seen++) {
		assert_true(seen < n);
		assert_string_equal(key, keys[seen]);
	}
	assert_int_equal(seen, n);
}

static void
test_order(void **state unused)
{
	struct map *m = map_new();

	map_set(m, "z", &values[0]);
	map_set(m, "a", &values[0]);
	map_set(m, "m", &values[0]);
	assert_order(m, (const char *const[]){ "z", "a", "m" }, 3);
	map_set(m, "z", &values[1]); /* replacing keeps the place */
	assert_order(m, (const char *const[]){ "z", "a", "m" }, 3);
	assert_ptr_equal(map_del(m, "a"), &values[0]);
	assert_null(map_del(m, "a"));
	assert_order(m, (const char *const[]){ "z", "m" }, 2);
	map_set(m, "a", &values[0]); /* and a new one is last */
	assert_order(m, (const char *const[]){ "z", "m", "a" }, 3);
	map_free(&m);
}

/* Against a plain array, through growth, deletion and re-insertion. */
static void
test_against_array(void **state unused)
{
	bool there[ARRAY_SIZE(values)] = { false };
	struct map *m = map_new();
	uint32_t r = 1;
	size_t live = 0;

	for (int step = 0; step < 50000; step++) {
		char key[16];
		size_t k;

		r = r * 1664525u + 1013904223u;
		k = (r >> 8) % ARRAY_SIZE(values);
		snprintf(key, sizeof(key), "k%zu", k);
		assert_ptr_equal(map_find_str(m, key),
				 there[k] ? &values[k] : NULL);
		if ((r >> 30) == 0) {
			assert_ptr_equal(map_del(m, key),
					 there[k] ? &values[k] : NULL);
			live -= there[k];
			there[k] = false;
		} else {
			map_set(m, key, &values[k]);
			live += !there[k];
			there[k] = true;
		}
		assert_int_equal(map_count(m), live);
	}
	map_free(&m);
}

/* Deleted entries must not fill the index: finding would never end. */
static void
test_churn(void **state unused)
{
	struct map *m = map_new();

	for (int i = 0; i < 100000; i++) {
		map_set(m, "one", &values[0]);
		assert_ptr_equal(map_del(m, "one"), &values[0]);
	}
	assert_int_equal(map_count(m), 0);
	assert_null(map_find_str(m, "one"));
	map_free(&m);
}

static void
test_delete_while_iterating(void **state unused)
{
	struct map *m = map_new();
	const char *key;
	void *value;
	int seen = 0;

	for (int i = 0; i < 100; i++) {
		char k[16];

		snprintf(k, sizeof(k), "%d", i);
		map_set(m, k, &values[i]);
	}
	for (size_t i = 0; map_next(m, &i, &key, &value); seen++)
		if (seen % 2 == 0)
			assert_ptr_equal(map_del(m, key), value);
	assert_int_equal(seen, 100);
	assert_int_equal(map_count(m), 50);
	map_free(&m);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_find_replace),
		cmocka_unit_test(test_key_copied),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_against_array),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_delete_while_iterating),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
