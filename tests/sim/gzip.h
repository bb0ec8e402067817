/*
 * gzip.h - compressed bodies, honest and not; pure, any thread.
 */
#ifndef SIM_GZIP_H
#define SIM_GZIP_H

#include "dslat/buf.h"

/* Replace the body by its gzip form; false: left as it is. */
bool gzip_pack(struct buf *body);
/* Replace it by gzip of: its first half, so many bytes of <value>0</value>,
 * its second half (cut before the end of the SOAP body). */
void gzip_bomb(struct buf *body, size_t unpacked_bytes);

#endif
