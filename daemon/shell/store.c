/*
 * The store's loop side: its life, its state, the tasks that come back.
 */
#include "dslat/store.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/chunk.h"
#include "dslat/log.h"
#include "dslat/map.h"
#include "dslat/mem.h"
#include "store_private.h"

#define TICK_US (20 * US_PER_S)
#define RETRY_MIN_US (5 * US_PER_S)
#define RETRY_MAX_US (60 * US_PER_S)
/* An hour's last slot is final after 180 s; a minute for the last poll. */
#define DUE_US (SLOT_FINAL_US + 60 * US_PER_S)
#define END_US (2 * US_PER_S)

static void on_tick(void *arg, struct now now);
static void on_retry(void *arg, struct now now);

static const struct bus_ops bus_ops = {
	.samples = store_on_samples,
	.status = store_on_status,
};

const char *
store_state_name(enum store_state s)
{
	static const char *const names[] = {
		[STORE_OFF] = "off",
		[STORE_OPENING] = "opening",
		[STORE_OK] = "ok",
		[STORE_FAILED] = "failed",
	};

	return names[s];
}

struct store *
store_new(struct loop *l, struct site *site)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->loop = l;
	s->site = site;
	s->tick = loop_timer_new(l, on_tick, s);
	s->retry = loop_timer_new(l, on_retry, s);
	s->retry_us = RETRY_MIN_US;
	s->targets = map_new();
	s->docs = map_new();
	s->status.free_bytes = -1;
	bus_subscribe(site->bus, &bus_ops, s);
	return s;
}

static void
conf_copy(struct store *s, const struct store_conf *c)
{
	char *dir = s->conf.state_dir;

	s->conf = *c;
	s->conf.state_dir = dir;
	if (dir == NULL && c->state_dir != NULL)
		s->conf.state_dir = xstrdup(c->state_dir);
}

struct store_status
store_status(const struct store *s)
{
	struct store_status st = s->status;

	st.error = s->error;
	st.aside = s->aside;
	st.jobs = store_read_jobs(s);
	return st;
}

uint32_t
store_pair_id(const struct pair *p)
{
	return p->store_id;
}

void
store_on_ready(struct store *s, void (*fn)(void *arg), void *arg)
{
	s->on_ready = xgrow(s->on_ready, s->n_on_ready, sizeof(*s->on_ready));
	s->on_ready[s->n_on_ready++] = (struct ready_fn){ fn, arg };
}

/* ---- what reports say --------------------------------------------------- */

static real_t
hour_start(int64_t hour)
{
	if (hour == INT64_MIN)
		return (real_t){ 0 };
	return slot_end(chunk_first_slot(hour) - 1);
}

static void
take_since(struct store_status *st, const struct store_since *since)
{
	st->raw_since = hour_start(since->raw_hour);
	st->five_minute_since = hour_start(since->bin5_hour);
	st->hour_since =
		hour_start(since->bin60_day == INT64_MIN
				   ? INT64_MIN
				   : since->bin60_day * STORE_HOURS_PER_DAY);
}

/* Said once; what follows from it is only counted. */
static void
set_failed(struct store *s, const struct err *e)
{
	s->status.failures++;
	if (!s->complained)
		log_err("store",
			"%s; polling and serving go on, what cannot be stored "
			"is kept for up to 64 min",
			e->text);
	s->complained = true;
	xstrset(&s->error, e->text);
	s->status.state = STORE_FAILED;
	if (!s->ending && !loop_timer_armed(s->retry))
		loop_timer_in_us(s->retry, s->retry_us);
}

static void
take_report(struct store *s, struct writer_task *t)
{
	struct store_report *r = &t->report;

	s->status.bytes = r->bytes;
	s->status.free_bytes = r->free_bytes;
	take_since(&s->status, &r->since);
	if (r->aside != NULL) {
		log_err("store",
			"the history was damaged: it is kept as %s, and a new "
			"one is begun",
			r->aside);
		free(s->aside);
		s->aside = r->aside;
		r->aside = NULL;
	}
	if (r->ok) {
		s->status.commits++;
		s->status.written = loop_now(s->loop).real;
	} else if (t->opens || t->opening == s->opening) {
		set_failed(s, &r->error);
	}
}

static void
writer_done(struct task *task)
{
	struct writer_task *t = (struct writer_task *)task;

	take_report(t->store, t);
	t->end(t);
}

