#include "luns.h"

#include <stdlib.h>

#include "dslat/mem.h"
#include "schedule.h"

#define STRANGERS_MAX 8 /* more than so many beyond our own: by name */

static bool
rests(const struct luns_rest *r, mono_t now)
{
	return r->refusals != 0 && mono_diff_us(now, r->until) < 0;
}

bool
luns_wanted(const struct luns *l, const struct luns_host *lh,
	    const struct host *h, const struct counters *c, mono_t now)
{
	return map_count(h->luns) != 0 &&
		counters_count(c, COUNTERS_LUN) != 0 && !rests(&l->rest, now) &&
		!rests(&lh->rest, now);
}

static bool
has_several_extents(const struct host *h)
{
	for (size_t i = 0; i < h->n_pairs; i++)
		if (h->pairs[i]->datastore->n_extents > 1)
			return true;
	return false;
}

void
luns_ask(struct luns_host *lh, const struct host *h, struct perf_query *q)
{
	const char **names;
	void *lun;

	lh->by_name = lh->strangers > map_count(h->luns) + STRANGERS_MAX;
	lh->n_known = lh->n_strange = 0;
	q->luns = true;
	q->lun_ios = has_several_extents(h);
	if (!lh->by_name)
		return;
	names = xcalloc(map_count(h->luns), sizeof(char *));
	for (size_t i = 0; map_next(h->luns, &i, &names[q->n_lun_names], &lun);)
		q->n_lun_names++;
	q->lun_names = names;
}

void
luns_asked(struct perf_query *q)
{
	free(q->lun_names);
	q->lun_names = NULL;
	q->n_lun_names = 0;
}

void
luns_series(struct luns_host *lh, bool is_known)
{
	if (is_known)
		lh->n_known++;
	else
		lh->n_strange++;
}

void
luns_answered(struct luns *l, struct luns_host *lh, const struct counters *c)
{
	size_t n_counters = counters_count(c, COUNTERS_LUN);

	if (lh->n_known == 0 && lh->n_strange == 0)
		return;
	if (!lh->by_name)
		lh->strangers = lh->n_strange / n_counters;
	lh->n_known = lh->n_strange = 0;
	l->seen = true;
	l->rest.refusals = lh->rest.refusals = 0;
}

static void
rest(struct luns_rest *r, mono_t now)
{
	if (rests(r, now)) /* of two requests that flew together */
		return;
	r->refusals++;
	r->until = mono_add_us(now,
			       schedule_backoff_us(ERR_FAULT, r->refusals + 3,
						   r->refusals * 37));
}

bool
luns_refused(struct luns *l, struct luns_host *lh, mono_t now)
{
	rest(l->seen ? &lh->rest : &l->rest, now);
	return !l->seen;
}

size_t
luns_elements(const struct luns_host *lh, const struct host *h,
	      const struct counters *c, size_t n_samples)
{
	size_t n_counters = counters_count(c, COUNTERS_LUN) +
		counters_count(c, COUNTERS_LUN_IOS);

	if (map_count(h->luns) == 0 || n_counters == 0)
		return 0;
	return schedule_elements(map_count(h->luns) + lh->strangers, n_counters,
				 n_samples);
}
