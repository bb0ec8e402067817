/*
 * utf8.h - step through text that claims to be UTF-8.
 *
 * Names come from other machines and may hold anything.  A broken sequence
 * counts as one U+FFFD for each of its maximal parts, as the Unicode standard
 * recommends (3.9, table 3-8).  Pure; any thread.
 */
#ifndef DSLAT_UTF8_H
#define DSLAT_UTF8_H

#include "dslat/base.h"

#define UTF8_REPLACEMENT UINT32_C(0xfffd)
#define UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/* The character at s, which is NUL-terminated and not "", and the number of
 * bytes it takes (1-4); *valid_r (may be NULL) tells a broken sequence from a
 * U+FFFD that stands there. */
size_t utf8_next(const char *s, uint32_t *cp_r, bool *valid_r);

#endif
