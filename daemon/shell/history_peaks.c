/*
 * The worst samples.  The bins of an hour say which hours of which datastores
 * can have some: each of those that are wholly asked for has at least one
 * sample as bad as its bin says, so that of them only the worst `limit` count.
 * These are opened, worst first, until no other can be worse than what was
 * found.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "history_parts.h"

#define PIECES_PER_STEP 256 /* chunks or rows, some 50 us each */

enum { STAGE_BEGIN, STAGE_COLLECT, STAGE_OPEN };

/* An hour of a datastore, and the worst it can have. */
struct history_candidate {
	int64_t us, slot; /* INT64_MAX: not known */
	int64_t hour;
	uint32_t datastore;
	bool sure; /* it has that one */
};

struct walk {
	struct history *h;
	struct history_peaks *p;
	struct err *e;
	const struct object *datastore;
	struct history_part part;
	size_t pieces;
};

/* Worse: higher; at equal height the later one. */
static bool
is_worse(int64_t us, int64_t slot, int64_t than_us, int64_t than_slot)
{
	return us != than_us ? us > than_us : slot > than_slot;
}

/* ---- candidates ---- */

static int
by_badness(const void *a, const void *b)
{
	const struct history_candidate *x = a, *y = b;

	return (int)is_worse(y->us, y->slot, x->us, x->slot) -
		(int)is_worse(x->us, x->slot, y->us, y->slot);
}

/* Of the sure ones only the worst `limit` stay. */
static void
prune(struct history_peaks *p)
{
	size_t sure = 0, n = 0;

	if (p->n_candidates != 0) /* else there is no array */
		qsort(p->candidates, p->n_candidates, sizeof(*p->candidates),
		      by_badness);
	for (size_t i = 0; i < p->n_candidates; i++) {
		sure += p->candidates[i].sure;
		/* What comes now is not worse than `limit` others. */
		if (sure > p->limit)
			break;
		n++;
	}
	p->n_candidates = n;
}

static void
add_candidate(struct walk *w, const struct history_candidate *c)
{
	struct history_peaks *p = w->p;

	p->candidates = xgrow(p->candidates, p->n_candidates, sizeof(*c));
	p->candidates[p->n_candidates++] = *c;
	if (p->n_candidates < p->prune_at)
		return;
	prune(p);
	p->prune_at = 2 * p->n_candidates + 4096;
}

static void
candidate_of(struct walk *w, int64_t hour, const struct roll *r, bool sure)
{
	struct history_candidate c = {
		.us = -1,
		.hour = hour,
		.datastore = w->datastore->id,
		.sure = sure,
	};

	for (enum op op = 0; op < N_OPS; op++)
		if (r->op[op].busy_n != 0 &&
		    is_worse(r->op[op].max_us, r->op[op].max_slot, c.us,
			     c.slot)) {
			c.us = r->op[op].max_us;
			c.slot = r->op[op].max_slot;
		}
	if (c.us < 0)
		return;
	add_candidate(w, &c);
}

/* The hours of a day of a datastore. */
static int
collect_day(struct walk *w, int64_t day)
{
	int64_t hour = day * STORE_HOURS_PER_DAY;
	int64_t slot = chunk_first_slot(hour);
	const uint8_t *p, *end;
	const struct history_at at = {
		TIER_HOUR, day, store_datastore_series(w->datastore->id)
	};
	int rc = history_row(w->h, &at, &p, &end, w->e);

	w->pieces++;
	for (size_t i = 0; rc == 1 && i < STORE_HOURS_PER_DAY;
	     i++, hour++, slot += CHUNK_SLOTS) {
		struct roll r;

		roll_init(&r, NULL);
		if (!roll_decode_merge(&p, end, slot, &r)) {
			w->h->damaged++;
			break;
		}
		if (slot + CHUNK_SLOTS <= w->part.first ||
		    slot > w->part.last ||
		    history_live_has(w->h, w->p->live, hour, w->datastore))
			continue;
		candidate_of(w, hour, &r,
			     slot >= w->part.first &&
				     slot + CHUNK_SLOTS - 1 <= w->part.last &&
				     slot < w->part.rings_from);
	}
	return rc < 0 ? -1 : 0;
}

