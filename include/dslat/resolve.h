/*
 * resolve.h - the address of a host, without waiting for DNS.
 *
 * An address in numbers needs no look-up; names are looked up by a thread, one
 * after the other.  done comes exactly once, never from inside resolve_start(),
 * unless it was cancelled.  A resolver is freed behind its look-ups and before
 * the loop.  The loop thread.
 */
#ifndef DSLAT_RESOLVE_H
#define DSLAT_RESOLVE_H

#include <sys/socket.h>

#include "dslat/err.h"
#include "dslat/loop.h"

/* The thread begins with the first name. */
struct resolver;
struct resolver *resolver_new(struct loop *l) must_check;
/* A look-up that hangs is left alone. */
void resolver_free(struct resolver **r);

struct resolve_result {
	struct err err; /* ERR_NONE: found */
	struct sockaddr_storage address;
	socklen_t len;
};

struct resolve;
typedef void (*resolve_done_fn)(void *arg, const struct resolve_result *r);
/* place: "host", "host:port", "[v6]:port"; port is what it is without one. */
struct resolve *resolve_start(struct resolver *r, const char *place,
			      const char *port, resolve_done_fn done, void *arg)
	must_check;
void resolve_cancel(struct resolve **r);

#endif
