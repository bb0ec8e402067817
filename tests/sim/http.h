/*
 * http.h - the listener: one thread per connection, so that an answer may be
 * slow without holding up the others.
 */
#ifndef SIM_HTTP_H
#define SIM_HTTP_H

#include "dslat/err.h"
#include "sim.h"

struct http;

struct http_options {
	const char *address; /* 127.0.0.1 or ::1 */
	int port;            /* 0: the kernel picks */
	char *cert, *key;    /* PEM texts; NULL: plain HTTP */
};

struct http *http_start(struct sim *s, const struct http_options *o,
			struct err *e) must_check;
int http_port(const struct http *h);
/* Wakes everything that waits, then ends the threads. */
void http_stop(struct http **h);

/* Wait so long, or until the sim stops; true: stopping. */
bool http_wait_ms(struct sim *s, int64_t ms);

#endif
