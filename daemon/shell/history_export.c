#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "history_parts.h"

#define PIECES_PER_STEP 256 /* chunks, some 50 us each */
#define PIECE_BYTES ((size_t)256 << 10)
#define PREFIX_MAX_BYTES ((size_t)64 << 10)

struct walk {
	struct history *h;
	struct history_export *x;
	struct err *e;
	size_t pieces;
};

/* ---- who ---- */

/* The id is one of the list, or the list is empty; which one is marked. */
static bool
takes(char *const *ids, size_t n, bool *found, const char *id)
{
	bool any = n == 0;

	for (size_t i = 0; i < n; i++)
		if (id != NULL && strcmp(ids[i], id) == 0)
			any = found[i] = true;
	return any;
}

/* Bit n: pair n is in the list. */
static uint8_t *
listed_pairs(const struct walk *w)
{
	const struct history_export *x = w->x;
	uint32_t most =
		w->h->n_pairs != 0 ? w->h->pairs[w->h->n_pairs - 1].id : 0;
	uint8_t *bits = xcalloc(most / 8 + 1, 1);

	for (size_t i = 0; i < x->n_rows; i++)
		if (x->rows[i].pair <= most)
			bits[x->rows[i].pair / 8] |=
				(uint8_t)(1u << x->rows[i].pair % 8);
	return bits;
}

static void
add_row(struct history_export *x, const struct object_pair *p,
	const struct object_name *ds, const struct object_name *host)
{
	struct history_export_row *row;

	x->rows = xgrow(x->rows, x->n_rows, sizeof(*row));
	row = &x->rows[x->n_rows++];
	*row = (struct history_export_row){
		.pair = p->id,
		.target = xstrdup(p->datastore->target),
		.datastore_id = xstrdup(ds->id),
		.host_id = xstrdup(host->id),
	};
}

/* What is not in the inventory any more. */
static void
list_rows(struct walk *w)
{
	struct history_export *x = w->x;
	uint8_t *listed = listed_pairs(w);

	for (size_t i = 0; i < w->h->n_pairs; i++) {
		const struct object_pair *p = &w->h->pairs[i];
		const struct object_name *ds =
			object_name_at(p->datastore, INT64_MAX);
		const struct object_name *host =
			object_name_at(p->host, INT64_MAX);
		bool takes_ds, takes_host;

		if (ds == NULL || host == NULL || ds->id == NULL ||
		    host->id == NULL)
			continue;
		takes_ds = takes(x->datastores, x->n_datastores,
				 x->datastore_found, ds->id);
		takes_host =
			takes(x->hosts, x->n_hosts, x->host_found, host->id);
		if (takes_ds && takes_host &&
		    (listed[p->id / 8] & 1u << p->id % 8) == 0)
			add_row(x, p, ds, host);
	}
	free(listed);
	x->listed = true;
}

/* ---- text ---- */

static void
add_hour(struct walk *w, const struct history_export_row *row, int64_t hour,
	 const struct cell *cells)
{
	struct history_export *x = w->x;
	struct history_part part = history_part_of(x->ask, row->target);
	int64_t first = chunk_first_slot(hour);
	int64_t from = part.first, before = part.last + 1;
	struct history_who who;
	struct buf prefix;

	if (x->hours_done) {
		from = MAX(from, x->from_slot);
		before = MIN(before, x->before_slot);
	}
	buf_init(&prefix, PREFIX_MAX_BYTES);
	if (x->prefix != NULL) {
		buf_adds(&prefix, x->prefix);
	} else {
		history_who(w->h, row->pair,
			    x->format == FORMAT_OPENMETRICS ? INT64_MAX : first,
			    &who);
		format_prefix(x->format, x->family,
			      &(struct format_who){
				      .target = who.target,
				      .datacenter = who.datacenter,
				      .cluster = who.cluster,
				      .host = who.host,
				      .host_id = who.host_id,
				      .datastore = who.datastore,
				      .datastore_id = who.datastore_id,
				      .protocol = who.protocol,
			      },
			      &prefix);
	}
	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		int64_t slot = first + (int64_t)i;

		if (slot >= from && slot < before)
			format_cell(x->format, x->family, &prefix, slot,
				    &cells[i], &x->out);
	}
	buf_fini(&prefix);
}

static int
export_hour(struct walk *w, const struct history_export_row *row, int64_t hour)
{
	struct cell cells[CHUNK_SLOTS];
	int rc;

	if (row->pair == 0)
		return 0;
	w->pieces++;
	rc = history_cells(w->h, w->x->live, row->pair, hour, cells, w->e);
	if (rc == 1)
		add_hour(w, row, hour, cells);
	return rc < 0 ? -1 : 0;
}

