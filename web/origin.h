/*
 * origin.h - does a request that changes something come from our own page?
 *
 * A page of another site can make a browser send requests to us, with the
 * cookie if there is one.  Browsers say where a request comes from:
 * Sec-Fetch-Site on HTTPS and loopback, Origin with every POST and DELETE.
 * Programs send neither; that is fine for one that shows a token itself.
 * Pure; any thread.
 */
#ifndef DSLAT_ORIGIN_H
#define DSLAT_ORIGIN_H

#include "dslat/base.h"

/* Headers of the request, NULL when not there. */
struct origin {
	const char *fetch_site, *origin, *host;
	bool by_cookie; /* it counts on the browser's cookie */
};

bool origin_is_ours(const struct origin *o) must_check;

#endif
