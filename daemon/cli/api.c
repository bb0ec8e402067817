#include "api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/conf.h"
#include "dslat/mem.h"
#include "sentence.h"

#define TIMEOUT_US (30 * US_PER_S)
#define ANSWER_BYTES ((size_t)64 << 20)
#define PATH_BYTES 16384
#define PAGES_MAX 1000

struct api {
	char *url;    /* as given, for people */
	char *prefix; /* of every path; "" or "/dslat" */
	struct loop *loop;
	struct fetch_peer *peer;
	char *token_file;     /* NULL: no token */
	struct buf authorize; /* the header; wiped */
};

struct answer {
	struct buf *body;
	/* Of a stream: 200 with this type goes there, all else into body. */
	const char *stream_type;
	int (*stream)(void *arg, const char *data, size_t len, struct err *e);
	void *stream_arg;
	bool streams;
	struct fetch_result r;
	char type[64];
	bool done;
};

struct api *
api_new(const char *url, const struct fetch_tls *tls, struct err *e)
{
	struct api *a = xcalloc(1, sizeof(*a));
	char *base;
	size_t n;

	a->url = xstrdup(url);
	buf_init(&a->authorize, 8192);
	a->loop = loop_new(e);
	if (a->loop == NULL)
		goto fail;
	if (fetch_url_split(url, &base, &a->prefix, e) != 0) {
		char *why = xstrdup(e->text);

		err_set(e, ERR_USAGE,
			"%s (dslatd is at http://host:port or unix:/path)",
			why);
		free(why);
		goto fail;
	}
	n = strcspn(a->prefix, "?");
	while (n > 0 && a->prefix[n - 1] == '/')
		n--;
	a->prefix[n] = '\0';
	a->peer = fetch_peer_new(a->loop, base, tls, e);
	free(base);
	if (a->peer != NULL)
		return a;
	e->code = ERR_USAGE;
fail:
	api_free(&a);
	return NULL;
}

void
api_free(struct api **ap)
{
	struct api *a = *ap;

	if (a == NULL)
		return;
	*ap = NULL;
	fetch_peer_free(&a->peer);
	loop_free(&a->loop);
	if (a->authorize.data != NULL)
		mem_wipe(a->authorize.data, a->authorize.room);
	buf_fini(&a->authorize);
	free(a->token_file);
	free(a->url);
	free(a->prefix);
	free(a);
}

int
api_set_token_file(struct api *a, const char *path, struct err *e)
{
	struct secret s;

	if (secret_read_file(path, &s, e) != 0)
		return err_wrap(e, "token file");
	buf_addf(&a->authorize, "Authorization: Bearer %s", s.text);
	secret_fini(&s);
	a->token_file = xstrdup(path);
	return 0;
}

const char *
api_url(const struct api *a)
{
	return a->url;
}

/* ---- addresses ---------------------------------------------------------- */

/* Everything but RFC 3986's unreserved characters. */
static void
add_escaped(struct buf *b, const char *s)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz"
		"0123456789-._~";

	for (; *s != '\0'; s++)
		if (strchr(plain, *s) != NULL)
			buf_addc(b, *s);
		else
			buf_addf(b, "%%%02X", (unsigned char)*s);
}

void
api_add_param(struct buf *path, const char *name, const char *value)
{
	if (value == NULL)
		return;
	buf_addc(path, strchr(buf_str(path), '?') == NULL ? '?' : '&');
	buf_addf(path, "%s=", name);
	add_escaped(path, value);
}

void
api_add_segment(struct buf *path, const char *text)
{
	buf_addc(path, '/');
	add_escaped(path, text);
}

/* ---- asking ------------------------------------------------------------- */

