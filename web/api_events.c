/*
 * GET /api/v1/events: notes, audit and the like, and when incidents began and
 * ended, on one time line.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/watch.h"
#include "web/api.h"
#include "web/page.h"
#include "web/param.h"
#include "web/timeline.h"

#define LIMIT_FALLBACK 100

enum { ROW_EVENT, ROW_BEGAN, ROW_ENDED }; /* the class of its place */

struct row {
	struct timeline_place place;
	const struct event *event;       /* of ROW_EVENT */
	const struct incident *incident; /* of the others */
};

struct rows {
	struct row *v; /* owned */
	size_t n;
	struct timeline_range range;
	struct timeline_place after;
	uint32_t kinds; /* mask of kinds[]; 0: all */
};

static const char *const kinds[] = { "note",    "audit",  "setting",
				     "vsphere", "dslatd", "incident" };
#define KIND_INCIDENT 5

static int
add_kind(void *arg, struct request *rq, const char *name, const char *word)
{
	struct rows *r = arg;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i], word) == 0) {
			r->kinds |= 1u << i;
			return 0;
		}
	}
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, name,
		      "kind= is one of note, audit, setting, vsphere, dslatd "
		      "and incident, not \"%s\"",
		      word);
	return -1;
}

static bool
wants_kind(const struct rows *r, const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i], kind) == 0)
			return r->kinds == 0 || (r->kinds & 1u << i) != 0;
	return r->kinds == 0;
}

/* ---- collecting ---------------------------------------------------------- */

static void
add_row(struct rows *r, const struct row *row)
{
	if (row->place.t.us < r->range.from.us ||
	    row->place.t.us > r->range.to.us ||
	    !timeline_is_behind(&row->place, &r->after))
		return;
	r->v = xgrow(r->v, r->n, sizeof(*r->v));
	r->v[r->n++] = *row;
}

static void
add_events(struct rows *r, const struct watch *w)
{
	const struct event *e;

	for (size_t i = 0; (e = watch_event_at(w, i)) != NULL; i++)
		if (wants_kind(r, e->kind))
			add_row(r,
				&(struct row){ { e->t, ROW_EVENT, e->id },
					       .event = e });
}

/* Of those that were told, or would have been but for a silence. */
static void
add_incidents(struct rows *r, const struct watch *w)
{
	const struct incidents *all = watch_incidents(w);
	const struct incident *in;

	for (size_t i = 0; (in = incidents_at(all, i)) != NULL; i++) {
		if (!in->was_announced || in->nested_in != NULL)
			continue;
		add_row(r,
			&(struct row){ { in->started, ROW_BEGAN, in->id },
				       .incident = in });
		if (in->state == INCIDENT_ENDED)
			add_row(r,
				&(struct row){ { in->ended, ROW_ENDED, in->id },
					       .incident = in });
	}
}

static int
by_place(const void *a, const void *b)
{
	return timeline_compare(&((const struct row *)a)->place,
				&((const struct row *)b)->place);
}

/* ---- answering ----------------------------------------------------------- */

/* Names as of now. */
static json_t *
event_row(const struct site *site, const struct event *e)
{
	const struct datastore *ds = e->datastore_id != NULL
		? site_find_datastore(site, e->datastore_id)
		: NULL;
	const struct host *h =
		e->host_id != NULL ? site_find_host(site, e->host_id) : NULL;
	json_t *v = event_json(e);

	json_object_set_new(v, "datastore_name",
			    json_text(ds != NULL ? ds->name : NULL));
	json_object_set_new(v, "host_name",
			    json_text(h != NULL ? h->name : NULL));
	json_object_set_new(v, "incident", json_null());
	json_object_set_new(v, "change", json_null());
	json_object_set_new(v, "severity", json_null());
	return v;
}

static json_t *
incident_row(const struct row *row)
{
	const struct incident *in = row->incident;
	bool began = row->place.class == ROW_BEGAN;
	json_t *v = json_object();

	json_object_set_new(v, "id", json_null());
	json_object_set_new(v, "t", json_time(row->place.t));
	json_object_set_new(v, "kind", json_text(kinds[KIND_INCIDENT]));
	json_object_set_new(v, "text", json_text(in->summary));
	json_object_set_new(v, "by", json_null());
	json_object_set_new(v, "target", json_text(in->target));
	json_object_set_new(v, "datastore", json_text(in->datastore_id));
	json_object_set_new(v, "datastore_name", json_text(in->datastore));
	json_object_set_new(v, "host", json_text(in->host_id));
	json_object_set_new(v, "host_name", json_text(in->host));
	json_object_set_new(v, "incident", json_integer(in->id));
	json_object_set_new(v, "change",
			    json_text(began ? "began" : in->end_reason));
	json_object_set_new(v, "severity",
			    json_text(severity_name(in->worst_severity)));
	return v;
}

static void
answer(const struct rows *r, const struct site *site, struct request *rq,
       size_t limit)
{
	struct json_rows rows;
	size_t i = 0;

	json_rows_begin(&rows, &rq->reply.body, NULL, "items");
	for (; i < r->n && i < limit && rq->reply.body.len <= PAGE_BYTES; i++)
		json_rows_add(&rows,
			      r->v[i].event != NULL
				      ? event_row(site, r->v[i].event)
				      : incident_row(&r->v[i]));
	timeline_finish(&rows, rq, i < r->n ? &r->v[i - 1].place : NULL);
}

void
api_events(void *arg, struct request *rq)
{
	static const struct param_int limit = { "limit", 1, PAGE_LIMIT_MAX,
						LIMIT_FALLBACK };
	struct web *w = arg;
	struct rows r = { .v = NULL };
	int64_t n;

	if (!timeline_has_watch(w, rq) || param_int(rq, &limit, &n) != 0 ||
	    param_words(rq, "kind", add_kind, &r) != 0 ||
	    timeline_range(rq, api_now(w, NULL), &r.range) != 0 ||
	    timeline_cursor(rq, &r.after) != 0)
		return;
	add_events(&r, w->watch);
	if (wants_kind(&r, kinds[KIND_INCIDENT]))
		add_incidents(&r, w->watch);
	if (r.n > 1)
		qsort(r.v, r.n, sizeof(*r.v), by_place);
	answer(&r, w->site, rq, (size_t)n);
	free(r.v);
}
