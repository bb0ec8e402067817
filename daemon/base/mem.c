#include "dslat/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
must_have(void *p)
{
	if (p == NULL) {
		fputs("<2>out of memory\n", stderr);
		abort();
	}
	return p;
}

void *
xmalloc(size_t size_bytes)
{
	return must_have(malloc(size_bytes != 0 ? size_bytes : 1));
}

void *
xcalloc(size_t n, size_t size_bytes)
{
	return must_have(
		calloc(n != 0 ? n : 1, size_bytes != 0 ? size_bytes : 1));
}

void *
xreallocarray(void *p, size_t n, size_t size_bytes)
{
	size_t all;

	if (__builtin_mul_overflow(n, size_bytes, &all))
		return must_have(NULL);
	return must_have(realloc(p, all != 0 ? all : 1));
}

void *
xgrow(void *p, size_t n, size_t size_bytes)
{
	if ((n & (n - 1)) != 0) /* neither 0 nor a power of two */
		return p;
	return xreallocarray(p, n != 0 ? 2 * n : 1, size_bytes);
}

char *
xstrdup(const char *s)
{
	return must_have(strdup(s));
}

char *
xstrndup(const char *s, size_t len_bytes)
{
	return must_have(strndup(s, len_bytes));
}

char *
xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *
xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return must_have(s);
}

bool
xstrset(char **dst, const char *s)
{
	if (*dst == NULL ? s == NULL : s != NULL && strcmp(*dst, s) == 0)
		return false;
	free(*dst);
	*dst = s != NULL ? xstrdup(s) : NULL;
	return true;
}

void
mem_wipe(void *p, size_t len_bytes)
{
	explicit_bzero(p, len_bytes);
}
