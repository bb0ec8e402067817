#include "dslat/roll.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define HOSTS 3
#define SLOTS 40
#define FIRST 89803000 /* in 2026 */

static const struct threshold threshold = {
	.warning_us = 50000,
	.critical_us = 75000,
	.min_ios = 20,
	.sparse_us = 1000000,
};

static struct cell cells[SLOTS][HOSTS];

static unsigned seed;

static unsigned
pick(unsigned below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

/* Now and then a field is missing; idle, sparse and busy directions. */
static void
make_cells(unsigned s, bool odd_units)
{
	seed = s;
	for (size_t i = 0; i < (size_t)SLOTS * HOSTS; i++) {
		struct cell *c = &cells[i / HOSTS][i % HOSTS];

		for (enum op op = 0; op < N_OPS; op++) {
			unsigned kind = pick(10);
			int32_t us = (int32_t)pick(90) * 1000;

			if (odd_units)
				us += (int32_t)pick(1000);
			c->v[FIELD_US + op] = kind < 2 ? 0 : us;
			c->v[FIELD_IOS + op] =
				kind < 4 ? 0 : (int32_t)pick(500) * SLOT_S;
			c->v[FIELD_KIB_PER_S + op] =
				kind < 2 ? 0 : (int32_t)pick(90000);
		}
		for (unsigned f = 0; f < N_FIELDS; f++)
			if (pick(12) == 0)
				c->v[f] = SAMPLE_NONE;
	}
}

static void
add_slots(struct roll *r, size_t first, size_t n)
{
	for (size_t s = first; s < first + n; s++) {
		struct roll_cell row[HOSTS];

		for (uint32_t h = 0; h < HOSTS; h++)
			row[h] = (struct roll_cell){ &cells[s][h], 100 + h };
		roll_add_slot(r, FIRST + (int64_t)s, row, HOSTS, &threshold);
	}
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* A list of values, and what there is to say of it. */
struct list {
	size_t n;
	int64_t v[SLOTS * HOSTS];
};

static void
assert_rate(const struct roll_rate *r, struct list *l)
{
	int64_t sum = 0;

	qsort(l->v, l->n, sizeof(l->v[0]), by_value);
	for (size_t i = 0; i < l->n; i++)
		sum += l->v[i];
	assert_int_equal(r->n, l->n);
	assert_int_equal(r->sum, sum);
	assert_int_equal(r->min, l->n != 0 ? l->v[0] : -1);
	assert_int_equal(r->max, l->n != 0 ? l->v[l->n - 1] : -1);
}

/* The meaning of a rate and a byte count, from the wire's fields. */
static void
assert_rates(const struct roll_op *o, enum op op, size_t first, size_t n)
{
	struct list ios = { 0 }, bytes = { 0 };

	for (size_t s = first; s < first + n; s++) {
		int64_t sum_ios = 0, sum_kib = 0;
		size_t have_ios = 0, have_kib = 0;

		for (size_t h = 0; h < HOSTS; h++) {
			int32_t i = cells[s][h].v[2 + op];
			int32_t k = cells[s][h].v[4 + op];

			have_ios += i != -1;
			have_kib += k != -1;
			sum_ios += i != -1 ? i : 0;
			sum_kib += k != -1 ? k : 0;
		}
		if (have_ios != 0)
			ios.v[ios.n++] = sum_ios;
		if (have_kib != 0)
			bytes.v[bytes.n++] = sum_kib * 20 * 1024;
	}
	assert_rate(&o->ios, &ios);
	assert_rate(&o->bytes, &bytes);
}

/* All busy samples in a list; each number of the roll from the list. */
static void
assert_latency(const struct roll_op *o, enum op op, size_t first, size_t n)
{
	size_t valued = 0, over = 0, at_max = 0;
	struct list busy = { 0 };
	int64_t weight = 0;
	double sum = 0;

	for (size_t s = first; s < first + n; s++) {
		for (size_t h = 0; h < HOSTS; h++) {
			const int32_t *v = cells[s][h].v;
			int32_t us = v[op], ios = v[2 + op], kib = v[4 + op];
			bool sparse = ios == 0 && (us > 0 || kib > 0);

			valued += us != -1;
			if (us == -1 || (ios == 0 && us == 0 && kib <= 0))
				continue;
			busy.v[busy.n++] = us;
			weight += sparse ? 1 : MAX(ios, 0);
			sum += (double)us * (sparse ? 1 : MAX(ios, 0));
			over += us >= (sparse ? 1000000 : 50000);
			if (us == o->max_us && ios == o->max_ios &&
			    o->max_pair == 100 + h &&
			    o->max_slot == FIRST + (int64_t)s)
				at_max++;
			assert_false(us == o->max_us &&
				     FIRST + (int64_t)s > o->max_slot);
		}
	}
	qsort(busy.v, busy.n, sizeof(busy.v[0]), by_value);
	assert_int_equal(o->n, valued);
	assert_int_equal(o->busy_n, busy.n);
	assert_int_equal(o->over_n, over);
	assert_int_equal(o->weight, weight);
	assert_int_equal(o->sum_us, (int64_t)sum);
	assert_int_equal(o->min_us, busy.v[0]);
	assert_int_equal(o->max_us, busy.v[busy.n - 1]);
	assert_int_equal(at_max, 1);
	assert_int_equal(o->hist->n, busy.n);
	assert_in_range(roll_mean_us(o), (int64_t)(sum / (double)weight),
			(int64_t)(sum / (double)weight) + 1);
	for (size_t b = 0, i = 0; b < HIST_BUCKETS; b++) {
		size_t count = 0;

		for (; i < busy.n && busy.v[i] <= hist_upper_us(b); i++)
			count++;
		assert_int_equal(o->hist->count[b], count);
	}
}

static void
test_against_lists(void **state unused)
{
	static struct hist hists[N_OPS];
	struct roll r;

	for (unsigned s = 0; s < 50; s++) {
		size_t first = s % 20, n = 1 + (s * 7) % 20;

		if (n < 3)
			continue; /* none may be busy */
		make_cells(s, s % 2 != 0);
		roll_init(&r, hists);
		assert_true(roll_is_empty(&r));
		add_slots(&r, first, n);
		assert_false(roll_is_empty(&r));
		for (enum op op = 0; op < N_OPS; op++) {
			assert_latency(&r.op[op], op, first, n);
			assert_rates(&r.op[op], op, first, n);
		}
	}
}

static void
assert_same(const struct roll *a, const struct roll *b)
{
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *x = &a->op[op], *y = &b->op[op];

		assert_int_equal(x->n, y->n);
		assert_int_equal(x->busy_n, y->busy_n);
		assert_int_equal(x->over_n, y->over_n);
		assert_int_equal(x->weight, y->weight);
		assert_int_equal(x->sum_us, y->sum_us);
		assert_int_equal(x->min_us, y->min_us);
		assert_int_equal(x->max_us, y->max_us);
		assert_int_equal(x->max_slot, y->max_slot);
		assert_int_equal(x->max_ios, y->max_ios);
		assert_int_equal(x->max_pair, y->max_pair);
		assert_memory_equal(&x->ios, &y->ios, sizeof(x->ios));
		assert_memory_equal(&x->bytes, &y->bytes, sizeof(x->bytes));
		assert_memory_equal(x->hist, y->hist, sizeof(*x->hist));
	}
}

/* Parts merge into the whole, whatever their order. */
static void
test_merge(void **state unused)
{
	static struct hist whole_h[N_OPS], a_h[N_OPS], b_h[N_OPS], c_h[N_OPS];
	struct roll whole, a, b, c;

	make_cells(99, true);
	roll_init(&whole, whole_h);
	roll_init(&a, a_h);
	roll_init(&b, b_h);
	roll_init(&c, c_h);
	add_slots(&whole, 0, SLOTS);
	add_slots(&a, 0, 11);
	add_slots(&b, 11, 1);
	add_slots(&c, 12, SLOTS - 12);
	roll_merge(&c, &a);
	roll_merge(&c, &b);
	assert_same(&c, &whole);
	roll_init(&a, a_h);
	roll_merge(&c, &a); /* nothing */
	assert_same(&c, &whole);
	roll_merge(&a, &c); /* into nothing */
	assert_same(&a, &whole);
}

static void
test_merge_saturates(void **state unused)
{
	struct roll a, b;

	make_cells(1, false);
	roll_init(&a, NULL);
	add_slots(&a, 0, SLOTS);
	a.op[0].sum_us = a.op[0].weight = a.op[0].ios.sum = INT64_MAX - 1;
	b = a;
	roll_merge(&a, &b);
	assert_int_equal(a.op[0].sum_us, INT64_MAX);
	assert_int_equal(a.op[0].weight, INT64_MAX);
	assert_int_equal(a.op[0].ios.sum, INT64_MAX);
}

/* Whole twenties and milliseconds, odd numbers, empty, idle, one sample; what
 * comes back is what went in, and any shorter text is none. */
static void
test_bytes(void **state unused)
{
	static struct hist in_h[N_OPS], out_h[N_OPS];
	struct roll in, out;
	struct buf b;

	buf_init(&b, 4096);
	for (unsigned s = 0; s < 40; s++) {
		const uint8_t *p, *start;

		make_cells(s, s % 2 != 0);
		if (s % 5 == 1)
			memset(cells, 0, sizeof(cells));
		if (s % 5 == 2)
			cells[0][0].v[FIELD_IOS] = 7;
		roll_init(&in, in_h);
		add_slots(&in, 0, s % 8 * 5);
		buf_reset(&b);
		roll_encode(&in, FIRST - 5, &b);
		start = (const uint8_t *)b.data;
		roll_init(&out, out_h);
		for (size_t len = 0; len < b.len; len++) {
			p = start;
			assert_false(roll_decode_merge(&p, start + len,
						       FIRST - 5, &out));
			assert_ptr_equal(p, start);
			assert_true(roll_is_empty(&out));
		}
		for (int twice = 0; twice < 2; twice++) {
			p = start;
			assert_true(roll_decode(&p, start + b.len, FIRST - 5,
						&out));
			assert_ptr_equal(p, start + b.len);
			assert_same(&in, &out);
		}
	}
	buf_fini(&b);
}

/* By hand, from the format at the top of roll_code.c: 15 samples of 4 ms with
 * 200 I/Os and 40 kB/s, then one of 9 ms with 60, read only. */
static void
test_known_bytes(void **state unused)
{
	static const uint8_t expected[] = {
		0x02 | 0x04 | 0x08 | 0x10 | 0x20 | 0x40,
		16, /* n */
		0x99,
		0x01, /* 3060 I/Os in twenties: 153 */
		3,
		7, /* least 60, most 200 */
		0xd8,
		0x04, /* 15 x 40: 600 */
		0,
		40, /* least 0, most 40 */
		0,  /* over */
		0xfc,
		0x61, /* 15 x 4 x 200 + 9 x 60 = 12540 */
		4,
		5,  /* least 4 ms, most 5 more */
		34, /* slot 2 + 15 */
		4,  /* 60 I/Os, plus one */
		77, /* pair */
		1,
		15,   /* the bucket of 4 ms, 15 times */
		72,   /* 9 ms: bucket 291, 36 after 255, once */
		0x01, /* no writes */
	};
	static struct hist h[N_OPS];
	struct cell c = { { 4000, -1, 200, -1, 40, -1 } };
	struct roll_cell rc = { &c, 77 };
	struct roll r;
	struct buf b;

	roll_init(&r, h);
	for (int64_t s = 0; s < 15; s++)
		roll_add_slot(&r, FIRST + s, &rc, 1, &threshold);
	c = (struct cell){ { 9000, -1, 60, -1, 0, -1 } };
	roll_add_slot(&r, FIRST + 15, &rc, 1, &threshold);
	buf_init(&b, 4096);
	roll_encode(&r, FIRST - 2, &b);
	assert_int_equal(b.len, sizeof(expected));
	assert_memory_equal(b.data, expected, sizeof(expected));
	buf_fini(&b);
}

static void
test_mean(void **state unused)
{
	struct cell c[2] = { { { 30000, 0, -1, 0, 5, 0 } },
			     { { 30000, -1, -1, -1, -1, -1 } } };
	struct roll_cell rc[2] = { { &c[0], 1 }, { &c[1], 2 } };
	struct roll r;

	roll_init(&r, NULL);
	assert_int_equal(roll_mean_us(&r.op[OP_READ]), -1);
	roll_add_slot(&r, FIRST, rc, 2, &threshold);
	/* No rate known: the one value they all have. */
	assert_int_equal(roll_mean_us(&r.op[OP_READ]), 30000);
	assert_int_equal(roll_mean_us(&r.op[OP_WRITE]), 0); /* idle */
	c[0].v[FIELD_US] = 40000;
	roll_add_slot(&r, FIRST + 1, rc, 2, &threshold);
	assert_int_equal(roll_mean_us(&r.op[OP_READ]), -1);
	c[0].v[FIELD_IOS] = 20;
	c[1].v[FIELD_IOS] = 40;
	roll_add_slot(&r, FIRST + 2, rc, 2, &threshold);
	assert_int_equal(roll_mean_us(&r.op[OP_READ]), 33333);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_lists),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_saturates),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_known_bytes),
		cmocka_unit_test(test_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
