/*
 * The list of incidents: what is open, and the newest that ended.
 */
#include "dslat/incident.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_private.h"

struct incidents *
incidents_new(struct site *site, const struct incident_ops *ops, void *arg)
{
	struct incidents *i = xcalloc(1, sizeof(*i));

	i->site = site;
	i->ops = ops;
	i->arg = arg;
	i->open = map_new();
	i->tracks = map_new();
	i->outlooks = map_new();
	return i;
}

static void
record_free(struct record *r)
{
	incident_fini(&r->in);
	map_free(&r->places);
	map_free(&r->more);
	free(r);
}

static void
free_values(struct map *m)
{
	void *v;

	for (size_t i = 0; map_next(m, &i, NULL, &v);)
		free(v);
}

void
incidents_free(struct incidents **ip)
{
	struct incidents *i = *ip;

	if (i == NULL)
		return;
	for (size_t j = 0; j < i->n; j++)
		record_free(i->rows[j]);
	free(i->rows);
	free_values(i->tracks);
	free_values(i->outlooks);
	map_free(&i->open);
	map_free(&i->tracks);
	map_free(&i->outlooks);
	free(i);
	*ip = NULL;
}

/* ---- order --------------------------------------------------------------- */

static bool
comes_before(const struct record *a, const struct record *b)
{
	if (a->in.started.us != b->in.started.us)
		return a->in.started.us < b->in.started.us;
	return a->in.id < b->in.id;
}

/* Into its place; nearly always the last one. */
static void
insert(struct incidents *i, struct record *r)
{
	size_t at = i->n;

	i->rows = xgrow(i->rows, i->n, sizeof(*i->rows));
	for (; at > 0 && comes_before(r, i->rows[at - 1]); at--)
		i->rows[at] = i->rows[at - 1];
	i->rows[at] = r;
	i->n++;
}

static void
take_out(struct incidents *i, size_t at)
{
	i->n--;
	memmove(&i->rows[at], &i->rows[at + 1],
		(i->n - at) * sizeof(struct record *));
}

void
incidents_replace(struct incidents *i, struct record *r)
{
	for (size_t at = i->n; at-- > 0;) {
		if (i->rows[at] == r) {
			take_out(i, at);
			insert(i, r);
			return;
		}
	}
}

static void
drop(struct incidents *i, size_t at)
{
	if (i->ops != NULL && i->ops->dropped != NULL)
		i->ops->dropped(i->arg, i->rows[at]->in.id);
	record_free(i->rows[at]);
	take_out(i, at);
}

/* The oldest that ended goes: first of those that nobody was told of. */
static void
make_room(struct incidents *i)
{
	size_t oldest = i->n;

	if (i->n - i->n_open <= INCIDENT_KEPT)
		return;
	for (size_t at = 0; at < i->n; at++) {
		const struct incident *in = &i->rows[at]->in;

		if (in->state != INCIDENT_ENDED)
			continue;
		oldest = MIN(oldest, at);
		if (in->was_announced && in->nested_in == NULL)
			continue;
		oldest = at;
		break;
	}
	drop(i, oldest);
}

void
incidents_expire(struct incidents *i, real_t t)
{
	for (size_t at = i->n; at-- > 0;) {
		const struct incident *in = &i->rows[at]->in;

		if (in->state == INCIDENT_ENDED && in->ended.us < t.us)
			drop(i, at);
	}
}

void
incidents_skip_ids(struct incidents *i, int64_t id)
{
	i->last_id = MAX(i->last_id, id);
}

/* ---- changes ------------------------------------------------------------- */

struct record *
incidents_add(struct incidents *i, enum incident_kind kind, char *key,
	      real_t started)
{
	struct record *r = xcalloc(1, sizeof(*r));

	r->is_new = true;
	r->in = (struct incident){
		.id = ++i->last_id,
		.key = key,
		.kind = kind,
		.started = started,
		.updated = started,
		.worst_us = -1,
		.worst_ios = -1,
		.window_slot = INT64_MIN,
		.judged_slot = INT64_MIN,
	};
	insert(i, r);
	map_set(i->open, key, r);
	i->n_open++;
	return r;
}

struct record *
incidents_find_open(const struct incidents *i, const char *key)
{
	return map_find_str(i->open, key);
}

