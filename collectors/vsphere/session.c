#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/fetch.h"
#include "dslat/mem.h"
#include "versions.h"

#define CALL_MAGIC OBJ_MAGIC('s', 'c', 'a', 'l')
#define SESSION_MAGIC OBJ_MAGIC('s', 'e', 's', 's')

const struct session_limits session_small = { 30 * US_PER_S, 1 << 20 };
const struct session_limits session_large = { 120 * US_PER_S,
					      (size_t)512 << 20 };
static const struct session_limits logout_limits = { 3 * US_PER_S, 1 << 20 };

struct session_call {
	uint32_t magic;
	struct session *session;
	struct session_call *next;
	struct fetch *fetch;
	struct answer *answer;
	bool stopped; /* the decoder had enough */
	session_answer_fn done;
	void *arg;
};

struct session {
	uint32_t magic;
	const struct conf_target *conf;
	struct fetch_peer *peer;
	struct session_call *calls; /* in flight */
	char *path;                 /* "/sdk" */
	char *version;              /* "8.0.3.0"; NULL: not asked yet */
	struct service_content *content;
	struct counters *counters;
	bool logged_in, open;
	session_fn done; /* of the open or close under way */
	void *arg;
	const struct session_tap *tap; /* or NULL */
};

static void
unlink_call(struct session_call *c)
{
	struct session_call **p = &c->session->calls;

	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
}

static void
call_free(struct session_call *c)
{
	answer_free(&c->answer);
	free(c);
}

void
session_cancel(struct session_call **cp)
{
	struct session_call *c = *cp;

	if (c == NULL)
		return;
	fetch_cancel(&c->fetch);
	unlink_call(c);
	call_free(c);
	*cp = NULL;
}

static void
cancel_all(struct session *s)
{
	struct session_call *next;

	for (struct session_call *c = s->calls; c != NULL; c = next) {
		next = c->next;
		fetch_cancel(&c->fetch);
		call_free(c);
	}
	s->calls = NULL;
}

static int
on_data(void *arg, const char *data, size_t len, struct err *e)
{
	struct session_call *c = OBJ_CAST(struct session_call, CALL_MAGIC, arg);
	const struct session_tap *tap = c->session->tap;

	if (tap != NULL)
		tap->data(tap->arg, data, len);
	if (answer_feed(c->answer, data, len, e) == 0)
		return 0;
	c->stopped = true;
	return -1;
}

static void
on_done(void *arg, const struct fetch_result *r)
{
	struct session_call *c = OBJ_CAST(struct session_call, CALL_MAGIC, arg);
	const struct session_tap *tap = c->session->tap;
	struct err e = r->err;
	bool ok = false;

	if (tap != NULL)
		tap->end(tap->arg, answer_name(c->answer), r);
	c->fetch = NULL;
	unlink_call(c);
	/* An error of the decoder is judged by the HTTP status too. */
	if (r->err.code == ERR_NONE || (c->stopped && r->status != 0))
		ok = answer_finish(c->answer, r->status, &e) == 0;
	c->done(c->arg, c->answer, ok ? NULL : &e);
	call_free(c);
}

static const struct fetch_ops call_ops = { .on_data = on_data,
					   .on_done = on_done };

static struct session_call *
start_call(struct session *s, const struct fetch_request *rq, struct answer *r,
	   session_answer_fn done, void *arg)
{
	struct session_call *c = xcalloc(1, sizeof(*c));

	*c = (struct session_call){ .magic = CALL_MAGIC,
				    .session = s,
				    .next = s->calls,
				    .answer = r,
				    .done = done,
				    .arg = arg };
	s->calls = c;
	c->fetch = fetch_start(s->peer, rq, &call_ops, c);
	return c;
}

struct session_call *
session_call(struct session *s, struct buf *request, struct answer *r,
	     const struct session_limits *limits, session_answer_fn done,
	     void *arg)
{
	char *action =
		xasprintf("SOAPAction: urn:vim25/%s",
			  s->version != NULL ? s->version : VERSIONS_DEFAULT);
	const char *headers[] = { "Content-Type: text/xml; charset=\"utf-8\"",
				  action, NULL };
	struct fetch_request rq = { .method = "POST",
				    .path = s->path,
				    .headers = headers,
				    .body = buf_str(request),
				    .body_len = request->len,
				    .timeout_us = limits->timeout_us,
				    .max_bytes = limits->max_bytes };
	struct session_call *c;

	assert(!request->full);
	c = start_call(s, &rq, r, done, arg);
	buf_fini(request); /* may hold a password */
	free(action);
	return c;
}

static void
finish(struct session *s, const struct err *e)
{
	session_fn done = s->done;

	assert(done != NULL);
	s->done = NULL;
	done(s->arg, e);
}

static void
forget(struct session *s)
{
	s->logged_in = s->open = false;
	service_content_free(&s->content);
	counters_free(&s->counters);
	free(s->version);
	s->version = NULL;
	fetch_peer_forget(s->peer);
}

/* ---- opening: version, content, login, counters ---- */

static void
on_counters(void *arg, struct answer *r, const struct err *e)
{
	struct session *s = OBJ_CAST(struct session, SESSION_MAGIC, arg);

	if (e == NULL) {
		s->counters = counters_take(r);
		s->open = true;
	}
	finish(s, e);
}

