/*
 * What final slots say of a latency incident that is open: whether it is over.
 */
#include <string.h>

#include "incident_private.h"
#include "model_private.h"

#define IDLE_SLOTS 45

/* ---- what a slot says ---------------------------------------------------- */

enum verdict {
	SLOT_HOLDS,  /* missing, idle, too little I/O to tell */
	SLOT_IS_LOW, /* below clear_ms on every host */
	SLOT_IS_HIGH,
	SLOT_IS_IDLE, /* for long now, on every host */
};

/* A host that is hidden may come back; one that unmounted the datastore, or
 * was freed, is no longer of the incident. */
static bool
is_left(const struct pair *p)
{
	return p->host->gone || (!p->gone && p->mounted);
}

static enum verdict
look_at_point(const struct threshold *t, const struct point *pt)
{
	if (!load_is_busy(pt->load))
		return SLOT_HOLDS;
	if (threshold_check(t, pt) != BREACH_NONE)
		return SLOT_IS_HIGH;
	if (pt->us < t->clear_us)
		return SLOT_IS_LOW;
	if (pt->load == LOAD_SPARSE ||
	    (pt->load == LOAD_NORMAL && pt->ios < t->min_ios))
		return SLOT_HOLDS;
	return SLOT_IS_HIGH;
}

static enum verdict
look_at_pair(const struct pair *p, enum op op, int64_t slot,
	     struct incident_host *h)
{
	const struct cell *c = p->ring != NULL ? ring_get(p->ring, slot) : NULL;
	struct point pt;

	if (c == NULL)
		return SLOT_HOLDS;
	pt = cell_point(c, op);
	if (h == NULL) /* of a long list: only heard when it is high */
		return look_at_point(&p->datastore->threshold, &pt) ==
				SLOT_IS_HIGH
			? SLOT_IS_HIGH
			: SLOT_IS_IDLE;
	if (pt.load != LOAD_IDLE) {
		if (load_is_busy(pt.load))
			h->idle_slots = 0;
		return look_at_point(&p->datastore->threshold, &pt);
	}
	h->idle_slots = MIN(h->idle_slots + 1, IDLE_SLOTS);
	return h->idle_slots == IDLE_SLOTS && p->accessible &&
			p->host->connected
		? SLOT_IS_IDLE
		: SLOT_HOLDS;
}

/* Is the pair one of the incident's, and which of the listed? */
bool
record_has_pair(const struct record *r, const struct pair *p,
		struct incident_host **h_r)
{
	*h_r = record_find_host(r, p->host->id);
	return is_left(p) && (*h_r != NULL || r->in.n_hosts > r->in.n_listed);
}

static enum verdict
look_at_slot(struct record *r, const struct datastore *ds, int64_t slot)
{
	size_t n[SLOT_IS_IDLE + 1] = { 0 };
	struct incident_host *h;

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct pair *p = ds->pairs[i];

		if (record_has_pair(r, p, &h) && !p->host->maintenance)
			n[look_at_pair(p, r->in.op, slot, h)]++;
	}
	if (n[SLOT_IS_HIGH] > 0)
		return SLOT_IS_HIGH;
	if (n[SLOT_HOLDS] > 0)
		return SLOT_HOLDS;
	if (n[SLOT_IS_LOW] > 0)
		return SLOT_IS_LOW;
	return n[SLOT_IS_IDLE] > 0 ? SLOT_IS_IDLE : SLOT_HOLDS;
}

/* ---- the end ------------------------------------------------------------- */

static void
end(struct incidents *i, struct record *r, int64_t slot, const char *reason)
{
	struct track *k = track_get(i, r->in.key);

	k->open = NULL;
	k->ended_slot = MAX(k->ended_slot, slot);
	incidents_end(i, r, slot_end(slot), reason);
}

/* Every slot up to here is final on all hosts of the incident. */
static int64_t
final_slot(const struct record *r, const struct datastore *ds)
{
	int64_t least = INT64_MAX;
	struct incident_host *h;

	for (size_t i = 0; i < ds->n_pairs; i++)
		if (record_has_pair(r, ds->pairs[i], &h))
			least = MIN(least, ds->pairs[i]->final_slot);
	return least;
}

/* Slots that are newer than this one and known to breach: not the end yet. */
static bool
breaches_later(const struct incidents *i, const struct record *r, int64_t slot)
{
	const struct track *k = track_find(i, r->in.key);

	return k != NULL && k->slot > slot &&
		track_count(k, k->breach, k->slot,
			    (int)MIN(k->slot - slot, TRACK_SLOTS)) > 0;
}

/* true: it ended. */
static bool
judge_slot(struct incidents *i, struct record *r, const struct datastore *ds,
	   int64_t slot)
{
	enum verdict v = look_at_slot(r, ds, slot);

	r->in.judged_slot = slot;
	if (v == SLOT_IS_HIGH)
		r->in.clear_slots = 0;
	else if (v == SLOT_IS_LOW)
		r->in.clear_slots++;
	if (breaches_later(i, r, slot))
		return false;
	if (v == SLOT_IS_IDLE) {
		end(i, r, slot, "idle");
		return true;
	}
	if (v == SLOT_IS_LOW &&
	    r->in.clear_slots >= ds->threshold.clear_samples) {
		end(i, r, slot, "cleared");
		return true;
	}
	return false;
}

/* The datastore of the incident, also while it is hidden. */
static const struct datastore *
datastore_of(const struct incident *in, const struct target *t)
{
	const char *uuid = in->datastore_id + strlen(in->target) + 1;

	return t != NULL ? map_find_str(t->datastores, uuid) : NULL;
}

static void
judge_slots(struct incidents *i, struct record *r, const struct datastore *ds,
	    int64_t last)
{
	int64_t now = slot_of(target_now(ds->target)), slot;

	if (r->in.judged_slot >
	    now + SLOTS_AHEAD) { /* the clock was set back */
		track_forget_future(track_get(i, r->in.key), now);
		r->in.judged_slot = last - 1;
		r->in.started = slot_end(last);
		incidents_replace(i, r);
	}
	/* What has left the rings says nothing any more. */
	slot = MAX(r->in.judged_slot, last - RING_SLOTS) + 1;
	for (; slot <= last; slot++)
		if (judge_slot(i, r, ds, slot))
			return;
}

void
incidents_judge(struct incidents *i, struct record *r)
{
	const struct target *t = site_find_target(i->site, r->in.target);
	const struct datastore *ds = datastore_of(&r->in, t);
	int64_t last = ds != NULL ? final_slot(r, ds) : INT64_MAX;
	real_t now = t != NULL ? target_now(t) : i->site->now.real;

	if (last == INT64_MAX) { /* nothing is left of it */
		if (t != NULL ? incidents_has_settled(i, t)
			      : incidents_target_is_gone(i, r->in.target))
			end(i, r, MAX(slot_of(now), slot_of(r->in.started)),
			    "gone");
	} else if (last != INT64_MIN && !ds->gone) {
		judge_slots(i, r, ds, last);
	}
}
