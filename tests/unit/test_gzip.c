#include "web/gzip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "dslat/mem.h"
#include "unit.h"

/* A source that yields its bytes n at a time and now and then nothing. */
struct drip {
	const char *data;
	size_t len, at, step;
	unsigned calls;
	ssize_t end; /* what comes behind the last byte */
	bool freed;
};

static ssize_t
drip_read(void *arg, char *out, size_t max)
{
	struct drip *d = arg;
	size_t n = MIN(MIN(max, d->step), d->len - d->at);

	if (++d->calls % 3 == 0)
		return 0;
	if (n == 0)
		return d->end;
	memcpy(out, d->data + d->at, n);
	d->at += n;
	return (ssize_t)n;
}

static void
drip_free(void *arg)
{
	((struct drip *)arg)->freed = true;
}

/* Everything the source has, asked for in pieces; what ended it. */
static ssize_t
drain(struct source *s, size_t piece, struct buf *out)
{
	char bytes[4096];
	unsigned idle = 0;

	for (;;) {
		ssize_t n = s->read(s->arg, bytes, piece);

		if (n < 0)
			return n;
		assert_in_range(n, 0, piece);
		assert_true(n != 0 || idle++ < 1000000);
		buf_add(out, bytes, (size_t)n);
	}
}

static void
inflate_all(const struct buf *in, struct buf *out)
{
	z_stream z = { 0 };
	int rc;

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_in = (unsigned char *)in->data;
	z.avail_in = (unsigned)in->len;
	do {
		char bytes[4096];

		z.next_out = (unsigned char *)bytes;
		z.avail_out = sizeof(bytes);
		rc = inflate(&z, Z_NO_FLUSH);
		assert_true(rc == Z_OK || rc == Z_STREAM_END);
		buf_add(out, bytes, sizeof(bytes) - z.avail_out);
	} while (rc != Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
}

static void
test_round_trip(void **state unused)
{
	static const size_t lens[] = { 0, 1, 1000, 20000, 300000 };
	static const size_t pieces[] = { 1, 7, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		char *data = xmalloc(lens[i] + 1);

		for (size_t j = 0; j < lens[i]; j++)
			data[j] = "abc\nxyz"[j % 7 * (j % 11) % 7];
		for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
			struct drip d = { data, lens[i],    0,    999,
					  0,    SOURCE_END, false };
			struct source inner = { drip_read, drip_free, &d };
			struct source gz = gzip_source_take(&inner);
			struct buf packed, plain;

			assert_null(inner.read);
			buf_init(&packed, 1 << 20);
			buf_init(&plain, 1 << 20);
			assert_int_equal(drain(&gz, pieces[k], &packed),
					 SOURCE_END);
			inflate_all(&packed, &plain);
			assert_int_equal(plain.len, lens[i]);
			if (lens[i] != 0)
				assert_memory_equal(plain.data, data, lens[i]);
			gz.free(gz.arg);
			assert_true(d.freed);
			buf_fini(&packed);
			buf_fini(&plain);
		}
		free(data);
	}
}

/* What is cut short must not look whole. */
static void
test_error(void **state unused)
{
	struct drip d = { "abcdef", 6, 0, 2, 0, SOURCE_ERROR, false };
	struct source inner = { drip_read, drip_free, &d };
	struct source gz = gzip_source_take(&inner);
	struct buf packed;

	buf_init(&packed, 4096);
	assert_int_equal(drain(&gz, 100, &packed), SOURCE_ERROR);
	gz.free(gz.arg);
	assert_true(d.freed);
	buf_fini(&packed);
}

static void
test_buffer(void **state unused)
{
	struct buf b, out;
	struct source s;

	buf_init(&b, 100);
	buf_init(&out, 100);
	buf_adds(&b, "hello world");
	s = buf_source_take(&b);
	assert_int_equal(b.len, 0);
	assert_int_equal(drain(&s, 4, &out), SOURCE_END);
	assert_string_equal(buf_str(&out), "hello world");
	s.free(s.arg);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