static bool
has_enough(const struct walk *w)
{
	return w->x->out.len >= PIECE_BYTES || w->pieces >= PIECES_PER_STEP;
}

/* ---- the way ---- */

static int
load_live(struct walk *w, const struct history_filter *f)
{
	history_live_free(&w->x->live);
	w->x->live = history_live_load(w->h, w->x->ask, f, w->e);
	return w->x->live != NULL ? 0 : -1;
}

static int
begin(struct walk *w)
{
	const struct history_filter all = { NULL, NULL, NULL };
	struct history_hours hours = history_asked(w->x->ask);

	list_rows(w);
	if (load_live(w, &all) != 0 ||
	    history_hours(w->h, w->x->live, TIER_RAW, TIER_RAW, &hours, w->e) !=
		    0)
		return -1;
	w->x->next_hour = hours.first;
	w->x->hours_end = MIN(w->x->hours_end, hours.last + 1);
	return 0;
}

static int
export_hours(struct walk *w)
{
	struct history_export *x = w->x;

	for (; x->next_hour < x->hours_end; x->next_hour++) {
		while (x->next_row < x->n_rows) {
			if (has_enough(w))
				return 0;
			if (export_hour(w, &x->rows[x->next_row++],
					x->next_hour) != 0)
				return -1;
		}
		x->next_row = 0;
	}
	x->hours_done = true;
	return 1;
}

static int
begin_row(struct walk *w, const struct history_export_row *row)
{
	struct history_export *x = w->x;
	const struct object_pair *p = history_pair(w->h, row->pair);
	struct history_filter f = { row->target, NULL, NULL };
	struct history_part part = history_part_of(x->ask, row->target);
	struct history_hours hours;
	int64_t last;

	if (p != NULL) {
		f.datastore = p->datastore;
		f.host = p->host;
	}
	/* What its ring has now is asked of nobody else. */
	for (size_t i = 0; i < x->ask->n_parts; i++)
		if (strcmp(x->ask->parts[i].target, row->target) == 0)
			x->ask->parts[i].rings_from = x->before_slot;
	last = x->before_slot != INT64_MAX ? MIN(part.last, x->before_slot - 1)
					   : part.last;
	hours.first = chunk_hour(MAX(part.first, x->from_slot));
	hours.last = chunk_hour(last);
	if (load_live(w, &f) != 0 ||
	    history_hours(w->h, x->live, TIER_RAW, TIER_RAW, &hours, w->e) != 0)
		return -1;
	x->row_hour = hours.first;
	x->row_last_hour = hours.last;
	x->row_begun = true;
	return 0;
}

static int
export_row(struct walk *w)
{
	struct history_export *x = w->x;
	const struct history_export_row *row = &x->rows[x->row];

	if (!x->row_begun && begin_row(w, row) != 0)
		return -1;
	for (; x->row_hour <= x->row_last_hour; x->row_hour++) {
		if (has_enough(w))
			return 0;
		if (export_hour(w, row, x->row_hour) != 0)
			return -1;
	}
	x->row_done = true;
	x->row_begun = false;
	return 1;
}

int
history_export_step(struct history *h, struct history_export *x, struct err *e)
{
	struct walk w = { .h = h, .x = x, .e = e };
	bool first = !x->listed;
	int rc;

	if (history_refresh(h, e) != 0 || (first && begin(&w) != 0))
		return -1;
	if (first && x->hours_done)
		return 1;
	rc = x->hours_done ? export_row(&w) : export_hours(&w);
	if (x->out.full)
		return err_set(e, ERR_LIMIT,
			       "a piece of the export is too long");
	return rc == 0 && x->out.len != 0 ? 1 : rc;
}

void
history_export_end(struct history_export *x)
{
	for (size_t i = 0; i < x->n_rows; i++) {
		free(x->rows[i].target);
		free(x->rows[i].datastore_id);
		free(x->rows[i].host_id);
	}
	for (size_t i = 0; i < x->n_datastores; i++)
		free(x->datastores[i]);
	for (size_t i = 0; i < x->n_hosts; i++)
		free(x->hosts[i]);
	free(x->datastores);
	free(x->hosts);
	free(x->datastore_found);
	free(x->host_found);
	free(x->rows);
	buf_fini(&x->out);
	history_live_free(&x->live);
}
