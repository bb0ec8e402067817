/*
 * handlers.h - what the handlers of this folder share.
 *
 * The handler's argument is the struct web; it fills rq->reply (http.h).  The
 * loop thread.
 */
#ifndef DSLAT_HANDLERS_H
#define DSLAT_HANDLERS_H

#include "dslat/model.h"
#include "dslat/web.h"
#include "web/http.h"

struct sse;

struct web {
	struct loop *loop;
	struct site *site; /* borrowed */
	struct http *http;
	struct sse *sse;
};

/* The table of everything that is served. */
extern const struct route web_routes[];
extern const size_t web_n_routes;

void static_page(void *arg, struct request *rq);
void static_asset(void *arg, struct request *rq);
void static_openapi(void *arg, struct request *rq);
void health_alive(void *arg, struct request *rq);
void health_ready(void *arg, struct request *rq);

#endif
