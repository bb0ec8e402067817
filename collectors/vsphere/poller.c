#include "poller.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/ingest.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "perf.h"
#include "schedule.h"

#define POLLER_MAGIC OBJ_MAGIC('p', 'o', 'l', 'l')
#define JOB_MAGIC OBJ_MAGIC('p', 'j', 'o', 'b')
#define MAX_IN_FLIGHT 2
#define MAX_UNCLAIMED 4096

/* What a poll remembers of a host from one time to the next. */
struct vhost {
	char *moref;
	int64_t fetched_slot; /* newest slot answered for; INT64_MIN: none */
	bool behind;          /* needs a back-fill */
	bool heard;           /* this answer has stamps of it */
	unsigned empty;       /* answers without a stamp in a row */
	unsigned faults;      /* in a row; not 0: asked alone */
	mono_t retry_at;      /* when it is asked alone again */
	bool answered;
};

/* One QueryPerf, waiting or in flight. */
struct job {
	uint32_t magic;
	struct poller *poller;
	struct job *next;
	struct session_call *call;
	bool backfill;
	struct vhost **hosts;
	size_t n;
	struct vhost *current; /* whose series come in */
	struct ingest in;
};

struct poller {
	uint32_t magic;
	struct session *session;
	struct target *target;
	struct map *vhosts;    /* moref -> struct vhost */
	struct map *unclaimed; /* instances no datastore claims */
	struct job *waiting, *flying;
	size_t n_flying, max_flying;
	unsigned live_samples;
	bool wants_inventory;
	session_fn done;
	void *arg;
};

static void pump(struct poller *p);

struct poller *
poller_new(struct session *s, struct target *t)
{
	struct poller *p = xcalloc(1, sizeof(*p));

	p->magic = POLLER_MAGIC;
	p->session = s;
	p->target = t;
	p->vhosts = map_new();
	p->unclaimed = map_new();
	return p;
}

static void
job_free(struct job *j)
{
	session_cancel(&j->call);
	free(j->hosts);
	free(j);
}

static void
free_jobs(struct job **list)
{
	while (*list != NULL) {
		struct job *j = *list;

		*list = j->next;
		job_free(j);
	}
}

void
poller_cancel(struct poller *p)
{
	free_jobs(&p->waiting);
	free_jobs(&p->flying);
	p->n_flying = 0;
	p->done = NULL;
}

void
poller_free(struct poller **pp)
{
	struct poller *p = *pp;
	void *v;

	if (p == NULL)
		return;
	poller_cancel(p);
	for (size_t i = 0; map_next(p->vhosts, &i, NULL, &v);) {
		free(((struct vhost *)v)->moref);
		free(v);
	}
	map_free(&p->vhosts);
	map_free(&p->unclaimed);
	free(p);
	*pp = NULL;
}

bool
poller_is_running(const struct poller *p)
{
	return p->done != NULL;
}

bool
poller_wants_inventory(struct poller *p)
{
	bool wants = p->wants_inventory;

	p->wants_inventory = false;
	return wants;
}

struct poller_result
poller_result(const struct poller *p)
{
	struct poller_result r = { 0 };
	void *value;

	for (size_t i = 0; map_next(p->vhosts, &i, NULL, &value);) {
		const struct vhost *v = value;
		const struct host *h = target_find_host(p->target, v->moref);

		if (h == NULL || !h->connected)
			continue;
		r.hosts++;
		r.answered += v->answered;
		r.refused += v->faults != 0;
	}
	return r;
}

/* ---- the answer of a batch ---- */

/* Do slots lie between what was answered before and this answer?  For a new
 * host that is its whole hour. */
static bool
leaves_gap(const struct ingest *in, const struct vhost *v)
{
	int64_t oldest = INT64_MAX;

	if (v->fetched_slot == INT64_MIN)
		return true;
	for (size_t i = 0; i < in->n_stamps; i++)
		oldest = MIN(oldest, in->slots[i]);
	return oldest > v->fetched_slot + 1;
}

static void
on_entity(void *arg, const char *moref, const real_t *stamps, size_t n)
{
	struct job *j = OBJ_CAST(struct job, JOB_MAGIC, arg);
	struct host *h = target_find_host(j->poller->target, moref);
	struct vhost *v = map_find_str(j->poller->vhosts, moref);

	j->current = NULL;
	if (h == NULL || v == NULL)
		return;
	v->heard |= n != 0;
	if (!ingest_open(&j->in, h, stamps, n)) {
		v->behind |= !j->backfill; /* not placeable yet */
		return;
	}
	j->current = v;
	if (v->fetched_slot > j->in.newest_slot + 1)
		v->fetched_slot = INT64_MIN; /* a clock was set back */
	if (!j->backfill && n != 0 && leaves_gap(&j->in, v)) {
		v->behind = true;
		h->backfilling = true;
	}
}