static void
prepare(struct store *s, struct writer_task *t,
	int (*work)(struct writer_task *t, struct err *e),
	void (*end)(struct writer_task *t))
{
	t->task.run = writer_run;
	t->task.done = writer_done;
	t->store = s;
	t->writer = s->writer;
	t->opening = s->opening;
	t->work = work;
	t->end = end;
	err_set(&t->report.error, ERR_TIMEOUT,
		"%s: not written, the end came first", s->conf.state_dir);
}

void
store_post(struct store *s, struct writer_task *t,
	   int (*work)(struct writer_task *t, struct err *e),
	   void (*end)(struct writer_task *t))
{
	prepare(s, t, work, end);
	worker_post(s->write_worker, &t->task);
}

void
store_batch_written(struct store *s, size_t n_cells)
{
	s->status.cells += n_cells;
	s->retry_us = RETRY_MIN_US;
	if (s->complained && s->status.state == STORE_OK) {
		s->complained = false;
		log_info("store", "%s works again", s->conf.state_dir);
	}
}

/* ---- opening ------------------------------------------------------------ */

static void
take_last_slots(struct store *s)
{
	const char *name;
	void *v;

	for (size_t i = 0; map_next(s->contents.last_slots, &i, &name, &v);) {
		struct store_target *t = store_target(s, name);

		t->last_slot = MAX(t->last_slot, *(int64_t *)v);
	}
}

static void
tell_ready(struct store *s)
{
	for (size_t i = 0; i < s->n_on_ready; i++)
		s->on_ready[i].fn(s->on_ready[i].arg);
}

static void
opened(struct store *s, struct open_task *o)
{
	bool again = s->was_open;

	s->was_open = true;
	s->opened = loop_now(s->loop).mono;
	s->status.state = STORE_OK;
	xstrset(&s->error, NULL);
	contents_fini(&s->contents);
	s->contents = o->contents;
	o->contents = (struct store_contents){ 0 };
	store_forget_ids(s);
	take_last_slots(s);
	store_resend_newer(s, s->contents.last_slots);
	for (size_t i = 0; i < s->site->n_targets; i++)
		store_on_status(s, s->site->targets[i]);
	/* At the end, owners are gone, and have put what they had. */
	if (again && !s->ending)
		tell_ready(s);
	store_docs_flush(s);
	store_resend(s);
}

static void
open_end(struct writer_task *t)
{
	struct open_task *o = (struct open_task *)t;

	t->store->opening_now = false;
	if (t->report.ok)
		opened(t->store, o);
	t->store->was_open = true;
	contents_fini(&o->contents);
	free(o);
}

static struct open_task *
open_new(struct store *s)
{
	struct open_task *o = xcalloc(1, sizeof(*o));

	s->opening++;
	s->opening_now = true;
	if (s->status.state == STORE_OFF)
		s->status.state = STORE_OPENING;
	prepare(s, &o->t, open_work, open_end);
	o->t.opens = true;
	o->now = loop_now(s->loop).real;
	return o;
}

static void
open_post(struct store *s)
{
	worker_post(s->write_worker, &open_new(s)->t.task);
}

static void
on_retry(void *arg, struct now now unused)
{
	struct store *s = arg;

	s->retry_us = MIN(s->retry_us * 2, RETRY_MAX_US);
	open_post(s);
}

static int
damage_work(struct writer_task *t, struct err *e)
{
	(void)t;
	return err_set(e, ERR_DAMAGED, "the file is damaged, a reader says");
}

static void
damage_end(struct writer_task *t)
{
	free(t);
}

void
store_is_damaged(struct store *s)
{
	if (s->status.state == STORE_OK)
		store_post(s, xcalloc(1, sizeof(struct writer_task)),
			   damage_work, damage_end);
}

/* ---- upkeep ------------------------------------------------------------- */

static int
by_object(const void *a, const void *b)
{
	const struct ds_threshold *x = a, *y = b;

	return x->object < y->object ? -1 : x->object > y->object;
}

static void
add_thresholds(const struct store *s, struct upkeep_task *u)
{
	void *v;

	for (size_t i = 0; i < s->site->n_targets; i++) {
		const struct map *all = s->site->targets[i]->datastores;

		for (size_t j = 0; map_next(all, &j, NULL, &v);) {
			const struct datastore *ds = v;

			if (ds->store_id == 0)
				continue;
			u->thresholds = xgrow(u->thresholds, u->n_thresholds,
					      sizeof(*u->thresholds));
			u->thresholds[u->n_thresholds++] =
				(struct ds_threshold){ ds->store_id,
						       ds->threshold };
		}
	}
	if (u->n_thresholds != 0)
		qsort(u->thresholds, u->n_thresholds, sizeof(*u->thresholds),
		      by_object);
}

