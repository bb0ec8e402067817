/*
 * An hour as bytes: 1 byte CHUNK_FORMAT, then six columns, each
 *
 *	1 byte	which slots have a value: COLUMN_NONE (and that is all),
 *		COLUMN_ALL, or COLUMN_SOME with 23 bytes, bit i % 8 of byte i / 8
 *	varint	unit: what all values are multiples of
 *	varint	the first value / unit
 *	1 byte	k of the Rice code
 *	bits	each other value's distance from a guess, in units, zigzag, as a
 *		Rice code: u >> k times 1, then 0, then k bits; or ESCAPE times
 *		1, then 48 bits.  The last byte is filled up with 0.
 *
 * The guess is a running mean; for bytes it is I/Os times the running mean of
 * the size of one, since the size of I/Os wanders less than their number.
 * Measured on samples of whole milliseconds and I/Os per second that vary by 30
 * %, of 10 % variation in size: 4.6 bytes per cell; differences as varints
 * behind zlib: 6.1; the same with these guesses: 5.5.
 */
#include "dslat/chunk.h"

#include <string.h>

#include "bits.h"
#include "dslat/varint.h"

#define CHUNK_FORMAT 1
#define MAP_BYTES ((CHUNK_SLOTS + 7) / 8)

enum { COLUMN_NONE, COLUMN_ALL, COLUMN_SOME };

#define ESCAPE 24
#define ESCAPED_BITS 48 /* a guess for bytes is below 2^46 */
#define K_MAX 46

int64_t
chunk_hour(int64_t slot)
{
	int64_t s = slot - 1;

	return s / CHUNK_SLOTS - (s % CHUNK_SLOTS < 0);
}

int64_t
chunk_first_slot(int64_t hour)
{
	return hour * CHUNK_SLOTS + 1;
}

bool
cell_fill(struct cell *c, const struct cell *more)
{
	bool changed = false;

	for (unsigned f = 0; f < N_FIELDS; f++) {
		if (c->v[f] >= 0 || more->v[f] < 0)
			continue;
		c->v[f] = more->v[f];
		changed = true;
	}
	return changed;
}

/* What is guessed of a column's next value, from those before it. */
struct guess {
	bool by_size; /* of bytes, from the I/Os of the same cell */
	int32_t unit;
	int64_t mean; /* 8 binary digits; of a size 16 */
	bool begun;
};

#define MEAN_DIGITS 8
#define SIZE_DIGITS 16
#define MEAN_SHIFT 2 /* the newest counts a quarter */
#define SIZE_SHIFT 3
#define SIZE_MAX_FIXED INT32_MAX /* times I/Os still fits */

static int64_t
guess_next(const struct guess *g, int32_t ios)
{
	int64_t size;

	if (!g->by_size)
		return g->mean >> MEAN_DIGITS;
	if (ios <= 0)
		return 0;
	size = g->mean * ios + (1 << (SIZE_DIGITS - 1));
	return (size >> SIZE_DIGITS) / g->unit;
}

/* n: the value in units. */
static void
guess_learn(struct guess *g, int64_t n, int32_t ios)
{
	int64_t seen = n << MEAN_DIGITS;

	if (g->by_size) {
		if (ios <= 0)
			return;
		seen = MIN((n * g->unit << SIZE_DIGITS) / ios, SIZE_MAX_FIXED);
	}
	if (g->begun)
		g->mean += (seen - g->mean) >>
			(g->by_size ? SIZE_SHIFT : MEAN_SHIFT);
	else
		g->mean = seen;
	g->begun = true;
}

static int32_t
ios_beside(const struct cell *c, unsigned field)
{
	return field >= FIELD_KIB_PER_S
		? c->v[field - FIELD_KIB_PER_S + FIELD_IOS]
		: SAMPLE_NONE;
}

/* Distances from the guesses of all values but the first, zigzag. */
struct column {
	int32_t unit, first;
	size_t n; /* values */
	uint64_t off[CHUNK_SLOTS];
	uint8_t map[MAP_BYTES];
};

static void
column_measure(const struct cell *cells, unsigned field, struct column *col)
{
	struct guess g = { .by_size = field >= FIELD_KIB_PER_S };

	*col = (struct column){ 0 };
	for (size_t i = 0; i < CHUNK_SLOTS; i++)
		if (cells[i].v[field] > 0)
			g.unit = cell_gcd(cells[i].v[field], g.unit);
	g.unit = MAX(g.unit, 1);
	col->unit = g.unit;
	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		int32_t ios = ios_beside(&cells[i], field);
		int32_t n = cells[i].v[field] / g.unit;

		if (cells[i].v[field] < 0)
			continue;
		col->map[i / 8] |= (uint8_t)(1u << i % 8);
		if (col->n == 0)
			col->first = n;
		else
			col->off[col->n] = zigzag(n - guess_next(&g, ios));
		col->n++;
		guess_learn(&g, n, ios);
	}
}

static unsigned
rice_bits(uint64_t u, unsigned k)
{
	return u >> k < ESCAPE ? (unsigned)(u >> k) + 1 + k
			       : ESCAPE + ESCAPED_BITS;
}

