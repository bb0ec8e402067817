#include "web/sse.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "dslat/bus.h"
#include "dslat/mem.h"
#include "dslat/watch.h"
#include "web/api.h"
#include "web/sse_event.h"
#include "web/sse_ring.h"

#define HEARTBEAT_US (15 * US_PER_S)
#define WAKE_PER_TURN 256
/* A page reads the lists and then subscribes: what came in between is told
 * again. */
#define REPLAY_US (60 * US_PER_S)
/* Nobody has asked for so long: nobody is about to come back either. */
#define UNUSED_US (300 * US_PER_S)

struct client {
	uint32_t magic;
	TAILQ_ENTRY(client) link;
	struct sse *sse;
	struct request *rq;
	struct sse_event *current; /* being sent; one reference */
	size_t sent;               /* of current */
	uint64_t next;             /* number of the event behind current */
	uint64_t beat;             /* of sse->beats, the last one seen */
	uint64_t woken;            /* of sse->wakes, the last one had */
	bool ended;
};
#define CLIENT_MAGIC OBJ_MAGIC('s', 's', 'e', 'c')

struct sse {
	uint32_t magic;
	struct web *web;
	struct sse_ring ring;
	struct loop_timer *wake_timer, *beat_timer;
	TAILQ_HEAD(client_queue, client)
	clients; /* those woken least lately first */
	size_t n_clients;
	uint64_t beats, wakes;
	mono_t left;         /* when the last client left; us 0: never */
	struct map *changed; /* names of targets whose state is to be told */
};
#define SSE_MAGIC OBJ_MAGIC('s', 's', 'e', ' ')

/* ---- reading ---- */

static struct sse_event *
reset_event(const struct sse_ring *r, const char *reason)
{
	json_t *v = json_pack("{s:s}", "reason", reason);
	struct sse_event *e;
	struct buf b;

	buf_init(&b, 1024);
	json_append(&b, v);
	json_decref(v);
	e = event_new(r, "reset", r->newest, buf_str(&b));
	buf_fini(&b);
	return e;
}

static struct sse_event *
next_event(struct client *c)
{
	struct sse *s = c->sse;

	if (c->next <= s->ring.newest) {
		if (c->next >= sse_ring_oldest(&s->ring))
			return sse_ring_get(&s->ring, c->next++);
		c->next = s->ring.newest + 1;
		return reset_event(&s->ring, "too slow");
	}
	if (c->beat != s->beats) {
		c->beat = s->beats;
		return event_new(&s->ring, NULL, 0, ": hb");
	}
	return NULL;
}

static ssize_t
client_read(void *arg, char *out, size_t max)
{
	struct client *c = OBJ_CAST(struct client, CLIENT_MAGIC, arg);
	size_t n;

	if (c->ended)
		return SOURCE_END;
	if (c->current == NULL) {
		c->current = next_event(c);
		c->sent = 0;
	}
	if (c->current == NULL)
		return 0; /* until wake() */
	n = MIN(max, c->current->len - c->sent);
	memcpy(out, c->current->data + c->sent, n);
	c->sent += n;
	if (c->sent == c->current->len)
		event_unref(&c->current);
	return (ssize_t)n;
}

static void
client_free(void *arg)
{
	struct client *c = OBJ_CAST(struct client, CLIENT_MAGIC, arg);
	struct sse *s = c->sse;

	TAILQ_REMOVE(&s->clients, c, link);
	s->n_clients--;
	s->left = loop_now(s->web->loop).mono;
	event_unref(&c->current);
	free(c);
}

/* ---- waking ---- */

static void
wake_all(struct sse *s)
{
	s->wakes++;
	if (s->n_clients != 0)
		loop_timer_in_us(s->wake_timer, 0);
}

static void
wake_some(struct sse *s)
{
	struct client *c;

	for (int i = 0; i < WAKE_PER_TURN; i++) {
		c = TAILQ_FIRST(&s->clients);
		if (c == NULL || c->woken == s->wakes)
			return;
		c->woken = s->wakes;
		TAILQ_REMOVE(&s->clients, c, link);
		TAILQ_INSERT_TAIL(&s->clients, c, link);
		request_wake(c->rq);
	}
	loop_timer_in_us(s->wake_timer, 0); /* the rest in the next turn */
}

/* Nobody listens, and nobody has looked for a while. */
static bool
is_unused(const struct sse *s)
{
	mono_t now = loop_now(s->web->loop).mono, asked = s->web->asked;

	if (s->n_clients != 0)
		return false;
	return (asked.us == 0 || mono_diff_us(now, asked) > UNUSED_US) &&
		(s->left.us == 0 || mono_diff_us(now, s->left) > UNUSED_US);
}

static void
publish(struct sse *s, const char *type, json_t *take)
{
	struct buf b;

	buf_init(&b, (size_t)64 << 20);
	json_append(&b, take);
	json_decref(take);
	sse_ring_add(&s->ring, type, buf_str(&b), loop_now(s->web->loop).mono);
	buf_fini(&b);
	wake_all(s);
}

/* ---- what happens ---- */

static void
on_samples(void *arg, struct target *t)
{
	struct sse *s = OBJ_CAST(struct sse, SSE_MAGIC, arg);
	json_t *v;

	if (is_unused(s)) {
		sse_ring_skip(&s->ring);
		return;
	}
	v = sse_sample_event(t);
	if (v != NULL)
		publish(s, "sample", v);
}

