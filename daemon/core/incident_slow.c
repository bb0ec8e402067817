/*
 * The life of a latency incident.
 *
 * Values count at once: a slot breaches when any host's sample does, the
 * incident opens, is told when enough of the last slots breach, and its
 * severity follows the same window.  The end is counted on final slots, in
 * order: incident_judge.c.  Slots that are over 180 s old when their values come
 * (an hour filled in at the start) are history and do neither.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_private.h"

/* One direction of one datastore, while new values are looked at. */
struct walk {
	struct incidents *i;
	struct datastore *ds;
	enum op op;
	int64_t first, last; /* from the oldest new value that is in time on */
	char *key;           /* NULL until it is needed */
	struct track *track; /* NULL: nothing breached lately */
};

/* ---- new values ---------------------------------------------------------- */

static bool
is_in_force(const struct pair *p)
{
	return p->ring != NULL && !p->gone && !p->host->maintenance;
}

static bool
find_slots(struct walk *w)
{
	real_t now = target_now(w->ds->target);
	int64_t oldest = slot_of(real_add_us(now, -SLOT_FINAL_US));

	if (slot_end(oldest).us + SLOT_FINAL_US < now.us)
		oldest++;
	w->first = INT64_MAX;
	w->last = INT64_MIN;
	for (size_t i = 0; i < w->ds->n_pairs; i++) {
		const struct pair *p = w->ds->pairs[i];

		if (!is_in_force(p))
			continue;
		w->first = MIN(w->first, p->dirty_slot);
		w->last = MAX(w->last, p->newest_valid);
	}
	w->first = MAX(w->first, oldest);
	return w->first <= w->last;
}

static void
open_incident(struct walk *w, int64_t slot)
{
	struct record *r = incidents_add(w->i, INCIDENT_SLOW, xstrdup(w->key),
					 slot_end(slot));

	r->in.op = w->op;
	r->in.threshold = w->ds->threshold;
	r->in.judged_slot = slot;
	record_name(r, w->ds->target, w->ds, NULL);
	w->track->open = r;
}

/* The values of one host in a breaching slot of an open incident. */
static void
note_value(struct record *r, const struct host *h, const struct host_value *v)
{
	struct incident *in = &r->in;

	if (record_note_host(r, h, v))
		r->is_changed = true;
	if (v->us <= in->worst_us)
		return;
	in->worst_us = v->us;
	in->worst_ios = v->ios;
	in->worst_t = v->t;
	xstrset(&in->worst_host, h->name);
	r->is_changed = true;
}

static void
note_breach(struct walk *w, const struct pair *p, int64_t slot,
	    const struct point *pt, enum breach b)
{
	struct host_value v = {
		.us = pt->us,
		.ios = pt->load == LOAD_UNKNOWN ? -1 : pt->ios,
		.t = slot_end(slot),
		.severity = b == BREACH_CRITICAL ? SEVERITY_CRITICAL
						 : SEVERITY_WARNING,
	};
	struct record *r;
	bool is_new;

	if (w->track == NULL) {
		w->track = track_get(w->i, w->key);
		track_forget_future(w->track,
				    slot_of(target_now(w->ds->target)));
	}
	is_new = track_note(w->track, slot, v.severity);
	if (slot <= w->track->ended_slot)
		return; /* of the one that is over */
	if (w->track->open == NULL)
		open_incident(w, slot);
	r = w->track->open;
	if (slot_end(slot).us < r->in.started.us) {
		r->in.started = slot_end(slot);
		incidents_replace(w->i, r);
	}
	r->in.breach_slots += is_new;
	r->is_changed |= is_new;
	note_value(r, p->host, &v);
}

static void
walk_pair(struct walk *w, const struct pair *p)
{
	const struct threshold *t = &w->ds->threshold;
	int64_t least_us = MIN(t->warning_us, t->sparse_us);
	int64_t slot = MAX(w->first, p->dirty_slot);

	for (; slot <= p->newest_valid; slot++) {
		const struct cell *c = ring_get(p->ring, slot);
		struct point pt;
		enum breach b;

		if (c == NULL || c->v[FIELD_US + w->op] < least_us)
			continue; /* nearly always */
		pt = cell_point(c, w->op);
		b = threshold_check(t, &pt);
		if (b == BREACH_NONE)
			continue;
		if (w->key == NULL)
			w->key = xasprintf("slow:%s:%s:%s", w->ds->target->name,
					   w->ds->uuid, op_name(w->op));
		note_breach(w, p, slot, &pt, b);
	}
}

/* ---- the window ---------------------------------------------------------- */

/* A host of the incident told something of this slot. */
static bool
says_something(const struct record *r, const struct datastore *ds, int64_t slot)
{
	bool is_low = false;

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct pair *p = ds->pairs[i];
		struct incident_host *h;
		const struct cell *c;
		struct point pt;

		if (!record_has_pair(r, p, &h) || !is_in_force(p))
			continue;
		c = ring_get(p->ring, slot);
		if (c == NULL)
			return false;
		pt = cell_point(c, r->in.op);
		if (!load_is_busy(pt.load))
			return false;
		is_low = true;
	}
	return is_low;
}

static void
set_severity(struct record *r, enum severity s)
{
	r->in.severity = s;
	r->in.worst_severity = MAX(r->in.worst_severity, s);
}

