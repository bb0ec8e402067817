/*
 * buf.h - growable bytes with a ceiling given at birth.
 *
 * Always NUL-terminated behind len, so data may be printed as a string.  An
 * append that would pass the ceiling sets `full`, appends nothing and returns
 * -1; all later appends fail too, so a writer may check once at its end.
 * The owner calls buf_fini().  One thread at a time.
 */
#ifndef DSLAT_BUF_H
#define DSLAT_BUF_H

#include "dslat/base.h"

struct buf {
	char *data;  /* NULL until the first append */
	size_t len;  /* bytes in use */
	size_t room; /* bytes allocated */
	size_t max;  /* ceiling in bytes */
	bool full;   /* an append was refused */
};

void buf_init(struct buf *b, size_t max_bytes);
/* Free the bytes; the buffer is empty and usable again afterwards. */
void buf_fini(struct buf *b);
/* Forget the content, keep the room. */
void buf_reset(struct buf *b);

int buf_add(struct buf *b, const void *data, size_t len_bytes);
int buf_adds(struct buf *b, const char *s);
int buf_addc(struct buf *b, char c);
int buf_addf(struct buf *b, const char *fmt, ...) printf_like(2, 3);
/* Append text with & < > " ' and control characters escaped for XML. */
int buf_add_xml(struct buf *b, const char *s);

/* The content as a string; "" when nothing was appended.  Borrowed. */
const char *buf_str(const struct buf *b);
/* The content as a heap string now owned by the caller; the buffer is empty. */
char *buf_take(struct buf *b) must_check;

#endif
