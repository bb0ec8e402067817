/*
 * http.h - the HTTP server: listeners, connections, requests.
 *
 * The only module that knows libmicrohttpd.  Each listener is one MHD daemon
 * in external epoll mode, its epoll descriptor in our loop.  A request is
 * parsed, its body read if ops->wants_body says so, handed to ops->handle,
 * which fills rq->reply, and sent.  A reply
 * with a job or a source that has nothing to say suspends its connection; no
 * other request waits for it.  Everything on the loop thread.
 */
#ifndef DSLAT_HTTP_H
#define DSLAT_HTTP_H

#include "dslat/loop.h"
#include "dslat/tokens.h"
#include "web/reply.h"
#include "web/route.h"

#define HTTP_MAX_CONNECTIONS 1024 /* per listener */
/* The same with TLS, where descriptors are below 1024: two listeners (IPv4 and
 * IPv6) and everything else. */
#define HTTP_MAX_TLS_CONNECTIONS 400u
#define HTTP_MAX_BODY_BYTES ((size_t)64 << 10)

/* Who asks, as far as he showed it (auth.h); name "": he did not. */
struct caller {
	char name[TOKEN_NAME_MAX_BYTES + 1];
	enum token_role role;
	bool by_cookie;
};

struct request {
	uint32_t magic;
	enum http_method method;
	struct uri uri;
	const char *id;  /* what {id} stands for, or NULL */
	struct buf body; /* what came with it; empty before handle() */
	struct caller caller;
	struct reply reply; /* for the handler to fill */
};

/* A request header's value or NULL; borrowed, until the reply is sent. */
const char *request_header(const struct request *rq, const char *name);

/* Did it come through TLS? */
bool request_is_secure(const struct request *rq);

/*
 * A job or a source that waits for another thread parks its request: from the
 * handler, inside a step (which answers false then), or inside a read (which
 * answers 0).  Its step is not called again until request_wake().  If the
 * client leaves meanwhile, the job or source is freed: it must let go of what
 * would wake it, and nothing may touch the request afterwards.
 */
void request_park(struct request *rq);
/* A parked job has something to do now, or a source that said 0 something to
 * say.  Until it is freed; any number of times. */
void request_wake(struct request *rq);

struct http;

/* Who asks: "192.0.2.7", "2001:db8::7", or "unix". */
#define PEER_SIZE 64
void request_peer(const struct request *rq, char out[PEER_SIZE]);

struct http_ops {
	/* The headers are there and a body is to come: true to read it.
	 * false: rq->reply says why not, and the connection ends. */
	bool (*wants_body)(void *arg, struct request *rq);
	void (*handle)(void *arg, struct request *rq);
};

struct http_stats {
	uint64_t requests[6]; /* [2] = answered with 2xx, ... */
	uint64_t late;        /* connections cut for being too slow */
	size_t connections;   /* open now */
};

struct http *http_new(struct loop *l, const struct http_ops *ops, void *arg)
	must_check;
/* Closes everything.  After this no handler, job or source is called. */
void http_free(struct http **h);
/* Before http_listen(): its TCP listeners will be HTTPS.  Again: they take the
 * files' new certificate; connections that are open keep the old one. */
int http_use_tls(struct http *h, const char *cert_path, const char *key_path,
		 struct err *e) must_check;
bool http_is_tls(const struct http *h);
int http_listen(struct http *h, const char *word, struct err *e) must_check;
/* "http://127.0.0.1:9969/"; NULL behind the last.  Borrowed. */
const char *http_address(const struct http *h, size_t i);
struct http_stats http_stats(const struct http *h);

#endif
