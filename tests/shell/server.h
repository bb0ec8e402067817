/*
 * server.h - a small HTTP server of raw sockets, for the tests of this folder.
 *
 * Every connection has a thread; the handler gets one request at a time and
 * writes bytes as they are, right or wrong.  Loopback only, the kernel chooses
 * the port.  A handler must not use cmocka's asserts: they belong to the
 * thread of the test.
 */
#ifndef DSLAT_SERVER_H
#define DSLAT_SERVER_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

struct server;
struct conn;

/* head: from the request line to the empty line; body behind it.  True: the
 * connection may be used again. */
typedef bool (*server_fn)(struct conn *c, const char *head, const char *body,
			  size_t body_len, void *arg);

struct server_options {
	int family;            /* AF_INET, AF_INET6 or AF_UNIX */
	const char *unix_path; /* of AF_UNIX */
	SSL_CTX *ssl_ctx;      /* NULL: plain; borrowed */
	server_fn fn;
	void *arg;
};

struct server *server_start(const struct server_options *o);
/* Closes all connections and waits for the threads. */
void server_stop(struct server **s);
int server_port(const struct server *s);
/* Connections accepted, and requests read, so far. */
int server_connections(const struct server *s);
int server_requests(const struct server *s);

/* False when the other side is gone. */
bool conn_send(struct conn *c, const void *data, size_t len);
bool conn_sends(struct conn *c, const char *text);
/* "HTTP/1.1 status", content type and length, body. */
bool conn_answer(struct conn *c, const char *status, const char *type,
		 const char *body);
/* Sleep in small steps; false when the connection or the server ended. */
bool conn_wait_ms(struct conn *c, int ms);

#endif
