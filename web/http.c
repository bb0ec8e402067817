#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "web/http_parts.h"

/* Room for the address, all headers, and a piece of the answer. */
#define CONNECTION_BYTES ((size_t)48 << 10)
#define LOG_EVERY_US (60 * US_PER_S)
#define TLS_PRIORITIES                                                         \
	"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

void
http_run_daemon(struct MHD_Daemon *d, int *wait_ms)
{
	MHD_UNSIGNED_LONG_LONG ms;

	MHD_run(d);
	if (MHD_get_timeout(d, &ms) == MHD_YES &&
	    (*wait_ms < 0 || ms < (MHD_UNSIGNED_LONG_LONG)*wait_ms))
		*wait_ms = (int)MIN(ms, 60000);
}

static int
prepare(void *arg, struct now now)
{
	struct http *h = OBJ_CAST(struct http, HTTP_MAGIC, arg);
	int wait_ms = -1;

	for (size_t i = 0; i < h->n_listeners; i++) {
		struct listener *ln = h->listeners[i];

		if (ln->daemon != NULL)
			http_run_daemon(ln->daemon, &wait_ms);
		if (ln->tls != NULL)
			tls_daemon_wait(ln->tls, h->loop);
	}
	tls_retired_run(h, now, &wait_ms);
	return wait_ms;
}

/* The descriptor ends the wait; prepare() does the work in the same turn. */
static void
on_epoll(void *arg, int fd, int ready, struct now now)
{
	(void)arg, (void)fd, (void)ready, (void)now;
}

/* MHD reports every client that went away: one line a minute is enough. */
static void __attribute__((format(printf, 2, 0)))
on_mhd_log(void *cls, const char *fmt, va_list ap)
{
	struct http *h = OBJ_CAST(struct http, HTTP_MAGIC, cls);
	mono_t now = loop_now(h->loop).mono;
	char text[256];

	if (h->logged.us != 0 && mono_diff_us(now, h->logged) < LOG_EVERY_US) {
		h->unlogged++;
		return;
	}
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	if (h->unlogged != 0)
		log_info("web", "%s (and %u such lines before)", text,
			 h->unlogged);
	else
		log_info("web", "%s", text);
	h->logged = now;
	h->unlogged = 0;
}

struct http *
http_new(struct loop *l, const struct http_ops *ops, void *arg)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->magic = HTTP_MAGIC;
	h->loop = l;
	h->ops = ops;
	h->arg = arg;
	h->max_connections = listen_max_connections(HTTP_MAX_CONNECTIONS);
	conns_init(&h->conns, l, exchange_left);
	LIST_INIT(&h->exchanges);
	LIST_INIT(&h->retired);
	jobs_init(&h->jobs, l, exchange_step_job);
	loop_set_prepare(l, prepare, h);
	return h;
}

static void
listener_free(struct listener *ln)
{
	loop_fd_del(&ln->epoll);
	tls_daemon_free(&ln->tls);
	if (ln->daemon != NULL) {
		MHD_stop_daemon(ln->daemon); /* closes the socket too */
		ln->sock.fd = -1;
	}
	listen_close(&ln->sock);
	free(ln);
}

void
http_free(struct http **hp)
{
	struct http *h = *hp;

	if (h == NULL)
		return;
	loop_set_prepare(h->loop, NULL, NULL);
	exchanges_resume(h, NULL);
	tls_retired_stop(h);
	for (size_t i = 0; i < h->n_listeners; i++)
		listener_free(h->listeners[i]);
	assert(LIST_EMPTY(&h->exchanges));
	jobs_fini(&h->jobs);
	conns_fini(&h->conns);
	if (h->pair != NULL)
		tls_pair_fini(h->pair);
	free(h->pair);
	free(h);
	*hp = NULL;
}

/* What only one of the two kinds is told. */
#define MAX_ITEMS 4
static unsigned
kind_options(const struct listener *ln, struct MHD_OptionItem items[MAX_ITEMS])
{
	const struct tls_pair *p = ln->http->pair;
	size_t n = 0;

	if (p != NULL && ln->sock.unix_path == NULL) {
		items[n++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY,
						      0, p->key.data };
		items[n++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT,
						      0, p->cert.data };
		items[n++] =
			(struct MHD_OptionItem){ MHD_OPTION_HTTPS_PRIORITIES, 0,
						 TLS_PRIORITIES };
	}
	items[n] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
	return MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
		(n != 0 ? MHD_USE_TLS : MHD_USE_EPOLL);
}

int
http_start_daemon(struct listener *ln, struct err *e)
{
	struct MHD_OptionItem items[MAX_ITEMS];
	struct http *h = ln->http;
	unsigned flags = kind_options(ln, items);
	bool tls = (flags & MHD_USE_TLS) != 0;
	const union MHD_DaemonInfo *info;

	ln->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, exchange_request, ln,
		/* first: it is used while the others are read */
		MHD_OPTION_EXTERNAL_LOGGER, on_mhd_log, h,
		MHD_OPTION_LISTEN_SOCKET, ln->sock.fd,
		MHD_OPTION_CONNECTION_LIMIT,
		tls ? MIN(h->max_connections, HTTP_MAX_TLS_CONNECTIONS)
		    : h->max_connections,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNS_TIMEOUT_S,
		MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, ln,
		MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, ln,
		MHD_OPTION_NOTIFY_CONNECTION, exchange_connection, ln,
		MHD_OPTION_ARRAY, items, MHD_OPTION_END);
	if (ln->daemon == NULL)
		return err_set(e, ERR_IO, "%s: libmicrohttpd does not start",
			       ln->sock.address);
	if (tls) {
		ln->tls = tls_daemon_new(ln->daemon);
		return 0;
	}
	info = MHD_get_daemon_info(ln->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	ln->epoll = loop_fd_add(h->loop, info->epoll_fd, LOOP_IN, on_epoll, ln);
	return 0;
}

static int
start_listener(struct http *h, const struct listen_socket *sock, struct err *e)
{
	struct listener *ln = xcalloc(1, sizeof(*ln));

	ln->magic = LISTENER_MAGIC;
	ln->http = h;
	ln->sock = *sock;
	if (h->pair != NULL)
		listen_set_https(&ln->sock);
	if (http_start_daemon(ln, e) != 0) {
		listener_free(ln);
		return -1;
	}
	h->listeners[h->n_listeners++] = ln;
	return 0;
}

bool
http_is_tls(const struct http *h)
{
	return h->pair != NULL;
}

int
http_listen(struct http *h, const char *word, struct err *e)
{
	struct listen_socket socks[LISTEN_MAX_SOCKETS];
	size_t n;
	int rc = 0;

	if (h->n_listeners + LISTEN_MAX_SOCKETS > HTTP_MAX_LISTENERS)
		return err_set(e, ERR_LIMIT, "%s: more than %d listeners", word,
			       HTTP_MAX_LISTENERS - LISTEN_MAX_SOCKETS);
	if (listen_open(word, socks, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = start_listener(h, &socks[i], e);
		else
			listen_close(&socks[i]);
	}
	return rc;
}

const char *
http_address(const struct http *h, size_t i)
{
	return i < h->n_listeners ? h->listeners[i]->sock.address : NULL;
}

struct http_stats
http_stats(const struct http *h)
{
	struct http_stats s = h->stats;

	s.connections = h->conns.n;
	s.late = h->conns.n_late;
	return s;
}
