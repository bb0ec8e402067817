/*
 * What is missing: data, access, a host, a target, the right to log in.
 *
 * Each walk over a target finds the conditions that hold, from the outermost
 * inwards: the target, its hosts, its datastores.  One that holds opens an
 * incident or keeps it; what no longer holds ends.  An incident inside another
 * says so (nested_in), and for NEST_KEPT_US after the outer one is over: what
 * was missing needs a moment to come back.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_visit.h"

#define NO_DATA_US (90 * US_PER_S)
#define TELL_UNREACHABLE_US (90 * US_PER_S) /* one failed poll is no news */
#define GRACE_US (90 * US_PER_S)
#define NEST_KEPT_US (90 * US_PER_S)
#define SETTLED_US (3600 * US_PER_S)
#define REMOVED_US (90 * US_PER_S) /* a restart takes seconds */

/* ---- the target's outlook ------------------------------------------------ */

static struct outlook *
outlook_of(struct incidents *i, const char *target)
{
	struct outlook *o = map_find_str(i->outlooks, target);

	if (o == NULL) {
		o = xcalloc(1, sizeof(*o));
		map_set(i->outlooks, target, o);
	}
	return o;
}

static bool
has_been(const struct incidents *i, mono_t since, int64_t us)
{
	return since.us != 0 && mono_diff_us(i->site->now.mono, since) >= us;
}

static bool
look_out(struct outlook *o, const struct target *t)
{
	mono_t now = t->site->now.mono;
	bool is_new = t->state == TARGET_STARTING || t->stats.polls < o->polls;
	bool answers = (t->state == TARGET_OK || t->state == TARGET_DEGRADED) &&
		t->last_poll.us != 0;

	if (is_new) /* of this name, but everything is found anew */
		*o = (struct outlook){ .polls = 0 };
	o->polls = t->stats.polls;
	o->missing_since.us = 0;
	if (!answers)
		o->good_since.us = 0;
	else if (o->good_since.us == 0)
		o->good_since = now;
	if (answers && o->first_good.us == 0)
		o->first_good = now;
	return answers;
}

bool
incidents_has_answered(const struct incidents *i, const struct target *t)
{
	const struct outlook *o = map_find_str(i->outlooks, t->name);

	return o != NULL && o->first_good.us != 0;
}

bool
incidents_has_settled(const struct incidents *i, const struct target *t)
{
	const struct outlook *o = map_find_str(i->outlooks, t->name);

	return o != NULL && has_been(i, o->first_good, SETTLED_US);
}

bool
incidents_target_is_gone(struct incidents *i, const char *target)
{
	struct outlook *o = outlook_of(i, target);

	if (site_find_target(i->site, target) != NULL) {
		o->missing_since.us = 0;
		return false;
	}
	if (o->missing_since.us == 0)
		o->missing_since = i->site->now.mono;
	return has_been(i, o->missing_since, REMOVED_US);
}

/* ---- one condition ------------------------------------------------------- */

/* Opens the incident or finds it; takes the key.  NULL: not open yet, and too
 * early to say. */
struct record *
visit_hold(struct visit *v, enum incident_kind kind, char *key, real_t since)
{
	struct record *r = incidents_find_open(v->i, key);

	if (r != NULL) {
		free(key);
	} else if (kind == INCIDENT_NO_DATA && v->answers &&
		   !has_been(v->i, v->outlook->good_since, GRACE_US)) {
		free(key);
		return NULL;
	} else {
		r = incidents_add(v->i, kind, key, since);
		r->in.worst_severity = SEVERITY_WARNING;
	}
	r->seen = true;
	return r;
}

void
visit_nest(struct visit *v, struct record *r, const char *key)
{
	mono_t now = v->i->site->now.mono;

	if (key == NULL && r->in.nested_in != NULL) {
		if (r->nest_lost.us == 0)
			r->nest_lost = now;
		if (mono_diff_us(now, r->nest_lost) < NEST_KEPT_US)
			return;
	}
	r->nest_lost.us = 0;
	r->is_changed |= xstrset(&r->in.nested_in, key);
}

