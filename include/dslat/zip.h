/*
 * zip.h - small pieces of bytes made smaller (zlib).
 *
 * A packed piece begins with one byte, 0 for "as it was" or 1 for zlib's
 * format, and then the length it had.  zlib's checksum makes a damaged piece an
 * error, not a wrong value.  Some 50 us for a kilobyte, so not on the loop
 * thread for many.  Any thread.
 */
#ifndef DSLAT_ZIP_H
#define DSLAT_ZIP_H

#include "dslat/buf.h"
#include "dslat/err.h"

/* Appends the packed piece; never more than 11 bytes longer than data. */
void zip_pack(const void *data, size_t len_bytes, struct buf *out);
/* Appends what was packed; -1 when this is no such piece, or it was longer
 * than out may become (nothing is appended then). */
int zip_unpack(const void *data, size_t len_bytes, struct buf *out,
	       struct err *e) must_check;

#endif
