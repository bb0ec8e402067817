#include "web/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "dslat/mem.h"

#define BACKLOG 511
#define FILES_SPARE 128 /* descriptors kept for everything else */

/* What a person can do about a failed bind. */
static int
bind_error(struct err *e, const char *word, const char *port)
{
	int code = errno;

	switch (code) {
	case EADDRINUSE:
		return err_set(e, ERR_IO,
			       "%s: another program listens there already; "
			       "`ss -ltnp 'sport = :%s'` says which one",
			       word, port);
	case EACCES:
		return err_set(e, ERR_IO,
			       "%s: not permitted: ports below 1024 need "
			       "CAP_NET_BIND_SERVICE; choose a higher one",
			       word);
	case EADDRNOTAVAIL:
		return err_set(e, ERR_IO,
			       "%s: this machine has no such address; "
			       "`ip address` lists those it has",
			       word);
	default:
		return err_set(e, ERR_IO, "%s: cannot listen: %s", word,
			       strerror(code));
	}
}

static bool
is_loopback(const struct sockaddr *sa)
{
	const void *p = sa;

	if (sa->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = p;

		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	} else {
		const struct sockaddr_in *in = p;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
}

/* The socket's real address as something to open in a browser. */
static char *
describe(int fd)
{
	struct sockaddr_storage ss = { 0 };
	struct sockaddr *sa = (struct sockaddr *)&ss;
	socklen_t len = sizeof(ss);
	char host[INET6_ADDRSTRLEN + 32] = "?", port[8] = "?";

	if (getsockname(fd, sa, &len) == 0)
		getnameinfo(sa, len, host, sizeof(host), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	return xasprintf(strchr(host, ':') != NULL ? "http://[%s]:%s/"
						   : "http://%s:%s/",
			 host, port);
}

static int
open_ip(const struct addrinfo *ai, const char *word, const char *port,
	struct listen_socket *s, struct err *e)
{
	int on = 1;

	s->fd = socket(ai->ai_family,
		       ai->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       ai->ai_protocol);
	if (s->fd < 0)
		return bind_error(e, word, port);
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (ai->ai_family == AF_INET6)
		setsockopt(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(s->fd, ai->ai_addr, ai->ai_addrlen) != 0 ||
	    listen(s->fd, BACKLOG) != 0) {
		bind_error(e, word, port);
		close(s->fd);
		s->fd = -1;
		return -1;
	}
	s->loopback = is_loopback(ai->ai_addr);
	s->address = describe(s->fd);
	return 0;
}

/* "host:port": the host, without brackets around it, or NULL. */
static char *
split_host_port(const char *word, const char **port_r, struct err *e)
{
	const char *colon = strrchr(word, ':'), *host = word;
	size_t len = colon != NULL ? (size_t)(colon - word) : 0;
	char *end;
	long port;

	if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	} else if (memchr(word, ':', len) != NULL) {
		err_set(e, ERR_CONF,
			"%s: write an IPv6 address in brackets: [::1]:9969",
			word);
		return NULL;
	}
	if (len == 0) {
		err_set(e, ERR_CONF,
			"%s: not an address to listen on; write "
			"127.0.0.1:9969, [::1]:9969, *:9969 or unix:/path",
			word);
		return NULL;
	}
	port = strtol(colon + 1, &end, 10);
	if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || port > 65535) {
		err_set(e, ERR_CONF,
			"%s: the port must be a number up to 65535", word);
		return NULL;
	}
	*port_r = colon + 1;
	return xstrndup(host, len);
}

static int
open_host(const char *word, struct listen_socket *out, size_t *n_r,
	  struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *all = NULL;
	const char *port;
	char *host = split_host_port(word, &port, e);
	int rc;

	if (host == NULL)
		return -1;
	rc = getaddrinfo(strcmp(host, "*") == 0 ? NULL : host, port, &hints,
			 &all);
	if (rc != 0) {
		err_set(e, ERR_CONF, "%s: %s: %s", word, host,
			gai_strerror(rc));
		free(host);
		return -1;
	}
	for (const struct addrinfo *ai = all;
	     ai != NULL && *n_r < LISTEN_MAX_SOCKETS; ai = ai->ai_next) {
		/* A machine may lack IPv6: one of several is enough. */
		if (open_ip(ai, word, port, &out[*n_r], e) == 0)
			out[(*n_r)++].name = xstrdup(host);
	}
	freeaddrinfo(all);
	free(host);
	return *n_r != 0 ? 0 : -1;
}

