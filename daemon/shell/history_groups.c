#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "history_parts.h"

#define PIECES_PER_STEP 256 /* chunks or rows, some 50 us each */

/* A series for a day: a datastore where the group is one of datastores, else a
 * pair. */
struct walk {
	struct history *h;
	struct history_groups *g;
	struct err *e;
	const struct object *datastore;
	const struct object_pair *pair; /* NULL: all of the datastore */
	struct history_part part;
	int64_t first_hour, last_hour; /* of the day, inside the question */
	size_t pieces;
};

static bool
by_datastore(enum group_by by)
{
	return by == GROUP_PROTOCOL || by == GROUP_FAMILY;
}

static const char *
group_name(const struct walk *w, int64_t slot)
{
	const struct object *o = w->pair != NULL ? w->pair->host : w->datastore;
	const struct object_name *n = object_name_at(o, slot);
	const char *s = NULL;

	if (n == NULL)
		return "";
	switch (w->g->by) {
	case GROUP_PROTOCOL:
		return protocol_name(n->protocol);
	case GROUP_FAMILY:
		return protocol_family(n->protocol);
	case GROUP_CLUSTER:
		s = n->cluster;
		break;
	case GROUP_HOST:
		s = n->name;
		break;
	}
	return s != NULL ? s : "";
}

static struct history_group *
group_at(const struct walk *w, int64_t slot)
{
	const char *name = group_name(w, slot);
	struct history_group *g = map_find_str(w->g->groups, name);

	if (g != NULL)
		return g;
	g = xcalloc(1, sizeof(*g));
	g->name = xstrdup(name);
	roll_init(&g->roll, g->hists);
	for (enum op op = 0; op < N_OPS; op++)
		g->threshold_us[op] = INT64_MAX;
	map_set(w->g->groups, name, g);
	return g;
}

/* A group's roll before something is added, and what follows from it. */
struct adding {
	struct history_group *group;
	uint64_t n[N_OPS];
};

static struct adding
adding_begin(const struct walk *w, int64_t slot)
{
	struct adding a = { .group = group_at(w, slot) };

	for (enum op op = 0; op < N_OPS; op++)
		a.n[op] = a.group->roll.op[op].n;
	return a;
}

static void
adding_end(const struct walk *w, struct adding *a)
{
	int64_t warning_us =
		history_threshold(w->g->ask, w->datastore)->warning_us;

	for (enum op op = 0; op < N_OPS; op++)
		if (a->group->roll.op[op].n != a->n[op])
			a->group->threshold_us[op] =
				MIN(a->group->threshold_us[op], warning_us);
}

/* ---- from samples ---- */

static void
add_cells(struct walk *w, uint32_t pair, int64_t hour, const struct cell *cells)
{
	const struct threshold *t = history_threshold(w->g->ask, w->datastore);
	int64_t first = chunk_first_slot(hour);
	struct adding a = adding_begin(w, first);

	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		int64_t slot = first + (int64_t)i;
		struct roll_cell rc = { &cells[i], pair };

		if (slot >= w->part.first && slot <= w->part.last)
			roll_add_slot(&a.group->roll, slot, &rc, 1, t);
	}
	adding_end(w, &a);
}

/* 1: there were some; 0: none. */
static int
add_raw_hour(struct walk *w, int64_t hour)
{
	const struct history_filter f = { NULL, w->datastore, NULL };
	bool in_rings = chunk_first_slot(hour) >= w->part.rings_from;
	struct cell cells[CHUNK_SLOTS];
	bool any = false;
	const struct object_pair *p = w->h->pairs, *end = p + w->h->n_pairs;

	if (w->pair != NULL) {
		p = w->pair;
		end = p + 1;
	}
	for (; p < end; p++) {
		int rc;

		if (!history_filter_takes(&f, p) ||
		    (in_rings && history_is_live(w->g->ask, p->id)))
			continue;
		rc = history_cells(w->h, w->g->live, p->id, hour, cells, w->e);
		if (rc < 0)
			return -1;
		w->pieces++;
		if (rc == 1)
			add_cells(w, p->id, hour, cells);
		any |= rc == 1;
	}
	return any;
}

/* ---- from bins ---- */

static uint32_t
series_of(const struct walk *w)
{
	return w->pair != NULL ? store_pair_series(w->pair->id)
			       : store_datastore_series(w->datastore->id);
}

static bool
add_roll(struct walk *w, const uint8_t **p, const uint8_t *end, int64_t slot,
	 bool wanted)
{
	struct roll skipped;
	struct adding a;
	bool ok;

	if (!wanted) {
		roll_init(&skipped, NULL);
		ok = roll_decode_merge(p, end, slot, &skipped);
	} else {
		a = adding_begin(w, slot);
		ok = roll_decode_merge(p, end, slot, &a.group->roll);
		adding_end(w, &a);
	}
	w->h->damaged += !ok;
	return ok;
}

/* Bins of five minutes that the question touches. */
static int
add_five_minutes(struct walk *w, int64_t hour)
{
	int64_t slot = chunk_first_slot(hour);
	const uint8_t *p, *end;
	const struct history_at at = { TIER_FIVE_MINUTES, hour, series_of(w) };
	int rc = history_row(w->h, &at, &p, &end, w->e);

	w->pieces++;
	for (size_t i = 0; rc == 1 && i < STORE_BINS_PER_HOUR; i++) {
		bool wanted = slot + ROLL_5MIN_SLOTS > w->part.first &&
			slot <= w->part.last;

		if (!add_roll(w, &p, end, slot, wanted))
			break;
		slot += ROLL_5MIN_SLOTS;
	}
	return rc;
}

