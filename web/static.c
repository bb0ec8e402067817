/*
 * The files embedded in the program, and the two answers for health checks.
 */
#include <string.h>

#include "dslat/store.h"
#include "web/accept.h"
#include "web/assets.h"
#include "web/handlers.h"

static const struct asset *
find_asset(const char *path)
{
	for (size_t i = 0; i < n_assets; i++)
		if (strcmp(assets[i].path, path) == 0)
			return &assets[i];
	return NULL;
}

static void
reply_asset(struct request *rq, const struct asset *a)
{
	const char *accept = request_header(rq, "Accept-Encoding");
	struct reply *r = &rq->reply;

	r->status = 200;
	r->type = a->mime;
	r->vary = true;
	if (accept != NULL && accept_quality(accept, "gzip") > 0) {
		r->encoding = "gzip";
		r->bytes = a->gzip;
		r->n_bytes = a->gzip_bytes;
		memcpy(r->etag, a->gzip_etag, strlen(a->gzip_etag) + 1);
	} else {
		r->bytes = a->bytes;
		r->n_bytes = a->size_bytes;
		memcpy(r->etag, a->etag, strlen(a->etag) + 1);
	}
	/* A page names the version it wants: that one never changes. */
	if (uri_param(&rq->uri, "v") != NULL)
		r->cache_control = "public, max-age=31536000, immutable";
}

void
static_page(void *arg, struct request *rq)
{
	const struct asset *a = find_asset("index.html");

	(void)arg;
	assert(a != NULL);
	reply_asset(rq, a);
}

void
static_openapi(void *arg, struct request *rq)
{
	const struct asset *a = find_asset("openapi.json");

	(void)arg;
	assert(a != NULL);
	reply_asset(rq, a);
}

static void
static_asset(void *arg, struct request *rq)
{
	(void)arg;
	reply_asset(rq, find_asset(rq->id));
}

const struct route *
static_route(const struct uri *u, const char **id_r)
{
	static const struct route rows[] = {
		{ "/{id}", HTTP_GET | ROUTE_OPEN, NULL, static_asset },
		{ NULL, 0, NULL, NULL },
	};
	const struct route *r = route_find(rows, u, id_r);

	return r != NULL && find_asset(*id_r) != NULL ? r : NULL;
}

void
health_alive(void *arg, struct request *rq)
{
	(void)arg;
	reply_text(&rq->reply, "healthy\n");
	rq->reply.cache_control = "no-store";
}

static bool
is_polled(const struct site *site)
{
	for (size_t i = 0; i < site->n_targets; i++)
		if (site->targets[i]->last_poll.us != 0)
			return true;
	return false;
}

void
health_ready(void *arg, struct request *rq)
{
	const struct web *w = arg;
	struct store_status s = { .state = STORE_OFF };

	if (w->store != NULL)
		s = store_status(w->store);
	if (!is_polled(w->site)) {
		reply_problem(&rq->reply, PROBLEM_NOT_READY, NULL,
			      w->site->n_targets == 0
				      ? "no targets are configured"
				      : "no target has been polled yet; "
					"/api/v1/status says how far each one "
					"is");
	} else if (s.state != STORE_OFF && s.state != STORE_OK) {
		reply_problem(&rq->reply, PROBLEM_NOT_READY, NULL,
			      "the history cannot be written: %s",
			      s.error != NULL ? s.error : "not open yet");
	} else {
		reply_text(&rq->reply, "ready\n");
		rq->reply.cache_control = "no-store";
	}
}