static bool
has_type(const char *type, const char *wanted)
{
	size_t n = strcspn(wanted, ";");

	return strncmp(type, wanted, n) == 0 &&
		(type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

static int
on_head(void *arg, int status, const char *content_type)
{
	struct answer *w = arg;

	w->streams = w->stream != NULL && status == 200 &&
		has_type(content_type, w->stream_type);
	return 0;
}

static int
on_data(void *arg, const char *data, size_t len, struct err *e)
{
	struct answer *w = arg;

	if (w->streams)
		return w->stream(w->stream_arg, data, len, e);
	return buf_add(w->body, data, len);
}

static void
on_done(void *arg, const struct fetch_result *r)
{
	struct answer *w = arg;

	w->r = *r;
	snprintf(w->type, sizeof(w->type), "%s", r->content_type);
	w->done = true;
}

static const struct fetch_ops ops = { on_head, on_data, on_done };

static bool
is_type(const struct answer *w, const char *type)
{
	return has_type(w->type, type);
}

/* The sentence of a problem+json, or what else came. */
static int
refused(const struct api *a, const struct answer *w, struct err *e)
{
	json_t *v = NULL;
	const char *detail;
	struct buf b;

	buf_init(&b, ANSWER_BYTES);
	if (is_type(w, "application/problem+json"))
		v = json_loadb(buf_str(w->body), w->body->len, 0, NULL);
	detail = js_text(v, "detail");
	if (*detail == '\0')
		detail = js_text(v, "title");
	sentence_add(&b, detail);
	if (b.len != 0) /* 400, 422: what was asked is wrong */
		err_set(e,
			w->r.status == 400 || w->r.status == 422 ? ERR_USAGE
								 : ERR_PROTO,
			"%s", buf_str(&b));
	else
		err_set(e, ERR_PROTO,
			"%s is no dslatd, or a proxy is between:"
			" it answers with HTTP status %d (%s)",
			a->url, w->r.status, w->type);
	buf_fini(&b);
	json_decref(v);
	return -1;
}

static int
unreachable(const struct fetch_result *r, struct err *e)
{
	*e = r->err;
	if (e->code == ERR_NET || e->code == ERR_TIMEOUT)
		err_set(e, r->err.code,
			"no answer from dslatd: %s (--url or DSLAT_URL name"
			" another address)",
			r->err.text);
	if (e->code == ERR_TLS)
		err_set(e, ERR_TLS,
			"%s (on this command line: --fingerprint,"
			" --ca-file or --insecure)",
			r->err.text);
	return -1;
}

/* 401 is the one refusal whose cure is on this side. */
static void
say_token(const struct api *a, const struct answer *w, struct err *e)
{
	if (w->r.status == 401 && a->token_file != NULL)
		err_set(e, ERR_AUTH,
			"dslatd does not know the token in %s; on its machine,"
			" \"dslat token new NAME\" makes one",
			a->token_file);
	else if (w->r.status == 401)
		err_set(e, ERR_AUTH,
			"dslatd wants a token: make one on its machine with"
			" \"dslat token new NAME --role write\", put it into a"
			" file and name that with --token-file or"
			" DSLAT_TOKEN_FILE");
}

/* The answer of one request into w. */
static int
ask(struct api *a, const struct fetch_request *wanted, struct answer *w,
    struct err *e)
{
	const char *headers[] = { NULL, NULL, NULL };
	struct fetch_request rq = *wanted;
	char *full = xasprintf("%s%s", a->prefix, wanted->path);
	struct fetch *f;
	size_t n = 0;

	if (a->authorize.len != 0)
		headers[n++] = buf_str(&a->authorize);
	if (rq.body != NULL)
		headers[n++] = "Content-Type: application/json";
	rq.path = full;
	rq.headers = headers;
	rq.timeout_us = w->stream != NULL ? 0 : TIMEOUT_US;
	rq.max_bytes = w->stream != NULL ? SIZE_MAX : ANSWER_BYTES;
	f = fetch_start(a->peer, &rq, &ops, w);
	assert(f != NULL);
	while (!w->done)
		loop_turn(a->loop, -1);
	free(full);
	if (w->r.err.code != ERR_NONE)
		return unreachable(&w->r, e);
	if (w->r.status == 204 || w->streams ||
	    (w->r.status / 100 == 2 && is_type(w, "application/json")))
		return 0;
	refused(a, w, e);
	say_token(a, w, e);
	return -1;
}

int
api_get(struct api *a, const char *path, struct buf *body, struct err *e)
{
	const struct fetch_request rq = { .method = "GET", .path = path };
	struct answer w = { .body = body };

	return ask(a, &rq, &w, e);
}

int
api_get_stream(struct api *a, const char *path, const char *type,
	       int (*fn)(void *arg, const char *data, size_t len,
			 struct err *e),
	       void *arg, struct err *e)
{
	const struct fetch_request rq = { .method = "GET", .path = path };
	struct buf body;
	struct answer w = {
		.body = &body,
		.stream_type = type,
		.stream = fn,
		.stream_arg = arg,
	};
	int rc;

	buf_init(&body, ANSWER_BYTES);
	rc = ask(a, &rq, &w, e);
	if (rc == 0 && !w.streams)
		rc = refused(a, &w, e);
	buf_fini(&body);
	return rc;
}

static json_t *
parse(const struct api *a, const struct buf *body, struct err *e)
{
	json_error_t je;
	json_t *v = json_loadb(buf_str(body), body->len, 0, &je);

	if (v == NULL)
		err_set(e, ERR_PROTO, "the answer of %s is not JSON: %s",
			a->url, je.text);
	return v;
}

json_t *
api_write(struct api *a, const char *method, const char *path, json_t *body,
	  struct err *e)
{
	struct fetch_request rq = { .method = method, .path = path };
	struct buf in, out;
	struct answer w = { .body = &in };
	json_t *v = NULL;

	buf_init(&in, ANSWER_BYTES);
	buf_init(&out, ANSWER_BYTES);
	if (body != NULL) {
		json_append(&out, body);
		json_decref(body);
		rq.body = buf_str(&out);
		rq.body_len = out.len;
	}
	if (ask(a, &rq, &w, e) == 0)
		v = in.len != 0 ? parse(a, &in, e) : json_null();
	buf_fini(&in);
	buf_fini(&out);
	return v;
}

json_t *
api_json(struct api *a, const char *path, struct err *e)
{
	json_t *v = NULL;
	struct buf body;

	buf_init(&body, ANSWER_BYTES);
	if (api_get(a, path, &body, e) == 0)
		v = parse(a, &body, e);
	buf_fini(&body);
	return v;
}

static json_t *
get_page(struct api *a, const char *path, const char *cursor, struct err *e)
{
	struct buf full;
	json_t *v;

	buf_init(&full, PATH_BYTES);
	buf_adds(&full, path);
	api_add_param(&full, "cursor", cursor);
	v = api_json(a, buf_str(&full), e);
	buf_fini(&full);
	if (v == NULL || json_is_array(json_object_get(v, "items")))
		return v;
	err_set(e, ERR_PROTO, "the answer of %s is no list", a->url);
	json_decref(v);
	return NULL;
}

json_t *
api_list(struct api *a, const char *path, struct err *e)
{
	json_t *all = get_page(a, path, NULL, e);
	const char *cursor;

	for (int page = 1; page < PAGES_MAX && all != NULL; page++) {
		json_t *v;

		cursor = json_string_value(json_object_get(all, "next_cursor"));
		if (cursor == NULL)
			return all;
		v = get_page(a, path, cursor, e);
		if (v != NULL) {
			json_array_extend(json_object_get(all, "items"),
					  json_object_get(v, "items"));
			json_object_set(all, "next_cursor",
					json_object_get(v, "next_cursor"));
			json_object_set(all, "next",
					json_object_get(v, "next"));
			json_decref(v);
			continue;
		}
		json_decref(all);
		return NULL;
	}
	if (all != NULL)
		err_set(e, ERR_LIMIT, "the list of %s has no end", a->url);
	json_decref(all);
	return NULL;
}

/* ---- values ------------------------------------------------------------- */

const char *
js_text(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));

	return s != NULL ? s : "";
}

bool
js_true(const json_t *v, const char *key)
{
	return json_is_true(json_object_get(v, key));
}

double
js_num(const json_t *v, const char *key)
{
	const json_t *n = json_object_get(v, key);

	return json_is_number(n) ? json_number_value(n) : NAN;
}
