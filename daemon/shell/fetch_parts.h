/*
 * fetch_parts.h - between fetch.c, its URLs and its error texts.
 *
 * Loop thread only.
 */
#ifndef DSLAT_FETCH_PARTS_H
#define DSLAT_FETCH_PARTS_H

#include "dslat/fetch.h"
#include "loop_curl.h"
#include "tls_pin.h"

/* Where a peer is.  All owned. */
struct fetch_place {
	char *base;      /* "https://host:port", what curl gets */
	char *host;      /* "host", "[::1]" */
	char *label;     /* "host:443" or the socket's path, for people */
	char *unix_path; /* NULL: TCP */
	bool https;
	bool loopback;
};

int fetch_place_init(struct fetch_place *at, const char *base_url,
		     struct err *e) must_check;
void fetch_place_fini(struct fetch_place *at);

/* How long an answer may trickle; tests make it short. */
extern long fetch_low_speed_s;

/* What is known of a transfer that failed. */
struct fetch_failure {
	CURL *easy;
	CURLcode code;
	const char *curl_text; /* "" or a sentence of curl's */
	const struct fetch_place *at;
	const struct tls_check *check; /* NULL: nothing was checked */
	bool tls_begun;                /* connected, in or past the handshake */
	const char *ca_file;           /* or NULL */
	size_t bytes;
};

/* Fill *e for the failure. */
void fetch_explain(const struct fetch_failure *f, struct err *e);
/* The server answered with this Location, or NULL. */
void fetch_explain_redirect(const struct fetch_place *at, int status,
			    const char *location, struct err *e);

#endif