/* The incident as it is now; tells what changed. */
void
visit_settle(struct visit *v, struct record *r, enum severity s, bool is_due)
{
	struct incident *in = &r->in;
	bool is_worse = in->severity != s;

	in->severity = s;
	in->worst_severity = MAX(in->worst_severity, s);
	r->is_changed |= incidents_silence(v->i, r);
	if (r->is_changed || is_worse)
		in->updated = v->now;
	if (r->is_new) {
		r->is_new = false;
		incidents_tell(v->i, r, INCIDENT_OPENED);
	}
	if (in->state == INCIDENT_OPEN && is_due) {
		in->state = INCIDENT_ANNOUNCED;
		in->was_announced = true;
		in->announced = in->updated = v->now;
		incidents_tell(v->i, r, INCIDENT_TOLD);
	} else if (is_worse && in->state == INCIDENT_ANNOUNCED) {
		incidents_tell(v->i, r, INCIDENT_SEVERITY);
	} else if (r->is_changed) {
		incidents_tell(v->i, r, INCIDENT_UPDATED);
	}
}

/* The key of an incident that holds; one that ends with this walk does not. */
const char *
visit_key(const struct visit *v, const char *what, const char *id)
{
	char *key = xasprintf("%s:%s", what, id);
	const struct record *r = incidents_find_open(v->i, key);

	free(key);
	return r != NULL && (r->seen || !v->answers) ? r->in.key : NULL;
}

/* ---- the target ---------------------------------------------------------- */

static void
check_target(struct visit *v)
{
	struct target *t = v->t;
	struct record *r;

	if (t->state == TARGET_AUTH_FAILED) {
		r = visit_hold(v, INCIDENT_LOGIN,
			       xasprintf("login:%s", t->name), v->now);
		record_name(r, t, NULL, NULL);
		record_describe(r, 0, t->error);
		visit_settle(v, r, SEVERITY_CRITICAL, true);
	} else if (t->state == TARGET_UNREACHABLE) {
		r = visit_hold(v, INCIDENT_UNREACHABLE,
			       xasprintf("unreachable:%s", t->name), v->now);
		record_name(r, t, NULL, NULL);
		record_describe(r, 0, t->error);
		visit_settle(v, r, SEVERITY_CRITICAL,
			     real_diff_us(v->now, r->in.started) >=
				     TELL_UNREACHABLE_US);
	}
	v->outermost = visit_key(v, "login", t->name);
	if (v->outermost == NULL)
		v->outermost = visit_key(v, "unreachable", t->name);
}

/* ---- silence ------------------------------------------------------------- */

/* It had data, and should have some. */
static bool
had_data(const struct pair *p)
{
	return p->newest_valid != INT64_MIN && !p->gone && p->mounted &&
		!p->host->gone && !p->host->maintenance;
}

bool
visit_is_silent(const struct visit *v, const struct pair *p)
{
	return had_data(p) &&
		real_diff_us(v->now, slot_end(p->newest_valid)) > v->silent_us;
}

struct silence_of_host {
	size_t pairs, silent;
	int64_t newest; /* slot of the newest sample */
};

static struct silence_of_host
listen_to(const struct visit *v, const struct host *h)
{
	struct silence_of_host s = { 0, 0, INT64_MIN };

	for (size_t i = 0; i < h->n_pairs; i++) {
		if (!had_data(h->pairs[i]))
			continue;
		s.pairs++;
		s.silent += visit_is_silent(v, h->pairs[i]);
		s.newest = MAX(s.newest, h->pairs[i]->newest_valid);
	}
	return s;
}

/* All its datastores are out of its reach: that explains its silence. */
static const char *
cover_of_host(const struct visit *v, const struct host *h)
{
	const char *key = NULL;

	for (size_t i = 0; i < h->n_pairs; i++) {
		if (!had_data(h->pairs[i]))
			continue;
		key = h->pairs[i]->accessible
			? NULL
			: visit_key(v, "inaccessible",
				    h->pairs[i]->datastore->id);
		if (key == NULL)
			break;
	}
	return key;
}

