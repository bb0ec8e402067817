/*
 * fuzz_chunk.c - what a damaged database can hold where cells should be.
 *
 * The input is taken as an hour, as a poll and as a packed piece.  What is
 * accepted must be the same after it was written and read again.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/chunk.h"
#include "dslat/mem.h"
#include "dslat/zip.h"

#define MAX_LIVE 4096

struct list {
	struct live_cell cells[MAX_LIVE];
	size_t n;
};

static void
add(void *arg, const struct live_cell *c)
{
	struct list *l = arg;

	for (unsigned f = 0; f < N_FIELDS; f++)
		if (c->cell.v[f] < SAMPLE_NONE)
			abort();
	if (l->n < MAX_LIVE)
		l->cells[l->n++] = *c;
}

static void
try_chunk(const uint8_t *data, size_t size)
{
	static struct cell cells[CHUNK_SLOTS], again[CHUNK_SLOTS];
	struct buf b;

	if (!chunk_decode(data, size, cells))
		return;
	for (size_t i = 0; i < CHUNK_SLOTS; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			if (cells[i].v[f] < SAMPLE_NONE)
				abort();
	buf_init(&b, 1 << 20);
	chunk_encode(cells, &b);
	if (!chunk_decode((const uint8_t *)b.data, b.len, again) ||
	    memcmp(cells, again, sizeof(cells)) != 0)
		abort();
	buf_fini(&b);
}

static void
try_live(const uint8_t *data, size_t size)
{
	struct list *l = xcalloc(2, sizeof(*l));
	bool whole = live_decode(data, size, add, &l[0]);
	struct buf b;

	if (whole && l[0].n < MAX_LIVE) {
		buf_init(&b, 1 << 20);
		live_encode(l[0].cells, l[0].n, &b);
		if (!live_decode((const uint8_t *)b.data, b.len, add, &l[1]) ||
		    l[1].n != l[0].n)
			abort();
		for (size_t i = 0; i < l[0].n; i++) {
			const struct live_cell *c = &l[0].cells[i];
			const struct live_cell *d = &l[1].cells[i];

			if (c->pair != d->pair || c->slot != d->slot ||
			    memcmp(&c->cell, &d->cell, sizeof(c->cell)) != 0)
				abort();
		}
		buf_fini(&b);
	}
	free(l);
}

static void
try_zip(const uint8_t *data, size_t size)
{
	struct buf out;
	struct err e;

	buf_init(&out, 1 << 20);
	if (zip_unpack(data, size, &out, &e) == 0)
		try_chunk((const uint8_t *)buf_str(&out), out.len);
	buf_reset(&out);
	zip_pack(data, size, &out);
	if (out.len > size + ZIP_MORE_BYTES)
		abort();
	buf_fini(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_chunk(data, size);
	try_live(data, size);
	try_zip(data, size);
	return 0;
}
