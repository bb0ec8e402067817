#include "web/walk.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#define PAIRS_PER_TURN 256
#define WALK_MAGIC OBJ_MAGIC('w', 'a', 'l', 'k')

struct history_names
walk_names(const struct pair *p)
{
	struct history_names n = { 0 };

	if (p == NULL)
		return n;
	xstrset(&n.datastore_id, p->datastore->id);
	xstrset(&n.datastore, p->datastore->name);
	xstrset(&n.host_id, p->host->id);
	xstrset(&n.host, p->host->name);
	n.protocol = p->datastore->protocol;
	return n;
}

/* Where the rings' part begins, as it was when the walk did. */
static int64_t
rings_from(void *arg, const struct target *t)
{
	const struct walk *w = arg;

	for (size_t i = 0; i < w->ask->n_parts; i++)
		if (strcmp(w->ask->parts[i].target, t->name) == 0)
			return w->ask->parts[i].rings_from;
	return INT64_MIN; /* a target that came meanwhile */
}

static void
start_scan(struct walk *w)
{
	w->scan = w->ops->scan(w);
	/* "now-1h" is an hour by the clock of whoever stamped the samples. */
	scan_by_each_clock(w->scan, api_now(w->web, NULL),
			   w->range.from_is_relative, w->range.to_is_relative);
	if (w->ask != NULL)
		scan_begin_at(w->scan, rings_from, w);
}

/* What each target is asked for: the same that a scan looks at. */
static struct history_ask *
make_ask(const struct walk *w)
{
	const struct site *site = w->web->site;
	int64_t ahead_us = real_diff_us(api_now(w->web, NULL), site->now.real);
	struct history_ask *ask = history_ask_new(
		site, slot_of(w->range.from) + 1, slot_of(w->range.to));

	for (size_t i = 0; i < ask->n_parts; i++) {
		struct history_part *part = &ask->parts[i];
		int64_t move_us = real_diff_us(target_now(site->targets[i]),
					       site->now.real) -
			ahead_us;

		if (w->range.from_is_relative)
			part->first =
				slot_of(real_add_us(w->range.from, move_us)) +
				1;
		if (w->range.to_is_relative)
			part->last = slot_of(real_add_us(w->range.to, move_us));
	}
	return ask;
}

/* Is there anything that the rings do not hold? */
static bool
wants_past(const struct walk *w, const struct history_ask *ask)
{
	int64_t first = ask->first;

	for (size_t i = 0; i < ask->n_parts; i++) {
		if (ask->parts[i].first <
		    history_rings_hold(w->web->site->targets[i]))
			return true;
		first = MIN(first, ask->parts[i].first);
	}
	return ask->n_parts == 0 || store_has_strays(w->web->store, first);
}

/* The rings are walked; ask the store, or answer. */
static bool
after_rings(struct walk *w, struct request *rq)
{
	if (w->ask == NULL)
		return true;
	w->past = w->ops->past_new(w, w->ask);
	w->ask = NULL;
	w->lookup = lookup_new(w->web->store, rq, &w->ops->past, w->past);
	return false;
}

bool
walk_step(struct walk *w, struct request *rq)
{
	bool failed;

	if (w->scan != NULL) {
		if (!scan_step(w->scan, PAIRS_PER_TURN))
			return false;
		w->ops->take_rings(w, w->scan);
		scan_free(&w->scan);
		return after_rings(w, rq);
	}
	if (!lookup_is_done(w->lookup))
		return false;
	xstrset(&w->trouble, lookup_trouble(w->lookup, &failed));
	if (!failed) {
		w->ops->take_past(w, w->past);
		return true;
	}
	if (w->ops->past_failed != NULL)
		w->ops->past_failed(w, w->past);
	lookup_free(&w->lookup);
	start_scan(w); /* again, with all that the rings hold */
	return false;
}

static bool
step(void *arg, struct request *rq)
{
	struct walk *w = OBJ_CAST(struct walk, WALK_MAGIC, arg);

	if (!walk_step(w, rq))
		return false;
	w->ops->reply(w, rq);
	return true;
}

void
walk_end(struct walk *w)
{
	scan_free(&w->scan);
	lookup_free(&w->lookup);
	history_ask_free(&w->ask);
	free(w->trouble);
}

static void
walk_free(void *arg)
{
	struct walk *w = OBJ_CAST(struct walk, WALK_MAGIC, arg);

	walk_end(w);
	w->ops->free(w);
}

void
walk_begin(struct walk *w, struct web *web)
{
	w->magic = WALK_MAGIC;
	w->web = web;
	if (api_has_store(web))
		w->ask = make_ask(w);
	if (w->ask != NULL && !wants_past(w, w->ask))
		history_ask_free(&w->ask);
	start_scan(w);
}

void
walk_start(struct walk *w, struct web *web, struct request *rq)
{
	walk_begin(w, web);
	rq->reply.job = (struct job){ step, walk_free, w };
}
