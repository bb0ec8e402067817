/*
 * What polls changed, as batches for the writer; numbers, names and gaps.
 *
 * A batch that cannot be queued or written is dropped, and the lowest slot of
 * it remembered: when the store works, everything from that slot on is sent
 * from the rings, so that trouble costs no memory and no sample for as long as
 * rings reach back.  What is too much for one batch, an hour of back-fill, goes
 * the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "store_private.h"

#define PART_CELLS 50000 /* at most at once: some 2 ms of the loop */
#define PARTS_PER_TURN 8
/* A back-fill that is not there by then does not come. */
#define GAP_MIN_US (60 * US_PER_S)
#define GAP_MAX_US (900 * US_PER_S)

struct store_target *
store_target(struct store *s, const char *name)
{
	struct store_target *t = map_find_str(s->targets, name);

	if (t != NULL)
		return t;
	t = xcalloc(1, sizeof(*t));
	t->last_slot = INT64_MIN;
	t->resend_from = INT64_MAX;
	t->gap_from = INT64_MAX;
	map_set(s->targets, name, t);
	return t;
}

/* ---- numbers ------------------------------------------------------------ */

void
store_forget_ids(struct store *s)
{
	void *v;

	for (size_t i = 0; i < s->site->n_targets; i++) {
		const struct target *t = s->site->targets[i];

		for (size_t j = 0; map_next(t->hosts, &j, NULL, &v);) {
			((struct host *)v)->store_id = 0;
			((struct host *)v)->store_print = 0;
		}
		for (size_t j = 0; map_next(t->datastores, &j, NULL, &v);) {
			struct datastore *ds = v;

			ds->store_id = 0;
			ds->store_print = 0;
			for (size_t k = 0; k < ds->n_pairs; k++)
				ds->pairs[k]->store_id = 0;
		}
	}
	news_fini(&s->news);
}

static void
forget_pairs(struct pair **pairs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pairs[i]->store_id = 0;
}

static void
number_host(struct store *s, struct host *h)
{
	const char *key = h->system_uuid != NULL ? h->system_uuid : h->moref;
	uint32_t id =
		catalogue_object(s->contents.catalogue, STORE_HOST,
				 h->target->name, key, h->store_id, &s->news);

	if (id != h->store_id)
		forget_pairs(h->pairs, h->n_pairs);
	h->store_id = id;
}

static void
number_datastore(struct store *s, struct datastore *ds)
{
	uint32_t id = catalogue_object(s->contents.catalogue, STORE_DATASTORE,
				       ds->target->name, ds->uuid, ds->store_id,
				       &s->news);

	if (id != ds->store_id)
		forget_pairs(ds->pairs, ds->n_pairs);
	ds->store_id = id;
}

/* A pair that has samples in the history already gets its ring back. */
static void
find_pairs(struct store *s, struct datastore *ds)
{
	for (size_t i = 0; i < ds->n_pairs; i++) {
		struct pair *p = ds->pairs[i];

		if (p->store_id != 0)
			continue;
		p->store_id = catalogue_find_pair(
			s->contents.catalogue, ds->store_id, p->host->store_id);
		if (p->store_id != 0)
			store_refill(s, p);
	}
}

static void
number_all(struct store *s, struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		number_host(s, v);
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		number_datastore(s, v);
		find_pairs(s, v);
	}
}

void
store_on_status(void *arg, struct target *t)
{
	struct store *s = arg;
	int64_t slot = slot_of(target_now(t));
	void *v;

	if (s->contents.catalogue == NULL)
		return;
	number_all(s, t);
	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		store_name_host(v, slot, &s->news);
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);)
		store_name_datastore(v, slot, &s->news);
}

/* ---- gaps --------------------------------------------------------------- */

static void
see_slots(struct store *s, struct store_target *st, int64_t first, int64_t last)
{
	if (st->last_slot != INT64_MIN && first > st->last_slot + 1 &&
	    st->gap_from == INT64_MAX) {
		st->gap_from = st->last_slot + 1;
		st->gap_seen = loop_now(s->loop).mono;
	}
	st->last_slot = MAX(st->last_slot, last);
}

static int64_t
newest_slot(const struct target *t)
{
	int64_t newest = INT64_MIN;
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		const struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			if (ds->pairs[j]->ring != NULL)
				newest =
					MAX(newest, ds->pairs[j]->ring->newest);
	}
	return newest;
}

