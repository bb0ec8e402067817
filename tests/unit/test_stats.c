/*
 * Expected values: tests/unit/data/stats.txt, by scipy and numpy (stats.py
 * there).  Coverage: series whose true median is known.
 */
#include "dslat/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "unit.h"

/* The data file, read from `at` on. */
static struct {
	char text[200000];
	const char *at;
} data;

static void
data_open(void)
{
	const char *top = getenv("top_srcdir");
	char path[1000];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/unit/data/stats.txt",
		 top != NULL ? top : ".");
	f = fopen(path, "re");
	assert_non_null(f);
	n = fread(data.text, 1, sizeof(data.text) - 1, f);
	assert_in_range(n, 1, sizeof(data.text) - 2);
	data.text[n] = '\0';
	data.at = data.text;
	fclose(f);
}

static double
number(void)
{
	char *end;
	double v = strtod(data.at, &end);

	assert_ptr_not_equal(end, data.at);
	data.at = end;
	return v;
}

static double *
numbers(size_t n)
{
	double *v = xcalloc(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = number();
	return v;
}

static void
assert_close(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		print_error("%.17g is not %.17g\n", got, want);
	assert_true(fabs(got - want) <= relative * fabs(want));
}

/* Lines of the file that begin with the word; fn reads what follows the name. */
static size_t
each_case(const char *word, void (*fn)(void))
{
	size_t n = 0;

	data_open();
	for (; *data.at != '\0'; data.at += strcspn(data.at, "\n") + 1) {
		size_t len = strlen(word), name;

		if (strncmp(data.at, word, len) != 0 || data.at[len] != ' ')
			continue;
		data.at += len + 1;
		name = strcspn(data.at, " ");
		print_message("%.*s\n", (int)name, data.at);
		data.at += name;
		fn();
		n++;
	}
	return n;
}

static void
check_test(void)
{
	struct stats_point *pa, *pb;
	struct stats_result r;
	struct stats *s;
	double want_u, want_p, effect, u, p, *a, *b;
	size_t a_n, b_n;

	a_n = (size_t)number();
	b_n = (size_t)number();
	want_u = number();
	want_p = number();
	effect = number();
	a = numbers(a_n);
	b = numbers(b_n);
	stats_mann_whitney(a, a_n, b, b_n, &u, &p);
	assert_true(u == want_u);
	assert_close(p, want_p, 1e-9);
	pa = xcalloc(a_n, sizeof(*pa));
	pb = xcalloc(b_n, sizeof(*pb));
	for (size_t i = 0; i < a_n; i++)
		pa[i] = (struct stats_point){ (int64_t)i, a[i] };
	for (size_t i = 0; i < b_n; i++)
		pb[i] = (struct stats_point){ (int64_t)i, b[i] };
	s = stats_unpaired(pa, a_n, pb, b_n);
	while (!stats_step(s))
		;
	r = stats_result(s);
	assert_false(r.paired);
	assert_true(r.u == want_u && r.p == p);
	assert_close(r.effect, effect, 1e-12);
	stats_free(&s);
	free(pa);
	free(pb);
	free(a);
	free(b);
}

static void
test_mann_whitney(void **state unused)
{
	double u, p;

	assert_int_equal(each_case("test", check_test), 11);
	stats_mann_whitney(NULL, 0, NULL, 0, &u, &p);
	assert_true(isnan(u) && isnan(p));
}

static void
check_interval(void)
{
	double middle, *end, *slots, *v;
	struct stats_point *points;
	struct stats_pair *pairs;
	struct stats_range r;
	struct stats_result all;
	struct stats *s;
	size_t n;

	n = (size_t)number();
	middle = number();
	end = numbers(4);
	slots = numbers(n);
	v = numbers(n);
	points = xcalloc(n, sizeof(*points));
	pairs = xcalloc(n, sizeof(*pairs));
	for (size_t i = 0; i < n; i++) {
		points[i] = (struct stats_point){ (int64_t)slots[i], v[i] };
		pairs[i] = (struct stats_pair){ (int64_t)slots[i], v[i], 0 };
	}
	r = stats_block_bootstrap(points, n);
	print_message("\t%g < %g < %g, %g < %g < %g\n", end[0], r.low_ms,
		      end[1], end[2], r.high_ms, end[3]);
	assert_true(r.low_ms >= end[0] && r.low_ms <= end[1]);
	assert_true(r.high_ms >= end[2] && r.high_ms <= end[3]);
	s = stats_paired(pairs, n);
	while (!stats_step(s))
		;
	all = stats_result(s);
	assert_true(all.paired);
	assert_true(all.difference_ms == middle);
	assert_true(all.range.low_ms == r.low_ms);
	assert_true(all.range.high_ms == r.high_ms);
	stats_free(&s);
	free(pairs);
	free(points);
	free(end);
	free(slots);
	free(v);
}

static void
test_interval(void **state unused)
{
	assert_int_equal(each_case("interval", check_interval), 8);
}

/* ---- coverage ----------------------------------------------------------- */

static uint64_t seed = 1;

/* Normal; any generator would do that is not the one under test. */
static double
normal(void)
{
	double u[2];

	for (size_t i = 0; i < 2; i++) {
		seed = seed * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		u[i] = ((double)(seed >> 11) + 0.5) / (double)(1ull << 53);
	}
	return sqrt(-2 * log(u[0])) * cos(2 * M_PI * u[1]);
}

/* How often the interval of n neighbouring slots holds the true median. */
static double
coverage(size_t n, double phi, int runs)
{
	struct stats_point points[600];
	int hits = 0;

	for (int run = 0; run < runs; run++) {
		double x = normal();
		struct stats_range r;

		for (size_t i = 0; i < n; i++) {
			x = phi * x + sqrt(1 - phi * phi) * normal();
			points[i] = (struct stats_point){ (int64_t)i, x + 7 };
		}
		r = stats_block_bootstrap(points, n);
		hits += r.low_ms <= 7 && r.high_ms >= 7;
	}
	print_message("n %zu, phi %g: %d of %d\n", n, phi, hits, runs);
	return (double)hits / runs;
}

static void
test_coverage(void **state unused)
{
	static const struct {
		size_t n;
		double phi;
		int runs;
	} cases[] = {
		{ 30, 0.5, 200 },
		{ 90, 0, 200 },
		{ 180, 0.7, 200 },
		{ 540, 0.5, 100 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double c = coverage(cases[i].n, cases[i].phi, cases[i].runs);

		assert_true(c >= 0.90 && c <= 0.98);
	}
}

/* ---- verdicts ----------------------------------------------------------- */

/* a is b plus a shift, but for noise that has no median of its own. */
static struct stats_result
shifted(size_t n, double base, double shift, double noise)
{
	struct stats_pair pairs[400];
	struct stats_result r;
	struct stats *s;

	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct stats_pair){
			(int64_t)i,
			base + shift + noise * ((double)(i / 12 % 5) - 2),
			base,
		};
	s = stats_paired(pairs, n);
	while (!stats_step(s))
		;
	r = stats_result(s);
	stats_free(&s);
	return r;
}

static void
test_verdicts(void **state unused)
{
	static const struct {
		const char *what;
		size_t n;
		double base, shift, noise;
		enum verdict want;
	} cases[] = {
		{ "clear", 180, 8, 3, 0.1, VERDICT_A_SLOWER },
		{ "clear, other way", 180, 8, -3, 0.1, VERDICT_B_SLOWER },
		{ "not even 0.5 ms", 180, 2, 0.4, 0.01, VERDICT_NONE },
		{ "just 0.5 ms", 180, 2, 0.5, 0.01, VERDICT_A_SLOWER },
		{ "not even 5 %", 180, 100, 4.9, 0.1, VERDICT_NONE },
		{ "more than 5 %", 180, 100, 5.1, 0.1, VERDICT_A_SLOWER },
		{ "5 % of the smaller", 180, 100, -4.9, 0.1, VERDICT_B_SLOWER },
		{ "noise spans zero", 60, 50, 3, 40, VERDICT_NONE },
		{ "one too few", 29, 8, 30, 0, VERDICT_TOO_FEW },
		{ "just enough", 30, 8, 30, 0, VERDICT_A_SLOWER },
		{ "none", 0, 0, 0, 0, VERDICT_TOO_FEW },
		{ "one", 1, 8, 30, 0, VERDICT_TOO_FEW },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stats_result r = shifted(cases[i].n, cases[i].base,
						cases[i].shift, cases[i].noise);

		print_message("%s\n", cases[i].what);
		assert_int_equal(r.verdict, cases[i].want);
		assert_int_equal(r.a_n, cases[i].n);
		assert_int_equal(r.b_n, cases[i].n);
		if (cases[i].n == 0) {
			assert_true(isnan(r.difference_ms) && isnan(r.p));
			assert_true(isnan(r.a_median_ms) && isnan(r.ratio));
			continue;
		}
		assert_close(r.difference_ms, cases[i].shift, 1e-9);
		assert_close(r.ratio,
			     (cases[i].base + cases[i].shift) / cases[i].base,
			     1e-9);
		assert_true(r.b_mean_ms == cases[i].base);
		assert_int_equal(isnan(r.range.low_ms), cases[i].n < 30);
	}
}

/* Before and after: other times, other numbers of samples. */
static void
test_unpaired(void **state unused)
{
	struct stats_point a[200], b[90];
	struct stats_result r = { 0 }, again = { 0 };

	for (size_t run = 0; run < 2; run++) {
		struct stats *s;

		for (size_t i = 0; i < ARRAY_SIZE(a); i++)
			a[i] = (struct stats_point){ (int64_t)i,
						     9 + (double)(i * 7 % 5) };
		for (size_t i = 0; i < ARRAY_SIZE(b); i++)
			b[i] = (struct stats_point){ 5000 + (int64_t)i,
						     3 + (double)(i * 7 % 5) };
		s = stats_unpaired(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b));
		while (!stats_step(s))
			;
		again = stats_result(s);
		stats_free(&s);
		if (run == 0)
			r = again;
	}
	assert_int_equal(r.verdict, VERDICT_A_SLOWER);
	assert_int_equal(r.a_n, ARRAY_SIZE(a));
	assert_int_equal(r.b_n, ARRAY_SIZE(b));
	assert_true(r.difference_ms == 6 && r.a_median_ms == 11);
	assert_true(r.range.low_ms > 0 && r.range.low_ms <= 6);
	assert_true(r.range.high_ms >= 6);
	/* the same input, the same numbers */
	assert_true(r.range.low_ms == again.range.low_ms);
	assert_true(r.range.high_ms == again.range.high_ms);
	assert_string_equal(verdict_name(r.verdict), "a_slower");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mann_whitney),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_unpaired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
