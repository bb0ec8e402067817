/*
 * Groups, peaks, visits: walks over every pair, a few at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/query.h"

struct scan {
	const struct site *site;
	uint64_t freed; /* site->freed when the walk began */
	real_t from, to;
	/* They move with the target's clock, from a now that was so far ahead
	 * of ours. */
	bool move_from, move_to;
	int64_t ahead_us;
	int64_t (*first_slot)(void *arg, const struct target *t); /* or NULL */
	void *first_arg;
	size_t target, ds, pair; /* where the walk stands */

	bool grouping;
	enum group_by by;
	struct map *by_name; /* name -> struct group */
	const struct group **rows;

	struct peak *peaks; /* worst first, at most limit */
	size_t n_peaks, limit;

	const struct scan_visitor *visitor;
	void *arg; /* of the visitor */
};

static struct scan *
scan_new(const struct site *site, real_t from, real_t to)
{
	struct scan *s = xcalloc(1, sizeof(*s));

	s->site = site;
	s->freed = site->freed;
	s->from = from;
	s->to = to;
	return s;
}

void
scan_by_each_clock(struct scan *s, real_t now, bool from, bool to)
{
	s->move_from = from;
	s->move_to = to;
	s->ahead_us = real_diff_us(now, s->site->now.real);
}

void
scan_begin_at(struct scan *s,
	      int64_t (*first_slot)(void *arg, const struct target *t),
	      void *arg)
{
	s->first_slot = first_slot;
	s->first_arg = arg;
}

struct scan *
scan_groups(const struct site *site, enum group_by by, real_t from, real_t to)
{
	struct scan *s = scan_new(site, from, to);

	s->grouping = true;
	s->by = by;
	s->by_name = map_new();
	return s;
}

struct scan *
scan_peaks(const struct site *site, real_t from, real_t to, size_t limit)
{
	struct scan *s = scan_new(site, from, to);

	assert(limit > 0);
	s->limit = limit;
	s->peaks = xcalloc(limit + 1, sizeof(*s->peaks));
	return s;
}

struct scan *
scan_visit(const struct site *site, real_t from, real_t to,
	   const struct scan_visitor *visitor, void *arg)
{
	struct scan *s = scan_new(site, from, to);

	s->visitor = visitor;
	s->arg = arg;
	return s;
}

static void
drop_groups(struct scan *s)
{
	void *v;

	if (s->by_name == NULL)
		return;
	for (size_t i = 0; map_next(s->by_name, &i, NULL, &v);) {
		free(((struct group *)v)->name);
		free(v);
	}
	map_free(&s->by_name);
}

void
scan_free(struct scan **sp)
{
	struct scan *s = *sp;

	if (s == NULL)
		return;
	drop_groups(s);
	free(s->rows);
	free(s->peaks);
	free(s);
	*sp = NULL;
}

/* Something was freed under the walk: begin anew. */
static void
restart(struct scan *s)
{
	s->freed = s->site->freed;
	s->target = s->ds = s->pair = 0;
	s->n_peaks = 0;
	if (s->grouping) {
		drop_groups(s);
		s->by_name = map_new();
	}
	if (s->visitor != NULL)
		s->visitor->restart(s->arg);
}

bool
group_by_from_name(const char *name, enum group_by *by_r)
{
	static const char *const names[] = {
		[GROUP_PROTOCOL] = "protocol",
		[GROUP_FAMILY] = "family",
		[GROUP_CLUSTER] = "cluster",
		[GROUP_HOST] = "host",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]) == 0) {
			*by_r = (enum group_by)i;
			return true;
		}
	}
	return false;
}

static const char *
group_name(const struct pair *p, enum group_by by)
{
	switch (by) {
	case GROUP_PROTOCOL:
		return protocol_name(p->datastore->protocol);
	case GROUP_FAMILY:
		return protocol_family(p->datastore->protocol);
	case GROUP_CLUSTER:
		return p->host->cluster != NULL ? p->host->cluster : "";
	case GROUP_HOST:
		break;
	}
	return p->host->name;
}

static struct group *
get_group(struct scan *s, const struct pair *p)
{
	const char *name = group_name(p, s->by);
	struct group *g = map_find_str(s->by_name, name);

	if (g != NULL)
		return g;
	g = xcalloc(1, sizeof(*g));
	g->name = xstrdup(name);
	roll_init(&g->roll, g->hists);
	for (enum op op = 0; op < N_OPS; op++)
		g->threshold_us[op] = INT64_MAX;
	map_set(s->by_name, name, g);
	return g;
}

