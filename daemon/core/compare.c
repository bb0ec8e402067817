#include <stdlib.h>
#include <string.h>

#include "compare_parts.h"
#include "dslat/mem.h"

struct compare *
compare_new(const struct compare_conf *conf)
{
	struct compare *c = xcalloc(1, sizeof(*c));

	c->paired = conf->paired;
	c->step_slots = conf->step_slots;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		c->part[s].side = conf->side[s];
		c->part[s].span = conf->span[s];
		compare_reset(c, s);
	}
	return c;
}

static void
drop_fed(struct part *p)
{
	for (size_t i = 0; i < p->n_members; i++) {
		free(p->members[i]->datastore);
		free(p->members[i]->datastore_name);
		free(p->members[i]->host);
		free(p->members[i]->host_name);
		free(p->members[i]);
	}
	free(p->members);
	p->members = NULL;
	p->member = NULL;
	p->n_members = 0;
	map_free(&p->by_ids);
	for (enum op op = 0; op < N_OPS; op++) {
		free(p->lines[op].sums);
		p->lines[op] = (struct line){ .sums = NULL };
	}
}

void
compare_reset(struct compare *c, enum compare_side s)
{
	struct part *p = &c->part[s];

	drop_fed(p);
	p->by_ids = map_new();
	memset(p->pending, 0, sizeof(p->pending));
	p->threshold_us = -1;
	memset(p->hists, 0, sizeof(p->hists));
	roll_init(&p->roll, p->hists);
	if (s == COMPARE_B)
		c->shared_n = 0;
}

void
compare_free(struct compare **cp)
{
	struct compare *c = *cp;

	if (c == NULL)
		return;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		drop_fed(&c->part[s]);
		side_fini(&c->part[s].side);
	}
	for (enum op op = 0; op < N_OPS; op++)
		stats_free(&c->stats[op]);
	free(c->pairs);
	free(c);
	*cp = NULL;
}

/* ---- feeding ------------------------------------------------------------- */

bool
compare_takes(struct compare *c, enum compare_side s,
	      const struct side_pair *sp)
{
	return side_matches(&c->part[s].side, sp);
}

static struct member *
member_get(struct part *p, const struct side_pair *sp, bool *new_r)
{
	char *ids =
		xasprintf("%s\n%s", sp->datastore != NULL ? sp->datastore : "",
			  sp->host != NULL ? sp->host : "");
	struct member *m = map_find_str(p->by_ids, ids);

	*new_r = m == NULL;
	if (m == NULL) {
		m = xcalloc(1, sizeof(*m));
		xstrset(&m->datastore, sp->datastore);
		xstrset(&m->datastore_name, sp->datastore_name);
		xstrset(&m->host, sp->host);
		xstrset(&m->host_name, sp->host_name);
		m->number = (uint32_t)p->n_members;
		p->members = xgrow(p->members, p->n_members,
				   sizeof(struct member *));
		p->members[p->n_members++] = m;
		map_set(p->by_ids, ids, m);
	}
	free(ids);
	return m;
}

/* The place of an index, made if need be: spans are not known before. */
static struct sum *
line_at(struct line *l, int64_t i)
{
	size_t n, before;
	struct sum *sums;

	if (l->n != 0 && i >= l->first && i - l->first < (int64_t)l->n)
		return &l->sums[i - l->first];
	/* double, on the side where it is missing */
	n = l->n == 0 ? 256 : l->n * 2;
	before = 0;
	if (l->n == 0)
		l->first = i;
	else if (i < l->first)
		before = n - l->n;
	while (i < l->first - (int64_t)before ||
	       i >= l->first - (int64_t)before + (int64_t)n) {
		n *= 2;
		if (i < l->first)
			before = n - l->n;
	}
	sums = xcalloc(n, sizeof(*sums));
	if (l->n != 0)
		memcpy(sums + before, l->sums, l->n * sizeof(*sums));
	free(l->sums);
	l->sums = sums;
	l->n = n;
	l->first -= (int64_t)before;
	return &l->sums[i - l->first];
}

/* Number of the sample or bin (t - step, t] that holds a slot. */
static int64_t
index_of(const struct compare *c, int64_t slot)
{
	int64_t n = slot - 1;

	return n < 0 ? -((-n + c->step_slots - 1) / c->step_slots)
		     : n / c->step_slots;
}

static void
count(struct compare *c, enum compare_side s, enum op op, int64_t index,
      struct sum add)
{
	struct part *p = &c->part[s];
	struct sum *at = line_at(&p->lines[op], index);

	at->sum_us += add.sum_us;
	at->weight += add.weight;
	p->member->counted[op] = true;
}

void
compare_flush(struct compare *c, enum compare_side s)
{
	struct part *p = &c->part[s];

	for (enum op op = 0; op < N_OPS; op++) {
		struct pending *b = &p->pending[op];

		/* Its samples had min_ios on average. */
		if (b->sum.weight > 0 &&
		    b->sum.weight >= p->threshold.min_ios * c->step_slots)
			count(c, s, op, b->index, b->sum);
		b->sum = (struct sum){ 0, 0 };
	}
}

bool
compare_pair(struct compare *c, enum compare_side s, const struct side_pair *sp,
	     const struct threshold *t)
{
	struct part *p = &c->part[s];
	bool is_new;

	if (!compare_takes(c, s, sp))
		return false;
	compare_flush(c, s);
	p->member = member_get(p, sp, &is_new);
	if (is_new && s == COMPARE_B)
		c->shared_n += compare_takes(c, COMPARE_A, sp);
	p->threshold = *t;
	if (p->threshold_us < 0 || t->warning_us < p->threshold_us)
		p->threshold_us = t->warning_us;
	return true;
}

/* A part of what the pair has in a bin. */
static void
add_to_bin(struct compare *c, enum compare_side s, int64_t index,
	   const struct sum add[N_OPS])
{
	struct part *p = &c->part[s];

	if (p->pending[0].index != index)
		compare_flush(c, s);
	for (enum op op = 0; op < N_OPS; op++) {
		p->pending[op].index = index;
		p->pending[op].sum.sum_us += add[op].sum_us;
		p->pending[op].sum.weight += add[op].weight;
	}
}

void
compare_cell(struct compare *c, enum compare_side s, int64_t slot,
	     const struct cell *cell)
{
	struct part *p = &c->part[s];
	const struct roll_cell rc = { cell, p->member->number };
	int64_t index = index_of(c, slot);
	struct sum add[N_OPS];

	roll_add_slot(&p->roll, slot, &rc, 1, &p->threshold);
	for (enum op op = 0; op < N_OPS; op++) {
		struct point pt = cell_point(cell, op);

		add[op] = (struct sum){ pt.us * pt.weight, pt.weight };
		if (c->step_slots == 1 && pt.load == LOAD_NORMAL &&
		    pt.ios >= p->threshold.min_ios)
			count(c, s, op, index, add[op]);
	}
	if (c->step_slots > 1)
		add_to_bin(c, s, index, add);
}

void
compare_roll(struct compare *c, enum compare_side s, int64_t last_slot,
	     const struct roll *r)
{
	struct part *p = &c->part[s];
	struct roll mine = *r;
	struct sum add[N_OPS];

	for (enum op op = 0; op < N_OPS; op++) {
		mine.op[op].max_pair = p->member->number;
		add[op] = (struct sum){ r->op[op].sum_us, r->op[op].weight };
	}
	roll_merge(&p->roll, &mine);
	add_to_bin(c, s, index_of(c, last_slot), add);
}
