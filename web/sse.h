/*
 * sse.h - GET /api/v1/stream: server-sent events (HTML standard, 9.2).
 *
 * Every event is rendered once, into a ring that all subscribers read at their
 * own pace; one that falls out of the ring, or comes back with an id that is
 * not in it, gets "reset" and goes on with the newest.  Nothing is queued per
 * subscriber.  A comment every 15 s finds the clients that have left.  While
 * nobody has asked anything for a while nothing is rendered.  The loop thread.
 */
#ifndef DSLAT_SSE_H
#define DSLAT_SSE_H

#include "web/handlers.h"

#define SSE_MAX_CLIENTS 768
#define SSE_MAX_TLS_CLIENTS 300 /* there are fewer connections, see http.h */
#define SSE_MAX_SLOTS 15        /* of a datastore in one event */

/* Subscribes to the site's bus.  w->http need not be there yet. */
struct sse *sse_new(struct web *w) must_check;
/* After http_free(): no client may be left. */
void sse_free(struct sse **s);
/* Ends every stream; who still may comes back. */
void sse_end_all(struct sse *s);
size_t sse_clients(const struct sse *s);

#endif
