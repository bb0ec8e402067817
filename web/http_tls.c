/*
 * TLS listeners: MHD daemons in its select mode, whose descriptors are in our
 * loop.  (Its epoll mode takes all of a processor while a client that sent its
 * ClientHello waits.)
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "web/http_parts.h"

/* Older than this, what is left of an old certificate's connections ends. */
#define RETIRED_US (60 * US_PER_S)
/* So long before its end a certificate is worth a line of the log. */
#define WARN_US (14 * INT64_C(86400) * US_PER_S)

struct tls_daemon {
	LIST_ENTRY(tls_daemon) link; /* of http->retired */
	struct MHD_Daemon *daemon;
	struct loop_fd *fds[FD_SETSIZE]; /* by number */
	int n_fds;                       /* the highest number + 1 */
	mono_t retired;
};

/* The descriptor ends the wait; MHD_run() does the work in the same turn. */
static void
on_fd(void *arg, int fd, int ready, struct now now)
{
	(void)arg, (void)fd, (void)ready, (void)now;
}

struct tls_daemon *
tls_daemon_new(struct MHD_Daemon *d)
{
	struct tls_daemon *t = xcalloc(1, sizeof(*t));

	t->daemon = d;
	return t;
}

void
tls_daemon_free(struct tls_daemon **tp)
{
	struct tls_daemon *t = *tp;

	if (t == NULL)
		return;
	for (int fd = 0; fd < t->n_fds; fd++)
		loop_fd_del(&t->fds[fd]);
	free(t);
	*tp = NULL;
}

/* What MHD waits for now becomes what the loop waits for. */
void
tls_daemon_wait(struct tls_daemon *t, struct loop *l)
{
	fd_set in, out, except;
	int max = -1, n;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	if (MHD_get_fdset2(t->daemon, &in, &out, &except, &max, FD_SETSIZE) !=
	    MHD_YES)
		log_err("web", "libmicrohttpd cannot tell what it waits for");
	n = MAX(t->n_fds, max + 1);
	for (int fd = 0; fd < n; fd++) {
		int want = (FD_ISSET(fd, &in) ? LOOP_IN : 0) |
			(FD_ISSET(fd, &out) ? LOOP_OUT : 0);

		if (want == 0)
			loop_fd_del(&t->fds[fd]);
		else if (t->fds[fd] == NULL)
			t->fds[fd] = loop_fd_add(l, fd, want, on_fd, t);
		else
			loop_fd_want(t->fds[fd], want);
	}
	t->n_fds = max + 1;
}

/* ---- another certificate ------------------------------------------------ */

static void
retired_free(struct http *h, struct tls_daemon *t)
{
	LIST_REMOVE(t, link);
	exchanges_resume(h, t->daemon);
	MHD_stop_daemon(t->daemon);
	tls_daemon_free(&t);
}

void
tls_retired_run(struct http *h, struct now now, int *wait_ms)
{
	struct tls_daemon *t, *next;
	const union MHD_DaemonInfo *info;

	for (t = LIST_FIRST(&h->retired); t != NULL; t = next) {
		next = LIST_NEXT(t, link);
		http_run_daemon(t->daemon, wait_ms);
		info = MHD_get_daemon_info(t->daemon,
					   MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
		if (info->num_connections == 0 ||
		    mono_diff_us(now.mono, t->retired) > RETIRED_US)
			retired_free(h, t);
		else
			tls_daemon_wait(t, h->loop);
	}
}

void
tls_retired_stop(struct http *h)
{
	while (!LIST_EMPTY(&h->retired))
		retired_free(h, LIST_FIRST(&h->retired));
}

/* A new daemon gets the listening socket, the old one keeps its connections. */
static int
renew(struct listener *ln, struct err *e)
{
	struct http *h = ln->http;
	struct tls_daemon *old = ln->tls;

	if (MHD_quiesce_daemon(ln->daemon) == MHD_INVALID_SOCKET)
		return err_set(e, ERR_IO, "%s: the old certificate stays",
			       ln->sock.address);
	old->retired = loop_now(h->loop).mono;
	LIST_INSERT_HEAD(&h->retired, old, link);
	ln->tls = NULL;
	ln->daemon = NULL;
	return http_start_daemon(ln, e);
}

static void
warn_of_end(const struct http *h, const char *path)
{
	real_t end = tls_pair_expires(h->pair), now = loop_now(h->loop).real;
	char text[REAL_TEXT_SIZE];

	if (real_diff_us(end, now) < WARN_US)
		log_warn("web", "the certificate in %s %s %s", path,
			 real_diff_us(end, now) < 0 ? "expired" : "expires",
			 real_format(end, text));
}

int
http_use_tls(struct http *h, const char *cert_path, const char *key_path,
	     struct err *e)
{
	struct tls_pair *pair = xcalloc(1, sizeof(*pair)), *old = h->pair;
	int rc = 0;

	if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
		free(pair);
		return err_set(e, ERR_CONF,
			       "web.tls_cert: this libmicrohttpd was built "
			       "without TLS");
	}
	if (tls_pair_read(pair, cert_path, key_path, e) != 0) {
		free(pair);
		return -1;
	}
	h->pair = pair;
	warn_of_end(h, cert_path);
	if (old == NULL)
		return 0;
	if (!tls_pair_same(old, pair)) {
		for (size_t i = 0; i < h->n_listeners; i++)
			if (h->listeners[i]->tls != NULL && rc == 0)
				rc = renew(h->listeners[i], e);
		log_info("web", "the certificate in %s is in use", cert_path);
	}
	tls_pair_fini(old);
	free(old);
	return rc;
}
