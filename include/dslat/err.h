/*
 * err.h - what went wrong, for code (the kind) and for people (the text).
 *
 * A function that can fail returns 0 or -1 (pointers: NULL) and fills the
 * `struct err *` that is its last parameter and never NULL.  The text is one
 * sentence without a newline; it never holds a password, cookie or SOAP body.
 * Callers add context with err_wrap() or pass it on; the shell logs it once,
 * where it stops travelling.  Values, no heap; any thread.
 */
#ifndef DSLAT_ERR_H
#define DSLAT_ERR_H

#include "dslat/base.h"

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE,   /* wrong command line */
	ERR_CONF,    /* wrong configuration */
	ERR_AUTH,    /* wrong user name or password: wait long before a retry */
	ERR_SESSION, /* the session is gone: log in again and retry once */
	ERR_PERM,    /* logged in, but a privilege is missing */
	ERR_TIMEOUT, /* no answer in time */
	ERR_NET,     /* resolving, connecting, TLS, broken transfer */
	ERR_TLS,     /* certificate not accepted: wait long, say the cure */
	ERR_BUSY,    /* 502, 503, 504: the server asks to come back later */
	ERR_PROTO,   /* an answer that is not what the protocol says */
	ERR_FAULT,   /* a SOAP fault none of the above stands for */
	ERR_LIMIT,   /* larger than a limit of ours or of the server */
	ERR_GONE,    /* the object no longer exists */
	ERR_IO,      /* files and sockets of this machine */
	ERR_DAMAGED, /* a file of ours that is not what we wrote */
};

struct err {
	enum err_code code;
	char text[512]; /* NUL-terminated, shortened with "..." */
};

/* Replace *e.  Always returns -1, so that `return err_set(e, ...)` reads well. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	printf_like(3, 4);

/* Put "prefix: " before the text, keep the code.  Always returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) printf_like(2, 3);

/* The code as a lower-case word ("auth", "timeout"), for logs and status. */
const char *err_code_name(enum err_code code);

#endif
