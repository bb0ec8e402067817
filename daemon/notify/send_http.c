#include <stdlib.h>
#include <string.h>

#include "dslat/digest.h"
#include "dslat/fetch.h"
#include "dslat/mem.h"
#include "render.h"
#include "send.h"

#define BODY_MAX_BYTES ((size_t)64 << 20)
#define ANSWER_MAX_BYTES ((size_t)1 << 20)
#define SHOWN_BYTES 160
#define API_PATH "/api/v2/alerts"

struct http {
	struct attempt *attempt;
	struct fetch_peer *peer;
	struct fetch *fetch;
	char *base; /* the URL without its path, which may be a secret */
	char shown[SHOWN_BYTES + 1]; /* how the answer begins */
	size_t n_shown;
};

/* ---- the answer ----------------------------------------------------------- */

static int
on_data(void *arg, const char *data, size_t len, struct err *e unused)
{
	struct http *h = arg;

	for (size_t i = 0; i < len && h->n_shown < SHOWN_BYTES; i++)
		if (data[i] != '\0')
			h->shown[h->n_shown++] = data[i];
	return 0;
}

static void
refused(const struct http *h, const struct fetch_result *f,
	struct send_result *r)
{
	char *words = message_clean(h->shown);
	bool is_mine = f->status >= 400 && f->status <= 499 &&
		f->status != 408 && f->status != 429;

	err_set(&r->err, is_mine ? ERR_PROTO : ERR_BUSY,
		"%s answers with HTTP status %d%s%s%s", h->base, f->status,
		words[0] != '\0' ? ": " : "", words,
		is_mine ? "; check url, and what it expects" : "");
	r->is_refused = is_mine;
	r->retry_after_us = f->retry_after_us;
	free(words);
}

static void
on_done(void *arg, const struct fetch_result *f)
{
	struct http *h = arg;
	struct send_result r = { .err = f->err };

	h->fetch = NULL;
	if (f->err.code == ERR_NONE && (f->status < 200 || f->status > 299))
		refused(h, f, &r);
	attempt_finish(h->attempt, &r);
}

static const struct fetch_ops ops = { .on_data = on_data, .on_done = on_done };

/* ---- the request ------------------------------------------------------------ */

/* "X-Dslat-Signature: sha256=...", or NULL and e. */
static char *
sign(const char *secret_file, const struct buf *body, struct err *e)
{
	unsigned char mac[SHA256_BYTES];
	char hex[SHA256_HEX_SIZE];
	struct secret s;

	if (secret_read_file(secret_file, &s, e) != 0)
		return NULL;
	digest_hmac_sha256(s.text, buf_str(body), body->len, mac);
	secret_fini(&s);
	digest_hex(mac, sizeof(mac), hex);
	return xasprintf("X-Dslat-Signature: sha256=%s", hex);
}

/* Of an Alertmanager without a path the one of its API. */
static char *
path_of(const struct conf_notify *c, char *path)
{
	char *whole;

	if (c->type != NOTIFY_ALERTMANAGER || strstr(path, "/api/") != NULL)
		return path;
	path[strcspn(path, "?")] = '\0';
	if (path[0] != '\0' && path[strlen(path) - 1] == '/')
		path[strlen(path) - 1] = '\0';
	whole = xasprintf("%s" API_PATH, path);
	free(path);
	return whole;
}

static int
ask(struct http *h, const struct buf *body, struct err *e)
{
	const struct conf_notify *c = attempt_conf(h->attempt);
	const struct fetch_tls tls = { c->ca_file, c->fingerprint_sha256,
				       c->insecure };
	char *path = NULL, *signature = NULL;
	const char *headers[] = { "Content-Type: application/json", NULL,
				  NULL };
	int rc = -1;

	if (c->secret_file != NULL) {
		signature = sign(c->secret_file, body, e);
		if (signature == NULL)
			goto out;
		headers[1] = signature;
	}
	if (fetch_url_split(c->url, &h->base, &path, e) != 0)
		goto out;
	path = path_of(c, path);
	h->peer = fetch_peer_new(attempt_loop(h->attempt), h->base, &tls, e);
	if (h->peer == NULL)
		goto out;
	h->fetch = fetch_start(h->peer,
			       &(struct fetch_request){
				       .method = "POST",
				       .path = path,
				       .headers = headers,
				       .body = buf_str(body),
				       .body_len = body->len,
				       .timeout_us = c->timeout_s * US_PER_S,
				       .max_bytes = ANSWER_MAX_BYTES,
			       },
			       &ops, h);
	rc = 0;
out:
	free(path);
	free(signature);
	return rc;
}

static void
stop(void *state)
{
	struct http *h = state;

	fetch_peer_free(&h->peer); /* and with it what is under way */
	free(h->base);
	free(h);
}

static void *
start(struct attempt *a, const struct message *m, struct err *e)
{
	struct http *h = xcalloc(1, sizeof(*h));
	json_t *v = attempt_conf(a)->type == NOTIFY_ALERTMANAGER
		? alertmanager_json(m)
		: webhook_json(m);
	struct buf body;
	int rc;

	h->attempt = a;
	buf_init(&body, BODY_MAX_BYTES);
	rc = json_append(&body, v);
	json_decref(v);
	if (rc != 0)
		err_set(e, ERR_LIMIT, "the message is larger than %zu MiB",
			BODY_MAX_BYTES >> 20);
	else
		rc = ask(h, &body, e);
	buf_fini(&body);
	if (rc == 0)
		return h;
	stop(h);
	return NULL;
}

const struct send_type send_http = { .start = start, .stop = stop };
