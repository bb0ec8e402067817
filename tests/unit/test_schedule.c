#include "../../collectors/vsphere/schedule.h"

#include "unit.h"

static void
test_next_falls_behind_the_mark(void **state unused)
{
	static const struct {
		int64_t now_us, interval_s, offset_s, want_us;
	} t[] = {
		{ 0, 20, 3, 3000000 },
		{ 2999999, 20, 3, 1 },
		{ 3000000, 20, 3, 20000000 }, /* this one has just been */
		{ 19000000, 20, 3, 4000000 },
		{ INT64_C(1700000000) * US_PER_S + 500000, 20, 2, 1500000 },
		{ INT64_C(1700000000) * US_PER_S, 60, 3, 43000000 },
		{ -1000000, 20, 3, 4000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(schedule_next_us((real_t){ t[i].now_us },
						  t[i].interval_s * US_PER_S,
						  t[i].offset_s * US_PER_S),
				 t[i].want_us);
}

static void
test_offset_is_stable_and_spread(void **state unused)
{
	int64_t a = schedule_offset_us("lab"), b = schedule_offset_us("lab2");

	assert_int_equal(a, schedule_offset_us("lab"));
	assert_int_not_equal(a, b);
	assert_in_range(a, 2000000, 5000000);
	assert_in_range(b, 2000000, 5000000);
}

static void
test_interval(void **state unused)
{
	int64_t fast = 20 * US_PER_S, slow = 60 * US_PER_S;

	assert_int_equal(schedule_interval_us(fast, 4999999, 20000), fast);
	assert_int_equal(schedule_interval_us(fast, 5000001, 1), slow);
	assert_int_equal(schedule_interval_us(fast, 1, 20001), slow);
	assert_int_equal(schedule_interval_us(slow, 4000000, 1), slow);
	assert_int_equal(schedule_interval_us(slow, 2999999, 1), fast);
}

/* A refused login is never tried again fast. */
static void
test_backoff(void **state unused)
{
	int64_t before = 0;

	for (unsigned n = 1; n < 40; n++)
		for (unsigned seed = 0; seed < 3000; seed += 333) {
			assert_int_equal(schedule_backoff_us(ERR_AUTH, n, seed),
					 900 * US_PER_S);
			assert_int_equal(schedule_backoff_us(ERR_TLS, n, seed),
					 300 * US_PER_S);
			assert_in_range(schedule_backoff_us(ERR_NET, n, seed),
					3750000, 300 * US_PER_S);
		}
	for (unsigned n = 1; n <= 7; n++) {
		int64_t wait = schedule_backoff_us(ERR_BUSY, n, 0);

		assert_true(wait > before);
		before = wait;
	}
	assert_int_equal(schedule_backoff_us(ERR_BUSY, 1, 0), 5 * US_PER_S);
}

/* vSphere refuses answers of more than 500,000 elements. */
static void
test_batches_stay_below_the_limit(void **state unused)
{
	size_t one = schedule_elements(64, 6, 180);

	assert_true(one < SCHEDULE_MAX_ELEMENTS);
	/* What a normal answer really has: per series value, id, counterId,
	 * instance and one element per sample; per sample three more. */
	assert_true(one >= 64 * 6 * (4 + 180) + 180 * 3);
	assert_int_equal(schedule_live_samples(20 * US_PER_S), 7);
	assert_int_equal(schedule_live_samples(60 * US_PER_S), 9);
	assert_int_equal(schedule_live_samples(3600 * US_PER_S), 15);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_falls_behind_the_mark),
		cmocka_unit_test(test_offset_is_stable_and_spread),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_backoff),
		cmocka_unit_test(test_batches_stay_below_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
