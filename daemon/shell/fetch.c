#include "dslat/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "dslat/mem.h"
#include "fetch_parts.h"

#define FETCH_MAGIC OBJ_MAGIC('f', 't', 'c', 'h')

#define CONNECT_TIMEOUT_MS 10000L
/* A server that has begun to answer and then sends less than this is taken
 * for dead.  (Before its first byte only the time-out counts: vCenter may
 * think for a minute.) */
#define LOW_SPEED_BYTES_PER_S 16L
long fetch_low_speed_s = 30;
/* Of one read.  A small one bounds what a pause may have to keep: what these
 * bytes unpack to, a thousandfold at most. */
#define BUFFER_BYTES 16384L
#define CA_CACHE_S 600L
#define RETRY_AFTER_MAX_S 86400

struct fetch_peer {
	struct loop *loop;
	struct fetch_place at;
	char *ca_file;
	bool insecure;
	struct tls_check check;
	/* Its own pool of connections and its own cookies: a connection that
	 * was made under another peer's TLS rules is never used. */
	CURLSH *share;
	struct fetch *fetches;
	size_t n_refs; /* the owner, and every fetch not yet freed */
};

struct fetch {
	struct loop_transfer transfer; /* first: its magic is checked */
	uint32_t magic;
	struct fetch_peer *peer;
	struct fetch *next, **prev_next; /* among the peer's */
	const struct fetch_ops *ops;
	void *arg;
	bool silent; /* cancelled, or in its last callback */
	bool tls_begun, head_seen;
	size_t bytes, max_bytes;
	int64_t timeout_us;
	struct curl_slist *headers;
	struct err err; /* set by us, before curl's own */
	char curl_text[CURL_ERROR_SIZE];
};

/* Out of memory is the only reason for these to fail: as in mem.c. */
static void
must(bool ok)
{
	if (!ok)
		abort();
}

#define SET(easy, option, value)                                               \
	must(curl_easy_setopt((easy), (option), (value)) == CURLE_OK)

/* ---- peers -------------------------------------------------------------- */

static int
take_tls(struct fetch_peer *p, const struct fetch_tls *tls, struct err *e)
{
	const char *ssl = curl_version_info(CURLVERSION_NOW)->ssl_version;

	if (p->at.https && (ssl == NULL || strncmp(ssl, "OpenSSL", 7) != 0))
		return err_set(e, ERR_CONF,
			       "this libcurl uses %s for TLS;"
			       " dslat needs one with OpenSSL to check"
			       " certificates",
			       ssl != NULL ? ssl : "nothing");
	if (tls == NULL)
		return 0;
	p->insecure = tls->insecure;
	if (tls->fingerprint_sha256 != NULL) {
		p->check.has_pin = true;
		if (tls_pin_parse(tls->fingerprint_sha256, p->check.pin) != 0)
			return err_set(e, ERR_CONF,
				       "\"%s\" is not a SHA-256"
				       " fingerprint: 64 hexadecimal digits",
				       tls->fingerprint_sha256);
	}
	xstrset(&p->ca_file, tls->ca_file);
	return 0;
}

struct fetch_peer *
fetch_peer_new(struct loop *l, const char *base_url,
	       const struct fetch_tls *tls, struct err *e)
{
	struct fetch_peer *p = xcalloc(1, sizeof(*p));

	if (fetch_place_init(&p->at, base_url, e) != 0 ||
	    take_tls(p, tls, e) != 0) {
		fetch_place_fini(&p->at);
		free(p);
		return NULL;
	}
	p->loop = l;
	p->n_refs = 1;
	p->share = curl_share_init();
	must(p->share != NULL);
	must(curl_share_setopt(p->share, CURLSHOPT_SHARE,
			       CURL_LOCK_DATA_CONNECT) == CURLSHE_OK);
	must(curl_share_setopt(p->share, CURLSHOPT_SHARE,
			       CURL_LOCK_DATA_COOKIE) == CURLSHE_OK);
	return p;
}

