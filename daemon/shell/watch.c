#include "dslat/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dslat/bus.h"
#include "dslat/conf.h"
#include "dslat/log.h"
#include "dslat/map.h"
#include "dslat/mem.h"
#include "watch_private.h"

#define TICK_US (20 * US_PER_S)
#define US_PER_DAY (86400 * US_PER_S)
#define SILENCES_KEPT_US (7 * US_PER_DAY) /* after their end */

#define MINUTES_PER_WEEK 10080
/* 1970 began on a Thursday. */
#define MINUTES_TO_MONDAY 4320

/* ---- silences ------------------------------------------------------------ */

static int
minute_of_week(real_t t, bool utc)
{
	int64_t minutes = t.us / US_PER_S / 60;
	time_t seconds = (time_t)(t.us / US_PER_S);
	struct tm tm;

	if (!utc && localtime_r(&seconds, &tm) != NULL)
		return ((tm.tm_wday + 6) % 7 * 24 + tm.tm_hour) * 60 +
			tm.tm_min;
	return (int)((minutes + MINUTES_TO_MONDAY) % MINUTES_PER_WEEK);
}

static void
put_silence(struct watch *w, const struct silence *s)
{
	watch_put(w, "silence", s->id, s->until,
		  silence_json(s, w->site->now.real));
}

const struct silences *
watch_silences(const struct watch *w)
{
	return &w->silences;
}

const struct silence *
watch_silence(struct watch *w, struct silence *take)
{
	const struct silence *s;
	char until[REAL_TEXT_SIZE];

	if (take->from.us == 0)
		take->from = w->site->now.real;
	s = silences_add(&w->silences, take);
	put_silence(w, s);
	watch_audit(w, &(struct event){ .by = s->by },
		    "silence %lld of \"%s\" until %s%s%s", (long long)s->id,
		    s->match, real_format(s->until, until),
		    s->note != NULL ? ": " : "",
		    s->note != NULL ? s->note : "");
	incidents_set_silences(w->incidents, &w->silences);
	return s;
}

bool
watch_unsilence(struct watch *w, int64_t id, const char *by)
{
	struct event about = { 0 };

	if (!silences_remove(&w->silences, id))
		return false;
	watch_drop(w, "silence", id);
	xstrset(&about.by, by);
	watch_audit(w, &about, "silence %lld removed", (long long)id);
	free(about.by);
	incidents_set_silences(w->incidents, &w->silences);
	return true;
}

void
watch_expire_silences(struct watch *w, int64_t keep_us)
{
	real_t now = w->site->now.real;

	for (size_t i = 0; i < w->silences.n; i++) {
		const struct silence *s = &w->silences.rows[i];

		if (real_diff_us(now, s->until) > keep_us)
			watch_drop(w, "silence", s->id);
	}
	silences_expire(&w->silences, now, keep_us);
}

void
watch_apply(struct watch *w, const struct conf *c)
{
	tzset(); /* the machine may have moved */
	free(w->windows);
	w->windows = xcalloc(c->n_maintenance, sizeof(*w->windows));
	for (size_t i = 0; i < c->n_maintenance; i++)
		w->windows[i] = c->maintenance[i].window;
	w->silences.windows = w->windows;
	w->silences.n_windows = c->n_maintenance;
	w->kept_us = c->retention.hour_days * US_PER_DAY;
	incidents_set_silences(w->incidents, &w->silences);
}

/* ---- incidents ----------------------------------------------------------- */

static void
put_incident(struct watch *w, const struct incident *in)
{
	watch_put(w, "incident", in->id, in->started, incident_json(in));
}

/* Beginnings, ends and what was done by hand are written at once; the rest of
 * a busy incident once per tick. */
static void
keep(struct watch *w, const struct incident *in, enum incident_change what)
{
	char id[24];

	if (what != INCIDENT_UPDATED) {
		put_incident(w, in);
		return;
	}
	snprintf(id, sizeof(id), "%lld", (long long)in->id);
	map_set(w->unwritten, id, w);
}

static void
write_changed(struct watch *w)
{
	const char *id;
	void *v;

	for (size_t i = 0; map_next(w->unwritten, &i, &id, &v);) {
		const struct incident *in =
			incidents_find(w->incidents, strtoll(id, NULL, 10));

		if (in != NULL)
			put_incident(w, in);
	}
	map_free(&w->unwritten);
	w->unwritten = map_new();
}

static void
say(const struct incident *in, enum incident_change what)
{
	if (what == INCIDENT_TOLD && in->nested_in == NULL)
		log_info("watch", "incident %lld: %s", (long long)in->id,
			 in->summary != NULL ? in->summary : in->key);
	else if (what == INCIDENT_CLOSED && in->was_announced)
		log_info("watch", "incident %lld ended: %s", (long long)in->id,
			 in->end_reason);
}

static void
on_changed(void *arg, const struct incident *in, enum incident_change what)
{
	struct watch *w = arg;

	w->announced[in->kind] += what == INCIDENT_TOLD;
	say(in, what);
	keep(w, in, what);
	for (size_t i = 0; i < w->n_subs; i++)
		if (w->subs[i].ops->incident != NULL)
			w->subs[i].ops->incident(w->subs[i].arg, in, what);
}

static void
on_dropped(void *arg, int64_t id)
{
	watch_drop(arg, "incident", id);
}

static const struct incident_ops incident_ops = {
	.changed = on_changed,
	.dropped = on_dropped,
};