static unsigned
best_k(const struct column *col)
{
	size_t least = SIZE_MAX;
	unsigned best = 0;

	for (unsigned k = 0; k <= K_MAX; k++) {
		size_t bits = 0;

		for (size_t i = 1; i < col->n && bits < least; i++)
			bits += rice_bits(col->off[i], k);
		if (bits < least) {
			least = bits;
			best = k;
		}
	}
	return best;
}

static void
rice_add(struct bit_writer *w, uint64_t u, unsigned k)
{
	uint64_t ones = u >> k;

	if (ones < ESCAPE) {
		bits_add(w, UINT64_MAX << 1, (unsigned)ones + 1);
		bits_add(w, u, k);
	} else {
		bits_add(w, UINT64_MAX, ESCAPE);
		bits_add(w, u, ESCAPED_BITS);
	}
}

static void
column_encode(const struct cell *cells, unsigned field, struct buf *out)
{
	struct column col;
	struct bit_writer w = { .out = out };
	unsigned k;

	column_measure(cells, field, &col);
	if (col.n == 0) {
		buf_addc(out, COLUMN_NONE);
		return;
	}
	buf_addc(out, col.n == CHUNK_SLOTS ? COLUMN_ALL : COLUMN_SOME);
	if (col.n != CHUNK_SLOTS)
		buf_add(out, col.map, sizeof(col.map));
	varint_put(out, (uint64_t)col.unit);
	varint_put(out, (uint64_t)col.first);
	k = best_k(&col);
	buf_addc(out, (char)k);
	for (size_t i = 1; i < col.n; i++)
		rice_add(&w, col.off[i], k);
	bits_end(&w);
}

void
chunk_encode(const struct cell cells[CHUNK_SLOTS], struct buf *out)
{
	buf_addc(out, CHUNK_FORMAT);
	for (unsigned f = 0; f < N_FIELDS; f++)
		column_encode(cells, f, out);
}

static bool
rice_get(struct bit_reader *r, unsigned k, uint64_t *u_r)
{
	uint64_t ones = 0, bit, low;

	while (ones < ESCAPE) {
		if (!bits_get(r, 1, &bit))
			return false;
		if (bit == 0)
			break;
		ones++;
	}
	if (ones == ESCAPE)
		return bits_get(r, ESCAPED_BITS, u_r);
	if (!bits_get(r, k, &low))
		return false;
	*u_r = ones << k | low;
	return true;
}

/* The map of a column and its numbers up to k. */
static bool
column_head(const uint8_t **p, const uint8_t *end, struct column *col,
	    unsigned *k_r)
{
	uint64_t unit, first;

	if (*p == end)
		return false;
	switch (*(*p)++) {
	case COLUMN_NONE:
		memset(col->map, 0, sizeof(col->map));
		return true;
	case COLUMN_ALL:
		memset(col->map, 0xff, sizeof(col->map));
		break;
	case COLUMN_SOME:
		if (end - *p < MAP_BYTES)
			return false;
		memcpy(col->map, *p, MAP_BYTES);
		*p += MAP_BYTES;
		break;
	default:
		return false;
	}
	if (!varint_get(p, end, &unit) || unit == 0 || unit > INT32_MAX ||
	    !varint_get(p, end, &first) || first > INT32_MAX / unit ||
	    *p == end || **p > K_MAX)
		return false;
	col->unit = (int32_t)unit;
	col->first = (int32_t)first;
	*k_r = *(*p)++;
	return true;
}

static bool
column_decode(const uint8_t **p, const uint8_t *end, unsigned field,
	      struct cell *cells)
{
	struct guess g = { .by_size = field >= FIELD_KIB_PER_S };
	struct bit_reader r;
	struct column col = { .unit = 1 };
	unsigned k = 0;
	bool begun = false;

	if (!column_head(p, end, &col, &k))
		return false;
	g.unit = col.unit;
	r = (struct bit_reader){ .p = *p, .end = end };
	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		int32_t ios = ios_beside(&cells[i], field);
		int64_t n = col.first;
		uint64_t off;

		cells[i].v[field] = SAMPLE_NONE;
		if ((col.map[i / 8] >> i % 8 & 1) == 0)
			continue;
		if (begun) {
			if (!rice_get(&r, k, &off))
				return false;
			n = guess_next(&g, ios) + unzigzag(off);
		}
		begun = true;
		if (n < 0 || n > INT32_MAX / g.unit)
			return false;
		cells[i].v[field] = (int32_t)n * g.unit;
		guess_learn(&g, n, ios);
	}
	*p = r.p;
	return true;
}

bool
chunk_decode(const uint8_t *data, size_t len, struct cell cells[CHUNK_SLOTS])
{
	const uint8_t *p = data, *end = data + len;

	if (len == 0 || *p++ != CHUNK_FORMAT)
		return false;
	for (unsigned f = 0; f < N_FIELDS; f++)
		if (!column_decode(&p, end, f, cells))
			return false;
	return p == end;
}