static void
note_unclaimed(struct poller *p, const char *instance)
{
	if (map_find_str(p->unclaimed, instance) != NULL ||
	    map_count(p->unclaimed) >= MAX_UNCLAIMED)
		return;
	map_set(p->unclaimed, instance, p);
	p->wants_inventory = true;
}

static void
on_series(void *arg, int32_t counter_id, const char *instance,
	  size_t instance_len, const int64_t *values, size_t n)
{
	struct job *j = OBJ_CAST(struct job, JOB_MAGIC, arg);
	const struct ingest_counter *c;

	if (j->current == NULL)
		return;
	c = counters_find(session_counters(j->poller->session), counter_id);
	if (c == NULL)
		return;
	if (!ingest_series(&j->in, c, instance, instance_len, values, n))
		note_unclaimed(j->poller, instance);
}

static void
on_entity_end(void *arg)
{
	struct job *j = OBJ_CAST(struct job, JOB_MAGIC, arg);
	struct vhost *v = j->current;

	if (v == NULL)
		return;
	ingest_close(&j->in);
	v->fetched_slot = MAX(v->fetched_slot, j->in.newest_slot);
	v->answered |= j->in.newest_valid_us != INT64_MIN;
	j->current = NULL;
}

static const struct perf_sink sink = { on_entity, on_series, on_entity_end };

/* ---- batches ---- */

static void
push_front(struct job **list, struct job *j)
{
	j->next = *list;
	*list = j;
}

static void
push_back(struct job **list, struct job *j)
{
	while (*list != NULL)
		list = &(*list)->next;
	j->next = NULL;
	*list = j;
}

static struct job *
job_new(struct poller *p, struct vhost *const *hosts, size_t n, bool backfill)
{
	struct job *j = xcalloc(1, sizeof(*j));

	j->magic = JOB_MAGIC;
	j->poller = p;
	j->backfill = backfill;
	j->n = n;
	j->hosts = xcalloc(n, sizeof(struct vhost *));
	memcpy(j->hosts, hosts, n * sizeof(struct vhost *));
	return j;
}

static struct vhost *
get_vhost(struct poller *p, const char *moref)
{
	struct vhost *v = map_find_str(p->vhosts, moref);

	if (v != NULL)
		return v;
	v = xcalloc(1, sizeof(*v));
	v->moref = xstrdup(moref);
	v->fetched_slot = INT64_MIN;
	map_set(p->vhosts, moref, v);
	return v;
}

static unsigned
samples_of(const struct poller *p, bool backfill)
{
	return backfill ? SCHEDULE_HOUR_SAMPLES : p->live_samples;
}

/*
 * One host's part of a request.  A live poll asks for the newest slots by the
 * server's clock, moved to the host's own.  A host that answers nothing there
 * may have another clock than we think: it is asked without a window, as is
 * one whose whole hour is wanted.
 */
static struct perf_query
query_of(const struct poller *p, const struct vhost *v, bool backfill)
{
	const struct host *h = target_find_host(p->target, v->moref);
	unsigned n = samples_of(p, backfill);
	struct perf_query q = { .host = v->moref, .max_sample = n };
	int64_t newest;

	if (backfill || v->empty >= 3 || h == NULL || h->suspect_stamp_us != 0)
		return q;
	newest = slot_of(target_now(p->target)) - h->shift_slots;
	q.start = slot_end(newest - n);
	return q;
}

static void
free_flying(struct job *j)
{
	struct job **p = &j->poller->flying;

	while (*p != j)
		p = &(*p)->next;
	*p = j->next;
	j->poller->n_flying--;
	job_free(j);
}

static void
end(struct poller *p, const struct err *e)
{
	session_fn done = p->done;
	struct err copy;

	if (e != NULL)
		copy = *e;
	poller_cancel(p);
	done(p->arg, e != NULL ? &copy : NULL);
}

/*
 * A host alone refused.  A refused hour is given up; a refused live poll makes
 * it the host's own trouble from now on.
 */
static void
host_failed(struct poller *p, struct vhost *v, const struct err *e,
	    bool backfill)
{
	struct host *h = target_find_host(p->target, v->moref);
	int64_t wait_us;

	if (h != NULL)
		ingest_backfilled(h);
	if (backfill)
		return;
	v->faults++;
	wait_us = schedule_backoff_us(ERR_FAULT, v->faults + 1, v->faults * 37);
	v->retry_at = mono_add_us(p->target->site->now.mono, wait_us);
	if (e->code == ERR_GONE)
		p->wants_inventory = true;
	if (h != NULL && xstrset(&h->error, e->text))
		log_warn("vsphere",
			 "target=%s host=%s: %s; asked alone from "
			 "now on",
			 p->target->name, h->name, e->text);
}

static void
host_done(struct poller *p, struct vhost *v, bool backfill)
{
	struct host *h = target_find_host(p->target, v->moref);

	v->faults = 0;
	v->empty = v->heard ? 0 : v->empty + 1;
	if (h == NULL)
		return;
	xstrset(&h->error, NULL);
	if (backfill)
		ingest_backfilled(h);
}

