#include "web/handlers.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/conf.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "dslat/watch.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/sse.h"
#include "web/tls_files.h"

const struct route web_routes[] = {
	{ "/", HTTP_GET | ROUTE_OPEN, NULL, static_page },
	{ "/api/v1/status", HTTP_GET, "", api_status },
	{ "/api/v1/datastores", HTTP_GET,
	  "target protocol state name expand limit cursor", api_datastores },
	{ "/api/v1/datastores/{id}", HTTP_GET, "", api_datastore_one },
	{ "/api/v1/hosts", HTTP_GET, "target state name expand limit cursor",
	  api_hosts },
	{ "/api/v1/hosts/{id}", HTTP_GET, "", api_host_one },
	{ "/api/v1/series", HTTP_GET, "datastore host metric from to points",
	  api_series },
	{ "/api/v1/groups", HTTP_GET, "by from to", api_groups },
	{ "/api/v1/compare", HTTP_GET, "a b from to a_from a_to b_from b_to",
	  api_compare },
	{ "/api/v1/export", HTTP_GET, "format from to datastore host",
	  api_export },
	{ "/api/v1/peaks", HTTP_GET, "from to limit", api_peaks },
	{ "/api/v1/stream", HTTP_GET, "", api_stream },
	{ "/api/v1/incidents", HTTP_GET,
	  "state kind severity target datastore from to limit cursor",
	  api_incidents },
	{ "/api/v1/incidents/{id}", HTTP_GET, "", api_incident_one },
	{ "/api/v1/incidents/{id}/ack", HTTP_POST, "", api_incident_ack },
	{ "/api/v1/silences", HTTP_GET, "", api_silences },
	{ "/api/v1/silences", HTTP_POST, "", api_silence_add },
	{ "/api/v1/silences/{id}", HTTP_DELETE, "", api_silence_remove },
	{ "/api/v1/events", HTTP_GET, "from to kind limit cursor", api_events },
	{ "/api/v1/events", HTTP_POST, "", api_event_add },
	{ "/api/v1/notifiers/{id}/test", HTTP_POST, "", api_notifier_test },
	{ "/api/v1/session", HTTP_GET | ROUTE_OPEN, "", api_session },
	{ "/api/v1/session", HTTP_POST | ROUTE_OPEN, "", api_session_begin },
	{ "/api/v1/session", HTTP_DELETE | ROUTE_OPEN, "", api_session_end },
	{ "/api/v1/openapi.json", HTTP_GET, NULL, static_openapi },
	{ "/-/healthy", HTTP_GET | ROUTE_OPEN, NULL, health_alive },
	{ "/-/ready", HTTP_GET, NULL, health_ready },
	{ "/metrics", HTTP_GET, "level", metrics_reply },
	{ NULL, 0, NULL, NULL },
};
const size_t web_n_routes = ARRAY_SIZE(web_routes) - 1;

static void
reply_options(struct reply *r, char *allow_take)
{
	r->status = 204;
	reply_header_take(r, "Allow", allow_take);
}

static void
answer_asterisk(struct request *rq)
{
	if (rq->method == HTTP_OPTIONS)
		reply_options(&rq->reply, xstrdup("GET, HEAD, OPTIONS"));
	else
		reply_problem(&rq->reply, PROBLEM_BAD_ADDRESS, NULL,
			      "* goes with OPTIONS only");
}

/* The row that is to answer; NULL: the reply is filled. */
static const struct route *
find_route(struct request *rq)
{
	const struct route *first, *r;
	char allow[ROUTE_ALLOW_SIZE];
	const char *unknown;

	if (rq->uri.asterisk) {
		answer_asterisk(rq);
		return NULL;
	}
	first = route_find(web_routes, &rq->uri, &rq->id);
	if (first == NULL)
		first = static_route(&rq->uri, &rq->id);
	if (first == NULL) {
		reply_problem(&rq->reply, PROBLEM_NO_SUCH_PATH, NULL,
			      "there is nothing at this path; "
			      "/api/v1/openapi.json lists what there is");
		return NULL;
	}
	route_allow(first, allow);
	if (rq->method == HTTP_OPTIONS) {
		reply_options(&rq->reply, xstrdup(allow));
		return NULL;
	}
	r = route_by_method(first, rq->method);
	if (r == NULL) {
		reply_problem(&rq->reply, PROBLEM_METHOD, NULL,
			      "this path answers to %s", allow);
		reply_header_take(&rq->reply, "Allow", xstrdup(allow));
		return NULL;
	}
	unknown = route_unknown_param(r, &rq->uri);
	if (unknown == NULL)
		return r;
	reply_problem(&rq->reply, PROBLEM_UNKNOWN_PARAMETER, unknown,
		      "there is no parameter \"%s\" here; known: %s", unknown,
		      r->params[0] != '\0' ? r->params : "none");
	return NULL;
}

