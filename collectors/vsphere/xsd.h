/*
 * xsd.h - numbers and truth values out of XML text.
 *
 * Blanks around are allowed, nothing else is.  Pure; any thread.
 */
#ifndef DSLAT_XSD_H
#define DSLAT_XSD_H

#include "dslat/base.h"

/*
 * One integer from s (NUL-terminated) up to the first byte that does not
 * belong to it: returns where that is, or NULL when there is no integer.  A
 * number beyond 64 bits becomes the largest or its negative; INT64_MIN never
 * comes out.
 */
const char *xsd_i64(const char *s, int64_t *v_r);

/* The whole text is one integer; false: it is not, or not in 32 bits. */
bool xsd_i64_all(const char *s, int64_t *v_r) must_check;
bool xsd_i32_all(const char *s, int32_t *v_r) must_check;

/* xsd:boolean; anything but "true" and "1" is false. */
bool xsd_bool(const char *s);

#endif
