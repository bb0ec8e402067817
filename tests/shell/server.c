#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CONNS 256
#define MAX_REQUEST_BYTES 1000000

struct conn {
	struct server *server;
	int fd;
	SSL *ssl;
	pthread_t thread;
	char *in; /* what was read and not yet used */
	size_t n_in;
};

struct server {
	struct server_options o;
	int fd, port;
	pthread_t thread;
	atomic_bool stop;
	atomic_int connections, requests;
	struct conn conns[MAX_CONNS];
};

static void
die(const char *what)
{
	perror(what);
	abort();
}

bool
conn_send(struct conn *c, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = c->ssl != NULL ? SSL_write(c->ssl, p, (int)len)
					   : send(c->fd, p, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool
conn_sends(struct conn *c, const char *text)
{
	return conn_send(c, text, strlen(text));
}

bool
conn_answer(struct conn *c, const char *status, const char *type,
	    const char *body)
{
	char head[512];

	snprintf(head, sizeof(head),
		 "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		 "\r\n",
		 status, type, strlen(body));
	return conn_sends(c, head) && conn_sends(c, body);
}

bool
conn_wait_ms(struct conn *c, int ms)
{
	for (int i = 0; i < ms; i += 5) {
		struct pollfd p = { .fd = c->fd, .events = POLLRDHUP };

		if (c->server->stop || poll(&p, 1, 5) > 0)
			return false;
	}
	return true;
}

/* More bytes into c->in; false at the end of the stream. */
static bool
read_more(struct conn *c)
{
	char *p = c->in + c->n_in;
	size_t room = MAX_REQUEST_BYTES - c->n_in;
	ssize_t n = c->ssl != NULL ? SSL_read(c->ssl, p, (int)room)
				   : recv(c->fd, p, room, 0);

	if (n <= 0)
		return false;
	c->n_in += (size_t)n;
	c->in[c->n_in] = '\0';
	return true;
}

static size_t
content_length(const char *head)
{
	for (const char *p = strchr(head, '\n'); p != NULL; p = strchr(p, '\n'))
		if (strncasecmp(++p, "content-length:", 15) == 0)
			return strtoul(p + 15, NULL, 10);
	return 0;
}

/* One request: 1 the connection goes on, 0 it ends. */
static bool
serve_one(struct conn *c)
{
	char *end, *head;
	size_t n_head, n_body;
	bool more;

	if (c->n_in == 0 && !read_more(c))
		return false;
	if (c->in[0] == 0x16) { /* a TLS ClientHello to a plain port */
		conn_sends(c, "HTTP/1.1 400 Bad Request\r\n\r\n");
		return false;
	}
	while ((end = memmem(c->in, c->n_in, "\r\n\r\n", 4)) == NULL)
		if (c->n_in == MAX_REQUEST_BYTES || !read_more(c))
			return false;
	n_head = (size_t)(end + 4 - c->in);
	head = strndup(c->in, n_head);
	n_body = content_length(head);
	while (c->n_in < n_head + n_body)
		if (c->n_in == MAX_REQUEST_BYTES || !read_more(c)) {
			free(head);
			return false;
		}
	c->server->requests++;
	more = c->server->o.fn(c, head, c->in + n_head, n_body,
			       c->server->o.arg);
	free(head);
	c->n_in -= n_head + n_body;
	memmove(c->in, c->in + n_head + n_body, c->n_in);
	c->in[c->n_in] = '\0';
	return more;
}

static void *
conn_main(void *arg)
{
	struct conn *c = arg;
	bool ok = true;

	c->in = malloc(MAX_REQUEST_BYTES + 1);
	if (c->in == NULL)
		die("malloc");
	c->in[0] = '\0';
	if (c->server->o.ssl_ctx != NULL) {
		c->ssl = SSL_new(c->server->o.ssl_ctx);
		SSL_set_fd(c->ssl, c->fd);
		ok = SSL_accept(c->ssl) == 1;
	}
	while (ok && !c->server->stop)
		ok = serve_one(c);
	if (c->ssl != NULL) {
		SSL_shutdown(c->ssl);
		SSL_free(c->ssl);
	}
	shutdown(c->fd, SHUT_RDWR); /* server_stop() closes it */
	free(c->in);
	return NULL;
}

static void *
accept_main(void *arg)
{
	struct server *s = arg;

	for (;;) {
		int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
		struct conn *c;

		if (fd < 0)
			return NULL; /* server_stop() */
		if (s->connections == MAX_CONNS)
			die("too many connections");
		c = &s->conns[s->connections];
		c->server = s;
		c->fd = fd;
		if (pthread_create(&c->thread, NULL, conn_main, c) != 0)
			die("pthread_create");
		s->connections++;
	}
}

static int
listen_on(const struct server_options *o)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(o->family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (o->family == AF_UNIX) {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s", o->unix_path);
		rc = bind(fd, (struct sockaddr *)&un, sizeof(un));
	} else if (o->family == AF_INET6) {
		rc = bind(fd, (struct sockaddr *)&v6, sizeof(v6));
	} else {
		rc = bind(fd, (struct sockaddr *)&v4, sizeof(v4));
	}
	if (rc != 0 || listen(fd, 64) != 0)
		die("listen");
	return fd;
}

/* The port the kernel chose; 0 for AF_UNIX. */
static int
port_of(int fd, int family)
{
	struct sockaddr_in v4 = { .sin_port = 0 };
	struct sockaddr_in6 v6 = { .sin6_port = 0 };
	socklen_t v4_len = sizeof(v4), v6_len = sizeof(v6);

	if (family == AF_INET)
		getsockname(fd, (struct sockaddr *)&v4, &v4_len);
	else if (family == AF_INET6)
		getsockname(fd, (struct sockaddr *)&v6, &v6_len);
	return ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
}

struct server *
server_start(const struct server_options *o)
{
	struct server *s = calloc(1, sizeof(*s));

	if (s == NULL)
		die("calloc");
	signal(SIGPIPE, SIG_IGN); /* clients go when they like */
	s->o = *o;
	s->fd = listen_on(o);
	s->port = port_of(s->fd, o->family);
	if (pthread_create(&s->thread, NULL, accept_main, s) != 0)
		die("pthread_create");
	return s;
}

void
server_stop(struct server **sp)
{
	struct server *s = *sp;

	if (s == NULL)
		return;
	*sp = NULL;
	s->stop = true;
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	for (int i = 0; i < s->connections; i++)
		shutdown(s->conns[i].fd, SHUT_RDWR);
	for (int i = 0; i < s->connections; i++) {
		pthread_join(s->conns[i].thread, NULL);
		close(s->conns[i].fd);
	}
	close(s->fd);
	if (s->o.family == AF_UNIX)
		unlink(s->o.unix_path);
	free(s);
}

int
server_port(const struct server *s)
{
	return s->port;
}

int
server_connections(const struct server *s)
{
	return s->connections;
}

int
server_requests(const struct server *s)
{
	return s->requests;
}
