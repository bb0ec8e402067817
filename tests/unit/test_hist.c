#include "dslat/hist.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

static void
test_bucket_edges(void **state unused)
{
	for (int64_t us = 0; us < 2000000; us += us < 5000 ? 1 : 97) {
		size_t b = hist_bucket(us);

		assert_true(us <= hist_upper_us(b));
		assert_true(b == 0 || us > hist_upper_us(b - 1));
	}
	assert_int_equal(hist_bucket(600000000 - 1), hist_bucket(600000000));
	assert_int_equal(hist_bucket(INT64_MAX), HIST_BUCKETS - 1);
	assert_int_equal(hist_upper_us(HIST_BUCKETS - 1), (1 << 30) - 1);
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Quantiles against the sorted list: never below, at most 3.2 % above. */
static void
test_quantiles(void **state unused)
{
	static const double qs[] = { 0.001, 0.5, 0.9, 0.95, 0.99, 0.999, 1 };
	enum { N = 5000 };
	static int64_t v[N];
	static struct hist a, b;
	unsigned seed = 7;

	for (int i = 0; i < N; i++) {
		seed = seed * 1664525u + 1013904223u;
		v[i] = (int64_t)pow(10,
				    2 +
					    (double)(seed >> 8) / (1 << 24) *
						    5); /* 100 us .. 10 s */
		hist_add(i % 2 != 0 ? &a : &b, v[i], 1);
	}
	hist_merge(&a, &b);
	qsort(v, N, sizeof(v[0]), by_value);
	for (size_t i = 0; i < ARRAY_SIZE(qs); i++) {
		int64_t exact = v[(int)ceil(qs[i] * N) - 1];
		int64_t got = hist_quantile_us(&a, qs[i], v[N - 1]);

		assert_true(got >= exact);
		assert_true((double)got <= (double)exact * 1.032 + 1);
	}
	assert_int_equal(hist_quantile_us(&a, 1, v[N - 1]), v[N - 1]);
}

static void
test_at_least(void **state unused)
{
	static struct hist h;

	for (int64_t ms = 0; ms < 60; ms++)
		hist_add(&h, ms * 1000, 2);
	assert_int_equal(hist_at_least(&h, 0), 120);
	assert_int_equal(hist_at_least(&h, 1), 118);
	assert_int_equal(hist_at_least(&h, 10000), 100);
	assert_int_equal(hist_at_least(&h, 50000), 20);
	assert_int_equal(hist_at_least(&h, 59000), 2);
	assert_int_equal(hist_at_least(&h, 70000), 0);
}

static void
test_empty(void **state unused)
{
	static struct hist h;

	assert_int_equal(hist_quantile_us(&h, 0.5, 0), -1);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bucket_edges),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_at_least),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