static void
hold_no_data(struct visit *v, const struct host *h, int64_t newest)
{
	const char *id = h != NULL ? h->id : v->t->name, *outer = v->outermost;
	struct record *r =
		visit_hold(v, INCIDENT_NO_DATA, xasprintf("no_data:%s", id),
			   slot_end(newest));

	if (r == NULL)
		return;
	record_name(r, v->t, NULL, h);
	record_describe(r, 0, h != NULL ? h->error : v->t->error);
	if (outer == NULL && h != NULL)
		outer = visit_key(v, "no_data", v->t->name);
	if (outer == NULL && h != NULL)
		outer = visit_key(v, "unreachable", h->id);
	if (outer == NULL && h != NULL)
		outer = cover_of_host(v, h);
	visit_nest(v, r, outer);
	visit_settle(v, r, SEVERITY_WARNING, true);
}

/* Every host of several is silent: that is the target's. */
static void
check_silent_target(struct visit *v)
{
	size_t hosts = 0, silent = 0;
	int64_t newest = INT64_MIN;
	void *item;

	for (size_t i = 0; map_next(v->t->hosts, &i, NULL, &item);) {
		struct silence_of_host s = listen_to(v, item);

		hosts += s.pairs > 0;
		silent += s.pairs > 0 && s.silent == s.pairs;
		newest = MAX(newest, s.newest);
	}
	v->heard = hosts > 0;
	if (hosts > 1 && silent == hosts)
		hold_no_data(v, NULL, newest);
}

/* ---- hosts --------------------------------------------------------------- */

/* Not connected, though it was before, by what is known. */
static bool
is_lost(const struct visit *v, const struct host *h, const char *key)
{
	if (!v->answers || h->connected || h->maintenance || h->gone)
		return false;
	for (size_t i = 0; i < h->n_pairs; i++)
		if (had_data(h->pairs[i]))
			return true;
	return h->newest_stamp_us != 0 ||
		incidents_find_open(v->i, key) != NULL;
}

static void
check_host(struct visit *v, const struct host *h)
{
	struct silence_of_host s = listen_to(v, h);
	char *key = xasprintf("unreachable:%s", h->id);
	struct record *r;

	if (is_lost(v, h, key)) {
		r = visit_hold(v, INCIDENT_UNREACHABLE, xstrdup(key), v->now);
		record_name(r, v->t, NULL, h);
		record_describe(r, 0, h->error);
		visit_nest(v, r, v->outermost);
		visit_settle(v, r, SEVERITY_CRITICAL, true);
	}
	free(key);
	if (s.pairs > 0 && s.silent == s.pairs)
		hold_no_data(v, h, s.newest);
}

/* ---- what holds no longer ------------------------------------------------ */

static const char *
gone_if_settled(const struct visit *v)
{
	return incidents_has_settled(v->i, v->t) ? "gone" : NULL;
}

/* After a restart no sample may be known, and a host that is away does not say
 * what it can reach. */
static bool
is_unknown(const struct incident *in, const struct pair *p)
{
	if (in->kind == INCIDENT_NO_DATA)
		return p->newest_valid == INT64_MIN;
	return !p->host->connected;
}

/* Why it holds for none of its hosts: they are back, in maintenance, have it no
 * more; NULL: of one it cannot be told. */
static const char *
reason_of_hosts(const struct visit *v, const struct incident *in,
		const struct datastore *ds)
{
	const char *reason = "gone";

	for (size_t i = 0; i < in->n_listed; i++) {
		const struct pair *p = visit_pair(ds, in->hosts[i].id);

		if (p == NULL ? gone_if_settled(v) == NULL : p->host->gone)
			return NULL;
		if (p == NULL || p->gone || !p->mounted)
			continue;
		if (p->host->maintenance) {
			if (strcmp(reason, "gone") == 0)
				reason = "maintenance";
		} else if (is_unknown(in, p)) {
			return NULL;
		} else {
			reason = "back";
		}
	}
	return reason;
}

static const char *
reason_of_datastore(const struct visit *v, const struct incident *in)
{
	const char *uuid = in->datastore_id + strlen(v->t->name) + 1;
	const struct datastore *ds = map_find_str(v->t->datastores, uuid);

	if (ds == NULL)
		return gone_if_settled(v);
	if (ds->gone || !v->answers)
		return NULL;
	return ds->maintenance ? "maintenance" : reason_of_hosts(v, in, ds);
}