static bool
is_empty(const struct cell *c)
{
	for (unsigned f = 0; f < N_FIELDS; f++)
		if (c->v[f] >= 0)
			return false;
	return true;
}

static bool
has_samples(const struct target *t, int64_t slot)
{
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		const struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++) {
			const struct ring *r = ds->pairs[j]->ring;
			const struct cell *c =
				r != NULL ? ring_get(r, slot) : NULL;

			if (c != NULL && !is_empty(c))
				return true;
		}
	}
	return false;
}

static void
add_gaps(struct store *s, const struct target *t, int64_t from, int64_t to)
{
	int64_t oldest = newest_slot(t) - RING_SLOTS + 1;
	const char *reason = slot_end(from).us <= s->site->started.us
		? "dslatd was not running"
		: "no samples came";
	int64_t begin = from;

	for (int64_t slot = MAX(from, oldest); slot <= to; slot++) {
		if (!has_samples(t, slot))
			continue;
		if (begin < slot)
			news_add_gap(&s->news, t->name, begin, slot - 1,
				     reason);
		begin = slot + 1;
	}
}

static bool
is_backfilling(const struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		if (((const struct host *)v)->backfilling)
			return true;
	return false;
}

void
store_settle_gaps(struct store *s)
{
	mono_t now = loop_now(s->loop).mono;

	for (size_t i = 0; i < s->site->n_targets; i++) {
		const struct target *t = s->site->targets[i];
		struct store_target *st = store_target(s, t->name);
		int64_t age_us = mono_diff_us(now, st->gap_seen);

		if (st->gap_from == INT64_MAX || age_us < GAP_MIN_US ||
		    (is_backfilling(t) && age_us < GAP_MAX_US))
			continue;
		add_gaps(s, t, st->gap_from, st->last_slot);
		st->gap_from = INT64_MAX;
	}
}

/* ---- batches ------------------------------------------------------------ */

static void
add_cell(struct batch_task *b, uint32_t pair, int64_t slot,
	 const struct cell *c)
{
	b->cells = xgrow(b->cells, b->n_cells, sizeof(*b->cells));
	b->cells[b->n_cells++] = (struct live_cell){ pair, slot, *c };
	b->first_slot = MIN(b->first_slot, slot);
	b->last_slot = MAX(b->last_slot, slot);
}

/* The cells of a pair in from..to that have a value. */
static void
add_pair(struct store *s, struct batch_task *b, struct pair *p, int64_t from,
	 int64_t to)
{
	const struct ring *r = p->ring;

	if (p->store_id == 0)
		p->store_id = catalogue_pair(s->contents.catalogue,
					     p->datastore->store_id,
					     p->host->store_id, &s->news);
	if (p->store_id == 0)
		return;
	for (int64_t slot = MAX(from, ring_oldest(r));
	     slot <= MIN(to, r->newest); slot++) {
		const struct cell *c = ring_get(r, slot);

		if (!is_empty(c))
			add_cell(b, p->store_id, slot, c);
	}
}

static struct batch_task *
batch_new(const char *target)
{
	struct batch_task *b = xcalloc(1, sizeof(*b));

	b->target = target != NULL ? xstrdup(target) : NULL;
	b->first_slot = INT64_MAX;
	b->last_slot = INT64_MIN;
	return b;
}

static void
batch_free(struct batch_task *b)
{
	news_fini(&b->news);
	free(b->target);
	free(b->cells);
	free(b);
}

static void
batch_end(struct writer_task *t)
{
	struct batch_task *b = (struct batch_task *)t;
	struct store *s = t->store;

	s->cells_queued -= b->n_cells;
	if (t->report.ok)
		store_batch_written(s, b->n_cells);
	else if (b->target != NULL)
		store_missed(s, b->target, b->first_slot);
	batch_free(b);
	store_resend(s);
}

static void
batch_post(struct store *s, struct batch_task *b)
{
	b->news = s->news;
	s->news = (struct store_news){ 0 };
	s->cells_queued += b->n_cells;
	store_post(s, &b->t, batch_work, batch_end);
}

void
store_send_news(struct store *s)
{
	if (s->status.state == STORE_OK && !news_is_empty(&s->news))
		batch_post(s, batch_new(NULL));
}

void
store_missed(struct store *s, const char *target, int64_t slot)
{
	struct store_target *st = store_target(s, target);

	st->resend_from = MIN(st->resend_from, slot);
	st->missed = true;
}

