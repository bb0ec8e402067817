/*
 * The bytes of cells.  An hour:
 *
 *	1 byte	format, CHUNK_FORMAT
 *	then six columns, each
 *	varint	unit: what all its values are multiples of
 *	180 x	varint: 0 missing, else 1 + zigzag(value / unit - guess)
 *
 * The guess is a running mean; for bytes it is I/Os times the running mean of
 * the size of one, since the size of I/Os wanders less than their number.
 */
#include "dslat/chunk.h"

#include "dslat/varint.h"

#define CHUNK_FORMAT 1
#define LIVE_FORMAT 1

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

static int32_t
gcd(int32_t a, int32_t b)
{
	while (b != 0) {
		int32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
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

static void
column_encode(const struct cell *cells, unsigned field, struct buf *out)
{
	struct guess g = { .by_size = field >= FIELD_KIB_PER_S };

	for (size_t i = 0; i < CHUNK_SLOTS; i++)
		if (cells[i].v[field] > 0)
			g.unit = gcd(cells[i].v[field], g.unit);
	g.unit = MAX(g.unit, 1);
	varint_put(out, (uint64_t)g.unit);
	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		int32_t v = cells[i].v[field], ios;
		int64_t off;

		if (v < 0) {
			varint_put(out, 0);
			continue;
		}
		ios = ios_beside(&cells[i], field);
		v /= g.unit;
		off = v - guess_next(&g, ios);
		varint_put(out, 1 + zigzag(off));
		guess_learn(&g, v, ios);
	}
}

void
chunk_encode(const struct cell cells[CHUNK_SLOTS], struct buf *out)
{
	buf_addc(out, CHUNK_FORMAT);
	for (unsigned f = 0; f < N_FIELDS; f++)
		column_encode(cells, f, out);
}

/* The value that lies off the guess; false: there is none. */
static bool
column_value(const struct guess *g, int64_t off, int32_t ios, int32_t *n_r)
{
	int64_t n;

	if (off > INT64_MAX / 4 || off < INT64_MIN / 4)
		return false;
	n = guess_next(g, ios) + off;
	if (n < 0 || n > INT32_MAX / g->unit)
		return false;
	*n_r = (int32_t)n;
	return true;
}

static bool
column_decode(const uint8_t **p, const uint8_t *end, unsigned field,
	      struct cell *cells)
{
	struct guess g = { .by_size = field >= FIELD_KIB_PER_S };
	uint64_t v;

	if (!varint_get(p, end, &v) || v == 0 || v > INT32_MAX)
		return false;
	g.unit = (int32_t)v;
	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		int32_t ios = ios_beside(&cells[i], field), n;

		if (!varint_get(p, end, &v))
			return false;
		cells[i].v[field] = SAMPLE_NONE;
		if (v == 0)
			continue;
		if (!column_value(&g, unzigzag(v - 1), ios, &n))
			return false;
		cells[i].v[field] = n * g.unit;
		guess_learn(&g, n, ios);
	}
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

/*
 * A poll's cells:
 *
 *	1 byte	format, LIVE_FORMAT
 *	3 x	varint: unit of latencies, I/Os, bytes
 *	then for each cell
 *	2 x	varint: pair and slot, each minus that before, zigzag
 *	1 byte	bit n: field n has a value
 *	varint	value / unit, for each of those
 */
#define N_KINDS (N_FIELDS / N_OPS)

static void
live_units(const struct live_cell *cells, size_t n, int32_t units[N_KINDS])
{
	for (unsigned k = 0; k < N_KINDS; k++)
		units[k] = 0;
	for (size_t i = 0; i < n; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			if (cells[i].cell.v[f] > 0)
				units[f / N_OPS] = gcd(cells[i].cell.v[f],
						       units[f / N_OPS]);
	for (unsigned k = 0; k < N_KINDS; k++)
		units[k] = MAX(units[k], 1);
}

void
live_encode(const struct live_cell *cells, size_t n, struct buf *out)
{
	int32_t units[N_KINDS];
	int64_t pair = 0, slot = 0;

	live_units(cells, n, units);
	buf_addc(out, LIVE_FORMAT);
	for (unsigned k = 0; k < N_KINDS; k++)
		varint_put(out, (uint64_t)units[k]);
	for (size_t i = 0; i < n; i++) {
		const struct live_cell *c = &cells[i];
		unsigned mask = 0;

		for (unsigned f = 0; f < N_FIELDS; f++)
			mask |= (c->cell.v[f] >= 0 ? 1u : 0) << f;
		varint_put(out, zigzag(c->pair - pair));
		varint_put(out, zigzag(c->slot - slot));
		buf_addc(out, (char)mask);
		for (unsigned f = 0; f < N_FIELDS; f++)
			if (c->cell.v[f] >= 0)
				varint_put(out,
					   (uint64_t)(c->cell.v[f] /
						      units[f / N_OPS]));
		pair = c->pair;
		slot = c->slot;
	}
}

static bool
live_values(const uint8_t **p, const uint8_t *end,
	    const uint64_t units[N_KINDS], struct cell *c)
{
	unsigned mask;
	uint64_t v;

	if (*p == end)
		return false;
	mask = *(*p)++;
	if ((mask & ~FIELD_MASK_ALL) != 0)
		return false;
	for (unsigned f = 0; f < N_FIELDS; f++) {
		c->v[f] = SAMPLE_NONE;
		if ((mask & 1u << f) == 0)
			continue;
		if (!varint_get(p, end, &v) || v > INT32_MAX / units[f / N_OPS])
			return false;
		c->v[f] = (int32_t)(v * units[f / N_OPS]);
	}
	return true;
}

/* Moves *v by what is written, inside least..most (both below 2^62). */
static bool
get_step(const uint8_t **p, const uint8_t *end, int64_t least, int64_t most,
	 int64_t *v)
{
	uint64_t folded;
	int64_t by;

	if (!varint_get(p, end, &folded))
		return false;
	by = unzigzag(folded);
	if (by > most - *v || by < least - *v)
		return false;
	*v += by;
	return true;
}

/* A slot is some 2^27 now; far beyond that nothing makes sense. */
#define SLOT_LIMIT ((int64_t)1 << 40)

bool
live_decode(const uint8_t *data, size_t len,
	    void (*fn)(void *arg, const struct live_cell *c), void *arg)
{
	const uint8_t *p = data, *end = data + len;
	uint64_t units[N_KINDS];
	int64_t pair = 0, slot = 0;

	if (len == 0 || *p++ != LIVE_FORMAT)
		return false;
	for (unsigned k = 0; k < N_KINDS; k++)
		if (!varint_get(&p, end, &units[k]) || units[k] == 0 ||
		    units[k] > INT32_MAX)
			return false;
	while (p != end) {
		struct live_cell c;

		if (!get_step(&p, end, 0, UINT32_MAX, &pair) ||
		    !get_step(&p, end, -SLOT_LIMIT, SLOT_LIMIT, &slot))
			return false;
		if (!live_values(&p, end, units, &c.cell))
			return false;
		c.pair = (uint32_t)pair;
		c.slot = slot;
		fn(arg, &c);
	}
	return true;
}