static void
follow_window(struct walk *w, struct record *r, int64_t slot)
{
	const struct threshold *t = &w->ds->threshold;
	const struct track *k = w->track;
	bool breaches = track_count(k, k->breach, slot, t->window_samples) >=
		t->for_samples;
	bool is_critical = track_count(k, k->critical, slot,
				       t->window_samples) >= t->for_samples;

	r->in.updated.us = MAX(r->in.updated.us, slot_end(slot).us);
	if (r->in.state == INCIDENT_OPEN && breaches) {
		r->in.state = INCIDENT_ANNOUNCED;
		r->in.was_announced = true;
		r->in.announced = slot_end(slot);
		set_severity(
			r, is_critical ? SEVERITY_CRITICAL : SEVERITY_WARNING);
		incidents_silence(w->i, r);
		incidents_tell(w->i, r, INCIDENT_TOLD);
	} else if (r->in.state == INCIDENT_ANNOUNCED && is_critical &&
		   r->in.severity == SEVERITY_WARNING) {
		set_severity(r, SEVERITY_CRITICAL);
		incidents_tell(w->i, r, INCIDENT_SEVERITY);
	} else if (r->in.state == INCIDENT_ANNOUNCED && !is_critical &&
		   r->in.severity == SEVERITY_CRITICAL &&
		   says_something(r, w->ds, slot)) {
		set_severity(r, SEVERITY_WARNING);
		incidents_tell(w->i, r, INCIDENT_SEVERITY);
	}
}

/* How far back the other hosts' values may still come. */
#define LATEST_SLOTS (SLOT_FINAL_US / SLOT_US)

/* New values of hosts that are not in the incident: the sentence counts them. */
static bool
others_spoke(const struct walk *w, const struct record *r)
{
	struct incident_host *h;

	for (size_t i = 0; i < w->ds->n_pairs; i++) {
		const struct pair *p = w->ds->pairs[i];

		if (p->dirty_slot != INT64_MAX && is_in_force(p) &&
		    !record_has_pair(r, p, &h))
			return true;
	}
	return false;
}

/* Limits that changed, unless the worst value is not over them: then the text
 * goes on to name those it was over. */
static void
follow_limits(struct record *r, const struct threshold *t)
{
	const struct threshold *was = &r->in.threshold;

	if (was->warning_us == t->warning_us &&
	    was->critical_us == t->critical_us && was->clear_us == t->clear_us)
		return;
	if (r->in.worst_us < t->warning_us)
		return;
	r->in.threshold = *t;
	r->is_changed = true;
}

static void
follow(struct walk *w)
{
	struct record *r = w->track != NULL ? w->track->open : NULL;
	int64_t slot;

	if (r == NULL)
		return;
	r->in.window_slot = w->track->slot;
	r->in.window_breach = w->track->breach;
	r->in.window_critical = w->track->critical;
	follow_limits(r, &w->ds->threshold);
	if (w->last - w->track->slot < LATEST_SLOTS &&
	    (r->is_changed || r->is_new || others_spoke(w, r)))
		r->is_changed |= record_describe_slow(r, w->ds);
	if (r->is_new) {
		r->is_new = false;
		incidents_silence(w->i, r);
		incidents_tell(w->i, r, INCIDENT_OPENED);
	}
	/* What lies before its start was the last one's. */
	slot = MAX(w->first, slot_of(r->in.started));
	for (; slot <= w->last; slot++)
		follow_window(w, r, slot);
	if (r->is_changed)
		incidents_tell(w->i, r, INCIDENT_UPDATED);
}

static void
walk_datastore(struct incidents *i, struct datastore *ds)
{
	struct walk w = { .i = i, .ds = ds };

	if (ds->gone || ds->maintenance || !find_slots(&w))
		return;
	for (w.op = 0; w.op < N_OPS; w.op++) {
		struct record *r;

		w.key = NULL;
		w.track = NULL;
		for (size_t j = 0; j < ds->n_pairs; j++)
			if (is_in_force(ds->pairs[j]))
				walk_pair(&w, ds->pairs[j]);
		if (w.track == NULL && i->n_open > 0) {
			w.key = xasprintf("slow:%s:%s:%s", ds->target->name,
					  ds->uuid, op_name(w.op));
			r = incidents_find_open(i, w.key);
			w.track = r != NULL ? track_get(i, w.key) : NULL;
		}
		follow(&w);
		free(w.key);
	}
}

/* ---- from the bus -------------------------------------------------------- */

/* Does something hold that a sample can end? */
static bool
misses_something(const struct incidents *i, const struct target *t)
{
	void *v;

	for (size_t j = 0; map_next(i->open, &j, NULL, &v);) {
		const struct incident *in = &((struct record *)v)->in;

		if (in->kind != INCIDENT_SLOW &&
		    strcmp(in->target, t->name) == 0)
			return true;
	}
	return false;
}

void
incidents_samples(struct incidents *i, struct target *t)
{
	void *v;

	for (size_t j = 0; map_next(t->datastores, &j, NULL, &v);)
		walk_datastore(i, v);
	if (misses_something(i, t) || !incidents_has_answered(i, t))
		incidents_check_states(i, t);
}

void
incidents_status(struct incidents *i, struct target *t)
{
	incidents_check_states(i, t);
}

static void
judge_all(struct incidents *i)
{
	void *v;

	for (size_t j = 0; map_next(i->open, &j, NULL, &v);) {
		struct record *r = v;

		if (r->in.kind == INCIDENT_SLOW)
			incidents_judge(i, r);
	}
}

void
incidents_tick(struct incidents *i)
{
	judge_all(i);
	for (size_t j = 0; j < i->site->n_targets; j++)
		incidents_check_states(i, i->site->targets[j]);
	incidents_end_orphans(i);
	incidents_set_silences(i, i->silences);
	tracks_prune(i);
}
