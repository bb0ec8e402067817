#include "dslat/targets.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/log.h"
#include "dslat/mem.h"

#define RUN_MAGIC OBJ_MAGIC('t', 'r', 'u', 'n')
#define SWEEP_US (60 * US_PER_S)

/* One collector at work on one target. */
struct run {
	uint32_t magic;
	struct targets *owner;
	struct run *next;
	char *name;
	void *collector; /* NULL: could not be started */
	bool stopping, stopped;
};

struct targets {
	struct loop *loop;
	struct site *site;
	const struct collector_ops *ops;
	struct run *runs;
	struct loop_timer *reaper;  /* frees what has stopped */
	struct loop_timer *sweeper; /* frees what has been gone for long */
	struct conf *conf;          /* in force */
	struct conf **retired;      /* borrowed by collectors that still stop */
	size_t n_retired;
	void (*done)(void *arg);
	void *arg;
};

static struct run *
find_run(const struct targets *t, const char *name)
{
	for (struct run *r = t->runs; r != NULL; r = r->next)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

static const struct conf_target *
find_conf(const struct conf *c, const char *name)
{
	for (size_t i = 0; c != NULL && i < c->n_targets; i++)
		if (strcmp(c->targets[i].name, name) == 0)
			return &c->targets[i];
	return NULL;
}

static void
start(struct targets *t, const struct conf_target *conf)
{
	struct target *target = site_add_target(t->site, conf->name, conf->url);
	struct run *r = xcalloc(1, sizeof(*r));
	struct err e;

	r->magic = RUN_MAGIC;
	r->owner = t;
	r->name = xstrdup(conf->name);
	r->next = t->runs;
	t->runs = r;
	r->collector = t->ops->start(t->loop, target, conf, &e);
	if (r->collector != NULL)
		return;
	log_err("targets", "target=%s cannot be watched: %s", conf->name,
		e.text);
	target_set_error(target, TARGET_UNREACHABLE, e.text);
	bus_status(t->site->bus, target);
}

static void
run_free(struct targets *t, struct run *r)
{
	if (r->collector != NULL)
		t->ops->free(r->collector);
	site_remove_target(t->site, r->name);
	free(r->name);
	free(r);
}

static void
free_retired(struct targets *t)
{
	for (size_t i = 0; i < t->n_retired; i++)
		conf_free(&t->retired[i]);
	free(t->retired);
	t->retired = NULL;
	t->n_retired = 0;
}

/* What is configured and does not run: new, or stopped for a restart. */
static void
start_missing(struct targets *t)
{
	for (size_t i = 0; i < t->conf->n_targets; i++)
		if (find_run(t, t->conf->targets[i].name) == NULL)
			start(t, &t->conf->targets[i]);
}

static void
reap(void *arg, struct now now unused)
{
	struct targets *t = arg;
	struct run **p = &t->runs;
	bool waiting = false;

	while (*p != NULL) {
		struct run *r = *p;

		if (r->stopped) {
			*p = r->next;
			run_free(t, r);
			continue;
		}
		waiting |= r->stopping;
		p = &r->next;
	}
	if (!waiting)
		free_retired(t);
	if (t->done == NULL)
		start_missing(t);
	else if (t->runs == NULL)
		t->done(t->arg);
}

static void
on_stopped(void *arg)
{
	struct run *r = OBJ_CAST(struct run, RUN_MAGIC, arg);

	r->stopped = true;
	loop_timer_in_us(r->owner->reaper, 0);
}

static void
stop(struct targets *t, struct run *r)
{
	if (r->stopping)
		return;
	r->stopping = true;
	if (r->collector != NULL)
		t->ops->stop(r->collector, on_stopped, r);
	else
		on_stopped(r);
}

static void
sweep(void *arg, struct now now unused)
{
	struct targets *t = arg;

	model_expire(t->site);
	loop_timer_in_us(t->sweeper, SWEEP_US);
}

struct targets *
targets_new(struct loop *l, struct site *site, const struct collector_ops *ops)
{
	struct targets *t = xcalloc(1, sizeof(*t));

	t->loop = l;
	t->site = site;
	t->ops = ops;
	t->reaper = loop_timer_new(l, reap, t);
	t->sweeper = loop_timer_new(l, sweep, t);
	loop_timer_in_us(t->sweeper, SWEEP_US);
	return t;
}

void
targets_free(struct targets **tp)
{
	struct targets *t = *tp;

	if (t == NULL)
		return;
	while (t->runs != NULL) {
		struct run *r = t->runs;

		t->runs = r->next;
		run_free(t, r);
	}
	loop_timer_free(&t->reaper);
	loop_timer_free(&t->sweeper);
	site_set_rules(t->site, NULL);
	free_retired(t);
	conf_free(&t->conf);
	free(t);
	*tp = NULL;
}

static void
retire(struct targets *t, struct conf *old)
{
	if (old == NULL)
		return;
	t->retired = xreallocarray(t->retired, t->n_retired + 1,
				   sizeof(struct conf *));
	t->retired[t->n_retired++] = old;
}

void
targets_apply(struct targets *t, struct conf *conf)
{
	struct conf *old = t->conf;

	t->conf = conf;
	site_set_rules(t->site, &conf->thresholds);
	for (struct run *r = t->runs; r != NULL; r = r->next) {
		const struct conf_target *was = find_conf(old, r->name);
		const struct conf_target *is = find_conf(conf, r->name);

		if (was == NULL || is == NULL || r->collector == NULL ||
		    r->stopping || !conf_target_same(was, is))
			stop(t, r);
		else
			t->ops->reconf(r->collector, is);
	}
	retire(t, old);
	if (t->done == NULL) /* else all are being stopped */
		start_missing(t);
	loop_timer_in_us(t->reaper, 0);
}

const struct conf *
targets_conf(const struct targets *t)
{
	return t->conf;
}

void
targets_stop(struct targets *t, void (*done)(void *arg), void *arg)
{
	t->done = done;
	t->arg = arg;
	for (struct run *r = t->runs; r != NULL; r = r->next)
		stop(t, r);
	loop_timer_in_us(t->reaper, 0);
}