static void
group_add(struct group *g, const struct pair *p, int64_t slot,
	  const struct cell *c)
{
	const struct threshold *t = &p->datastore->threshold;
	struct roll_cell rc = { c, 0 };
	struct roll before = g->roll;

	roll_add_slot(&g->roll, slot, &rc, 1, t);
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *was = &before.op[op];
		const struct roll_op *is = &g->roll.op[op];

		if (is->n != was->n)
			g->threshold_us[op] =
				MIN(g->threshold_us[op], t->warning_us);
		if (is->max_us != was->max_us || is->max_slot != was->max_slot)
			g->max_pair[op] = p;
	}
}

/* Worse: higher; at equal height the later one. */
static bool
worse(const struct peak *a, const struct peak *b)
{
	return a->us != b->us ? a->us > b->us : a->slot > b->slot;
}

static void
peak_add(struct scan *s, const struct peak *pk)
{
	size_t i = s->n_peaks;

	if (i == s->limit && !worse(pk, &s->peaks[i - 1]))
		return;
	for (; i > 0 && worse(pk, &s->peaks[i - 1]); i--)
		s->peaks[i] = s->peaks[i - 1];
	s->peaks[i] = *pk;
	s->n_peaks = MIN(s->n_peaks + 1, s->limit);
}

static void
peaks_of(struct scan *s, const struct pair *p, int64_t slot,
	 const struct cell *c)
{
	for (enum op op = 0; op < N_OPS; op++) {
		struct point pt = cell_point(c, op);
		struct peak pk = { p,      op,      slot,       pt.us,
				   pt.ios, pt.load, BREACH_NONE };

		if (!load_is_busy(pt.load))
			continue;
		pk.breach = threshold_check(&p->datastore->threshold, &pt);
		peak_add(s, &pk);
	}
}

static void
scan_pair(struct scan *s, const struct pair *p)
{
	struct group *g = s->grouping ? get_group(s, p) : NULL;
	int64_t first, last, move_us;

	if (s->visitor != NULL && !s->visitor->pair(s->arg, p))
		return;
	if (p->ring == NULL)
		return;
	move_us = real_diff_us(target_now(p->host->target), s->site->now.real) -
		s->ahead_us;
	first = slot_of(real_add_us(s->from, s->move_from ? move_us : 0)) + 1;
	last = slot_of(real_add_us(s->to, s->move_to ? move_us : 0));
	if (s->first_slot != NULL)
		first = MAX(first,
			    s->first_slot(s->first_arg, p->host->target));
	first = MAX(first, ring_oldest(p->ring));
	last = MIN(last, p->ring->newest);
	if (s->visitor != NULL) {
		for (int64_t slot = first; slot <= last; slot++)
			s->visitor->cell(s->arg, slot, ring_get(p->ring, slot));
		return;
	}
	for (int64_t slot = first; slot <= last; slot++) {
		const struct cell *c = ring_get(p->ring, slot);

		if (g != NULL)
			group_add(g, p, slot, c);
		else
			peaks_of(s, p, slot, c);
	}
}

/* The next datastore of the walk, or NULL at its end. */
static struct datastore *
current(struct scan *s, size_t *after_r)
{
	for (; s->target < s->site->n_targets; s->target++, s->ds = 0) {
		void *v;

		*after_r = s->ds;
		if (map_next(s->site->targets[s->target]->datastores, after_r,
			     NULL, &v))
			return v;
	}
	return NULL;
}

bool
scan_step(struct scan *s, size_t pairs)
{
	struct datastore *ds;
	size_t after, done = 0;

	if (s->freed != s->site->freed)
		restart(s);
	while ((ds = current(s, &after)) != NULL) {
		while (s->pair < ds->n_pairs) {
			if (done++ == pairs)
				return false;
			scan_pair(s, ds->pairs[s->pair++]);
		}
		s->ds = after;
		s->pair = 0;
	}
	return true;
}

static int
by_group_name(const void *a, const void *b)
{
	return strcmp((*(const struct group *const *)a)->name,
		      (*(const struct group *const *)b)->name);
}

const struct group *const *
scan_group_rows(struct scan *s, size_t *n_r)
{
	size_t n = 0;
	void *v;

	assert(s->grouping);
	free(s->rows);
	s->rows = xcalloc(map_count(s->by_name), sizeof(struct group *));
	for (size_t i = 0; map_next(s->by_name, &i, NULL, &v);)
		s->rows[n++] = v;
	qsort(s->rows, n, sizeof(struct group *), by_group_name);
	*n_r = n;
	return s->rows;
}

const struct peak *
scan_peak_rows(const struct scan *s, size_t *n_r)
{
	*n_r = s->n_peaks;
	return s->peaks;
}
