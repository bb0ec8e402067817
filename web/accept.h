/*
 * accept.h - what a client says it takes (RFC 9110, 12.4 and 12.5).
 *
 * Pure; any thread.
 */
#ifndef DSLAT_ACCEPT_H
#define DSLAT_ACCEPT_H

#include "dslat/base.h"

/*
 * How much the header's list wants a coding ("gzip") or media type
 * ("text/plain"): thousandths, 0 when not at all.  The most specific entry
 * counts: the word itself, then "text/" with a star, then a star alone.
 * Parameters other than q are not looked at.
 */
int accept_quality(const char *list, const char *word);

#endif
