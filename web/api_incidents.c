/*
 * GET /api/v1/incidents and /api/v1/incidents/{id}.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/watch.h"
#include "web/api.h"
#include "web/page.h"
#include "web/param.h"
#include "web/timeline.h"

#define ROWS_PER_TURN 64

struct filter {
	uint32_t states, kinds, severities; /* masks; 0: all */
	char **targets;                     /* owned */
	size_t n_targets;
	const char *datastore; /* id, from the uri; or NULL */
	struct timeline_range range;
};

struct listing {
	uint32_t magic;
	struct web *web;
	struct filter filter;
	size_t limit;
	struct json_rows rows; /* buf NULL at first */
	struct timeline_place after;
};
#define LISTING_MAGIC OBJ_MAGIC('i', 'n', 'c', 'l')

/* ---- parameters ---------------------------------------------------------- */

struct words {
	const char *const *names; /* NULL-terminated */
	const uint32_t *masks;
	uint32_t *mask;
};

static int
add_word(void *arg, struct request *rq, const char *name, const char *word)
{
	const struct words *w = arg;
	struct buf all;

	buf_init(&all, 1024);
	for (size_t i = 0; w->names[i] != NULL; i++) {
		if (strcmp(w->names[i], word) == 0) {
			*w->mask |= w->masks[i];
			buf_fini(&all);
			return 0;
		}
		buf_addf(&all, "%s%s", i != 0 ? ", " : "", w->names[i]);
	}
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, name,
		      "%s= is one of %s, not \"%s\"", name, buf_str(&all),
		      word);
	buf_fini(&all);
	return -1;
}

static int
read_words(struct request *rq, struct filter *f)
{
	static const char *const states[] = { "open", "announced", "ended",
					      "active", NULL };
	static const uint32_t state_masks[] = {
		1u << INCIDENT_OPEN, 1u << INCIDENT_ANNOUNCED,
		1u << INCIDENT_ENDED,
		1u << INCIDENT_OPEN | 1u << INCIDENT_ANNOUNCED
	};
	const char *kinds[N_INCIDENT_KINDS + 1] = { NULL };
	static const char *const severities[] = { "warning", "critical", NULL };
	static const uint32_t bits[] = { 1u << 0, 1u << 1, 1u << 2, 1u << 3,
					 1u << 4 };
	struct words s = { states, state_masks, &f->states };
	struct words k = { kinds, bits, &f->kinds };
	struct words v = { severities, bits, &f->severities };

	static_assert(ARRAY_SIZE(bits) == N_INCIDENT_KINDS, "a bit for each");
	for (enum incident_kind i = 0; i < N_INCIDENT_KINDS; i++)
		kinds[i] = incident_kind_name(i);
	if (param_words(rq, "state", add_word, &s) != 0 ||
	    param_words(rq, "kind", add_word, &k) != 0)
		return -1;
	return param_words(rq, "severity", add_word, &v);
}

/* One that was removed may still have incidents. */
static int
add_target(void *arg, struct request *rq unused, const char *name unused,
	   const char *word)
{
	struct filter *f = arg;

	f->targets = xreallocarray(f->targets, f->n_targets + 1,
				   sizeof(*f->targets));
	f->targets[f->n_targets++] = xstrdup(word);
	return 0;
}

static int
read_params(struct listing *l, struct request *rq)
{
	static const struct param_int limit = { "limit", 1, PAGE_LIMIT_MAX,
						PAGE_LIMIT_MAX };
	struct filter *f = &l->filter;
	int64_t n;

	if (param_int(rq, &limit, &n) != 0)
		return -1;
	l->limit = (size_t)n;
	if (read_words(rq, f) != 0 ||
	    param_words(rq, "target", add_target, f) != 0 ||
	    param_text(rq, "datastore", &f->datastore) != 0 ||
	    timeline_range(rq, api_now(l->web, NULL), &f->range) != 0)
		return -1;
	return timeline_cursor(rq, &l->after);
}

/* ---- rows ---------------------------------------------------------------- */

static bool
is_in(uint32_t mask, unsigned bit)
{
	return mask == 0 || (mask & 1u << bit) != 0;
}

static bool
wants_target(const struct filter *f, const struct incident *in)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (strcmp(f->targets[i], in->target) == 0)
			return true;
	return f->n_targets == 0;
}

/* Some of its life is in the range. */
static bool
matches(const struct filter *f, const struct incident *in)
{
	if (!is_in(f->states, in->state) || !is_in(f->kinds, in->kind) ||
	    !is_in(f->severities, in->severity) || !wants_target(f, in))
		return false;
	if (f->datastore != NULL &&
	    (in->datastore_id == NULL ||
	     strcmp(in->datastore_id, f->datastore) != 0))
		return false;
	return in->started.us <= f->range.to.us &&
		(in->state != INCIDENT_ENDED ||
		 in->ended.us >= f->range.from.us);
}

static bool
step(void *arg, struct request *rq)
{
	struct listing *l = OBJ_CAST(struct listing, LISTING_MAGIC, arg);
	const struct incidents *all = watch_incidents(l->web->watch);
	const struct incident *in;
	size_t added = 0;

	if (l->rows.buf == NULL)
		json_rows_begin(&l->rows, &rq->reply.body, NULL, "items");
	for (size_t i = 0; (in = incidents_at(all, i)) != NULL; i++) {
		const struct timeline_place here = { in->started, 0, in->id };

		if (!timeline_is_behind(&here, &l->after) ||
		    !matches(&l->filter, in))
			continue;
		if (l->rows.n == l->limit || rq->reply.body.len > PAGE_BYTES) {
			timeline_finish(&l->rows, rq, &l->after);
			return true;
		}
		if (added++ == ROWS_PER_TURN)
			return false;
		json_rows_add(&l->rows, incident_json(in));
		l->after = here;
	}
	timeline_finish(&l->rows, rq, NULL);
	return true;
}

static void
listing_free(void *arg)
{
	struct listing *l = OBJ_CAST(struct listing, LISTING_MAGIC, arg);

	for (size_t i = 0; i < l->filter.n_targets; i++)
		free(l->filter.targets[i]);
	free(l->filter.targets);
	free(l);
}

void
api_incidents(void *arg, struct request *rq)
{
	struct web *w = arg;
	struct listing *l;

	if (!timeline_has_watch(w, rq))
		return;
	l = xcalloc(1, sizeof(*l));
	l->magic = LISTING_MAGIC;
	l->web = w;
	if (read_params(l, rq) != 0) {
		listing_free(l);
		return;
	}
	rq->reply.job = (struct job){ step, listing_free, l };
}

void
api_incident_one(void *arg, struct request *rq)
{
	struct web *w = arg;
	const struct incident *in;
	long long id;
	char *end;

	if (!timeline_has_watch(w, rq))
		return;
	errno = 0;
	id = strtoll(rq->id, &end, 10);
	in = errno == 0 && *end == '\0'
		? incidents_find(watch_incidents(w->watch), id)
		: NULL;
	if (in != NULL)
		reply_json(&rq->reply, incident_json(in));
	else
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_INCIDENT, NULL,
			      "there is no incident \"%s\"; /api/v1/incidents "
			      "lists all",
			      rq->id);
}
