/*
 * listen.h - sockets to listen on, made from the configuration's words.
 *
 * "127.0.0.1:9969", "[::1]:9969", "name:9969", "*:9969" (every address, IPv4
 * and IPv6), "unix:/path".  Port 0 is one of the kernel's choice.  A Unix
 * socket gets mode 0660; one that nobody serves any more is replaced.  Called
 * at start and reload only: names are resolved here and now.
 */
#ifndef DSLAT_LISTEN_H
#define DSLAT_LISTEN_H

#include "dslat/err.h"

struct listen_socket {
	int fd;
	char *address;   /* "http://127.0.0.1:9969/" with the real port, or
			  * "unix:/path"; owned */
	char *name;      /* the host part as configured; owned */
	char *unix_path; /* owned; NULL for IP */
	bool loopback;   /* only this machine reaches it, but its browsers do */
};

#define LISTEN_MAX_SOCKETS 8 /* one name may stand for several addresses */

/* All sockets of one word, or an error that says the cure.  The number is in
 * *n_r, at least 1. */
int listen_open(const char *word, struct listen_socket out[LISTEN_MAX_SOCKETS],
		size_t *n_r, struct err *e) must_check;
/* What speaks TLS is https, a Unix socket apart. */
void listen_set_https(struct listen_socket *s);
/* How many connections the limit on descriptors allows, at most `want`; raises
 * the soft limit if it can. */
unsigned listen_max_connections(unsigned want);
/* Who is on the other side, in numbers; "unix" without an IP address. */
struct sockaddr;
void listen_peer(const struct sockaddr *sa, char *out, size_t size);
/* Close (unless fd is -1), and remove a Unix socket's name. */
void listen_close(struct listen_socket *s);

#endif
