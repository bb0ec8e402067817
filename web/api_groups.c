/*
 * GET /api/v1/groups: every sample of a span, by what it belongs to.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/walk.h"

struct groups {
	struct walk walk; /* first */
	const char *by;   /* from the uri, or constant */
	enum group_by group_by;
	struct map *rows; /* name -> struct history_group */
};

/* ---- the two halves ---- */

static void
row_free(struct history_group *g)
{
	for (enum op op = 0; op < N_OPS; op++)
		history_names_fini(&g->max[op]);
	free(g->name);
	free(g);
}

static void
clear_rows(struct groups *g)
{
	void *v;

	if (g->rows == NULL)
		return;
	for (size_t i = 0; map_next(g->rows, &i, NULL, &v);)
		row_free(v);
	map_free(&g->rows);
}

/* Takes the row: as it is, or into the one of that name. */
static void
take_row(struct groups *g, struct history_group *row)
{
	struct history_group *into = map_find_str(g->rows, row->name);

	if (into == NULL) {
		map_set(g->rows, row->name, row);
		return;
	}
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *a = &into->roll.op[op];
		const struct roll_op *b = &row->roll.op[op];
		bool is_worse = b->max_us != a->max_us
			? b->max_us > a->max_us
			: b->max_slot > a->max_slot;

		into->threshold_us[op] =
			MIN(into->threshold_us[op], row->threshold_us[op]);
		if (is_worse) {
			struct history_names kept = into->max[op];

			into->max[op] = row->max[op];
			row->max[op] = kept;
		}
	}
	roll_merge(&into->roll, &row->roll);
	row_free(row);
}

static struct scan *
scan_rings(struct walk *w)
{
	struct groups *g = (struct groups *)w;

	return scan_groups(w->web->site, g->group_by, w->range.from,
			   w->range.to);
}

static struct history_group *
copy_row(const struct group *from)
{
	struct history_group *row = xcalloc(1, sizeof(*row));

	row->name = xstrdup(from->name);
	row->roll = from->roll;
	memcpy(row->hists, from->hists, sizeof(row->hists));
	for (enum op op = 0; op < N_OPS; op++) {
		row->roll.op[op].hist = &row->hists[op];
		row->threshold_us[op] = from->threshold_us[op];
		row->max[op] = walk_names(from->max_pair[op]);
	}
	return row;
}

static void
take_rings(struct walk *w, struct scan *s)
{
	struct groups *g = (struct groups *)w;
	const struct group *const *rows;
	size_t n;

	clear_rows(g);
	g->rows = map_new();
	rows = scan_group_rows(s, &n);
	for (size_t i = 0; i < n; i++)
		take_row(g, copy_row(rows[i]));
}

static void *
past_new(struct walk *w, struct history_ask *ask)
{
	struct history_groups *past = xcalloc(1, sizeof(*past));

	past->ask = ask;
	past->by = ((struct groups *)w)->group_by;
	return past;
}

static int
past_step(void *arg, struct history *h, struct err *e)
{
	return history_groups_step(h, arg, e);
}

static void
past_free(void *arg)
{
	struct history_groups *past = arg;

	history_groups_end(past);
	history_ask_free(&past->ask);
	free(past);
}

static void
take_past(struct walk *w, void *arg)
{
	struct history_groups *past = arg;
	void *v;

	for (size_t i = 0; map_next(past->groups, &i, NULL, &v);)
		take_row((struct groups *)w, v);
	map_free(&past->groups);
}

/* ---- the answer ---- */

static void
set_names(json_t *v, const struct history_names *n)
{
	json_object_set_new(v, "max_host", json_text(n->host));
	json_object_set_new(v, "max_host_id", json_text(n->host_id));
	json_object_set_new(v, "max_datastore", json_text(n->datastore));
	json_object_set_new(v, "max_datastore_id", json_text(n->datastore_id));
}

static json_t *
op_json(const struct history_group *g, enum op op)
{
	const struct roll_op *o = &g->roll.op[op];
	json_t *v = json_object();

	api_set_roll(v, o);
	set_names(v, &g->max[op]);
	json_object_set_new(v, "threshold_ms",
			    g->threshold_us[op] != INT64_MAX
				    ? json_ms(g->threshold_us[op])
				    : json_null());
	return v;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(const struct history_group *const *)a)->name,
		      (*(const struct history_group *const *)b)->name);
}

static json_t *
items(const struct groups *g)
{
	const struct history_group **rows =
		xcalloc(map_count(g->rows), sizeof(struct history_group *));
	json_t *list = json_array();
	size_t n = 0;
	void *v;

	for (size_t i = 0; map_next(g->rows, &i, NULL, &v);)
		rows[n++] = v;
	if (n != 0)
		qsort(rows, n, sizeof(struct history_group *), by_name);
	for (size_t i = 0; i < n; i++) {
		json_t *row = json_object();

		json_object_set_new(row, "name", json_text(rows[i]->name));
		for (enum op op = 0; op < N_OPS; op++)
			json_object_set_new(row, op_name(op),
					    op_json(rows[i], op));
		json_array_append_new(list, row);
	}
	free(rows);
	return list;
}

static void
reply(struct walk *w, struct request *rq)
{
	struct groups *g = (struct groups *)w;
	json_t *v = json_object();

	json_object_set_new(v, "by", json_text(g->by));
	json_object_set_new(v, "from", json_time(w->range.from));
	json_object_set_new(v, "to", json_time(w->range.to));
	json_object_set_new(v, "partial", json_text(w->trouble));
	json_object_set_new(v, "items", items(g));
	reply_json(&rq->reply, v);
}

static void
groups_free(struct walk *w)
{
	struct groups *g = (struct groups *)w;

	clear_rows(g);
	free(g);
}

static const struct walk_ops ops = {
	.scan = scan_rings,
	.take_rings = take_rings,
	.past_new = past_new,
	.past = { past_step, past_free },
	.take_past = take_past,
	.reply = reply,
	.free = groups_free,
};

void
api_groups(void *arg, struct request *rq)
{
	struct web *web = arg;
	struct groups *g = xcalloc(1, sizeof(*g));

	g->walk.ops = &ops;
	if (param_text(rq, "by", &g->by) != 0 ||
	    param_range(rq, api_now(web, NULL), &g->walk.range) != 0) {
		free(g);
		return;
	}
	if (g->by == NULL)
		g->by = "protocol";
	if (!group_by_from_name(g->by, &g->group_by)) {
		reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "by",
			      "by= is protocol, family, cluster or host, not "
			      "\"%s\"",
			      g->by);
		free(g);
		return;
	}
	walk_start(&g->walk, web, rq);
}
