/*
 * varint.h - whole numbers as few bytes: 7 bits each, lowest first.
 *
 * Small numbers take one byte; zigzag makes small negative ones small too.
 * Readers take any bytes and never read beyond them.  Pure; any thread.
 */
#ifndef DSLAT_VARINT_H
#define DSLAT_VARINT_H

#include "dslat/buf.h"

#define VARINT_MAX_BYTES 10

static inline void
varint_put(struct buf *out, uint64_t v)
{
	uint8_t bytes[VARINT_MAX_BYTES];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (uint8_t)(v | 0x80);
	bytes[n++] = (uint8_t)v;
	buf_add(out, bytes, n);
}

/* Reads one at *p, moves *p behind it; false: the bytes end early, or it does
 * not fit 64 bits. */
static inline bool must_check
varint_get(const uint8_t **p, const uint8_t *end, uint64_t *v_r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;

		if (shift == 63 && byte > 1)
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*v_r = v;
			return true;
		}
	}
	return false;
}

/* 0, -1, 1, -2, ... as 0, 1, 2, 3, ... */
static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ ((v & 1) != 0 ? UINT64_MAX : 0));
}

#endif
