#include "dslat/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/zip.h"
#include "unit.h"

#define N CHUNK_SLOTS

static uint32_t seed;

static uint32_t
draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

static const uint8_t *
bytes(const struct buf *b)
{
	return (const uint8_t *)buf_str(b);
}

/* Slots of hours by hand: an hour holds 180 slots and (t - 1 h, t]. */
static void
test_hours(void **state unused)
{
	static const struct {
		int64_t slot, hour;
	} rows[] = {
		{ 1, 0 },   { 180, 0 },   { 181, 1 },
		{ 0, -1 },  { -179, -1 }, { -180, -2 },
		{ 360, 1 }, { 361, 2 },   { 89802000, 498899 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(chunk_hour(rows[i].slot), rows[i].hour);
	assert_int_equal(chunk_first_slot(0), 1);
	assert_int_equal(chunk_first_slot(-1), -179);
	for (int64_t slot = -1000; slot < 1000; slot++) {
		int64_t first = chunk_first_slot(chunk_hour(slot));

		assert_true(first <= slot && slot < first + N);
	}
}

static void
test_fill(void **state unused)
{
	struct cell c = { { 1, -1, 0, -1, 5, -1 } };
	const struct cell more = { { 9, 8, 7, -1, 6, 0 } };
	const struct cell want = { { 1, 8, 0, -1, 5, 0 } };

	assert_true(cell_fill(&c, &more));
	assert_memory_equal(&c, &want, sizeof(c));
	assert_false(cell_fill(&c, &more));
}

static void
round_trip(const struct cell *cells)
{
	struct cell back[N];
	struct buf b;

	memset(back, 0x55, sizeof(back));
	buf_init(&b, 1 << 20);
	chunk_encode(cells, &b);
	assert_true(chunk_decode(bytes(&b), b.len, back));
	assert_memory_equal(back, cells, sizeof(back));
	/* No shorter piece of it is taken for the whole, nor a longer one. */
	for (size_t len = 0; len < b.len; len++)
		assert_false(chunk_decode(bytes(&b), len, back));
	buf_addc(&b, 0);
	assert_false(chunk_decode(bytes(&b), b.len, back));
	buf_fini(&b);
}

static void
test_chunks(void **state unused)
{
	static const uint32_t limits[] = { 1, 2, 100, 70000, 1u << 31 };
	struct cell cells[N];

	memset(cells, 0xff, sizeof(cells));
	round_trip(cells); /* nothing at all */
	memset(cells, 0, sizeof(cells));
	round_trip(cells); /* idle */
	for (size_t i = 0; i < N; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			cells[i].v[f] = i % 2 == f % 2 ? INT32_MAX : 0;
	round_trip(cells);
	for (size_t i = 0; i < N; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			cells[i].v[f] = f < FIELD_KIB_PER_S ? 1 : INT32_MAX;
	round_trip(cells); /* the largest size of one I/O */
	seed = 1;
	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < N; i++)
			for (unsigned f = 0; f < N_FIELDS; f++)
				cells[i].v[f] = draw(4) == 0
					? SAMPLE_NONE
					: (int32_t)draw(limits[draw(5)]);
		round_trip(cells);
	}
}

static void
zeros(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_addc(b, 0);
}

/* Against what the format's description says, bit by bit by hand. */
static void
test_chunk_bytes(void **state unused)
{
	struct cell cells[N];
	struct buf b, want;

	memset(cells, 0xff, sizeof(cells));
	cells[0].v[FIELD_US] = 3000;
	cells[2].v[FIELD_US] = 3000;
	cells[3].v[FIELD_US] = 5000;
	cells[4].v[FIELD_US] = 5000;
	for (size_t i = 0; i < N; i++)
		cells[i].v[FIELD_IOS] = 20;
	buf_init(&want, 1 << 20);
	buf_addc(&want, 1); /* the format */
	/* Some: slots 0, 2, 3, 4; unit 1000 (0xe8 0x07), 3 of them. */
	buf_add(&want, "\2\x1d", 2);
	zeros(&want, 22);
	buf_add(&want, "\xe8\x07\3", 3);
	/* Off by 0 from 3, by 2 from 3, by 2 from 3.5 cut to 3: u = 0, 4, 4;
	 * shortest with k = 1: 00 1100 1100. */
	buf_add(&want, "\1\x33\0", 3);
	zeros(&want, 1); /* no writes */
	/* All; unit 20, 1 of them; k = 0, 179 times u = 0: one bit each. */
	buf_add(&want, "\1\x14\1\0", 4);
	zeros(&want, 23);
	zeros(&want, 3); /* no writes, no bytes */
	buf_init(&b, 1 << 20);
	chunk_encode(cells, &b);
	assert_int_equal(b.len, want.len);
	assert_memory_equal(b.data, want.data, want.len);
	buf_fini(&b);
	buf_fini(&want);
}

struct list {
	struct live_cell cells[512];
	size_t n;
};

static void
add(void *arg, const struct live_cell *c)
{
	struct list *l = arg;

	assert_true(l->n < ARRAY_SIZE(l->cells));
	l->cells[l->n++] = *c;
}

static void
test_live(void **state unused)
{
	static struct list want, got;
	struct buf b;

	seed = 2;
	buf_init(&b, 1 << 20);
	for (int round = 0; round < 100; round++) {
		want.n = draw(ARRAY_SIZE(want.cells));
		for (size_t i = 0; i < want.n; i++) {
			struct live_cell *c = &want.cells[i];

			c->pair = draw(3) == 0 ? UINT32_MAX : draw(2000);
			c->slot = (int64_t)draw(UINT32_MAX) - draw(UINT32_MAX);
			for (unsigned f = 0; f < N_FIELDS; f++)
				c->cell.v[f] = draw(3) == 0
					? SAMPLE_NONE
					: (int32_t)draw(3000) *
						(f < FIELD_IOS ? 1000 : 1);
		}
		buf_reset(&b);
		got.n = 0;
		live_encode(want.cells, want.n, &b);
		assert_true(live_decode(bytes(&b), b.len, add, &got));
		assert_int_equal(got.n, want.n);
		for (size_t i = 0; i < want.n; i++) {
			assert_int_equal(got.cells[i].pair, want.cells[i].pair);
			assert_int_equal(got.cells[i].slot, want.cells[i].slot);
			assert_memory_equal(&got.cells[i].cell,
					    &want.cells[i].cell,
					    sizeof(struct cell));
		}
		/* A part of it gives a part of the cells, unless cut clean. */
		got.n = 0;
		if (want.n != 0 &&
		    !live_decode(bytes(&b), b.len - 1, add, &got))
			assert_true(got.n < want.n);
	}
	buf_fini(&b);
}

static void
test_nonsense(void **state unused)
{
	static const struct {
		const char *name;
		uint8_t bytes[24];
		size_t len;
	} rows[] = {
		{ "nothing", { 0 }, 0 },
		{ "another format", { 2, 1, 1, 1 }, 4 },
		{ "unit 0", { 1, 0, 1, 1 }, 4 },
		{ "pair below 0", { 1, 1, 1, 1, 1, 0, 0 }, 7 },
		{ "unknown field", { 1, 1, 1, 1, 2, 0, 0x40 }, 7 },
		{ "field missing", { 1, 1, 1, 1, 2, 0, 1 }, 7 },
		{ "value too large",
		  { 1, 2, 1, 1, 2, 0, 1, 0x80, 0x80, 0x80, 0x80, 4 },
		  12 },
		{ "slot too large",
		  { 1, 1, 1, 1, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
		    0 },
		  14 },
		{ "number too long",
		  { 1, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		    0xff, 0x7f, 0, 0 },
		  16 },
	};
	static struct list got;
	struct cell cells[N];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].name);
		got.n = 0;
		assert_false(
			live_decode(rows[i].bytes, rows[i].len, add, &got));
		assert_int_equal(got.n, 0);
		assert_false(chunk_decode(rows[i].bytes, rows[i].len, cells));
	}
}

