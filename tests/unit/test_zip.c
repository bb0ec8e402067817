#include "dslat/zip.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void
fill(uint8_t *bytes, size_t n, bool random)
{
	unsigned seed = (unsigned)n;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		bytes[i] = random ? (uint8_t)(seed >> 16) : (uint8_t)(i % 7);
	}
}

static void
test_round_trip(void **state unused)
{
	static const size_t sizes[] = { 0, 1, 2, 100, 1000, 65536, 300000 };
	static uint8_t bytes[300000];
	struct buf packed, back;
	struct err e;

	buf_init(&packed, 1 << 20);
	buf_init(&back, 1 << 20);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		size_t n = sizes[i / 2];

		fill(bytes, n, i % 2 == 0);
		buf_reset(&packed);
		buf_reset(&back);
		zip_pack(bytes, n, &packed);
		assert_true(packed.len <= n + ZIP_MORE_BYTES);
		if (i % 2 != 0 && n >= 100)
			assert_true(packed.len < n / 2);
		buf_adds(&back, "before");
		assert_int_equal(zip_unpack(packed.data, packed.len, &back, &e),
				 0);
		assert_int_equal(back.len, 6 + n);
		assert_memory_equal(back.data, "before", 6);
		assert_memory_equal(back.data + 6, bytes, n);
	}
	buf_fini(&packed);
	buf_fini(&back);
}

/* No damaged byte goes unseen, and nothing is appended then. */
static void
test_damage(void **state unused)
{
	uint8_t bytes[1000];
	struct buf packed, back;
	struct err e;

	fill(bytes, sizeof(bytes), false);
	buf_init(&packed, 1 << 20);
	buf_init(&back, 1 << 20);
	zip_pack(bytes, sizeof(bytes), &packed);
	for (size_t i = 0; i < packed.len; i++) {
		assert_int_equal(zip_unpack(packed.data, i, &back, &e), -1);
		/* Two bits of zlib's head are its own affair (level). */
		packed.data[i] ^= i == 4 ? 0x20 : 0x01;
		assert_int_equal(zip_unpack(packed.data, packed.len, &back, &e),
				 -1);
		packed.data[i] ^= i == 4 ? 0x20 : 0x01;
	}
	assert_int_equal(back.len, 0);
	assert_int_equal(zip_unpack(packed.data, packed.len, &back, &e), 0);
	buf_fini(&packed);
	buf_fini(&back);
}

/* A piece that says it is huge is refused before memory is taken for it. */
static void
test_limit(void **state unused)
{
	static const char huge[] = "\1\377\377\377\377\17x\234\3\0\0\0\0\1";
	uint8_t bytes[1000];
	struct buf packed, back;
	struct err e;

	fill(bytes, sizeof(bytes), false);
	buf_init(&packed, 1 << 20);
	zip_pack(bytes, sizeof(bytes), &packed);
	buf_init(&back, sizeof(bytes) - 1);
	assert_int_equal(zip_unpack(packed.data, packed.len, &back, &e), -1);
	assert_int_equal(e.code, ERR_LIMIT);
	buf_fini(&back);
	buf_init(&back, (size_t)1 << 40);
	assert_int_equal(zip_unpack(huge, sizeof(huge) - 1, &back, &e), -1);
	assert_int_equal(e.code, ERR_PROTO);
	assert_int_equal(back.room, 0);
	buf_fini(&packed);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
