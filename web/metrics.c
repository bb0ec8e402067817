#include "web/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/accept.h"
#include "web/param.h"

#define PIECE_BYTES ((size_t)16 << 10)
#define TEXT_0_0_4 "text/plain; version=0.0.4; charset=utf-8"
#define OPENMETRICS_1_0_0                                                      \
	"application/openmetrics-text; version=1.0.0; charset=utf-8"

/* One scrape: every family over every item it is about. */
struct scrape {
	uint32_t magic;
	struct metrics_scope scope;
	struct expo expo;
	struct buf buf; /* the piece that is being sent */
	size_t sent;    /* of buf */
	uint64_t freed; /* site->freed at the start */
	bool pairs_too, ended;
	const struct target **targets;
	const struct datastore **datastores;
	const struct pair **pairs;
	size_t n_targets, n_datastores, n_pairs;
	size_t family, item; /* what comes next */
};
#define SCRAPE_MAGIC OBJ_MAGIC('s', 'c', 'r', 'p')

static void
add_pairs(struct scrape *s, const struct datastore *ds)
{
	s->pairs = xreallocarray(s->pairs, s->n_pairs + ds->n_pairs,
				 sizeof(*s->pairs));
	for (size_t i = 0; i < ds->n_pairs; i++)
		if (!ds->pairs[i]->gone && ds->pairs[i]->ring != NULL)
			s->pairs[s->n_pairs++] = ds->pairs[i];
}

static void
add_target(struct scrape *s, const struct target *t)
{
	void *v;

	s->targets = xreallocarray(s->targets, s->n_targets + 1,
				   sizeof(*s->targets));
	s->targets[s->n_targets++] = t;
	s->datastores = xreallocarray(
		s->datastores, s->n_datastores + map_count(t->datastores),
		sizeof(*s->datastores));
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		const struct datastore *ds = v;

		if (ds->gone)
			continue;
		s->datastores[s->n_datastores++] = ds;
		if (s->pairs_too)
			add_pairs(s, ds);
	}
}

/* Put the item at hand into the scope; false behind the last. */
static bool
select_item(struct scrape *s, enum metrics_per per)
{
	struct metrics_scope *sc = &s->scope;

	switch (per) {
	case PER_DAEMON:
		return s->item == 0;
	case PER_TARGET:
		if (s->item == s->n_targets)
			return false;
		sc->target = s->targets[s->item];
		return true;
	case PER_DATASTORE:
		if (s->item == s->n_datastores)
			return false;
		sc->ds = s->datastores[s->item];
		return true;
	case PER_PAIR:
		break;
	}
	if (s->item == s->n_pairs)
		return false;
	sc->pair = s->pairs[s->item];
	return true;
}

/* One line or few, or the head of the next family. */
static void
add_some(struct scrape *s)
{
	const struct metrics_family *f = &metrics_families[s->family];

	if (f->per == PER_PAIR && !s->pairs_too) {
		s->family++;
		return;
	}
	if (s->item == 0)
		expo_head(&s->expo, f->name, f->type, f->unit, f->help);
	if (select_item(s, f->per)) {
		f->add(&s->scope);
		s->item++;
	} else {
		s->family++;
		s->item = 0;
	}
}

static ssize_t
scrape_read(void *arg, char *out, size_t max)
{
	struct scrape *s = OBJ_CAST(struct scrape, SCRAPE_MAGIC, arg);
	size_t n;

	if (s->sent == s->buf.len) {
		/* What the pointers led to may be gone: half an answer must
		 * not look like a whole one. */
		if (s->freed != s->scope.web->site->freed)
			return SOURCE_ERROR;
		buf_reset(&s->buf);
		s->sent = 0;
		while (s->buf.len < PIECE_BYTES &&
		       s->family < metrics_n_families)
			add_some(s);
		if (s->family == metrics_n_families && !s->ended) {
			expo_end(&s->expo);
			s->ended = true;
		}
	}
	n = MIN(max, s->buf.len - s->sent);
	if (n == 0)
		return SOURCE_END;
	memcpy(out, s->buf.data + s->sent, n);
	s->sent += n;
	return (ssize_t)n;
}

static void
scrape_free(void *arg)
{
	struct scrape *s = OBJ_CAST(struct scrape, SCRAPE_MAGIC, arg);

	buf_fini(&s->buf);
	free(s->targets);
	free(s->datastores);
	free(s->pairs);
	free(s);
}

static bool
wants_openmetrics(const struct request *rq)
{
	const char *accept = request_header(rq, "Accept");
	int om, text;

	if (accept == NULL)
		return false;
	/* A mere "*" of a browser or curl is not a wish for it. */
	if (strcasestr(accept, "application/openmetrics-text") == NULL)
		return false;
	om = accept_quality(accept, "application/openmetrics-text");
	text = accept_quality(accept, "text/plain");
	return om > 0 && om >= text;
}

void
metrics_reply(void *arg, struct request *rq)
{
	const struct web *w = arg;
	struct scrape *s;
	const char *level;

	if (param_text(rq, "level", &level) != 0)
		return;
	if (level != NULL && strcmp(level, "datastore") != 0 &&
	    strcmp(level, "pair") != 0) {
		reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "level",
			      "level= is datastore, or pair for all");
		return;
	}
	s = xcalloc(1, sizeof(*s));
	s->magic = SCRAPE_MAGIC;
	buf_init(&s->buf, (size_t)16 << 20);
	s->expo = (struct expo){ .buf = &s->buf,
				 .openmetrics = wants_openmetrics(rq) };
	s->scope = (struct metrics_scope){ .web = w, .out = &s->expo };
	s->freed = w->site->freed;
	s->pairs_too = level == NULL || strcmp(level, "pair") == 0;
	for (size_t i = 0; i < w->site->n_targets; i++)
		add_target(s, w->site->targets[i]);
	rq->reply.status = 200;
	rq->reply.type = s->expo.openmetrics ? OPENMETRICS_1_0_0 : TEXT_0_0_4;
	rq->reply.cache_control = "no-store";
	rq->reply.compress = true;
	rq->reply.source = (struct source){ scrape_read, scrape_free, s };
}
