/*
 * cursor.h - "behind this row", packed into a word for an address.
 *
 * Base64url (RFC 4648, 5) of the row's key: three strings with their NULs.
 * Clients treat it as opaque.  Pure; any thread.
 */
#ifndef DSLAT_CURSOR_H
#define DSLAT_CURSOR_H

#include "dslat/buf.h"

#define CURSOR_PARTS 3

struct cursor {
	char *bytes;                    /* owned; NULL: before the first row */
	const char *part[CURSOR_PARTS]; /* into bytes */
};

int cursor_append(struct buf *b, const char *const part[CURSOR_PARTS]);
/* 0, or -1 when it is none.  cursor_fini() in either case. */
int cursor_parse(struct cursor *c, const char *text) must_check;
void cursor_set(struct cursor *c, const char *const part[CURSOR_PARTS]);
void cursor_fini(struct cursor *c);
/* Below, at or above 0: the key comes before, at or behind the cursor. */
int cursor_compare(const char *const part[CURSOR_PARTS],
		   const struct cursor *c);

#endif
