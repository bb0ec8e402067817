/*
 * guard.h - requests that no handler needs to see.
 *
 * Addresses that are too long or malformed, Host headers that are not ours.
 * The loop thread.
 */
#ifndef DSLAT_GUARD_H
#define DSLAT_GUARD_H

#include "web/http.h"

/* What the address itself is worth: 0, or a problem in rq->reply and -1. */
int guard_address(struct request *rq, const char *raw) must_check;

/* The same for the headers.  version: "HTTP/1.1".  loopback_name: the name a
 * listener on loopback was given; NULL: any Host will do. */
int guard_headers(struct request *rq, const char *version,
		  const char *loopback_name) must_check;

#endif