/* hours: bit n is set when hour n of the day is to come from its bin. */
static int
add_day(struct walk *w, int64_t day, uint32_t hours)
{
	const struct history_at at = { TIER_HOUR, day, series_of(w) };
	int64_t slot = chunk_first_slot(day * STORE_HOURS_PER_DAY);
	const uint8_t *p, *end;
	int rc;

	if (hours == 0)
		return 0;
	rc = history_row(w->h, &at, &p, &end, w->e);
	w->pieces++;
	for (size_t i = 0; rc == 1 && i < STORE_HOURS_PER_DAY; i++) {
		if (!add_roll(w, &p, end, slot, (hours & 1u << i) != 0))
			break;
		slot += ROLL_HOUR_SLOTS;
	}
	return rc;
}

/* ---- the way ---- */

/* An hour that is not wholly asked for: as fine as it is kept.  1: done. */
static int
add_part_of_hour(struct walk *w, int64_t hour)
{
	int rc = add_raw_hour(w, hour);

	return rc == 0 ? add_five_minutes(w, hour) : rc;
}

static int
add_series(struct walk *w, int64_t day)
{
	uint32_t hours = 0;

	for (int64_t hour = w->first_hour; hour <= w->last_hour; hour++) {
		int64_t first = chunk_first_slot(hour);
		int rc = 0;

		if (first >= w->part.rings_from ||
		    history_live_has(w->h, w->g->live, hour, w->datastore)) {
			if (add_raw_hour(w, hour) < 0)
				return -1;
			continue;
		}
		if (first < w->part.first ||
		    first + CHUNK_SLOTS - 1 > w->part.last)
			rc = add_part_of_hour(w, hour);
		if (rc < 0)
			return -1;
		if (rc == 0)
			hours |= 1u << (hour - day * STORE_HOURS_PER_DAY);
	}
	return add_day(w, day, hours) < 0 ? -1 : 0;
}

static int
begin(struct history *h, struct history_groups *g, struct err *e)
{
	const struct history_filter all = { NULL, NULL, NULL };
	struct history_hours hours = history_asked(g->ask);

	g->live = history_live_load(h, g->ask, &all, e);
	if (g->live == NULL ||
	    history_hours(h, g->live, TIER_RAW, TIER_HOUR, &hours, e) != 0)
		return -1;
	g->groups = map_new();
	g->next_day = store_day(hours.first);
	g->last_day = store_day(hours.last);
	g->last_hour = hours.last;
	g->begun = true;
	return 0;
}

/* The series of that number; false: it is none of those that count. */
static bool
take_series(struct walk *w, size_t i, int64_t day)
{
	if (by_datastore(w->g->by)) {
		w->datastore = &w->h->objects[i];
		w->pair = NULL;
		if (w->datastore->kind != STORE_DATASTORE)
			return false;
	} else {
		w->pair = &w->h->pairs[i];
		w->datastore = w->pair->datastore;
	}
	w->part = history_part_of(w->g->ask, w->datastore->target);
	w->first_hour =
		MAX(day * STORE_HOURS_PER_DAY, chunk_hour(w->part.first));
	w->last_hour = MIN((day + 1) * STORE_HOURS_PER_DAY - 1,
			   MIN(chunk_hour(w->part.last), w->g->last_hour));
	return w->first_hour <= w->last_hour;
}

void
history_names_fini(struct history_names *n)
{
	free(n->datastore_id);
	free(n->datastore);
	free(n->host_id);
	free(n->host);
	*n = (struct history_names){ 0 };
}

struct history_names
history_names_of(struct history *h, uint32_t pair, int64_t slot)
{
	struct history_names n = { 0 };
	struct history_who who;

	if (!history_who(h, pair, slot, &who))
		return n;
	xstrset(&n.datastore_id, who.datastore_id);
	xstrset(&n.datastore, who.datastore);
	xstrset(&n.host_id, who.host_id);
	xstrset(&n.host, who.host);
	n.protocol = who.protocol;
	return n;
}

static void
fill_names(struct history *h, struct history_groups *g)
{
	void *v;

	for (size_t i = 0; map_next(g->groups, &i, NULL, &v);) {
		struct history_group *row = v;

		for (enum op op = 0; op < N_OPS; op++)
			if (row->roll.op[op].busy_n != 0)
				row->max[op] = history_names_of(
					h, row->roll.op[op].max_pair,
					row->roll.op[op].max_slot);
	}
}

int
history_groups_step(struct history *h, struct history_groups *g, struct err *e)
{
	struct walk w = { .h = h, .g = g, .e = e };

	if (history_refresh(h, e) != 0 || (!g->begun && begin(h, g, e) != 0))
		return -1;
	for (; g->next_day <= g->last_day; g->next_day++) {
		size_t n = by_datastore(g->by) ? h->n_objects : h->n_pairs;

		while (g->next_series < n) {
			if (w.pieces >= PIECES_PER_STEP)
				return 0;
			if (take_series(&w, g->next_series++, g->next_day) &&
			    add_series(&w, g->next_day) != 0)
				return -1;
		}
		g->next_series = 0;
	}
	fill_names(h, g);
	return 1;
}

void
history_groups_end(struct history_groups *g)
{
	void *v;

	history_live_free(&g->live);
	if (g->groups == NULL)
		return;
	for (size_t i = 0; map_next(g->groups, &i, NULL, &v);) {
		struct history_group *row = v;

		for (enum op op = 0; op < N_OPS; op++)
			history_names_fini(&row->max[op]);
		free(row->name);
		free(row);
	}
	map_free(&g->groups);
}