/* Faults of the request's content; the rest is the connection's or session's
 * and ends the poll. */
static bool
is_batch_fault(enum err_code code)
{
	return code == ERR_FAULT || code == ERR_GONE || code == ERR_PERM ||
		code == ERR_LIMIT;
}

static void
split(struct poller *p, const struct job *j)
{
	size_t half = j->n / 2;

	push_front(&p->waiting,
		   job_new(p, j->hosts + half, j->n - half, j->backfill));
	push_front(&p->waiting, job_new(p, j->hosts, half, j->backfill));
}

static void
on_answer(void *arg, struct answer *r unused, const struct err *e)
{
	struct job *j = OBJ_CAST(struct job, JOB_MAGIC, arg);
	struct poller *p = j->poller;

	j->call = NULL;
	if (e != NULL && !is_batch_fault(e->code)) {
		end(p, e);
		return;
	}
	if (e == NULL)
		for (size_t i = 0; i < j->n; i++)
			host_done(p, j->hosts[i], j->backfill);
	else if (j->n > 1)
		split(p, j);
	else
		host_failed(p, j->hosts[0], e, j->backfill);
	free_flying(j);
	pump(p);
}

static void
launch(struct poller *p, struct job *j)
{
	struct perf_query *q = xcalloc(j->n, sizeof(*q));
	struct buf b;

	for (size_t i = 0; i < j->n; i++) {
		q[i] = query_of(p, j->hosts[i], j->backfill);
		j->hosts[i]->heard = false;
	}
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	perf_write_request(&b, session_content(p->session)->perf_manager, q,
			   j->n, session_counters(p->session));
	free(q);
	push_front(&p->flying, j);
	p->n_flying++;
	j->call = session_call(p->session, &b, perf_answer(&sink, j),
			       &session_large, on_answer, j);
}

/* Start what may start; tell when all is done. */
static void
pump(struct poller *p)
{
	while (p->waiting != NULL && p->n_flying < p->max_flying) {
		struct job *j = p->waiting;

		p->waiting = j->next;
		launch(p, j);
	}
	if (p->waiting == NULL && p->flying == NULL)
		end(p, NULL);
}

/* ---- which hosts, in which batches ---- */

struct batch {
	struct vhost *hosts[SCHEDULE_MAX_HOSTS];
	size_t n, elements;
};

static void
flush(struct poller *p, struct batch *b, bool backfill)
{
	if (b->n != 0)
		push_back(&p->waiting, job_new(p, b->hosts, b->n, backfill));
	b->n = b->elements = 0;
}

static void
add_to_batch(struct poller *p, struct batch *b, struct vhost *v,
	     const struct host *h, bool backfill)
{
	const struct counters *c = session_counters(p->session);
	size_t elements =
		schedule_elements(h->n_pairs, c->n, samples_of(p, backfill));

	if (b->n == SCHEDULE_MAX_HOSTS ||
	    b->elements + elements > SCHEDULE_MAX_ELEMENTS)
		flush(p, b, backfill);
	b->hosts[b->n++] = v;
	b->elements += elements;
}

static bool
is_due(const struct poller *p, const struct vhost *v)
{
	return v->faults == 0 ||
		mono_diff_us(p->target->site->now.mono, v->retry_at) >= 0;
}

static void
make_batches(struct poller *p, bool backfill)
{
	struct batch b = { .n = 0 };
	void *value;

	for (size_t i = 0; map_next(p->target->hosts, &i, NULL, &value);) {
		struct host *h = value;
		struct vhost *v;

		if (!h->connected || h->gone)
			continue;
		v = get_vhost(p, h->moref);
		if (!is_due(p, v) || (backfill && !v->behind))
			continue;
		if (backfill)
			v->behind = false; /* tried once per need */
		else
			v->answered = false;
		if (v->faults != 0)
			push_back(&p->waiting, job_new(p, &v, 1, backfill));
		else
			add_to_batch(p, &b, v, h, backfill);
	}
	flush(p, &b, backfill);
}

bool
poller_wants_backfill(const struct poller *p)
{
	void *value;

	for (size_t i = 0; map_next(p->vhosts, &i, NULL, &value);) {
		const struct vhost *v = value;
		const struct host *h = target_find_host(p->target, v->moref);

		if (v->behind && v->faults == 0 && h != NULL && h->connected)
			return true;
	}
	return false;
}

void
poller_live(struct poller *p, int64_t interval_us, session_fn done, void *arg)
{
	assert(p->done == NULL);
	p->done = done;
	p->arg = arg;
	p->live_samples = schedule_live_samples(interval_us);
	p->max_flying = MAX_IN_FLIGHT;
	make_batches(p, false);
	pump(p);
}

void
poller_backfill(struct poller *p, session_fn done, void *arg)
{
	assert(p->done == NULL);
	p->done = done;
	p->arg = arg;
	p->max_flying = 1;
	make_batches(p, true);
	pump(p);
}
