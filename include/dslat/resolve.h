/*
 * resolve.h - the address of a host, without waiting for DNS.
 *
 * An address in numbers needs no look-up.  For names glibc's resolver threads
 * do it (getaddrinfo_a); where there are none, names cannot be used.  done
 * comes exactly once, never from inside resolve_start(), unless it was
 * cancelled.  The loop thread.
 */
#ifndef DSLAT_RESOLVE_H
#define DSLAT_RESOLVE_H

#include <sys/socket.h>

#include "dslat/err.h"
#include "dslat/loop.h"

struct resolve_result {
	struct err err; /* ERR_NONE: found */
	struct sockaddr_storage address;
	socklen_t len;
};

struct resolve;
typedef void (*resolve_done_fn)(void *arg, const struct resolve_result *r);
/* place: "host", "host:port", "[v6]:port"; port is what it is without one. */
struct resolve *resolve_start(struct loop *l, const char *place,
			      const char *port, resolve_done_fn done, void *arg)
	must_check;
void resolve_cancel(struct resolve **r);

#endif