static const char *
reason_of_host(const struct visit *v, const struct incident *in)
{
	const char *moref = in->host_id + strlen(v->t->name) + 1;
	const struct host *h = map_find_str(v->t->hosts, moref);

	if (h == NULL)
		return gone_if_settled(v);
	if (h->gone || !v->answers)
		return NULL;
	if (h->maintenance)
		return "maintenance";
	if (in->kind == INCIDENT_NO_DATA && listen_to(v, h).pairs == 0)
		return h->n_pairs == 0 ? "gone" : NULL;
	return "back";
}

/* NULL: it cannot be told yet. */
static const char *
end_reason(const struct visit *v, const struct incident *in)
{
	if (in->datastore_id != NULL)
		return reason_of_datastore(v, in);
	if (in->host_id != NULL)
		return reason_of_host(v, in);
	if (in->kind == INCIDENT_UNREACHABLE)
		return "back";
	if (in->kind == INCIDENT_NO_DATA && !v->heard)
		return NULL;
	return v->answers ? "back" : NULL;
}

static bool
is_of_target(const struct record *r, const struct target *t)
{
	return r->in.kind != INCIDENT_SLOW &&
		strcmp(r->in.target, t->name) == 0;
}

/* What cannot be told while the target or its host does not answer is inside
 * that. */
static void
keep(struct visit *v, struct record *r)
{
	const struct incident *in = &r->in;
	const char *outer = v->outermost;

	if (in->host_id == NULL && in->datastore_id == NULL)
		return;
	if (outer == NULL && in->datastore_id != NULL && in->host_id != NULL)
		outer = visit_key(v, "unreachable", in->host_id);
	if (outer == NULL)
		return;
	visit_nest(v, r, outer);
	if (r->is_changed)
		incidents_tell(v->i, r, INCIDENT_UPDATED);
}

static void
sweep(struct visit *v)
{
	const char *reason;
	void *item;

	for (size_t i = 0; map_next(v->i->open, &i, NULL, &item);) {
		struct record *r = item;

		if (!is_of_target(r, v->t) || r->seen)
			continue;
		reason = end_reason(v, &r->in);
		if (reason != NULL)
			incidents_end(v->i, r, v->now, reason);
		else
			keep(v, r);
	}
}

void
incidents_end_orphans(struct incidents *i)
{
	void *item;

	for (size_t j = 0; map_next(i->open, &j, NULL, &item);) {
		struct record *r = item;

		if (r->in.kind != INCIDENT_SLOW &&
		    incidents_target_is_gone(i, r->in.target))
			incidents_end(i, r, i->site->now.real, "gone");
	}
}

static bool
is_watched(const struct datastore *ds)
{
	return !ds->gone && !ds->maintenance &&
		(protocol_is_measured(ds->protocol) || ds->ever_valid);
}

static void
look_inside(struct visit *v)
{
	struct target *t = v->t;
	void *item;

	check_silent_target(v);
	for (size_t j = 0; map_next(t->datastores, &j, NULL, &item);)
		if (is_watched(item))
			visit_access(v, item);
	for (size_t j = 0; map_next(t->hosts, &j, NULL, &item);)
		check_host(v, item);
	for (size_t j = 0; map_next(t->datastores, &j, NULL, &item);)
		if (is_watched(item))
			visit_data(v, item);
}

void
incidents_check_states(struct incidents *i, struct target *t)
{
	struct visit v = { .i = i, .t = t, .now = target_now(t) };
	void *item;

	v.outlook = outlook_of(i, t->name);
	v.answers = look_out(v.outlook, t);
	v.silent_us = NO_DATA_US + MAX(t->poll_interval_us - SLOT_US, 0);
	if (t->state == TARGET_STARTING)
		return; /* nothing is known yet */
	for (size_t j = 0; map_next(i->open, &j, NULL, &item);)
		if (is_of_target(item, t))
			((struct record *)item)->seen = false;
	check_target(&v);
	if (v.outlook->first_good.us != 0)
		look_inside(&v);
	sweep(&v);
}
