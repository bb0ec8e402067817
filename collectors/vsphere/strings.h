/*
 * strings.h - a short list of different strings, in order of arrival.
 *
 * For portals, exports and device names of one datastore: a handful each, which
 * is why looking one up is linear.  Pure; one thread at a time.
 */
#ifndef DSLAT_STRINGS_H
#define DSLAT_STRINGS_H

#include "dslat/buf.h"

struct strings {
	char **v;
	size_t n;
};

/* Append a copy unless it is there or empty. */
void strings_add(struct strings *s, const char *text);
void strings_add_all(struct strings *s, const struct strings *more);
void strings_fini(struct strings *s);
/* Write them with the separator between; behind max of them "...". */
void strings_join(const struct strings *s, struct buf *b, const char *between,
		  size_t max);

#endif
