/*
 * A poll's cells as bytes:
 *
 *	1 byte	format, LIVE_FORMAT
 *	3 x	varint: unit of latencies, I/Os, bytes
 *	then for each cell
 *	2 x	varint: pair and slot, each minus that before, zigzag
 *	1 byte	bit n: field n has a value
 *	varint	value / unit, for each of those
 */
#include "dslat/chunk.h"

#include "bits.h"
#include "dslat/varint.h"

#define LIVE_FORMAT 1
#define N_KINDS (N_FIELDS / N_OPS)

static void
live_units(const struct live_cell *cells, size_t n, int32_t units[N_KINDS])
{
	for (unsigned k = 0; k < N_KINDS; k++)
		units[k] = 0;
	for (size_t i = 0; i < n; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			if (cells[i].cell.v[f] > 0)
				units[f / N_OPS] = cell_gcd(cells[i].cell.v[f],
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