/*
 * What an hour of a pair takes on disk, without the database's own share: cells
 * of 420 +- 40 % I/Os per second and whole milliseconds, where the size of I/Os
 * varies by 10 %.  tests/bench/bench_store has the whole truth.
 */
static void
test_size(void **state unused)
{
	static struct cell cells[N];
	struct buf b, packed;
	size_t total = 0;

	seed = 3;
	buf_init(&b, 1 << 20);
	buf_init(&packed, 1 << 20);
	for (int hour = 0; hour < 50; hour++) {
		for (size_t i = 0; i < N; i++)
			for (enum op op = 0; op < N_OPS; op++) {
				int32_t *v = cells[i].v;
				int32_t per_s = (int32_t)(252 + draw(336));

				v[FIELD_US + op] =
					(int32_t)(1 + draw(3)) * 1000;
				v[FIELD_IOS + op] = per_s * SLOT_S;
				v[FIELD_KIB_PER_S + op] = per_s *
					(int32_t)(900 + draw(200)) / 100;
			}
		buf_reset(&b);
		buf_reset(&packed);
		chunk_encode(cells, &b);
		zip_pack(b.data, b.len, &packed);
		total += packed.len;
	}
	print_message("%zu bytes for 100 samples\n", total * 100 / 50 / N);
	assert_true(total < 50 * N * 6);
	buf_fini(&b);
	buf_fini(&packed);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hours),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_chunk_bytes),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
