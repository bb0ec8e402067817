#include "dslat/zip.h"

#include <stdlib.h>

#include <zlib.h>

#include "dslat/mem.h"
#include "dslat/varint.h"

enum { ZIP_PLAIN, ZIP_ZLIB };
/* Pieces are some kilobytes: a window of 32 KiB holds them. */
#define LEVEL 6
#define SUM_BYTES 4 /* CRC-32, low byte first */

static uint32_t
plain_sum(const void *data, size_t len_bytes)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, len_bytes);
}

static int
add_plain(const uint8_t *p, const uint8_t *end, uint64_t len, struct buf *out,
	  struct err *e)
{
	uint32_t sum = 0;

	if ((uint64_t)(end - p) != SUM_BYTES + len)
		return err_set(e, ERR_PROTO,
			       "a packed piece has the wrong length");
	for (unsigned i = 0; i < SUM_BYTES; i++)
		sum |= (uint32_t)*p++ << 8 * i;
	if (sum != plain_sum(p, (size_t)len))
		return err_set(e, ERR_PROTO, "a packed piece is damaged");
	return buf_add(out, p, (size_t)len);
}

void
zip_pack(const void *data, size_t len_bytes, struct buf *out)
{
	uLongf n = compressBound((uLong)len_bytes);
	void *packed = xmalloc(n);
	int rc = compress2(packed, &n, data, (uLong)len_bytes, LEVEL);
	bool smaller = n < len_bytes;

	assert(rc == Z_OK); /* or no memory: the same end as in mem.c */
	buf_addc(out, smaller ? ZIP_ZLIB : ZIP_PLAIN);
	varint_put(out, len_bytes);
	if (smaller) {
		buf_add(out, packed, n);
	} else {
		uint32_t sum = plain_sum(data, len_bytes);

		for (unsigned i = 0; i < SUM_BYTES; i++)
			buf_addc(out, (char)(uint8_t)(sum >> 8 * i));
		buf_add(out, data, len_bytes);
	}
	free(packed);
}

int
zip_unpack(const void *data, size_t len_bytes, struct buf *out, struct err *e)
{
	const uint8_t *p = data, *end = p + len_bytes;
	uint64_t len;
	uLongf n;
	char *plain;
	int rc;

	if (len_bytes == 0)
		return err_set(e, ERR_PROTO, "a packed piece is empty");
	if (*p++ > ZIP_ZLIB || !varint_get(&p, end, &len))
		return err_set(e, ERR_PROTO, "not a packed piece");
	if (len > out->max - out->len)
		return err_set(e, ERR_LIMIT,
			       "a packed piece is too large: %llu bytes",
			       (unsigned long long)len);
	if (*(const uint8_t *)data == ZIP_PLAIN)
		return add_plain(p, end, len, out, e);
	/* Deflate makes at most 1,032 times more of its bytes. */
	if (len / 1032 > (uint64_t)(end - p))
		return err_set(e, ERR_PROTO,
			       "a packed piece has the wrong length");
	n = (uLongf)len;
	plain = xmalloc(n + 1);
	rc = uncompress((Bytef *)plain, &n, p, (uLong)(end - p));
	if (rc == Z_OK && n == len)
		rc = buf_add(out, plain, n);
	else
		rc = err_set(e, ERR_PROTO, "a packed piece is damaged");
	free(plain);
	return rc;
}
