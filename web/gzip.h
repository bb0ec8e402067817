/*
 * gzip.h - a source's bytes, compressed on their way (RFC 1952).
 *
 * The only module that knows zlib.  The loop thread.
 */
#ifndef DSLAT_GZIP_H
#define DSLAT_GZIP_H

#include "web/reply.h"

/* The bytes of a buffer as a source; the buffer is empty then. */
struct source buf_source_take(struct buf *b);
/* Owns the inner source, which is cleared; what that one returns other than
 * bytes is passed on. */
struct source gzip_source_take(struct source *inner);

#endif
