/*
 * hostname.h - is this Host header one of our names?
 *
 * A page of another site can make its own name resolve to 127.0.0.1 and so
 * read what listens there (DNS rebinding); it cannot change the Host header.
 * So a listener on loopback answers only to names that mean loopback, and to
 * the name it was told to listen on.  The port does not matter: an ssh tunnel
 * has another one.  Pure; any thread.
 */
#ifndef DSLAT_HOSTNAME_H
#define DSLAT_HOSTNAME_H

#include "dslat/base.h"

/* header: "localhost:9969"; listen_name: as configured, without port. */
bool hostname_is_ours(const char *header, const char *listen_name);

#endif
