#include "poller.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "poller_private.h"

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

	if (p == NULL)
		return;
	poller_cancel(p);
	vhosts_free(&p->vhosts);
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
	if (!j->backfill && n != 0 && vhost_leaves_gap(v, &j->in)) {
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
	bool is_known;

	if (j->current == NULL)
		return;
	c = counters_find(session_counters(j->poller->session), counter_id);
	if (c == NULL)
		return;
	is_known = ingest_series(&j->in, c, instance, instance_len, values, n);
	if (counter_set(c) == COUNTERS_LUN)
		luns_series(&j->current->luns, is_known);
	else if (!is_known && counter_set(c) == COUNTERS_PAIR)
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

	if (h != NULL)
		ingest_backfilled(h);
	if (backfill)
		return;
	vhost_failed(v, p->target->site->now.mono);
	if (e->code == ERR_GONE)
		p->wants_inventory = true;
	if (h != NULL && xstrset(&h->error, e->text))
		log_warn("vsphere",
			 "target=%s host=%s: %s; asked alone from "
			 "now on",
			 p->target->name, h->name, e->text);
}

/* It works without its LUNs, after a refusal with them. */
static void
luns_failed(struct poller *p, struct vhost *v)
{
	bool is_first =
		p->luns.rest.refusals == 0 && v->luns.rest.refusals == 0;
	bool all = luns_refused(&p->luns, &v->luns, p->target->site->now.mono);

	if (is_first)
		log_warn("vsphere",
			 "target=%s host=%s refuses the latency of its LUNs%s: "
			 "device, kernel and queue time stay unknown",
			 p->target->name, v->moref,
			 all ? ", and none has given it yet" : "");
}

static void
host_done(struct poller *p, struct vhost *v, const struct job *j)
{
	struct host *h = target_find_host(p->target, v->moref);
	bool backfill = j->backfill;

	if (j->no_luns)
		luns_failed(p, v);
	else if (j->asks_luns)
		luns_answered(&p->luns, &v->luns, session_counters(p->session));

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

	job_push_front(&p->waiting,
		       job_new(p, j->hosts + half, j->n - half, j->backfill));
	job_push_front(&p->waiting, job_new(p, j->hosts, half, j->backfill));
}

static void
again_without_luns(struct poller *p, const struct job *j)
{
	job_push_front(&p->waiting, job_new(p, j->hosts, 1, j->backfill));
	p->waiting->no_luns = true;
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
			host_done(p, j->hosts[i], j);
	else if (j->n > 1)
		split(p, j);
	else if (j->asks_luns)
		again_without_luns(p, j);
	else
		host_failed(p, j->hosts[0], e, j->backfill);
	free_flying(j);
	pump(p);
}

/* A host that is in trouble is asked for its samples alone. */
static void
ask_luns(struct job *j, struct vhost *v, struct perf_query *q)
{
	struct poller *p = j->poller;
	const struct host *h = target_find_host(p->target, v->moref);

	if (h == NULL || j->no_luns || v->faults != 0 ||
	    !luns_wanted(&p->luns, &v->luns, h, session_counters(p->session),
			 p->target->site->now.mono))
		return;
	luns_ask(&v->luns, h, q);
	j->asks_luns = true;
}

static void
launch(struct poller *p, struct job *j)
{
	struct perf_query *q = xcalloc(j->n, sizeof(*q));
	struct buf b;

	for (size_t i = 0; i < j->n; i++) {
		q[i] = vhost_query(j->hosts[i], p->target,
				   poller_samples(p, j->backfill), j->backfill);
		ask_luns(j, j->hosts[i], &q[i]);
		j->hosts[i]->heard = false;
	}
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	perf_write_request(&b, session_content(p->session)->perf_manager, q,
			   j->n, session_counters(p->session));
	for (size_t i = 0; i < j->n; i++)
		luns_asked(&q[i]);
	free(q);
	job_push_front(&p->flying, j);
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
	/* no job is left that may hold one */
	assert(p->waiting == NULL && p->flying == NULL);
	vhosts_forget(p->vhosts, p->target);
	poller_make_batches(p, false);
	pump(p);
}

void
poller_backfill(struct poller *p, session_fn done, void *arg)
{
	assert(p->done == NULL);
	p->done = done;
	p->arg = arg;
	p->max_flying = 1;
	poller_make_batches(p, true);
	pump(p);
}