/* Hours that their bins do not know in full. */
static void
collect_live(struct walk *w, int64_t day)
{
	const struct history_live *live = w->p->live;
	int64_t hour = MAX(day * STORE_HOURS_PER_DAY, live->first_hour);
	int64_t last =
		MIN((day + 1) * STORE_HOURS_PER_DAY - 1, live->last_hour);

	for (; hour <= last; hour++) {
		struct history_candidate c = { INT64_MAX, INT64_MAX, hour,
					       w->datastore->id, false };

		if (history_live_has(w->h, live, hour, w->datastore))
			add_candidate(w, &c);
	}
}

/* ---- the list ---- */

static void
take_peak(struct history_peaks *p, const struct history_peak *pk)
{
	size_t i = p->n;

	if (i == p->limit &&
	    !is_worse(pk->us, pk->slot, p->rows[i - 1].us, p->rows[i - 1].slot))
		return;
	for (; i > 0 &&
	     is_worse(pk->us, pk->slot, p->rows[i - 1].us, p->rows[i - 1].slot);
	     i--)
		p->rows[i] = p->rows[i - 1];
	p->rows[i] = *pk;
	p->n = MIN(p->n + 1, p->limit);
}

static void
take_point(struct walk *w, uint32_t pair, int64_t slot, enum op op,
	   const struct point *pt, int64_t bin_s)
{
	const struct threshold *t = history_threshold(w->p->ask, w->datastore);
	struct history_peak pk = {
		.us = pt->us,
		.slot = slot,
		.ios = pt->ios,
		.bin_s = bin_s,
		.op = op,
		.load = pt->load,
		.breach = threshold_check(t, pt),
		.pair = pair,
		.threshold_us = t->warning_us,
	};

	if (slot >= w->part.first && slot <= w->part.last)
		take_peak(w->p, &pk);
}

static void
take_cells(struct walk *w, uint32_t pair, int64_t first,
	   const struct cell *cells)
{
	for (size_t i = 0; i < CHUNK_SLOTS; i++)
		for (enum op op = 0; op < N_OPS; op++) {
			struct point pt = cell_point(&cells[i], op);

			if (load_is_busy(pt.load))
				take_point(w, pair, first + (int64_t)i, op, &pt,
					   0);
		}
}

static void
take_roll(struct walk *w, const struct roll *r, int64_t length)
{
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *o = &r->op[op];
		struct point pt = { LOAD_NORMAL, o->max_us, o->max_ios, 0, 0 };

		if (o->busy_n == 0)
			continue;
		if (o->max_ios <= 0)
			pt.load = o->max_ios < 0 ? LOAD_UNKNOWN : LOAD_SPARSE;
		take_point(w, o->max_pair, o->max_slot, op, &pt,
			   length * SLOT_S);
	}
}

/* ---- opening ---- */

/* The rolls of a row that lie in the hour. */
static int
open_row(struct walk *w, enum history_tier tier, uint32_t pair, int64_t hour)
{
	int64_t time = tier == TIER_HOUR ? store_day(hour) : hour;
	int64_t length = tier == TIER_HOUR ? ROLL_HOUR_SLOTS : ROLL_5MIN_SLOTS;
	size_t n =
		tier == TIER_HOUR ? STORE_HOURS_PER_DAY : STORE_BINS_PER_HOUR;
	int64_t slot = chunk_first_slot(
		tier == TIER_HOUR ? time * STORE_HOURS_PER_DAY : hour);
	const uint8_t *p, *end;
	const struct history_at at = { tier, time, store_pair_series(pair) };
	int rc = history_row(w->h, &at, &p, &end, w->e);

	w->pieces++;
	for (size_t i = 0; rc == 1 && i < n; i++, slot += length) {
		struct roll r;

		roll_init(&r, NULL);
		if (!roll_decode_merge(&p, end, slot, &r)) {
			w->h->damaged++;
			break;
		}
		if (chunk_hour(slot) == hour)
			take_roll(w, &r, length);
	}
	return rc;
}