void
incidents_tell(struct incidents *i, struct record *r, enum incident_change what)
{
	r->is_changed = false;
	if (i->ops != NULL && i->ops->changed != NULL)
		i->ops->changed(i->arg, &r->in, what);
}

void
incidents_end(struct incidents *i, struct record *r, real_t t,
	      const char *reason)
{
	r->in.state = INCIDENT_ENDED;
	r->in.ended = r->in.updated = t;
	r->in.end_reason = reason;
	map_del(i->open, r->in.key);
	i->n_open--;
	incidents_tell(i, r, INCIDENT_CLOSED);
	make_room(i);
}

bool
incidents_silence(struct incidents *i, struct record *r)
{
	struct incident *in = &r->in;
	bool is_slow = in->kind == INCIDENT_SLOW, changed;
	const struct silence_subject subject = {
		.target = in->target,
		.datastore = in->datastore,
		.host = in->n_hosts == 1 && in->n_listed == 1
			? in->hosts[0].name
			: in->host,
		.protocol = in->protocol,
		.kind = incident_kind_name(in->kind),
		.op = is_slow ? op_name(in->op) : NULL,
	};
	char *by = NULL;

	if (i->silences != NULL)
		by = silences_match(i->silences, &subject, i->site->now.real);
	changed = xstrset(&in->silenced_by, by);
	free(by);
	return changed;
}

void
incidents_set_silences(struct incidents *i, const struct silences *s)
{
	i->silences = s;
	for (size_t j = 0; j < i->n; j++) {
		struct record *r = i->rows[j];

		if (r->in.state != INCIDENT_ENDED && incidents_silence(i, r))
			incidents_tell(i, r, INCIDENT_UPDATED);
	}
}

bool
incidents_ack(struct incidents *i, int64_t id, const char *by, const char *note)
{
	for (size_t j = i->n; j-- > 0;) {
		struct record *r = i->rows[j];

		if (r->in.id != id)
			continue;
		if (r->in.state == INCIDENT_ENDED)
			return false;
		xstrset(&r->in.ack_by, by);
		xstrset(&r->in.ack_note, note);
		r->in.acked = i->site->now.real;
		incidents_tell(i, r, INCIDENT_ACKED);
		return true;
	}
	return false;
}

bool
incidents_restore(struct incidents *i, const json_t *v)
{
	struct record *r = xcalloc(1, sizeof(*r));
	bool is_open;

	if (!incident_from_json(v, &r->in) || incidents_find(i, r->in.id) ||
	    (r->in.state != INCIDENT_ENDED &&
	     incidents_find_open(i, r->in.key) != NULL)) {
		record_free(r);
		return false;
	}
	is_open = r->in.state != INCIDENT_ENDED;
	record_place_hosts(r);
	insert(i, r);
	i->last_id = MAX(i->last_id, r->in.id);
	if (is_open) {
		map_set(i->open, r->in.key, r);
		i->n_open++;
	}
	if (r->in.kind == INCIDENT_SLOW)
		track_restore(i, r);
	make_room(i);
	return true;
}

/* ---- looking ------------------------------------------------------------- */

const struct incident *
incidents_at(const struct incidents *i, size_t n)
{
	return n < i->n ? &i->rows[i->n - 1 - n]->in : NULL;
}

size_t
incidents_count(const struct incidents *i)
{
	return i->n;
}

size_t
incidents_open(const struct incidents *i)
{
	return i->n_open;
}

const struct incident *
incidents_find(const struct incidents *i, int64_t id)
{
	for (size_t j = i->n; j-- > 0;)
		if (i->rows[j]->in.id == id)
			return &i->rows[j]->in;
	return NULL;
}

static bool
matters_more(const struct incident *a, const struct incident *b)
{
	if (a->state != b->state)
		return a->state == INCIDENT_ANNOUNCED;
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

const struct incident *
incidents_of(const struct incidents *i, const char *datastore_id)
{
	const struct incident *best = NULL;
	void *v;

	for (size_t j = 0; map_next(i->open, &j, NULL, &v);) {
		const struct incident *in = &((struct record *)v)->in;

		if (in->datastore_id != NULL &&
		    strcmp(in->datastore_id, datastore_id) == 0 &&
		    (best == NULL || matters_more(in, best)))
			best = in;
	}
	return best;
}
