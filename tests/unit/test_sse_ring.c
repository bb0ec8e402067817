#include "web/sse_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "unit.h"

#define BOOT "18f" /* 399 ms, in hexadecimal */

static void
ring_init_at(struct sse_ring *r)
{
	sse_ring_init(r, (real_t){ 0x18f * US_PER_MS });
}

static void
add(struct sse_ring *r, const char *data, int64_t at_us)
{
	sse_ring_add(r, "x", data, (mono_t){ at_us });
}

static void
test_text(void **state unused)
{
	struct sse_ring r;
	struct sse_event *e;

	ring_init_at(&r);
	add(&r, "{}", 1);
	e = sse_ring_get(&r, 1);
	assert_int_equal(e->refs, 2);
	assert_int_equal(e->len,
			 strlen("id: " BOOT "-1\nevent: x\n"
				"data: {}\n\n"));
	assert_memory_equal(e->data, "id: " BOOT "-1\nevent: x\ndata: {}\n\n",
			    e->len);
	sse_ring_fini(&r);
	assert_int_equal(e->refs, 1); /* a reader's event outlives the ring */
	event_unref(&e);
	assert_null(e);
	e = event_new(&r, NULL, 0, ": hb");
	assert_memory_equal(e->data, ": hb\n\n", e->len);
	event_unref(&e);
	e = event_new(&r, NULL, 7, "retry: 2000");
	assert_memory_equal(e->data, "id: " BOOT "-7\nretry: 2000\n\n", e->len);
	event_unref(&e);
}

static void
test_bounds(void **state unused)
{
	struct sse_ring r;

	ring_init_at(&r);
	assert_int_equal(sse_ring_oldest(&r), 1);
	for (int i = 1; i <= 1000; i++) {
		add(&r, "d", i);
		assert_int_equal(r.newest, i);
		assert_int_equal(sse_ring_oldest(&r),
				 MAX(1, i - SSE_RING_EVENTS + 1));
	}
	sse_ring_fini(&r);
	assert_int_equal(r.bytes, 0);
}

static void
test_bytes(void **state unused)
{
	char *large = xmalloc(SSE_RING_BYTES / 3);
	struct sse_ring r;

	memset(large, 'x', SSE_RING_BYTES / 3 - 1);
	large[SSE_RING_BYTES / 3 - 1] = '\0';
	ring_init_at(&r);
	for (int i = 0; i < 10; i++) {
		add(&r, large, i);
		assert_in_range(r.bytes, 1, SSE_RING_BYTES);
	}
	assert_int_equal(sse_ring_oldest(&r), 9);
	sse_ring_fini(&r);
	free(large);
}

static void
test_since(void **state unused)
{
	struct sse_ring r;

	ring_init_at(&r);
	assert_int_equal(sse_ring_since(&r, (mono_t){ 0 }), 1);
	for (int i = 1; i <= 5; i++)
		add(&r, "d", i * 10);
	assert_int_equal(sse_ring_since(&r, (mono_t){ 0 }), 1);
	assert_int_equal(sse_ring_since(&r, (mono_t){ 30 }), 3);
	assert_int_equal(sse_ring_since(&r, (mono_t){ 31 }), 4);
	assert_int_equal(sse_ring_since(&r, (mono_t){ 51 }), 6);
	sse_ring_fini(&r);
}

static void
test_resume(void **state unused)
{
	static const struct {
		const char *id;
		bool ok;
		uint64_t number;
	} rows[] = {
		/* 745 is the oldest of 1000: who has seen 744 misses nothing */
		{ BOOT "-1000", true, 1000 },
		{ BOOT "-900", true, 900 },
		{ BOOT "-745", true, 745 },
		{ BOOT "-744", true, 744 },
		{ BOOT "-743", false, 0 },
		{ BOOT "-0", false, 0 },
		{ BOOT "-1001", false, 0 },
		{ BOOT "-18446744073709551615", false, 0 },
		{ BOOT "-18446744073709551616", false, 0 },
		{ BOOT "-", false, 0 },
		{ BOOT "-9x", false, 0 },
		{ BOOT "--9", false, 0 },
		{ BOOT "- 900", false, 0 },
		{ BOOT "900", false, 0 },
		{ "18e-900", false, 0 },
		{ "", false, 0 },
		{ "-900", false, 0 },
	};
	struct sse_ring r;

	ring_init_at(&r);
	for (int i = 1; i <= 1000; i++)
		add(&r, "d", i);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t number;

		print_message("%s\n", rows[i].id);
		assert_int_equal(sse_ring_resume(&r, rows[i].id, &number),
				 rows[i].ok);
		if (rows[i].ok)
			assert_int_equal(number, rows[i].number);
	}
	sse_ring_fini(&r);
}

static void
test_skip(void **state unused)
{
	struct sse_ring r;
	uint64_t number;

	ring_init_at(&r);
	add(&r, "d", 1);
	add(&r, "d", 2);
	sse_ring_skip(&r);
	assert_int_equal(r.newest, 3);
	assert_int_equal(r.n, 0);
	assert_false(sse_ring_resume(&r, BOOT "-2", &number));
	assert_true(sse_ring_resume(&r, BOOT "-3", &number));
	add(&r, "d", 4);
	assert_int_equal(sse_ring_oldest(&r), 4);
	sse_ring_fini(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),   cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_bytes),  cmocka_unit_test(test_since),
		cmocka_unit_test(test_resume), cmocka_unit_test(test_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
