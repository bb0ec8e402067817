/*
 * What people add by hand: acknowledgements, silences, notes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/watch.h"
#include "web/api.h"
#include "web/body.h"
#include "web/when.h"

#define SILENCE_MAX_US (366 * INT64_C(86400) * US_PER_S)
#define AHEAD_MAX_US (60 * US_PER_S) /* clocks differ a little */
#define ID_MAX_BYTES 1024
#define SILENCES_MAX 1000

/* false: there is no watch, and the reply says so. */
static bool
begin_write(const struct web *w, struct request *rq)
{
	if (w->watch != NULL)
		return true;
	reply_problem(&rq->reply, PROBLEM_NOT_READY, NULL,
		      "this dslatd keeps no incidents");
	return false;
}

static void
reply_created(struct request *rq, json_t *take)
{
	reply_json(&rq->reply, take);
	rq->reply.status = 201;
	rq->reply.cache_control = "no-store";
}

/* The number in the path; -1: no such thing has that name. */
static int64_t
path_number(const struct request *rq)
{
	long long n;
	char *end;

	if (rq->id[0] < '1' || rq->id[0] > '9')
		return -1;
	errno = 0;
	n = strtoll(rq->id, &end, 10);
	return *end == '\0' && errno == 0 ? n : -1;
}

/* ---- acknowledgements --------------------------------------------------- */

static void
acknowledge(struct web *w, struct request *rq, const char *note)
{
	const struct incidents *all = watch_incidents(w->watch);
	int64_t id = path_number(rq);

	if (id < 0 || incidents_find(all, id) == NULL)
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_INCIDENT, NULL,
			      "there is no incident \"%s\"; /api/v1/incidents "
			      "lists all",
			      rq->id);
	else if (!watch_ack(w->watch, id, rq->caller.name, note))
		reply_problem(&rq->reply, PROBLEM_ENDED, NULL,
			      "incident %lld has ended; there is nothing left "
			      "to acknowledge",
			      (long long)id);
	else {
		web_wrote(rq, "acknowledged incident %lld", (long long)id);
		reply_json(&rq->reply, incident_json(incidents_find(all, id)));
		rq->reply.cache_control = "no-store";
	}
}

void
api_incident_ack(void *arg, struct request *rq)
{
	struct web *w = arg;
	const char *note = NULL;
	json_t *v = NULL;

	if (!begin_write(w, rq))
		return;
	if (rq->body.len != 0 && body_object(rq, "note", &v) != 0)
		return;
	if (body_text(rq, v, "note", EVENT_MAX_TEXT, &note) == 0)
		acknowledge(w, rq, note);
	json_decref(v);
}

/* ---- silences ----------------------------------------------------------- */

void
api_silences(void *arg, struct request *rq)
{
	struct web *w = arg;
	json_t *items = json_array();
	const struct silences *s;

	if (w->watch != NULL) {
		s = watch_silences(w->watch);
		for (size_t i = s->n; i-- > 0;)
			json_array_append_new(
				items,
				silence_json(&s->rows[i], w->site->now.real));
	}
	reply_json(&rq->reply, json_pack("{s:o}", "items", items));
}

/* A time as people write it becomes one of RFC 3339; *t_r stays what it is when
 * there is none. */
static int
set_point(const struct web *w, struct request *rq, json_t *v, const char *key,
	  real_t *t_r)
{
	char out[REAL_TEXT_SIZE];
	const char *text;

	if (body_text(rq, v, key, 64, &text) != 0)
		return -1;
	if (text == NULL)
		return 0;
	if (when_parse(text, w->site->now.real, t_r) != 0)
		return body_problem(rq, key,
				    "\"%s\" must be a time as in "
				    "\"2026-11-30T22:00:00Z\" or \"+2h\"",
				    key);
	json_object_set_new(v, key, json_string(real_format(*t_r, out)));
	return 0;
}

