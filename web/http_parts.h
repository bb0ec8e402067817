/*
 * http_parts.h - what the files of the HTTP server share; private to them.
 *
 * http.c has the server and its listeners, http_tls.c what is special to those
 * with TLS, http_exchange.c the way of one request.  The loop thread.
 */
#ifndef DSLAT_HTTP_PARTS_H
#define DSLAT_HTTP_PARTS_H

#include <microhttpd.h>
#include <sys/queue.h>

#include "web/conns.h"
#include "web/http.h"
#include "web/jobs.h"
#include "web/listen.h"
#include "web/tls_files.h"

#define HTTP_MAX_LISTENERS 32

struct listener {
	uint32_t magic;
	struct http *http;
	struct listen_socket sock;
	struct MHD_Daemon *daemon;
	struct loop_fd *epoll;  /* of a plain one */
	struct tls_daemon *tls; /* NULL: a plain one */
};
#define LISTENER_MAGIC OBJ_MAGIC('l', 's', 't', 'n')

struct http {
	uint32_t magic;
	struct loop *loop;
	const struct http_ops *ops;
	void *arg;
	unsigned max_connections;
	struct listener *listeners[HTTP_MAX_LISTENERS];
	size_t n_listeners;
	struct conns conns;
	LIST_HEAD(exchange_list, exchange) exchanges;
	struct jobs jobs;
	struct http_stats stats;
	struct tls_pair *pair;                      /* NULL: no TLS */
	LIST_HEAD(tls_daemons, tls_daemon) retired; /* of an old certificate */
	mono_t logged;
	unsigned unlogged;
};
#define HTTP_MAGIC OBJ_MAGIC('h', 't', 't', 'p')

/* ---- http_exchange.c: MHD's callbacks, whose cls is the listener ---- */

/* A request line was read: the only place that sees it undecoded.  The result
 * is the request's con_cls. */
void *exchange_begin(void *cls, const char *raw, struct MHD_Connection *c);
enum MHD_Result exchange_request(void *cls, struct MHD_Connection *c,
				 const char *url, const char *method,
				 const char *version, const char *upload,
				 size_t *upload_bytes, void **con_cls);
void exchange_completed(void *cls, struct MHD_Connection *c, void **con_cls,
			enum MHD_RequestTerminationCode why);
void exchange_connection(void *cls, struct MHD_Connection *c,
			 void **socket_context,
			 enum MHD_ConnectionNotificationCode what);
/* For http->jobs and http->conns. */
bool exchange_step_job(struct job_link *link);
void exchange_left(void *exchange);
/* MHD must not be stopped while a connection is suspended: those of a daemon,
 * or all (NULL). */
void exchanges_resume(struct http *h, const struct MHD_Daemon *d);

/* ---- http.c ---- */
/* The listener's socket gets a daemon, for TLS if that is its kind. */
int http_start_daemon(struct listener *ln, struct err *e) must_check;
/* What is due; *wait_ms becomes shorter if it must (-1: for ever). */
void http_run_daemon(struct MHD_Daemon *d, int *wait_ms);

/* ---- http_tls.c ---- */
struct tls_daemon *tls_daemon_new(struct MHD_Daemon *d) must_check;
void tls_daemon_free(struct tls_daemon **t);
void tls_daemon_wait(struct tls_daemon *t, struct loop *l);
void tls_retired_run(struct http *h, struct now now, int *wait_ms);
void tls_retired_stop(struct http *h);

#endif