static void
upkeep_end(struct writer_task *t)
{
	struct upkeep_task *u = (struct upkeep_task *)t;
	struct store *s = t->store;
	bool forgot = t->report.ok && t->report.forgot;

	s->keeping_up = false;
	free(u->thresholds);
	if (s->ending || s->status.state != STORE_OK)
		;
	else if (forgot)
		open_post(s);
	else if (u->more)
		loop_timer_in_us(s->tick, 0);
	free(u);
}

/* Hours are over by the clocks their slots are from. */
static real_t
slowest_clock(const struct store *s)
{
	real_t t = loop_now(s->loop).real;

	for (size_t i = 0; i < s->site->n_targets; i++)
		t.us = MIN(t.us, target_now(s->site->targets[i]).us);
	return t;
}

static void
upkeep(struct store *s)
{
	struct upkeep_task *u;
	real_t now = loop_now(s->loop).real, due;

	if (s->status.state != STORE_OK || s->keeping_up)
		return;
	u = xcalloc(1, sizeof(*u));
	s->keeping_up = true;
	u->now_slot = slot_of(now);
	due = real_add_us(slowest_clock(s), -DUE_US);
	u->due_hour = chunk_hour(slot_of(due) + 1) - 1;
	u->raw_days = s->conf.raw_days;
	u->five_minute_days = s->conf.five_minute_days;
	u->hour_days = s->conf.hour_days;
	u->max_bytes = s->conf.max_bytes;
	if (s->site->rules != NULL)
		threshold_resolve(s->site->rules, PROTO_UNKNOWN, "/",
				  &u->fallback, NULL);
	add_thresholds(s, u);
	store_post(s, &u->t, upkeep_work, upkeep_end);
}

static void
on_tick(void *arg, struct now now unused)
{
	struct store *s = arg;

	loop_timer_in_us(s->tick, TICK_US);
	store_drop_rings(s);
	store_settle_gaps(s);
	store_send_news(s);
	store_resend(s);
	upkeep(s);
}

/* ---- start and end ------------------------------------------------------ */

int
store_apply(struct store *s, const struct store_conf *c, struct err *e)
{
	struct open_task *o;
	enum err_code code;

	conf_copy(s, c);
	if (s->conf.state_dir == NULL || s->writer != NULL)
		return 0;
	s->writer = writer_new(s->conf.state_dir);
	o = open_new(s);
	writer_run(&o->t.task); /* there is no thread yet */
	code = o->t.report.ok ? ERR_NONE : o->t.report.error.code;
	*e = o->t.report.error;
	if (code == ERR_CONF) {
		contents_fini(&o->contents);
		free(o);
		return -1;
	}
	s->write_worker = worker_new(s->loop, "store-write", e);
	if (s->write_worker == NULL || store_read_start(s, e) != 0) {
		contents_fini(&o->contents);
		free(o);
		return -1;
	}
	writer_done(&o->t.task);
	loop_timer_in_us(s->tick, TICK_US);
	return 0;
}

static void
free_values(struct map *m)
{
	void *v;

	for (size_t i = 0; map_next(m, &i, NULL, &v);)
		free(v);
}

void
store_free(struct store **sp)
{
	struct store *s = *sp;

	if (s == NULL)
		return;
	*sp = NULL;
	bus_unsubscribe(s->site->bus, s);
	s->ending = true;
	loop_timer_free(&s->tick);
	store_read_end(s);
	if (s->write_worker != NULL) {
		store_send_news(s);
		store_docs_flush(s);
		worker_drain(s->write_worker, END_US);
		if (!worker_free(&s->write_worker, END_US / 4))
			s->writer = NULL; /* its thread hangs, and has it */
	}
	loop_timer_free(&s->retry);
	writer_free(&s->writer);
	contents_fini(&s->contents);
	news_fini(&s->news);
	free_values(s->targets);
	map_free(&s->targets);
	store_docs_free(s);
	free(s->on_ready);
	free(s->conf.state_dir);
	free(s->error);
	free(s->aside);
	free(s);
}