const struct incidents *
watch_incidents(const struct watch *w)
{
	return w->incidents;
}

uint64_t
watch_announced(const struct watch *w, enum incident_kind k)
{
	assert((size_t)k < N_INCIDENT_KINDS);
	return w->announced[k];
}

bool
watch_ack(struct watch *w, int64_t id, const char *by, const char *note)
{
	const struct incident *in;
	struct event about = { 0 };

	if (!incidents_ack(w->incidents, id, by, note))
		return false;
	in = incidents_find(w->incidents, id);
	xstrset(&about.by, by);
	about.target = in->target;
	about.datastore_id = in->datastore_id;
	about.host_id = in->host_id;
	watch_audit(w, &about, "incident %lld acknowledged%s%s", (long long)id,
		    note != NULL ? ": " : "", note != NULL ? note : "");
	free(about.by);
	return true;
}

/* ---- the store ----------------------------------------------------------- */

static void
restore_incident(void *arg, int64_t id, real_t t unused, const char *text)
{
	struct watch *w = arg;
	json_t *v = json_loads(text, 0, NULL);

	if (!incidents_restore(w->incidents, v))
		log_warn("watch", "incident %lld of the store is not one",
			 (long long)id);
	json_decref(v);
}

static void
restore_silence(void *arg, int64_t id, real_t t unused, const char *text)
{
	struct watch *w = arg;
	json_t *v = json_loads(text, 0, NULL);
	struct silence s;
	struct err e;

	if (silence_from_json(v, &s, &e)) {
		s.id = id;
		silences_add(&w->silences, &s);
	} else {
		log_warn("watch", "silence %lld of the store: %s",
			 (long long)id, e.text);
	}
	json_decref(v);
}

/* What the store holds cannot be read now, but will be there again: ids go on
 * from a number that no earlier run has come to. */
static void
skip_ids(struct watch *w)
{
	int64_t id = w->site->now.real.us / US_PER_S;

	incidents_skip_ids(w->incidents, id);
	w->silences.last_id = MAX(w->silences.last_id, id);
	w->last_event = MAX(w->last_event, id);
}

void
watch_restore(struct watch *w)
{
	enum store_state state;

	if (w->store == NULL)
		return;
	state = store_status(w->store).state;
	if (state != STORE_OK && state != STORE_OFF)
		skip_ids(w);
	watch_restore_events(w);
	store_doc_each(w->store, "silence", restore_silence, w);
	store_doc_each(w->store, "incident", restore_incident, w);
	incidents_set_silences(w->incidents, &w->silences);
}

/* The store works again and may have lost anything meanwhile. */
static void
on_store_ready(void *arg)
{
	struct watch *w = arg;
	const struct incident *in;

	for (size_t i = 0; i < w->silences.n; i++)
		put_silence(w, &w->silences.rows[i]);
	for (size_t i = 0; (in = incidents_at(w->incidents, i)) != NULL; i++)
		put_incident(w, in);
	watch_put_events(w);
}

/* ---- the watch itself ---------------------------------------------------- */

/* Incidents and events stay as long as the bins of an hour. */
static void
expire_history(struct watch *w)
{
	real_t before = real_add_us(w->site->now.real, -w->kept_us);

	incidents_expire(w->incidents, before);
	watch_expire_events(w, before);
}

static void
tick(void *arg, struct now now unused)
{
	struct watch *w = arg;

	watch_expire_silences(w, SILENCES_KEPT_US);
	incidents_tick(w->incidents);
	if (w->kept_us != 0)
		expire_history(w);
	write_changed(w);
	loop_timer_in_us(w->timer, TICK_US);
}

static void
on_samples(void *arg, struct target *t)
{
	incidents_samples(((struct watch *)arg)->incidents, t);
}

static void
on_status(void *arg, struct target *t)
{
	incidents_status(((struct watch *)arg)->incidents, t);
}

static const struct bus_ops bus_ops = {
	.samples = on_samples,
	.status = on_status,
};

struct watch *
watch_new(struct loop *l, struct site *site, struct store *store)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	w->loop = l;
	w->site = site;
	w->store = store;
	w->unwritten = map_new();
	w->silences.minute_of_week = minute_of_week;
	w->incidents = incidents_new(site, &incident_ops, w);
	incidents_set_silences(w->incidents, &w->silences);
	w->timer = loop_timer_new(l, tick, w);
	loop_timer_in_us(w->timer, TICK_US);
	bus_subscribe(site->bus, &bus_ops, w);
	if (store != NULL)
		store_on_ready(store, on_store_ready, w);
	return w;
}

void
watch_free(struct watch **wp)
{
	struct watch *w = *wp;

	if (w == NULL)
		return;
	write_changed(w);
	bus_unsubscribe(w->site->bus, w);
	loop_timer_free(&w->timer);
	incidents_free(&w->incidents);
	silences_fini(&w->silences);
	free(w->windows);
	watch_free_events(w);
	map_free(&w->unwritten);
	free(w->subs);
	free(w);
	*wp = NULL;
}

void
watch_subscribe(struct watch *w, const struct watch_ops *ops, void *arg)
{
	w->subs = xreallocarray(w->subs, w->n_subs + 1, sizeof(*w->subs));
	w->subs[w->n_subs++] = (struct subscription){ ops, arg };
}

void
watch_unsubscribe(struct watch *w, void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_subs; i++)
		if (w->subs[i].arg != arg)
			w->subs[n++] = w->subs[i];
	w->n_subs = n;
}
