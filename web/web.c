#include "web/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/sse.h"

const struct route web_routes[] = {
	{ "/", HTTP_GET, NULL, static_page },
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
	{ "/api/v1/peaks", HTTP_GET, "from to limit", api_peaks },
	{ "/api/v1/stream", HTTP_GET, "", api_stream },
	{ "/api/v1/openapi.json", HTTP_GET, NULL, static_openapi },
	{ "/-/healthy", HTTP_GET, NULL, health_alive },
	{ "/-/ready", HTTP_GET, NULL, health_ready },
	{ "/metrics", HTTP_GET, "level", metrics_reply },
};
const size_t web_n_routes = ARRAY_SIZE(web_routes);

static void
reply_options(struct reply *r, char *allow_take)
{
	r->status = 204;
	reply_header_take(r, "Allow", allow_take);
}

static void
handle(void *arg, struct request *rq)
{
	struct web *w = arg;
	const struct route *r;
	char allow[ROUTE_ALLOW_SIZE];
	const char *unknown;

	if (rq->uri.asterisk) {
		if (rq->method == HTTP_OPTIONS)
			reply_options(&rq->reply,
				      xstrdup("GET, HEAD, OPTIONS"));
		else
			reply_problem(&rq->reply, PROBLEM_BAD_ADDRESS, NULL,
				      "* goes with OPTIONS only");
		return;
	}
	r = route_find(web_routes, web_n_routes, &rq->uri, &rq->id);
	if (r == NULL)
		r = static_route(&rq->uri, &rq->id);
	if (r == NULL) {
		reply_problem(&rq->reply, PROBLEM_NO_SUCH_PATH, NULL,
			      "there is nothing at this path; "
			      "/api/v1/openapi.json lists what there is");
	} else if (rq->method == HTTP_OPTIONS) {
		reply_options(&rq->reply, xstrdup(route_allow(r, allow)));
	} else if (!route_allows(r, rq->method)) {
		reply_problem(&rq->reply, PROBLEM_METHOD, NULL,
			      "this path answers to %s", route_allow(r, allow));
		reply_header_take(&rq->reply, "Allow", xstrdup(allow));
	} else if ((unknown = route_unknown_param(r, &rq->uri)) != NULL) {
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_PARAMETER, unknown,
			      "there is no parameter \"%s\" here; known: %s",
			      unknown,
			      r->params[0] != '\0' ? r->params : "none");
	} else {
		if (strncmp(r->path, "/api/", 5) == 0)
			w->asked = w->site->now.mono;
		r->handle(w, rq);
	}
}

static const struct http_ops http_ops = { handle };

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
	free(w);
	*wp = NULL;
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