/* As fine as the pair's hour is kept. */
static int
open_pair(struct walk *w, uint32_t pair, int64_t hour)
{
	struct cell cells[CHUNK_SLOTS];
	int rc = history_cells(w->h, w->p->live, pair, hour, cells, w->e);

	w->pieces++;
	if (rc == 1)
		take_cells(w, pair, chunk_first_slot(hour), cells);
	if (rc == 0)
		rc = open_row(w, TIER_FIVE_MINUTES, pair, hour);
	if (rc == 0)
		rc = open_row(w, TIER_HOUR, pair, hour);
	return rc;
}

static int
open_candidate(struct walk *w, const struct history_candidate *c)
{
	bool in_rings;

	w->datastore = NULL;
	for (size_t i = 0; i < w->h->n_objects; i++)
		if (w->h->objects[i].id == c->datastore)
			w->datastore = &w->h->objects[i];
	if (w->datastore == NULL)
		return 0;
	w->part = history_part_of(w->p->ask, w->datastore->target);
	in_rings = chunk_first_slot(c->hour) >= w->part.rings_from;
	for (size_t i = 0; i < w->h->n_pairs; i++) {
		const struct object_pair *pair = &w->h->pairs[i];

		if (pair->datastore != w->datastore ||
		    (in_rings && history_is_live(w->p->ask, pair->id)))
			continue;
		if (open_pair(w, pair->id, c->hour) < 0)
			return -1;
	}
	return 0;
}

/* ---- the way ---- */

static int
begin(struct walk *w)
{
	const struct history_filter all = { NULL, NULL, NULL };
	struct history_peaks *p = w->p;
	struct history_hours hours = history_asked(p->ask);

	p->live = history_live_load(w->h, p->ask, &all, w->e);
	if (p->live == NULL ||
	    history_hours(w->h, p->live, TIER_HOUR, TIER_HOUR, &hours, w->e) !=
		    0)
		return -1;
	p->next_day = store_day(hours.first);
	p->last_day = store_day(hours.last);
	p->rows = xcalloc(p->limit + 1, sizeof(*p->rows));
	p->prune_at = 4096;
	p->stage = STAGE_COLLECT;
	return 0;
}

static int
collect(struct walk *w)
{
	struct history_peaks *p = w->p;

	for (; p->next_day <= p->last_day; p->next_day++) {
		while (p->next_series < w->h->n_objects) {
			if (w->pieces >= PIECES_PER_STEP)
				return 0;
			w->datastore = &w->h->objects[p->next_series++];
			if (w->datastore->kind != STORE_DATASTORE)
				continue;
			w->part = history_part_of(p->ask, w->datastore->target);
			collect_live(w, p->next_day);
			if (collect_day(w, p->next_day) != 0)
				return -1;
		}
		p->next_series = 0;
	}
	prune(p);
	p->stage = STAGE_OPEN;
	return 1;
}

static int
open_worst(struct walk *w)
{
	struct history_peaks *p = w->p;

	for (; p->next < p->n_candidates; p->next++) {
		const struct history_candidate *c = &p->candidates[p->next];
		const struct history_peak *least = &p->rows[p->limit - 1];

		if (w->pieces >= PIECES_PER_STEP)
			return 0;
		if (p->n == p->limit &&
		    !is_worse(c->us, c->slot, least->us, least->slot))
			break;
		if (open_candidate(w, c) != 0)
			return -1;
	}
	for (size_t i = 0; i < p->n; i++)
		p->rows[i].names = history_names_of(w->h, p->rows[i].pair,
						    p->rows[i].slot);
	return 1;
}

int
history_peaks_step(struct history *h, struct history_peaks *p, struct err *e)
{
	struct walk w = { .h = h, .p = p, .e = e };
	int rc = 1;

	assert(p->limit > 0);
	if (history_refresh(h, e) != 0 ||
	    (p->stage == STAGE_BEGIN && begin(&w) != 0))
		return -1;
	if (p->stage == STAGE_COLLECT)
		rc = collect(&w);
	return rc == 1 ? open_worst(&w) : rc;
}

void
history_peaks_end(struct history_peaks *p)
{
	for (size_t i = 0; i < p->n && p->rows != NULL; i++)
		history_names_fini(&p->rows[i].names);
	free(p->rows);
	free(p->candidates);
	history_live_free(&p->live);
	p->rows = NULL;
	p->candidates = NULL;
	p->n = 0;
}
