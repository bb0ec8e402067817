#include "dslat/ring.h"

#include "unit.h"

static void
test_first_value_wins(void **state unused)
{
	struct ring r;

	ring_init(&r);
	assert_null(ring_get(&r, 1000));
	assert_int_equal(ring_put(&r, 1000, FIELD_US, 7), RING_STORED);
	assert_int_equal(ring_put(&r, 1000, FIELD_US, 9), RING_KEPT);
	assert_int_equal(ring_get(&r, 1000)->v[FIELD_US], 7);
	assert_int_equal(ring_get(&r, 1000)->v[FIELD_US + OP_WRITE],
			 SAMPLE_NONE);
	/* An older slot of the window is empty, not absent. */
	assert_int_equal(ring_get(&r, 900)->v[FIELD_US], SAMPLE_NONE);
	assert_null(ring_get(&r, 1001));
}

/* Against a naive array over a random walk with jumps. */
static void
test_against_naive(void **state unused)
{
	static int32_t naive[20000];
	struct ring r;
	unsigned seed = 1;
	int64_t newest = 1000;

	ring_init(&r);
	ring_reach(&r, newest);
	for (size_t i = 0; i < ARRAY_SIZE(naive); i++)
		naive[i] = SAMPLE_NONE;
	for (int i = 0; i < 6000; i++) {
		int64_t slot;
		enum ring_put want = RING_STORED;

		seed = seed * 1103515245u + 12345u;
		slot = newest + (int64_t)(seed >> 16) % 260 - 250;
		if (seed % 97 == 0)
			slot = newest + 200;
		if (slot < 300 || slot >= (int64_t)ARRAY_SIZE(naive))
			continue;
		if (slot > newest)
			newest = slot;
		if (slot <= newest - RING_SLOTS)
			want = RING_TOO_OLD;
		else if (naive[slot] != SAMPLE_NONE)
			want = RING_KEPT;
		assert_int_equal(ring_put(&r, slot, 3, i), want);
		if (want == RING_STORED)
			naive[slot] = i;
		for (int64_t s = newest - RING_SLOTS + 1; s <= newest; s++) {
			assert_non_null(ring_get(&r, s));
			assert_int_equal(ring_get(&r, s)->v[3],
					 s >= 0 ? naive[s] : SAMPLE_NONE);
		}
	}
	assert_true(newest > 3000);
}

/* Slots before 1970 are negative: a window across 0 is like any other. */
static void
test_across_1970(void **state unused)
{
	struct ring r;
	int64_t first = -100, last = first + RING_SLOTS - 1;

	ring_init(&r);
	for (int64_t s = first; s <= last; s++)
		assert_int_equal(ring_put(&r, s, 0, (int32_t)(s + 100)),
				 RING_STORED);
	for (int64_t s = first; s <= last; s++)
		assert_int_equal(ring_get(&r, s)->v[0], s + 100);
	assert_int_equal(ring_put(&r, first - 1, 0, 1), RING_TOO_OLD);
	assert_null(ring_get(&r, first - 1));
	assert_null(ring_get(&r, last + 1));
	assert_null(ring_get(&r, INT64_MIN));
	assert_null(ring_get(&r, INT64_MAX));
	ring_init(&r);
	assert_null(ring_get(&r, INT64_MIN)); /* what "no slot" is called */
	assert_null(ring_get(&r, INT64_MAX));
	assert_null(ring_get(&r, 0));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_value_wins),
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_across_1970),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
