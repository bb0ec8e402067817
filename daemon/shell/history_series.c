#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "history_parts.h"

#define PIECES_PER_STEP 256 /* chunks or rows, some 50 us each */

/* A step under way. */
struct walk {
	struct history *h;
	struct history_series *s;
	struct err *e;
	const struct object *datastore, *host; /* host NULL: all */
	const struct object_pair **pairs;
	size_t n_pairs;
	struct history_part part;
	uint32_t series;
	enum history_tier tier;
	size_t pieces;
};

/* ---- from samples ---- */

/* The pairs' cells of an hour, slot by slot, into the bins. */
static void
add_slots(struct walk *w, int64_t hour, const uint32_t *ids,
	  const struct cell *cells, size_t n)
{
	const struct span *span = w->s->span;
	const struct threshold *t = history_threshold(w->s->ask, w->datastore);
	struct roll_cell *row = xcalloc(n, sizeof(*row));
	int64_t first = chunk_first_slot(hour);

	for (int64_t slot = MAX(first, span->first_slot);
	     slot < first + CHUNK_SLOTS && slot <= span_last_slot(span);
	     slot++) {
		size_t bin =
			(size_t)((slot - span->first_slot) / span->step_slots);

		for (size_t i = 0; i < n; i++)
			row[i] = (struct roll_cell){
				&cells[i * CHUNK_SLOTS +
				       (size_t)(slot - first)],
				ids[i],
			};
		roll_add_slot(&w->s->bins[bin], slot, row, n, t);
	}
	free(row);
}

static int
add_raw_hour(struct walk *w, int64_t hour)
{
	bool in_rings = chunk_first_slot(hour) >= w->part.rings_from;
	struct cell *cells = xcalloc(w->n_pairs, CHUNK_SLOTS * sizeof(*cells));
	uint32_t *ids = xcalloc(w->n_pairs, sizeof(*ids));
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < w->n_pairs; i++) {
		uint32_t id = w->pairs[i]->id;

		if (in_rings && history_is_live(w->s->ask, id))
			continue;
		rc = history_cells(w->h, w->s->live, id, hour,
				   cells + n * CHUNK_SLOTS, w->e);
		if (rc == 1)
			ids[n++] = id;
		w->pieces++;
	}
	if (rc >= 0 && n != 0)
		add_slots(w, hour, ids, cells, n);
	free(ids);
	free(cells);
	return rc < 0 ? -1 : 0;
}

/* ---- from bins ---- */

/* Is the hour the store's, and all of it in its bins? */
static bool
is_in_bins(const struct walk *w, int64_t hour)
{
	return chunk_first_slot(hour) < w->part.rings_from &&
		!history_live_has(w->h, w->s->live, hour, NULL);
}

/* n rolls of that length, from the slot on. */
static int
add_row(struct walk *w, int64_t time, int64_t slot, size_t n, int64_t length)
{
	const struct span *span = w->s->span;
	const uint8_t *p, *end;
	const struct history_at at = { w->tier, time, w->series };
	int rc = history_row(w->h, &at, &p, &end, w->e);

	w->pieces++;
	for (size_t i = 0; rc == 1 && i < n; i++, slot += length) {
		bool wanted = slot >= span->first_slot &&
			slot <= span_last_slot(span) &&
			is_in_bins(w, chunk_hour(slot));
		struct roll skipped, *into = &skipped;

		if (wanted)
			into = &w->s->bins[(slot - span->first_slot) /
					   span->step_slots];
		else
			roll_init(&skipped, NULL);
		if (!roll_decode_merge(&p, end, slot, into)) {
			w->h->damaged++;
			break;
		}
	}
	return rc < 0 ? -1 : 0;
}

/* One hour, or the day that begins with it. */
static int
add_hours(struct walk *w, int64_t hour, int64_t end)
{
	int rc = 0;

	if (w->tier == TIER_HOUR)
		rc = add_row(
			w, store_day(hour),
			chunk_first_slot(store_day(hour) * STORE_HOURS_PER_DAY),
			STORE_HOURS_PER_DAY, ROLL_HOUR_SLOTS);
	else if (w->tier == TIER_FIVE_MINUTES && is_in_bins(w, hour))
		rc = add_row(w, hour, chunk_first_slot(hour),
			     STORE_BINS_PER_HOUR, ROLL_5MIN_SLOTS);
	for (; rc == 0 && hour < end; hour++)
		if (w->tier == TIER_RAW || !is_in_bins(w, hour))
			rc = add_raw_hour(w, hour);
	return rc;
}

/* ---- the way through the hours ---- */

static bool
find_pairs(struct walk *w)
{
	const struct history_filter f = { NULL, w->datastore, w->host };

	w->pairs = xcalloc(w->h->n_pairs, sizeof(struct object_pair *));
	for (size_t i = 0; i < w->h->n_pairs; i++)
		if (history_filter_takes(&f, &w->h->pairs[i]))
			w->pairs[w->n_pairs++] = &w->h->pairs[i];
	if (w->n_pairs == 0)
		return false;
	w->series = w->host != NULL ? store_pair_series(w->pairs[0]->id)
				    : store_datastore_series(w->datastore->id);
	return true;
}

/* Reads what is needed all the way; the first hour to look at. */
static int
begin(struct walk *w)
{
	struct history_series *s = w->s;
	const struct history_filter f = { w->datastore->target, w->datastore,
					  w->host };
	struct history_hours hours = { chunk_hour(s->span->first_slot),
				       chunk_hour(span_last_slot(s->span)) };

	s->live = history_live_load(w->h, s->ask, &f, w->e);
	if (s->live == NULL ||
	    history_hours(w->h, s->live, TIER_RAW, w->tier, &hours, w->e) != 0)
		return -1;
	s->next_hour = hours.first;
	s->last_hour = hours.last;
	s->begun = true;
	return 0;
}

static int
walk_hours(struct walk *w)
{
	struct history_series *s = w->s;

	while (w->pieces < PIECES_PER_STEP) {
		int64_t hour = s->next_hour, end = hour + 1;

		if (hour > s->last_hour)
			return 1;
		if (w->tier == TIER_HOUR)
			end = (store_day(hour) + 1) * STORE_HOURS_PER_DAY;
		end = MIN(end, s->last_hour + 1);
		if (add_hours(w, hour, end) != 0)
			return -1;
		s->next_hour = end;
	}
	return 0;
}

int
history_series_step(struct history *h, struct history_series *s, struct err *e)
{
	struct walk w = { .h = h, .s = s, .e = e };
	int rc;

	if (s->span->n_bins == 0)
		return 1;
	if (history_refresh(h, e) != 0)
		return -1;
	w.datastore = history_find(h, STORE_DATASTORE, s->datastore_id);
	if (s->host_id != NULL)
		w.host = history_find(h, STORE_HOST, s->host_id);
	if (w.datastore == NULL || (s->host_id != NULL && w.host == NULL))
		return 1;
	w.part = history_part_of(s->ask, w.datastore->target);
	w.tier = s->span->step_slots % ROLL_HOUR_SLOTS == 0  ? TIER_HOUR
		: s->span->step_slots % ROLL_5MIN_SLOTS == 0 ? TIER_FIVE_MINUTES
							     : TIER_RAW;
	if (!find_pairs(&w))
		rc = 1;
	else if (!s->begun && begin(&w) != 0)
		rc = -1;
	else
		rc = walk_hours(&w);
	free(w.pairs);
	return rc;
}

void
history_series_end(struct history_series *s)
{
	history_live_free(&s->live);
}
