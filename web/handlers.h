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

struct auth;
struct sse;

struct web {
	struct loop *loop;
	const struct site *site;     /* borrowed, as are the next three */
	struct store *store;         /* NULL: none */
	struct watch *watch;         /* NULL: none */
	struct notifiers *notifiers; /* NULL: none */
	struct http *http;
	struct sse *sse;
	struct auth *auth;
	mono_t asked; /* when the API was last asked; us 0: never */
};

/* The table of everything that is served. */
extern const struct route web_routes[];
extern const size_t web_n_routes;

void api_status(void *arg, struct request *rq);
void api_datastores(void *arg, struct request *rq);
void api_datastore_one(void *arg, struct request *rq);
void api_hosts(void *arg, struct request *rq);
void api_host_one(void *arg, struct request *rq);
void api_series(void *arg, struct request *rq);
void api_groups(void *arg, struct request *rq);
void api_compare(void *arg, struct request *rq);
void api_export(void *arg, struct request *rq);
void api_peaks(void *arg, struct request *rq);
void api_stream(void *arg, struct request *rq);
void api_incidents(void *arg, struct request *rq);
void api_incident_one(void *arg, struct request *rq);
void api_events(void *arg, struct request *rq);
void api_incident_ack(void *arg, struct request *rq);
void api_silences(void *arg, struct request *rq);
void api_silence_add(void *arg, struct request *rq);
void api_silence_remove(void *arg, struct request *rq);
void api_event_add(void *arg, struct request *rq);
void api_notifier_test(void *arg, struct request *rq);
void api_session(void *arg, struct request *rq);
void api_session_begin(void *arg, struct request *rq);
void api_session_end(void *arg, struct request *rq);
void metrics_reply(void *arg, struct request *rq);
void static_page(void *arg, struct request *rq);
/* The route of an embedded file, if the path is one's: "/app.js". */
const struct route *static_route(const struct uri *u, const char **id_r);
void static_openapi(void *arg, struct request *rq);
void health_alive(void *arg, struct request *rq);
void health_ready(void *arg, struct request *rq);

/* A line of the log: who wrote what, from where. */
void web_wrote(const struct request *rq, const char *fmt, ...)
	printf_like(2, 3);

#endif
