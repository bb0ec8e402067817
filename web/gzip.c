#include "web/gzip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "dslat/mem.h"

/* A third of the default's memory (about 90 KB) for a percent of size. */
#define WINDOW_BITS (13 + 16) /* +16: with gzip's head and tail */
#define MEM_LEVEL 7
#define INPUT_BYTES 16384

struct buf_reader {
	uint32_t magic;
	struct buf buf;
	size_t at;
};
#define BUF_READER_MAGIC OBJ_MAGIC('b', 'u', 'f', 'r')

struct gzip {
	uint32_t magic;
	struct source inner;
	z_stream z;
	bool inner_ended, ended;
	char input[INPUT_BYTES];
};
#define GZIP_MAGIC OBJ_MAGIC('g', 'z', 'i', 'p')

static ssize_t
buf_reader_read(void *arg, char *out, size_t max)
{
	struct buf_reader *r =
		OBJ_CAST(struct buf_reader, BUF_READER_MAGIC, arg);
	size_t n = MIN(max, r->buf.len - r->at);

	if (n == 0)
		return SOURCE_END;
	memcpy(out, r->buf.data + r->at, n);
	r->at += n;
	return (ssize_t)n;
}

static void
buf_reader_free(void *arg)
{
	struct buf_reader *r =
		OBJ_CAST(struct buf_reader, BUF_READER_MAGIC, arg);

	buf_fini(&r->buf);
	free(r);
}

struct source
buf_source_take(struct buf *b)
{
	struct buf_reader *r = xcalloc(1, sizeof(*r));

	r->magic = BUF_READER_MAGIC;
	r->buf = *b;
	buf_init(b, b->max);
	return (struct source){ buf_reader_read, buf_reader_free, r };
}

/* Give zlib more input: 0, or what the inner source said instead of bytes. */
static ssize_t
refill(struct gzip *g)
{
	ssize_t n = g->inner.read(g->inner.arg, g->input, sizeof(g->input));

	if (n == SOURCE_END) {
		g->inner_ended = true;
		return 0;
	}
	if (n <= 0)
		return n == 0 ? 0 : SOURCE_ERROR;
	g->z.next_in = (unsigned char *)g->input;
	g->z.avail_in = (unsigned)n;
	return 0;
}

/*
 * zlib keeps bytes back until a block of 8,192 symbols is full: a call reads
 * on until there is output, some 150 KB of text that repeats itself.
 */
static ssize_t
gzip_read(void *arg, char *out, size_t max)
{
	struct gzip *g = OBJ_CAST(struct gzip, GZIP_MAGIC, arg);

	g->z.next_out = (unsigned char *)out;
	g->z.avail_out = (unsigned)MIN(max, (size_t)1 << 30);
	while (!g->ended && (char *)g->z.next_out == out) {
		int rc;

		if (g->z.avail_in == 0 && !g->inner_ended) {
			ssize_t n = refill(g);

			if (n != 0)
				return n;
			if (g->z.avail_in == 0 && !g->inner_ended)
				return 0; /* nothing now */
		}
		rc = deflate(&g->z, g->inner_ended ? Z_FINISH : Z_NO_FLUSH);
		assert(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
		g->ended = rc == Z_STREAM_END;
	}
	if ((char *)g->z.next_out == out)
		return SOURCE_END;
	return (char *)g->z.next_out - out;
}

static void
gzip_free(void *arg)
{
	struct gzip *g = OBJ_CAST(struct gzip, GZIP_MAGIC, arg);

	deflateEnd(&g->z);
	g->inner.free(g->inner.arg);
	free(g);
}

struct source
gzip_source_take(struct source *inner)
{
	struct gzip *g = xcalloc(1, sizeof(*g));
	int rc;

	g->magic = GZIP_MAGIC;
	g->inner = *inner;
	*inner = (struct source){ 0 };
	rc = deflateInit2(&g->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS,
			  MEM_LEVEL, Z_DEFAULT_STRATEGY);
	assert(rc == Z_OK); /* or no memory: the same end as in mem.c */
	return (struct source){ gzip_read, gzip_free, g };
}
