/*
 * bits.h - bits into bytes and back, highest first; and what cells have in
 * common.
 *
 * For chunk.c and chunk_live.c.  Values of at most 64 bits.  Pure.
 */
#ifndef DSLAT_BITS_H
#define DSLAT_BITS_H

#include "dslat/buf.h"

struct bit_writer {
	struct buf *out;
	uint8_t byte;
	unsigned n; /* bits in byte */
};

/* The low n bits of v. */
static inline void
bits_add(struct bit_writer *w, uint64_t v, unsigned n)
{
	while (n-- > 0) {
		w->byte = (uint8_t)((unsigned)w->byte << 1 | (v >> n & 1));
		if (++w->n == 8) {
			buf_addc(w->out, (char)w->byte);
			w->n = 0;
		}
	}
}

/* Fills the last byte up with 0. */
static inline void
bits_end(struct bit_writer *w)
{
	while (w->n != 0)
		bits_add(w, 0, 1);
}

struct bit_reader {
	const uint8_t *p, *end; /* p: behind the byte that is begun */
	unsigned left;          /* bits of p[-1] not read yet */
};

static inline bool must_check
bits_get(struct bit_reader *r, unsigned n, uint64_t *v_r)
{
	uint64_t v = 0;

	while (n > 0) {
		unsigned take;

		if (r->left == 0) {
			if (r->p == r->end)
				return false;
			r->p++;
			r->left = 8;
		}
		take = MIN(n, r->left);
		r->left -= take;
		n -= take;
		v = v << take | (r->p[-1] >> r->left & ((1u << take) - 1));
	}
	*v_r = v;
	return true;
}

/* Greatest common divisor of a >= 0 and b >= 0. */
static inline int32_t
cell_gcd(int32_t a, int32_t b)
{
	while (b != 0) {
		int32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