/* "duration": "2h" becomes "until", which the silence knows. */
static int
set_length(struct request *rq, json_t *v, real_t from)
{
	const char *span;
	char *text, out[REAL_TEXT_SIZE];
	real_t until;
	int rc;

	if (body_text(rq, v, "duration", 64, &span) != 0)
		return -1;
	if (span == NULL) {
		json_object_del(v, "duration"); /* null */
		return 0;
	}
	if (json_is_string(json_object_get(v, "until")))
		return body_problem(rq, "duration",
				    "\"duration\" beside \"until\"; leave one "
				    "out");
	text = xasprintf("+%s", span);
	rc = when_parse(text, from, &until);
	free(text);
	if (rc != 0 || until.us <= from.us)
		return body_problem(
			rq, "duration",
			"\"duration\" must be a time as in \"90m\", "
			"\"2h\" or \"1d12h\"");
	json_object_set_new(v, "until", json_string(real_format(until, out)));
	json_object_del(v, "duration");
	return 0;
}

static int
set_times(const struct web *w, struct request *rq, json_t *v)
{
	real_t from = w->site->now.real, until = from;

	if (set_point(w, rq, v, "from", &from) != 0 ||
	    set_point(w, rq, v, "until", &until) != 0)
		return -1;
	return set_length(rq, v, from);
}

/* What no silence of a person in his right mind has. */
static int
check_times(const struct web *w, struct request *rq, const struct silence *s)
{
	real_t now = w->site->now.real;

	if (s->until.us <= now.us)
		return body_problem(rq, "until",
				    "\"until\" has passed already");
	if (real_diff_us(s->until, now) > SILENCE_MAX_US)
		return body_problem(rq, "until",
				    "a silence may last a year; for what "
				    "always holds, see maintenance: and "
				    "thresholds: of the configuration");
	return 0;
}

static const char *const silence_texts[] = { "match", "protocol", "kind", "op",
					     "note" };

static int
check_texts(struct request *rq, const json_t *v)
{
	const char *text;

	for (size_t i = 0; i < ARRAY_SIZE(silence_texts); i++)
		if (body_text(rq, v, silence_texts[i], SILENCE_MAX_TEXT,
			      &text) != 0)
			return -1;
	return 0;
}

/* How many targets, datastores and hosts the silence is about, as things are
 * now; 0 where its pattern was mistyped, or lacks the target's name. */
static json_int_t
count_fits(const struct site *site, const struct silence *s)
{
	json_int_t n = 0;
	void *v;

	for (size_t i = 0; i < site->n_targets; i++) {
		const struct target *t = site->targets[i];
		struct silence_subject subject = { .target = t->name };

		n += silence_fits(s, &subject);
		for (size_t j = 0; map_next(t->datastores, &j, NULL, &v);) {
			const struct datastore *ds = v;
			const struct silence_subject of = {
				.target = t->name,
				.datastore = ds->name,
				.protocol = protocol_name(ds->protocol),
			};

			n += !ds->gone && silence_fits(s, &of);
		}
		for (size_t j = 0; map_next(t->hosts, &j, NULL, &v);) {
			const struct host *h = v;

			subject.host = h->name;
			n += !h->gone && silence_fits(s, &subject);
		}
	}
	return n;
}

static void
add_silence(struct web *w, struct request *rq, json_t *v)
{
	const struct silence *added;
	struct silence s;
	json_t *reply;
	struct err e;

	if (check_texts(rq, v) != 0 || set_times(w, rq, v) != 0)
		return;
	if (!silence_from_json(v, &s, &e)) {
		body_problem(rq, NULL, "%s", e.text);
		return;
	}
	if (check_times(w, rq, &s) != 0) {
		silence_fini(&s);
		return;
	}
	xstrset(&s.by, rq->caller.name);
	added = watch_silence(w->watch, &s);
	web_wrote(rq, "added silence %lld of \"%s\"", (long long)added->id,
		  added->match);
	reply = silence_json(added, w->site->now.real);
	json_object_set_new(reply, "fits_n",
			    json_integer(count_fits(w->site, added)));
	reply_created(rq, reply);
}

