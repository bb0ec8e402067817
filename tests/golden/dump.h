/*
 * dump.h - a decoder's result as text, for golden files and comparisons.
 *
 * dump_answer() feeds one answer to the decoder of a method and appends what
 * came out, or the error.  Inventory methods (basic, basicnext, storage,
 * storagenext, nvme) add to the gather given; dump_inventory() prints it.
 * Errors of the dump itself end the program.
 */
#ifndef DSLAT_DUMP_H
#define DSLAT_DUMP_H

#include "dslat/buf.h"

#include "../../collectors/vsphere/gather.h"

#define DUMP_MAX_BYTES ((size_t)64 << 20)

/* How the bytes are handed over. */
struct dump_feed {
	const char *data;
	size_t len;
	size_t split; /* two pieces, the first of so many bytes; 0: one */
	size_t chunk; /* pieces of so many bytes; 0: one */
	int status;
};

/* "content", "perf", "basic", ...; false: no such method. */
bool dump_has_method(const char *method);
/* 0, or -1 when the decoder returned an error (which is printed). */
int dump_answer(struct buf *out, const char *method, struct gather *g,
		const struct dump_feed *feed);
void dump_inventory(struct buf *out, struct gather *g);

/* The whole file; exits when it cannot be read. */
void dump_read_file(const char *path, struct buf *b);

#endif