/* Remove a socket that nobody serves; 0 when the path is free now. */
static int
remove_stale(const struct sockaddr_un *sun, struct err *e)
{
	const void *p = sun;
	struct stat st;
	int fd, rc;

	if (lstat(sun->sun_path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, ERR_IO,
			       "unix:%s: there is a file of that name that is "
			       "not a socket; remove it or choose another",
			       sun->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(e, ERR_IO, "unix:%s: %s", sun->sun_path,
			       strerror(errno));
	rc = connect(fd, p, sizeof(*sun));
	if (rc != 0 && errno == ECONNREFUSED)
		rc = unlink(sun->sun_path) == 0 ? 1 : -1;
	close(fd);
	if (rc == 1)
		return 0;
	return err_set(e, ERR_IO,
		       "unix:%s: another program listens there already; "
		       "`ss -lxp src %s` says which one",
		       sun->sun_path, sun->sun_path);
}

static int
open_unix(const char *path, struct listen_socket *s, struct err *e)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const void *p = &sun;
	mode_t mask;
	int rc;

	if (*path != '/' || strlen(path) >= sizeof(sun.sun_path))
		return err_set(e, ERR_CONF,
			       "unix:%s: write an absolute path of at most "
			       "%zu bytes",
			       path, sizeof(sun.sun_path) - 1);
	memcpy(sun.sun_path, path, strlen(path) + 1);
	if (remove_stale(&sun, e) != 0)
		return -1;
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return err_set(e, ERR_IO, "unix:%s: %s", path, strerror(errno));
	mask = umask(0117); /* no moment in which others may connect */
	rc = bind(s->fd, p, sizeof(sun));
	umask(mask);
	if (rc != 0 || listen(s->fd, BACKLOG) != 0) {
		err_set(e, ERR_IO, "unix:%s: cannot listen: %s", path,
			strerror(errno));
		close(s->fd);
		s->fd = -1;
		return -1;
	}
	s->unix_path = xstrdup(path);
	s->address = xasprintf("unix:%s", path);
	s->name = xstrdup(path);
	return 0;
}

int
listen_open(const char *word, struct listen_socket out[LISTEN_MAX_SOCKETS],
	    size_t *n_r, struct err *e)
{
	*n_r = 0;
	for (size_t i = 0; i < LISTEN_MAX_SOCKETS; i++)
		out[i] = (struct listen_socket){ .fd = -1 };
	if (strncmp(word, "unix:", 5) == 0) {
		if (open_unix(word + 5, &out[0], e) != 0)
			return -1;
		*n_r = 1;
		return 0;
	}
	return open_host(word, out, n_r, e);
}

void
listen_set_https(struct listen_socket *s)
{
	char *address;

	if (s->unix_path != NULL)
		return;
	address = xasprintf("https%s", s->address + strlen("http"));
	free(s->address);
	s->address = address;
}

void
listen_close(struct listen_socket *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->unix_path != NULL)
		unlink(s->unix_path);
	free(s->address);
	free(s->name);
	free(s->unix_path);
	*s = (struct listen_socket){ .fd = -1 };
}

void
listen_peer(const struct sockaddr *sa, char *out, size_t size)
{
	const void *addr = NULL;

	if (sa != NULL && sa->sa_family == AF_INET)
		addr = &((const struct sockaddr_in *)(const void *)sa)
				->sin_addr;
	if (sa != NULL && sa->sa_family == AF_INET6)
		addr = &((const struct sockaddr_in6 *)(const void *)sa)
				->sin6_addr;
	if (addr == NULL ||
	    inet_ntop(sa->sa_family, addr, out, (socklen_t)size) == NULL)
		snprintf(out, size, "unix");
}

unsigned
listen_max_connections(unsigned want)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) != 0)
		return MIN(want, FILES_SPARE);
	if (rl.rlim_cur < 4 * (rlim_t)want) {
		rl.rlim_cur = MIN(4 * (rlim_t)want, rl.rlim_max);
		setrlimit(RLIMIT_NOFILE, &rl);
	}
	if (rl.rlim_cur >= want + FILES_SPARE)
		return want;
	return rl.rlim_cur / 2 > FILES_SPARE
		? (unsigned)rl.rlim_cur - FILES_SPARE
		: FILES_SPARE;
}
