/*
 * mem.h - small allocations that succeed or abort.
 *
 * For sizes this program chooses.  Bytes whose amount the network chooses go
 * through buf.h, which has a ceiling and returns an error.  Memory from
 * xcalloc and friends is zero-filled where said; free it with free().
 * Any thread.
 */
#ifndef DSLAT_MEM_H
#define DSLAT_MEM_H

#include <stdarg.h>

#include "dslat/base.h"

void *xmalloc(size_t size_bytes) must_check;
/* n objects, zero-filled; aborts when n * size overflows. */
void *xcalloc(size_t n, size_t size_bytes) must_check;
/* Room for n objects of the size; new room is not zero-filled. */
void *xreallocarray(void *p, size_t n, size_t size_bytes) must_check;
/* Room for one more behind n objects of an array that only grows, and only by
 * this call: it doubles whenever n is a power of two. */
void *xgrow(void *p, size_t n, size_t size_bytes) must_check;
char *xstrdup(const char *s) must_check;
char *xstrndup(const char *s, size_t len_bytes) must_check;
char *xasprintf(const char *fmt, ...) printf_like(1, 2) must_check;
char *xvasprintf(const char *fmt, va_list ap) printf_like(1, 0) must_check;

/* Replace the owned string *dst by a copy of s (NULL allowed); true if it
 * differs from what was there. */
bool xstrset(char **dst, const char *s);

/* Overwrite before freeing: for passwords and tokens. */
void mem_wipe(void *p, size_t len_bytes);

#endif
