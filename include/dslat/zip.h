/*
 * zip.h - small pieces of bytes made smaller (zlib).
 *
 * A packed piece begins with one byte, 0 for "as it was" (behind a checksum) or
 * 1 for zlib's format, and then the length it had (varint).  The checksum of
 * either makes a damaged piece an error, not a wrong value.  Some 50 us for a kilobyte, so not on the loop
 * thread for many.  Any thread.
 */
#ifndef DSLAT_ZIP_H
#define DSLAT_ZIP_H

#include "dslat/buf.h"
#include "dslat/err.h"

#define ZIP_MORE_BYTES 15
/* Appends the packed piece; at most ZIP_MORE_BYTES longer than data. */
void zip_pack(const void *data, size_t len_bytes, struct buf *out);
/* Appends what was packed; -1 when this is no such piece, or it was longer
 * than out may become (nothing is appended then). */
int zip_unpack(const void *data, size_t len_bytes, struct buf *out,
	       struct err *e) must_check;

#endif
