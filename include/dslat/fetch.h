/*
 * fetch.h - asynchronous HTTP requests over the loop, one peer at a time.
 *
 * A peer is one server with its TLS rules, cookies and kept-alive
 * connections.  Bodies are handed on while they arrive; a consumer that
 * returns -1 ends the transfer.  Redirects are refused, bodies limited,
 * answers decompressed.  Proxies come from the environment as curl reads it
 * (no_proxy included) and never apply to loopback or Unix sockets.  A request
 * calls on_done exactly once, unless it was cancelled, never from inside
 * fetch_start().  Every call below is allowed from inside every callback.
 * Peers are freed before the loop.  Loop thread only.
 */
#ifndef DSLAT_FETCH_H
#define DSLAT_FETCH_H

#include "dslat/buf.h"
#include "dslat/err.h"
#include "dslat/loop.h"

struct fetch_peer;
struct fetch;

struct fetch_tls {
	const char *ca_file;            /* NULL: the system's */
	const char *fingerprint_sha256; /* of the certificate, hex; or NULL */
	bool insecure;
};

/*
 * base_url: scheme://host[:port], or unix:/path for a socket.  Copied; tls NULL
 * means the system's CAs.  A fingerprint decides alone: it need not be signed
 * by a CA, nor be for this name.  The URL and the fingerprint can be wrong
 * (ERR_CONF); the network is not touched before a request.
 */
struct fetch_peer *fetch_peer_new(struct loop *l, const char *base_url,
				  const struct fetch_tls *tls, struct err *e)
	must_check;
/* Cancels its requests without calling on_done. */
void fetch_peer_free(struct fetch_peer **p);
/* Forget the cookies (a session that ended). */
void fetch_peer_forget(struct fetch_peer *p);

/* "https://vc/sdk?x=1" -> "https://vc" and "/sdk?x=1", both yours to free;
 * also unix:/path, whose path is "/".  Refuses other schemes and user names. */
int fetch_url_split(const char *url, char **base_r, char **path_r,
		    struct err *e) must_check;

/* Everything is copied. */
struct fetch_request {
	const char *method;         /* "GET", "POST" */
	const char *path;           /* "/sdk"; with query */
	const char *const *headers; /* NULL-terminated "Name: value"; or NULL */
	const char *body;           /* copied; may be NULL */
	size_t body_len;
	int64_t timeout_us; /* for the whole transfer; 0: no end */
	size_t max_bytes;   /* of the decoded body */
};

struct fetch_result {
	/* code ERR_NONE when an HTTP answer came in full, whatever its status
	 * (a redirect apart).  Texts name the server and the cure. */
	struct err err;
	int status;               /* HTTP status; 0 without an answer */
	const char *content_type; /* "" when absent; borrowed */
	size_t bytes;             /* of the decoded body */
	int64_t elapsed_us;
	int64_t retry_after_us; /* Retry-After; 0: not asked for */
};

struct fetch_ops {
	/* Once, before the first data, also when none comes: 0 go on, -1 stop
	 * (ERR_PROTO).  Not for redirects.  All three may be NULL. */
	int (*on_head)(void *arg, int status, const char *content_type);
	/* 0 go on, -1 stop (on_done then has ERR_PROTO unless set here). */
	int (*on_data)(void *arg, const char *data, size_t len, struct err *e);
	void (*on_done)(void *arg, const struct fetch_result *r);
};

struct fetch *fetch_start(struct fetch_peer *p, const struct fetch_request *rq,
			  const struct fetch_ops *ops, void *arg) must_check;
/* No call comes after this; *f becomes NULL.  The pointer of fetch_start() is
 * good until then, or until on_done returns. */
void fetch_cancel(struct fetch **f);

#endif