/* The lowest slot that changed, and about how many cells from there on. */
static int64_t
lowest_dirty(const struct target *t, int64_t *cells_r)
{
	int64_t lowest = INT64_MAX;
	void *v;

	*cells_r = 0;
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		const struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++) {
			const struct pair *p = ds->pairs[j];

			if (p->dirty_slot == INT64_MAX)
				continue;
			lowest = MIN(lowest, p->dirty_slot);
			*cells_r += p->ring->newest - p->dirty_slot + 1;
		}
	}
	return lowest;
}

static void
send_dirty(struct store *s, struct target *t)
{
	struct batch_task *b = batch_new(t->name);
	void *v;

	number_all(s, t); /* some may be new since the last status */
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			if (ds->pairs[j]->dirty_slot != INT64_MAX)
				add_pair(s, b, ds->pairs[j],
					 ds->pairs[j]->dirty_slot, INT64_MAX);
	}
	if (b->n_cells != 0)
		batch_post(s, b);
	else
		batch_free(b);
}

void
store_on_samples(void *arg, struct target *t)
{
	struct store *s = arg;
	struct store_target *st;
	int64_t lowest, n;

	if (s->conf.state_dir == NULL)
		return;
	lowest = lowest_dirty(t, &n);
	if (lowest == INT64_MAX)
		return;
	st = store_target(s, t->name);
	see_slots(s, st, lowest, newest_slot(t));
	if (s->status.state != STORE_OK ||
	    s->cells_queued > STORE_MAX_QUEUED_CELLS) {
		store_missed(s, t->name, lowest);
	} else if (n > PART_CELLS) {
		/* A back-fill: in parts, for the loop's sake. */
		st->resend_from = MIN(st->resend_from, lowest);
		store_resend(s);
	} else {
		send_dirty(s, t);
	}
}

/* ---- once more ---------------------------------------------------------- */

static size_t
count_pairs(const struct target *t)
{
	size_t n = 0;
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);)
		n += ((const struct datastore *)v)->n_pairs;
	return n;
}

/* The next slots of a target that are to be sent again. */
static void
resend_part(struct store *s, struct target *t, struct store_target *st)
{
	int64_t newest = newest_slot(t), oldest = newest - RING_SLOTS + 1;
	int64_t n = PART_CELLS / (int64_t)(count_pairs(t) + 1), to;
	struct batch_task *b;
	void *v;

	if (st->missed && st->resend_from < oldest) {
		news_add_gap(&s->news, t->name, st->resend_from, oldest - 1,
			     "the history could not be written");
		st->resend_from = oldest;
	}
	to = MIN(st->resend_from + MAX(n, 1) - 1, newest);
	b = batch_new(t->name);
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			if (ds->pairs[j]->ring != NULL)
				add_pair(s, b, ds->pairs[j], st->resend_from,
					 to);
	}
	st->resend_from = to < newest ? to + 1 : INT64_MAX;
	st->missed &= to < newest;
	if (b->n_cells != 0)
		batch_post(s, b);
	else
		batch_free(b);
}

void
store_resend_newer(struct store *s, const struct map *last_slots)
{
	for (size_t i = 0; i < s->site->n_targets; i++) {
		const struct target *t = s->site->targets[i];
		const int64_t *last = map_find_str(last_slots, t->name);
		int64_t newest = newest_slot(t);

		if (newest == INT64_MIN || (last != NULL && newest <= *last))
			continue;
		store_missed(s, t->name,
			     MAX(last != NULL ? *last + 1 : INT64_MIN,
				 newest - RING_SLOTS + 1));
	}
}

void
store_resend(struct store *s)
{
	if (s->status.state != STORE_OK || s->ending)
		return;
	for (size_t i = 0; i < s->site->n_targets; i++) {
		struct target *t = s->site->targets[i];
		struct store_target *st = store_target(s, t->name);

		if (st->resend_from == INT64_MAX || newest_slot(t) == INT64_MIN)
			continue;
		number_all(s, t);
		for (int n = 0;
		     n < PARTS_PER_TURN && st->resend_from != INT64_MAX &&
		     s->cells_queued <= PART_CELLS;
		     n++)
			resend_part(s, t, st);
		if (st->resend_from != INT64_MAX && s->cells_queued == 0)
			loop_timer_in_us(s->tick, 0); /* all were empty */
	}
}
