/*
 * What is missing of a datastore: access to it, or data of it.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_visit.h"

typedef bool (*pair_question)(const struct visit *v, const struct pair *p);

static bool
is_cut_off(const struct visit *v unused, const struct pair *p)
{
	return !p->gone && p->mounted && p->host->connected && !p->host->gone &&
		!p->host->maintenance &&
		!(p->accessible && p->datastore->accessible);
}

/* Hosts that could have it, in the sense of "3 of 8 hosts". */
static size_t
count_hosts(const struct datastore *ds)
{
	size_t n = 0;

	for (size_t i = 0; i < ds->n_pairs; i++)
		n += !ds->pairs[i]->gone && ds->pairs[i]->mounted &&
			!ds->pairs[i]->host->maintenance;
	return n;
}

static size_t
count_pairs(const struct visit *v, const struct datastore *ds,
	    pair_question holds)
{
	size_t n = 0;

	for (size_t i = 0; i < ds->n_pairs; i++)
		n += holds(v, ds->pairs[i]);
	return n;
}

const struct pair *
visit_pair(const struct datastore *ds, const char *host_id)
{
	for (size_t i = 0; i < ds->n_pairs; i++)
		if (strcmp(ds->pairs[i]->host->id, host_id) == 0)
			return ds->pairs[i];
	return NULL;
}

/* The hosts of the incident are those of which it holds. */
static void
sync_hosts(const struct visit *v, struct record *r, const struct datastore *ds,
	   pair_question holds)
{
	static const struct host_value none = { .us = -1, .ios = -1 };
	struct incident *in = &r->in;

	for (size_t i = in->n_listed; i-- > 0;) {
		const struct pair *p = visit_pair(ds, in->hosts[i].id);

		if (p == NULL || !holds(v, p)) {
			record_drop_host(r, in->hosts[i].id);
			r->is_changed = true;
		}
	}
	for (size_t i = 0; i < ds->n_pairs; i++)
		if (holds(v, ds->pairs[i]))
			r->is_changed |=
				record_note_host(r, ds->pairs[i]->host, &none);
	xstrset(&in->host_id, in->n_hosts == 1 ? in->hosts[0].id : NULL);
	xstrset(&in->host, in->n_hosts == 1 ? in->hosts[0].name : NULL);
}

void
visit_access(struct visit *v, const struct datastore *ds)
{
	size_t n = count_pairs(v, ds, is_cut_off);
	const char *reason = NULL;
	struct record *r;
	bool everywhere = !datastore_is_accessible(ds);

	if (n == 0 || !v->answers)
		return;
	r = visit_hold(v, INCIDENT_INACCESSIBLE,
		       xasprintf("inaccessible:%s", ds->id), v->now);
	for (size_t i = 0; i < ds->n_pairs && reason == NULL; i++)
		if (is_cut_off(v, ds->pairs[i]))
			reason = ds->pairs[i]->reason;
	sync_hosts(v, r, ds, is_cut_off);
	record_name(r, v->t, ds, NULL);
	record_describe(r, count_hosts(ds), reason);
	visit_nest(v, r, v->outermost);
	visit_settle(v, r, everywhere ? SEVERITY_CRITICAL : SEVERITY_WARNING,
		     true);
}

/* What explains the silence of one pair, or NULL. */
static const char *
cover_of(const struct visit *v, const struct pair *p)
{
	const char *key = NULL;

	if (!p->accessible)
		key = visit_key(v, "inaccessible", p->datastore->id);
	if (key == NULL)
		key = visit_key(v, "unreachable", p->host->id);
	if (key == NULL)
		key = visit_key(v, "no_data", p->host->id);
	return key;
}

/* The incident that explains them all; if only one host's is not explained, the
 * datastore's own is told. */
static const char *
cover_of_all(const struct visit *v, const struct datastore *ds)
{
	const char *first = NULL, *key;

	if (v->outermost != NULL)
		return v->outermost;
	key = visit_key(v, "no_data", v->t->name);
	if (key != NULL)
		return key;
	for (size_t i = 0; i < ds->n_pairs; i++) {
		if (!visit_is_silent(v, ds->pairs[i]))
			continue;
		key = cover_of(v, ds->pairs[i]);
		if (key == NULL)
			return NULL;
		if (first == NULL)
			first = key;
	}
	return first;
}

void
visit_data(struct visit *v, const struct datastore *ds)
{
	int64_t newest = INT64_MIN;
	struct record *r;

	for (size_t i = 0; i < ds->n_pairs; i++)
		if (visit_is_silent(v, ds->pairs[i]))
			newest = MAX(newest, ds->pairs[i]->newest_valid);
	if (newest == INT64_MIN)
		return;
	r = visit_hold(v, INCIDENT_NO_DATA, xasprintf("no_data:%s", ds->id),
		       slot_end(newest));
	if (r == NULL)
		return;
	sync_hosts(v, r, ds, visit_is_silent);
	record_name(r, v->t, ds, NULL);
	record_describe(r, count_hosts(ds), NULL);
	visit_nest(v, r, cover_of_all(v, ds));
	visit_settle(v, r, SEVERITY_WARNING, true);
}
