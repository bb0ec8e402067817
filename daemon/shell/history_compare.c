#include "history_parts.h"

#define CHECKS_PER_STEP 16384 /* pairs looked at, some 0.5 us each */
#define CHECKS_PER_PIECE 64   /* a chunk or row costs as much */

/* A step under way. */
struct walk {
	struct history *h;
	struct history_compare *q;
	struct err *e;
	const struct object_pair *pair;
	struct history_part part;
	size_t checks;
};

static bool
by_day(const struct history_compare *q)
{
	return q->step_slots == ROLL_HOUR_SLOTS;
}

/* Feed what follows as this pair's. */
static void
begin_pair(struct walk *w, const struct side_pair *sp)
{
	compare_pair(w->q->compare, w->q->side, sp,
		     history_threshold(w->q->ask, w->pair->datastore));
}

/* false: the pair is not of the side, by the names it had then. */
static bool
is_wanted(struct walk *w, int64_t slot, struct side_pair *sp_r)
{
	struct history_who who;

	w->checks++;
	if (!history_who(w->h, w->pair->id, slot, &who))
		return false;
	*sp_r = (struct side_pair){
		.target = who.target,
		.cluster = who.cluster,
		.datastore = who.datastore_id,
		.datastore_name = who.datastore,
		.host = who.host_id,
		.host_name = who.host,
		.protocol = who.protocol,
	};
	return compare_takes(w->q->compare, w->q->side, sp_r);
}

/* ---- from samples ---- */

static int
add_raw_hour(struct walk *w, const struct side_pair *sp, int64_t hour)
{
	int64_t first = chunk_first_slot(hour);
	struct cell cells[CHUNK_SLOTS];
	int rc;

	if (first >= w->part.rings_from &&
	    history_is_live(w->q->ask, w->pair->id))
		return 0;
	w->checks += CHECKS_PER_PIECE;
	rc = history_cells(w->h, w->q->live, w->pair->id, hour, cells, w->e);
	if (rc != 1)
		return rc;
	begin_pair(w, sp);
	for (int64_t slot = MAX(first, w->part.first);
	     slot < first + CHUNK_SLOTS && slot <= w->part.last; slot++)
		compare_cell(w->q->compare, w->q->side, slot,
			     &cells[slot - first]);
	return 0;
}

/* Is the hour the store's, and all of it in its bins? */
static bool
is_in_bins(const struct walk *w, int64_t hour)
{
	return chunk_first_slot(hour) < w->part.rings_from &&
		!history_live_has_pair(w->q->live, hour, w->pair->id);
}

/* ---- from bins ---- */

/* The rolls of a row, the first of which begins with that slot. */
static int
add_row(struct walk *w, int64_t time, int64_t slot, size_t n)
{
	enum history_tier tier = by_day(w->q) ? TIER_HOUR : TIER_FIVE_MINUTES;
	int64_t length = w->q->step_slots;
	const uint8_t *p, *end;
	const struct history_at at = { tier, time,
				       store_pair_series(w->pair->id) };
	int rc = history_row(w->h, &at, &p, &end, w->e);

	w->checks += CHECKS_PER_PIECE;
	if (rc != 1)
		return rc;
	for (size_t i = 0; i < n; i++, slot += length) {
		struct side_pair sp;
		struct hist hists[N_OPS] = { 0 };
		struct roll roll;

		roll_init(&roll, hists);
		if (!roll_decode_merge(&p, end, slot, &roll)) {
			w->h->damaged++;
			break;
		}
		if (slot < w->part.first || slot > w->part.last ||
		    !is_in_bins(w, chunk_hour(slot)) ||
		    !is_wanted(w, slot, &sp))
			continue;
		begin_pair(w, &sp);
		compare_roll(w->q->compare, w->q->side, slot + length - 1,
			     &roll);
	}
	return 0;
}

/* ---- the way ---- */

static int
add_hour(struct walk *w, int64_t hour)
{
	int64_t slot = chunk_first_slot(hour);
	struct side_pair sp;

	if (slot > w->part.last || slot + CHUNK_SLOTS <= w->part.first ||
	    !is_wanted(w, slot, &sp))
		return 0;
	if (w->q->step_slots == 1 || !is_in_bins(w, hour))
		return add_raw_hour(w, &sp, hour);
	return add_row(w, hour, slot, STORE_BINS_PER_HOUR);
}

static int
add_day(struct walk *w, int64_t day)
{
	int64_t hour = day * STORE_HOURS_PER_DAY;
	int64_t end = hour + STORE_HOURS_PER_DAY;
	int64_t first = chunk_first_slot(hour);
	int64_t last = chunk_first_slot(end) - 1;
	struct side_pair sp;

	if ((is_wanted(w, first, &sp) || is_wanted(w, last, &sp)) &&
	    add_row(w, day, first, STORE_HOURS_PER_DAY) != 0)
		return -1;
	for (; hour < end; hour++)
		if (!is_in_bins(w, hour) && add_hour(w, hour) != 0)
			return -1;
	return 0;
}

static int
begin(struct walk *w)
{
	const struct history_filter all = { NULL, NULL, NULL };
	struct history_compare *q = w->q;
	struct history_hours hours = history_asked(q->ask);

	q->live = history_live_load(w->h, q->ask, &all, w->e);
	if (q->live == NULL ||
	    history_hours(w->h, q->live, TIER_RAW, TIER_HOUR, &hours, w->e) !=
		    0)
		return -1;
	q->next_time = hours.first;
	q->last_time = hours.last;
	if (by_day(q)) {
		q->last_time = store_day(q->last_time);
		q->next_time = store_day(q->next_time);
	}
	q->begun = true;
	return 0;
}

int
history_compare_step(struct history *h, struct history_compare *q,
		     struct err *e)
{
	struct walk w = { .h = h, .q = q, .e = e };

	if (history_refresh(h, e) != 0 || (!q->begun && begin(&w) != 0))
		return -1;
	for (; q->next_time <= q->last_time; q->next_time++) {
		while (q->next_pair < h->n_pairs) {
			if (w.checks >= CHECKS_PER_STEP)
				return 0;
			w.pair = &h->pairs[q->next_pair++];
			w.part = history_part_of(q->ask,
						 w.pair->datastore->target);
			if ((by_day(q) ? add_day(&w, q->next_time)
				       : add_hour(&w, q->next_time)) != 0)
				return -1;
		}
		q->next_pair = 0;
	}
	return 1;
}

void
history_compare_end(struct history_compare *q)
{
	history_live_free(&q->live);
}