static bool
is_write(const struct request *rq)
{
	return rq->method == HTTP_POST || rq->method == HTTP_DELETE;
}

/* The row that is to answer, and who asks may; NULL: the reply is filled. */
static const struct route *
find_allowed(struct web *w, struct request *rq)
{
	const struct route *r = find_route(rq);
	enum auth_need need = AUTH_READ;

	if (r == NULL)
		return NULL;
	if ((r->methods & ROUTE_OPEN) != 0)
		need = AUTH_NOTHING;
	else if (is_write(rq))
		need = AUTH_WRITE;
	return auth_check(w->auth, rq, need) == 0 ? r : NULL;
}

static bool
wants_body(void *arg, struct request *rq)
{
	struct web *w = arg;

	if (find_allowed(w, rq) == NULL)
		return false;
	if (rq->method != HTTP_POST) {
		reply_problem(&rq->reply, PROBLEM_BODY, NULL,
			      "this request takes no body; put the parameters "
			      "into the address");
		return false;
	}
	return body_check_headers(rq) == 0;
}

static void
handle(void *arg, struct request *rq)
{
	struct web *w = arg;
	const struct route *r = find_allowed(w, rq);
	char peer[PEER_SIZE];

	if (r == NULL)
		return;
	if (strncmp(r->path, "/api/", 5) == 0)
		w->asked = w->site->now.mono;
	if (w->watch != NULL && is_write(rq)) {
		request_peer(rq, peer);
		watch_set_source(w->watch, peer);
	}
	r->handle(w, rq);
	if (w->watch != NULL)
		watch_set_source(w->watch, NULL);
}

void
web_wrote(const struct request *rq, const char *fmt, ...)
{
	char peer[PEER_SIZE], *what;
	va_list ap;

	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	request_peer(rq, peer);
	log_info("web", "%s from %s: %s", rq->caller.name, peer, what);
	free(what);
}

/* Who may have lost his token listens no longer. */
static void
on_tokens(void *arg)
{
	struct web *w = arg;

	if (!auth_anonymous_read(w->auth))
		sse_end_all(w->sse);
}

static const struct http_ops http_ops = { wants_body, handle };

struct web *
web_new(struct loop *l, const struct web_parts *parts)
{
	struct web *w = xcalloc(1, sizeof(*w));

	w->loop = l;
	w->site = parts->site;
	w->store = parts->store;
	w->watch = parts->watch;
	w->notifiers = parts->notifiers;
	w->sse = sse_new(w);
	w->auth = auth_new(l, on_tokens, w);
	w->http = http_new(l, &http_ops, w);
	return w;
}

void
web_free(struct web **wp)
{
	struct web *w = *wp;

	if (w == NULL)
		return;
	http_free(&w->http);
	sse_free(&w->sse);
	auth_free(&w->auth);
	free(w);
	*wp = NULL;
}

int
web_apply(struct web *w, const struct conf_web *c, struct err *e)
{
	bool tls = c->tls_cert != NULL;

	auth_apply(w->auth, c->tokens_file, c->allow_anonymous_read);
	if (web_address(w, 0) != NULL && tls != http_is_tls(w->http)) {
		log_warn("web", "HTTPS is turned %s with the next start",
			 tls ? "on" : "off");
		return 0;
	}
	if (!tls)
		return 0;
	return http_use_tls(w->http, c->tls_cert, c->tls_key, e);
}

int
web_check_tls(const struct conf_web *c, struct err *e)
{
	struct tls_pair p;

	if (c->tls_cert == NULL)
		return 0;
	if (tls_pair_read(&p, c->tls_cert, c->tls_key, e) != 0)
		return -1;
	tls_pair_fini(&p);
	return 0;
}

int
web_check_tokens(const struct conf_web *c, struct err *e)
{
	struct tokens t;
	int rc;

	if (c->tokens_file == NULL)
		return 0;
	rc = tokens_load(&t, c->tokens_file, e);
	tokens_fini(&t);
	return rc == 0 && e->text[0] == '\0' ? 0 : -1;
}

int
web_listen(struct web *w, const char *word, struct err *e)
{
	return http_listen(w->http, word, e);
}

const char *
web_address(const struct web *w, size_t i)
{
	return http_address(w->http, i);
}
