/*
 * uri.h - a request's target, taken apart once.
 *
 * The raw text is split at / and & first and each piece decoded once, so ids
 * may hold any character, also : / and %.  Refused: control characters, broken
 * escapes, %00, and pieces that are not UTF-8 (RFC 3986, RFC 9112 3.2).  In
 * the query a plus is a space.  A struct uri owns its text; pure; any thread.
 */
#ifndef DSLAT_URI_H
#define DSLAT_URI_H

#include "dslat/err.h"

#define URI_MAX_BYTES 8192
#define URI_MAX_SEGMENTS 8
#define URI_MAX_PARAMS 256

struct uri_param {
	const char *name, *value; /* value "" without a = */
};

struct uri {
	char *text;        /* owned; what all the pointers point into */
	bool asterisk;     /* the target of OPTIONS * */
	size_t n_segments; /* 0 for "/"; "/a/" has an empty second one */
	const char *segments[URI_MAX_SEGMENTS];
	size_t n_params;
	struct uri_param params[URI_MAX_PARAMS];
};

/* The origin form, the absolute form of http(s), or *.  0, or -1 with
 * ERR_LIMIT (too many pieces) or ERR_PROTO.  uri_fini() in either case. */
int uri_parse(struct uri *u, const char *raw, struct err *e) must_check;
void uri_fini(struct uri *u);

/* The value of the first parameter of that name, or NULL. */
const char *uri_param(const struct uri *u, const char *name);

/* Append a piece with everything but RFC 3986's unreserved characters
 * escaped: what uri_parse() takes back. */
struct buf;
int uri_add_escaped(struct buf *b, const char *piece);

#endif