/* One change often comes with others: tell them once, in a moment. */
static void
on_status(void *arg, struct target *t)
{
	struct sse *s = OBJ_CAST(struct sse, SSE_MAGIC, arg);

	if (is_unused(s)) {
		sse_ring_skip(&s->ring);
		return;
	}
	map_set(s->changed, t->name, s);
	loop_timer_in_us(s->wake_timer, 0);
}

static void
tell_status(struct sse *s)
{
	const char *name;
	void *v;

	for (size_t i = 0; map_next(s->changed, &i, &name, &v);) {
		const struct target *t = site_find_target(s->web->site, name);

		if (t != NULL)
			publish(s, "status", api_target(t));
		map_del(s->changed, name);
	}
}

static void
on_wake(void *arg, struct now now)
{
	struct sse *s = OBJ_CAST(struct sse, SSE_MAGIC, arg);

	(void)now;
	tell_status(s);
	wake_some(s);
}

static void
on_beat(void *arg, struct now now)
{
	struct sse *s = OBJ_CAST(struct sse, SSE_MAGIC, arg);

	(void)now;
	s->beats++;
	wake_all(s);
	loop_timer_in_us(s->beat_timer, HEARTBEAT_US);
}

static void
on_incident(void *arg, const struct incident *in, enum incident_change what)
{
	struct sse *s = OBJ_CAST(struct sse, SSE_MAGIC, arg);

	if (is_unused(s)) {
		sse_ring_skip(&s->ring);
		return;
	}
	publish(s, "incident", sse_incident_event(in, what));
}

/* ---- outside ---- */

static const struct watch_ops watch_ops = { .incident = on_incident };

static const struct bus_ops bus_ops = {
	.samples = on_samples,
	.status = on_status,
};

struct sse *
sse_new(struct web *w)
{
	struct sse *s = xcalloc(1, sizeof(*s));

	s->magic = SSE_MAGIC;
	s->web = w;
	TAILQ_INIT(&s->clients);
	s->changed = map_new();
	sse_ring_init(&s->ring, w->site->started);
	s->wake_timer = loop_timer_new(w->loop, on_wake, s);
	s->beat_timer = loop_timer_new(w->loop, on_beat, s);
	loop_timer_in_us(s->beat_timer, HEARTBEAT_US);
	bus_subscribe(w->site->bus, &bus_ops, s);
	if (w->watch != NULL)
		watch_subscribe(w->watch, &watch_ops, s);
	return s;
}

void
sse_free(struct sse **sp)
{
	struct sse *s = *sp;

	if (s == NULL)
		return;
	assert(s->n_clients == 0);
	bus_unsubscribe(s->web->site->bus, s);
	if (s->web->watch != NULL)
		watch_unsubscribe(s->web->watch, s);
	loop_timer_free(&s->wake_timer);
	loop_timer_free(&s->beat_timer);
	map_free(&s->changed);
	sse_ring_fini(&s->ring);
	free(s);
	*sp = NULL;
}

void
sse_end_all(struct sse *s)
{
	struct client *c;

	for (c = TAILQ_FIRST(&s->clients); c != NULL; c = TAILQ_NEXT(c, link))
		c->ended = true;
	wake_all(s);
}

size_t
sse_clients(const struct sse *s)
{
	return s->n_clients;
}

/*
 * What a client gets first: how soon to come back, the id to come back with,
 * and "reset" if it asked for something that is no longer here.
 */
static void
greet(struct client *c, const char *last_id)
{
	struct sse *s = c->sse;
	mono_t now = loop_now(s->web->loop).mono;
	uint64_t number = s->ring.newest;

	c->next = number + 1;
	c->beat = s->beats;
	c->woken = s->wakes;
	if (last_id == NULL) {
		c->next =
			sse_ring_since(&s->ring, mono_add_us(now, -REPLAY_US));
		number = c->next - 1;
	} else if (sse_ring_resume(&s->ring, last_id, &number)) {
		c->next = number + 1;
	} else {
		c->current = reset_event(&s->ring, "unknown id");
		return;
	}
	c->current = event_new(&s->ring, NULL, number, "retry: 2000");
}

void
api_stream(void *arg, struct request *rq)
{
	struct web *w = arg;
	struct sse *s = w->sse;
	size_t max =
		http_is_tls(w->http) ? SSE_MAX_TLS_CLIENTS : SSE_MAX_CLIENTS;
	struct client *c;

	if (s->n_clients >= max) {
		reply_problem(&rq->reply, PROBLEM_BUSY, NULL,
			      "%zu clients listen already; poll "
			      "/api/v1/datastores instead",
			      max);
		return;
	}
	rq->reply.status = 200;
	rq->reply.type = "text/event-stream";
	rq->reply.cache_control = "no-store";
	reply_header_take(&rq->reply, "X-Accel-Buffering", xstrdup("no"));
	if (rq->method == HTTP_HEAD)
		return;
	c = xcalloc(1, sizeof(*c));
	c->magic = CLIENT_MAGIC;
	c->sse = s;
	c->rq = rq;
	TAILQ_INSERT_TAIL(&s->clients, c, link);
	s->n_clients++;
	greet(c, request_header(rq, "Last-Event-ID"));
	rq->reply.source = (struct source){ client_read, client_free, c };
}
