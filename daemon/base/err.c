#include "dslat/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct err *e, const char *fmt, va_list ap) printf_like(2, 0);

static void
fill(struct err *e, const char *fmt, va_list ap)
{
	int n = vsnprintf(e->text, sizeof(e->text), fmt, ap);

	if (n >= (int)sizeof(e->text))
		memcpy(e->text + sizeof(e->text) - 4, "...", 4);
	for (char *p = e->text; *p != '\0'; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
}

int
err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	e->code = code;
	va_start(ap, fmt);
	fill(e, fmt, ap);
	va_end(ap);
	return -1;
}

int
err_wrap(struct err *e, const char *fmt, ...)
{
	struct err prefix;
	char old[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	fill(&prefix, fmt, ap);
	va_end(ap);
	memcpy(old, e->text, sizeof(old));
	return err_set(e, e->code, "%s: %s", prefix.text, old);
}

const char *
err_code_name(enum err_code code)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",       [ERR_USAGE] = "usage",
		[ERR_CONF] = "conf",       [ERR_AUTH] = "auth",
		[ERR_SESSION] = "session", [ERR_PERM] = "permission",
		[ERR_TIMEOUT] = "timeout", [ERR_NET] = "net",
		[ERR_TLS] = "tls",         [ERR_BUSY] = "busy",
		[ERR_PROTO] = "proto",     [ERR_FAULT] = "fault",
		[ERR_LIMIT] = "limit",     [ERR_GONE] = "gone",
		[ERR_IO] = "io",           [ERR_DAMAGED] = "damaged",
	};

	assert((size_t)code < ARRAY_SIZE(names));
	return names[code];
}