static void
peer_unref(struct fetch_peer *p)
{
	if (--p->n_refs > 0)
		return;
	must(curl_share_cleanup(p->share) == CURLSHE_OK);
	fetch_place_fini(&p->at);
	free(p->ca_file);
	free(p);
}

void
fetch_peer_free(struct fetch_peer **pp)
{
	struct fetch_peer *p = *pp;

	if (p == NULL)
		return;
	*pp = NULL;
	for (struct fetch *f = p->fetches, *next; f != NULL; f = next) {
		next = f->next;
		fetch_cancel(&f);
	}
	peer_unref(p);
}

void
fetch_peer_forget(struct fetch_peer *p)
{
	CURL *easy = curl_easy_init();

	must(easy != NULL);
	SET(easy, CURLOPT_SHARE, p->share);
	SET(easy, CURLOPT_COOKIELIST, "ALL");
	curl_easy_cleanup(easy);
}

/* ---- the answer --------------------------------------------------------- */

static int
status_of(const struct fetch *f)
{
	long status = 0;

	curl_easy_getinfo(f->transfer.easy, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

static const char *
content_type_of(const struct fetch *f)
{
	char *type = NULL;

	curl_easy_getinfo(f->transfer.easy, CURLINFO_CONTENT_TYPE, &type);
	return type != NULL ? type : "";
}

/* Before the body.  -1: f->err says why not to go on, or f is silent. */
static int
take_head(struct fetch *f)
{
	int status = status_of(f);
	struct curl_header *h;

	if (f->head_seen)
		return 0;
	f->head_seen = true;
	if (status >= 300 && status <= 399 && status != 304) {
		bool is = curl_easy_header(f->transfer.easy, "Location", 0,
					   CURLH_HEADER, -1, &h) == CURLHE_OK;

		fetch_explain_redirect(&f->peer->at, status,
				       is ? h->value : NULL, &f->err);
		return -1;
	}
	if (f->ops->on_head == NULL ||
	    f->ops->on_head(f->arg, status, content_type_of(f)) == 0)
		return f->silent ? -1 : 0;
	return err_set(&f->err, ERR_PROTO,
		       "%.100s answers with HTTP status %d"
		       " (%.60s)",
		       f->peer->at.label, status, content_type_of(f));
}

static size_t
on_body(char *data, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;
	size_t len = size * n;

	assert(f->magic == FETCH_MAGIC);
	if (f->silent || f->err.code != ERR_NONE)
		return CURL_WRITEFUNC_ERROR;
	if (!loop_transfer_may(f->peer->loop, &f->transfer, len))
		return CURL_WRITEFUNC_PAUSE;
	if (take_head(f) != 0)
		return CURL_WRITEFUNC_ERROR;
	f->bytes += len;
	if (f->bytes > f->max_bytes) {
		err_set(&f->err, ERR_LIMIT,
			"the answer of %.100s is larger"
			" than the limit of %zu bytes",
			f->peer->at.label, f->max_bytes);
		return CURL_WRITEFUNC_ERROR;
	}
	if (f->timeout_us != 0 && f->bytes == len) {
		SET(f->transfer.easy, CURLOPT_LOW_SPEED_LIMIT,
		    LOW_SPEED_BYTES_PER_S);
		SET(f->transfer.easy, CURLOPT_LOW_SPEED_TIME,
		    fetch_low_speed_s);
	}
	if (f->ops->on_data != NULL &&
	    f->ops->on_data(f->arg, data, len, &f->err) != 0) {
		if (!f->silent && f->err.code == ERR_NONE)
			err_set(&f->err, ERR_PROTO,
				"the answer of %.100s was"
				" not accepted",
				f->peer->at.label);
		return CURL_WRITEFUNC_ERROR;
	}
	return f->silent ? CURL_WRITEFUNC_ERROR : len;
}

static void
fetch_unlink(struct fetch *f)
{
	*f->prev_next = f->next;
	if (f->next != NULL)
		f->next->prev_next = f->prev_next;
}

static void
fetch_destroy(struct fetch *f)
{
	struct fetch_peer *p = f->peer;

	curl_easy_cleanup(f->transfer.easy);
	curl_slist_free_all(f->headers);
	f->magic = 0;
	free(f);
	peer_unref(p);
}

static struct fetch *
fetch_of(struct loop_transfer *t)
{
	struct fetch *f = (struct fetch *)t;

	assert(f->magic == FETCH_MAGIC);
	return f;
}

static void
on_dropped(struct loop_transfer *t)
{
	fetch_destroy(fetch_of(t));
}

static void
explain(struct fetch *f, CURLcode code)
{
	const struct fetch_peer *p = f->peer;
	struct fetch_failure failure = {
		.easy = f->transfer.easy,
		.code = code,
		.curl_text = f->curl_text,
		.at = &p->at,
		.check = p->at.https && !p->insecure ? &p->check : NULL,
		.tls_begun = f->tls_begun,
		.ca_file = p->ca_file,
		.bytes = f->bytes,
	};

	fetch_explain(&failure, &f->err);
}

static void
on_finished(struct loop_transfer *t, CURLcode code)
{
	struct fetch *f = fetch_of(t);
	struct fetch_result r;
	curl_off_t elapsed_us = 0, retry_after_s = 0;

	if (f->err.code == ERR_NONE && code != CURLE_OK)
		explain(f, code);
	if (f->err.code == ERR_NONE && take_head(f) != 0 && f->silent)
		goto out; /* cancelled by on_head */
	curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &elapsed_us);
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
	r = (struct fetch_result){
		.err = f->err,
		.status = status_of(f),
		.content_type = content_type_of(f),
		.bytes = f->bytes,
		.elapsed_us = elapsed_us,
		.retry_after_us =
			MIN(retry_after_s, RETRY_AFTER_MAX_S) * US_PER_S,
	};
	fetch_unlink(f);
	f->silent = true;
	if (f->ops->on_done != NULL)
		f->ops->on_done(f->arg, &r);
out:
	fetch_destroy(f);
}

/* ---- the request -------------------------------------------------------- */

static CURLcode
on_ssl_ctx(CURL *easy unused, void *ssl_ctx, void *arg)
{
	struct fetch *f = arg;

	f->tls_begun = true;
	/* The peer's check: the connection may outlive this request. */
	if (!f->peer->insecure)
		tls_check_install(&f->peer->check, ssl_ctx);
	return CURLE_OK;
}

static void
set_tls(struct fetch *f)
{
	CURL *easy = f->transfer.easy;
	const struct fetch_peer *p = f->peer;
	bool pinned = p->check.has_pin;

	SET(easy, CURLOPT_SSL_VERIFYPEER, p->insecure ? 0L : 1L);
	SET(easy, CURLOPT_SSL_VERIFYHOST, p->insecure || pinned ? 0L : 2L);
	/* One file, nothing of the system's directory: then curl reads it once
	 * and keeps it, and a private CA is really the only one. */
	SET(easy, CURLOPT_CAPATH, NULL);
	SET(easy, CURLOPT_CA_CACHE_TIMEOUT, CA_CACHE_S);
	if (p->insecure || pinned)
		SET(easy, CURLOPT_CAINFO, NULL);
	else if (p->ca_file != NULL)
		SET(easy, CURLOPT_CAINFO, p->ca_file);
	/* Each handshake shows the certificate: no resumed sessions. */
	SET(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
	SET(easy, CURLOPT_SSL_CTX_FUNCTION, on_ssl_ctx);
	SET(easy, CURLOPT_SSL_CTX_DATA, f);
}

static void
set_transport(CURL *easy, const struct fetch_peer *p, int64_t timeout_us)
{
	long timeout_ms = (long)((timeout_us + US_PER_MS - 1) / US_PER_MS);

	SET(easy, CURLOPT_NOSIGNAL, 1L);
	/* Do not wait for a resolver that hangs in a lookup. */
	SET(easy, CURLOPT_QUICK_EXIT, 1L);
	SET(easy, CURLOPT_SHARE, p->share);
	SET(easy, CURLOPT_COOKIEFILE, "");
	SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	SET(easy, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
	SET(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	SET(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
	if (p->at.loopback)
		SET(easy, CURLOPT_PROXY, ""); /* overrides the environment */
	if (p->at.unix_path != NULL)
		SET(easy, CURLOPT_UNIX_SOCKET_PATH, p->at.unix_path);
}

static void
add_header(struct fetch *f, const char *line)
{
	struct curl_slist *all;

	assert(strpbrk(line, "\r\n") == NULL);
	all = curl_slist_append(f->headers, line);
	must(all != NULL);
	f->headers = all;
}

static void
set_request(struct fetch *f, const struct fetch_request *rq)
{
	CURL *easy = f->transfer.easy;
	char *url = xasprintf("%s%s", f->peer->at.base, rq->path);

	assert(rq->path[0] == '/');
	SET(easy, CURLOPT_URL, url);
	free(url);
	SET(easy, CURLOPT_PATH_AS_IS, 1L);
	if (rq->body != NULL || strcmp(rq->method, "POST") == 0) {
		SET(easy, CURLOPT_POST, 1L);
		SET(easy, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)rq->body_len);
		SET(easy, CURLOPT_COPYPOSTFIELDS,
		    rq->body != NULL ? rq->body : "");
	}
	SET(easy, CURLOPT_CUSTOMREQUEST, rq->method);
	SET(easy, CURLOPT_USERAGENT, "dslat/" PACKAGE_VERSION);
	SET(easy, CURLOPT_ACCEPT_ENCODING, ""); /* all that curl can decode */
	/* without this a large body waits for "100 Continue" */
	add_header(f, "Expect:");
	for (size_t i = 0; rq->headers != NULL && rq->headers[i] != NULL; i++)
		add_header(f, rq->headers[i]);
	SET(easy, CURLOPT_HTTPHEADER, f->headers);
}

struct fetch *
fetch_start(struct fetch_peer *p, const struct fetch_request *rq,
	    const struct fetch_ops *ops, void *arg)
{
	struct fetch *f = xcalloc(1, sizeof(*f));
	CURL *easy = curl_easy_init();

	must(easy != NULL);
	f->magic = FETCH_MAGIC;
	f->peer = p;
	p->n_refs++;
	f->next = p->fetches;
	f->prev_next = &p->fetches;
	if (f->next != NULL)
		f->next->prev_next = &f->next;
	p->fetches = f;
	f->ops = ops;
	f->arg = arg;
	f->max_bytes = rq->max_bytes;
	f->timeout_us = rq->timeout_us;
	f->transfer = (struct loop_transfer){
		.magic = LOOP_TRANSFER_MAGIC,
		.easy = easy,
		.done = on_finished,
		.dropped = on_dropped,
	};
	set_transport(easy, p, rq->timeout_us);
	if (p->at.https)
		set_tls(f);
	set_request(f, rq);
	SET(easy, CURLOPT_ERRORBUFFER, f->curl_text);
	SET(easy, CURLOPT_WRITEFUNCTION, on_body);
	SET(easy, CURLOPT_WRITEDATA, f);
	loop_transfer_start(p->loop, &f->transfer);
	return f;
}

void
fetch_cancel(struct fetch **fp)
{
	struct fetch *f = *fp;

	if (f == NULL)
		return;
	*fp = NULL;
	if (f->silent)
		return; /* inside its on_done */
	f->silent = true;
	fetch_unlink(f);
	if (f->transfer.state != TRANSFER_IDLE) /* else on_finished() is up */
		loop_transfer_drop(f->peer->loop, &f->transfer);
}