void
api_silence_add(void *arg, struct request *rq)
{
	struct web *w = arg;
	json_t *v;

	if (!begin_write(w, rq) ||
	    body_object(rq, "match protocol kind op from until duration note",
			&v) != 0)
		return;
	if (watch_silences(w->watch)->n >= SILENCES_MAX)
		watch_expire_silences(w->watch, 0);
	if (watch_silences(w->watch)->n >= SILENCES_MAX)
		reply_problem(&rq->reply, PROBLEM_BUSY, NULL,
			      "there are %d silences already; remove some",
			      SILENCES_MAX);
	else
		add_silence(w, rq, v);
	json_decref(v);
}

void
api_silence_remove(void *arg, struct request *rq)
{
	struct web *w = arg;
	int64_t id = path_number(rq);

	if (!begin_write(w, rq))
		return;
	if (id < 0 || !watch_unsilence(w->watch, id, rq->caller.name)) {
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_SILENCE, NULL,
			      "there is no silence \"%s\"; /api/v1/silences "
			      "lists all",
			      rq->id);
		return;
	}
	web_wrote(rq, "removed silence %lld", (long long)id);
	rq->reply.status = 204;
	rq->reply.cache_control = "no-store";
}

/* ---- notes -------------------------------------------------------------- */

static int
set_time(const struct web *w, struct request *rq, const json_t *v, real_t *t_r)
{
	real_t now = w->site->now.real;
	const char *text;

	t_r->us = 0;
	if (body_text(rq, v, "t", 64, &text) != 0)
		return -1;
	if (text == NULL)
		return 0;
	if (when_parse(text, now, t_r) != 0)
		return body_problem(rq, "t",
				    "\"t\" must be a time as in "
				    "\"2026-11-30T22:00:00Z\" or \"-10m\"");
	if (real_diff_us(*t_r, now) > AHEAD_MAX_US)
		return body_problem(rq, "t", "\"t\" is in the future");
	return 0;
}

/* What the note is about, by ids that exist; borrowed from the model. */
static int
set_about(struct web *w, struct request *rq, const json_t *v, struct event *e)
{
	const char *target, *datastore, *host;
	const struct target *t = NULL;
	const struct datastore *ds;
	const struct host *h;

	if (body_text(rq, v, "target", ID_MAX_BYTES, &target) != 0 ||
	    body_text(rq, v, "datastore", ID_MAX_BYTES, &datastore) != 0 ||
	    body_text(rq, v, "host", ID_MAX_BYTES, &host) != 0)
		return -1;
	if (target != NULL && (t = site_find_target(w->site, target)) == NULL) {
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_TARGET, "target",
			      "there is no target \"%s\"; /api/v1/status "
			      "lists all",
			      target);
		return -1;
	}
	if (datastore != NULL) {
		ds = api_find_datastore(w, rq, "datastore", datastore);
		if (ds == NULL)
			return -1;
		e->datastore_id = ds->id;
		t = t != NULL ? t : ds->target;
	}
	if (host != NULL) {
		h = api_find_host(w, rq, "host", host);
		if (h == NULL)
			return -1;
		e->host_id = h->id;
		t = t != NULL ? t : h->target;
	}
	e->target = t != NULL ? t->name : NULL;
	return 0;
}

static void
add_note(struct web *w, struct request *rq, const json_t *v)
{
	struct event e = { .kind = (char[]){ "note" }, .by = rq->caller.name };
	const struct event *added;
	const char *text;
	int rc;

	if (body_text(rq, v, "text", EVENT_MAX_TEXT, &text) != 0 ||
	    set_time(w, rq, v, &e.t) != 0 || set_about(w, rq, v, &e) != 0)
		return;
	if (text == NULL || text[strspn(text, " ")] == '\0') {
		rc = body_problem(rq, "text", "\"text\" is %s",
				  text == NULL ? "missing" : "empty");
		assert(rc != 0);
		return;
	}
	e.text = xstrdup(text);
	added = watch_add_event(w->watch, &e);
	free(e.text);
	web_wrote(rq, "noted (%lld): %s", (long long)added->id, added->text);
	reply_created(rq, event_json(added));
}

void
api_event_add(void *arg, struct request *rq)
{
	struct web *w = arg;
	json_t *v;

	if (!begin_write(w, rq) ||
	    body_object(rq, "text t target datastore host", &v) != 0)
		return;
	add_note(w, rq, v);
	json_decref(v);
}
