/*
 * fuzz_uri.c - what a client can write into a request: the address, times,
 * cursors, Accept and Host headers.
 *
 * The input is taken as each of them.  What uri_parse() accepts must come back
 * the same after it was escaped and parsed again.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/buf.h"
#include "dslat/mem.h"
#include "web/accept.h"
#include "web/cursor.h"
#include "web/hostname.h"
#include "web/nearest.h"
#include "web/route.h"
#include "web/uri.h"
#include "web/when.h"

static void
nothing(void *arg, struct request *rq)
{
	(void)arg, (void)rq;
}

static void
check_again(const struct uri *u)
{
	struct uri again;
	struct buf b;
	struct err e;

	buf_init(&b, (size_t)1 << 20);
	for (size_t i = 0; i < u->n_segments; i++) {
		buf_addc(&b, '/');
		uri_add_escaped(&b, u->segments[i]);
	}
	buf_adds(&b, u->n_segments == 0 ? "/?" : "?");
	for (size_t i = 0; i < u->n_params; i++) {
		uri_add_escaped(&b, u->params[i].name);
		buf_addc(&b, '=');
		uri_add_escaped(&b, u->params[i].value);
		buf_addc(&b, '&');
	}
	if (uri_parse(&again, buf_str(&b), &e) != 0)
		abort();
	if (again.n_segments != u->n_segments || again.n_params != u->n_params)
		abort();
	for (size_t i = 0; i < u->n_segments; i++)
		if (strcmp(again.segments[i], u->segments[i]) != 0)
			abort();
	for (size_t i = 0; i < u->n_params; i++)
		if (strcmp(again.params[i].value, u->params[i].value) != 0)
			abort();
	uri_fini(&again);
	buf_fini(&b);
}

static void
try_uri(const char *text)
{
	static const struct route rows[] = {
		{ "/", HTTP_GET, NULL, nothing },
		{ "/api/v1/datastores/{id}", HTTP_GET, "a bb", nothing },
		{ "/{id}", HTTP_GET, "", nothing },
		{ NULL, 0, NULL, NULL },
	};
	const struct route *r;
	const char *id;
	struct uri u;
	struct err e;

	if (uri_parse(&u, text, &e) == 0) {
		r = route_find(rows, &u, &id);
		if (r != NULL)
			route_unknown_param(r, &u);
		if (!u.asterisk && u.n_segments < URI_MAX_SEGMENTS)
			check_again(&u);
	}
	uri_fini(&u);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	real_t now = { INT64_C(1796040000000000) }, t;
	struct nearest n;
	struct cursor c;

	try_uri(text);
	if (when_parse(text, now, &t) == 0 &&
	    (t.us < 0 || t.us >= INT64_C(253402300800000000)))
		abort();
	if (cursor_parse(&c, text) == 0 && cursor_compare(c.part, &c) != 0)
		abort();
	cursor_fini(&c);
	if (accept_quality(text, "gzip") > 1000 ||
	    accept_quality(text, "text/plain") < 0)
		abort();
	hostname_is_ours(text, "dslat.example");
	nearest_init(&n, text);
	nearest_try(&n, "lab:61a-b", "x");
	nearest_try(&n, text, "y");
	if (n.best == NULL)
		abort(); /* equal names are always near */
	free(text);
	return 0;
}