static void
ask_counters(struct session *s)
{
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	counters_write_request(&b, s->content);
	session_call(s, &b, counters_answer(), &session_large, on_counters, s);
}

static void
on_login(void *arg, struct answer *r unused, const struct err *e)
{
	struct session *s = OBJ_CAST(struct session, SESSION_MAGIC, arg);

	if (e != NULL) {
		finish(s, e);
		return;
	}
	s->logged_in = true;
	ask_counters(s);
}

static void
ask_login(struct session *s)
{
	struct secret password;
	struct buf b;
	struct err e;

	if (conf_read_secret(s->conf, &password, &e) != 0) {
		finish(s, &e);
		return;
	}
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_login(&b, s->content, s->conf->username, password.text);
	secret_fini(&password);
	session_call(s, &b, service_login_answer(), &session_small, on_login,
		     s);
}

static void
on_content(void *arg, struct answer *r, const struct err *e)
{
	struct session *s = OBJ_CAST(struct session, SESSION_MAGIC, arg);

	if (e != NULL) {
		finish(s, e);
		return;
	}
	s->content = service_content_take(r);
	if (s->version == NULL)
		s->version =
			xstrdup(versions_fallback(s->content->api_version));
	ask_login(s);
}

static void
ask_content(struct session *s)
{
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_content(&b);
	session_call(s, &b, service_content_answer(), &session_small,
		     on_content, s);
}

/* Without the list of versions (an old or an odd server) the service content
 * says which one to take; a server that cannot be reached is another matter. */
static void
on_versions(void *arg, struct answer *r, const struct err *e)
{
	struct session *s = OBJ_CAST(struct session, SESSION_MAGIC, arg);

	if (e != NULL && e->code != ERR_PROTO && e->code != ERR_FAULT) {
		finish(s, e);
		return;
	}
	if (e == NULL && versions_get(r) != NULL)
		s->version = xstrdup(versions_get(r));
	ask_content(s);
}

void
session_open(struct session *s, session_fn done, void *arg)
{
	struct fetch_request rq = { .method = "GET",
				    .path = VERSIONS_PATH,
				    .timeout_us = session_small.timeout_us,
				    .max_bytes = session_small.max_bytes };

	assert(s->done == NULL && s->calls == NULL);
	s->done = done;
	s->arg = arg;
	if (s->logged_in) { /* an open that broke off behind the login */
		ask_counters(s);
		return;
	}
	forget(s);
	start_call(s, &rq, versions_answer(), on_versions, s);
}

/* ---- closing ---- */

static void
on_logout(void *arg, struct answer *r unused, const struct err *e)
{
	struct session *s = OBJ_CAST(struct session, SESSION_MAGIC, arg);

	forget(s);
	finish(s, e);
}

void
session_close(struct session *s, session_fn done, void *arg)
{
	struct buf b;

	assert(s->logged_in);
	cancel_all(s);
	s->open = false;
	s->done = done;
	s->arg = arg;
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_logout(&b, s->content);
	session_call(s, &b, service_logout_answer(), &logout_limits, on_logout,
		     s);
}

void
session_drop(struct session *s)
{
	cancel_all(s);
	s->done = NULL;
	forget(s);
}

bool
session_is_open(const struct session *s)
{
	return s->open;
}

bool
session_is_logged_in(const struct session *s)
{
	return s->logged_in;
}

const struct service_content *
session_content(const struct session *s)
{
	return s->content;
}

const struct counters *
session_counters(const struct session *s)
{
	return s->counters;
}

/* "https://vc.example/sdk" -> the peer's base and the path. */
static char *
split_url(const char *url, const char **path_r)
{
	const char *host = strstr(url, "://"), *slash;

	host = host != NULL ? host + 3 : url;
	slash = strchr(host, '/');
	*path_r = slash != NULL && slash[1] != '\0' ? slash : "/sdk";
	return slash != NULL ? xstrndup(url, (size_t)(slash - url))
			     : xstrdup(url);
}

struct session *
session_new(struct loop *l, const struct conf_target *conf, struct err *e)
{
	struct fetch_tls tls = { conf->ca_file, conf->fingerprint_sha256,
				 conf->insecure };
	struct session *s = xcalloc(1, sizeof(*s));
	const char *path;
	char *base = split_url(conf->url, &path);

	s->magic = SESSION_MAGIC;
	s->conf = conf;
	s->path = xstrdup(path);
	s->peer = fetch_peer_new(l, base, &tls, e);
	free(base);
	if (s->peer == NULL)
		session_free(&s);
	return s;
}

void
session_reconf(struct session *s, const struct conf_target *conf)
{
	s->conf = conf;
}

void
session_set_tap(struct session *s, const struct session_tap *tap)
{
	s->tap = tap;
}

void
session_free(struct session **sp)
{
	struct session *s = *sp;

	if (s == NULL)
		return;
	cancel_all(s);
	if (s->peer != NULL)
		forget(s);
	fetch_peer_free(&s->peer);
	free(s->path);
	free(s);
	*sp = NULL;
}
