/*
 * GET /api/v1/groups and /api/v1/peaks: walks over every pair, a few per turn.
 */
#include <stdlib.h>

#include "dslat/mem.h"
#include "web/api.h"
#include "web/param.h"

#define PAIRS_PER_TURN 256
#define PEAKS_MAX 1000
#define PEAKS_FALLBACK 20

struct walk {
	uint32_t magic;
	struct web *web;
	struct scan *scan;
	struct time_range range;
	const char *by; /* groups only; from the uri, or constant */
	json_t *(*rows)(struct scan *scan);
};
#define WALK_MAGIC OBJ_MAGIC('w', 'a', 'l', 'k')

static json_t *
group_op_json(const struct group *g, enum op op)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
		{ "p50_ms", 0.5 },
		{ "p90_ms", 0.9 },
		{ "p95_ms", 0.95 },
		{ "p99_ms", 0.99 },
	};
	const struct roll_op *o = &g->roll.op[op];
	const struct pair *p = g->max_pair[op];
	json_t *v = json_object();

	json_object_set_new(v, "n", json_integer((json_int_t)o->busy_n));
	json_object_set_new(v, "ios", json_integer(o->weight));
	json_object_set_new(v, "mean_ms",
			    json_ms(o->busy_n != 0 ? roll_mean_us(o) : -1));
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		json_object_set_new(
			v, quantiles[i].key,
			json_ms(hist_quantile_us(o->hist, quantiles[i].q,
						 o->max_us)));
	json_object_set_new(v, "max_ms", json_ms(o->max_us));
	json_object_set_new(v, "max_t",
			    p != NULL ? api_slot_time(o->max_slot)
				      : json_null());
	json_object_set_new(v, "max_host",
			    json_text(p != NULL ? p->host->name : NULL));
	json_object_set_new(v, "max_host_id",
			    json_text(p != NULL ? p->host->id : NULL));
	json_object_set_new(v, "max_datastore",
			    json_text(p != NULL ? p->datastore->name : NULL));
	json_object_set_new(v, "max_datastore_id",
			    json_text(p != NULL ? p->datastore->id : NULL));
	json_object_set_new(v, "over_s",
			    json_integer((json_int_t)o->over_n * SLOT_S));
	json_object_set_new(v, "threshold_ms",
			    g->threshold_us[op] != INT64_MAX
				    ? json_ms(g->threshold_us[op])
				    : json_null());
	return v;
}

static json_t *
group_rows(struct scan *scan)
{
	const struct group *const *rows;
	json_t *v = json_array();
	size_t n;

	rows = scan_group_rows(scan, &n);
	for (size_t i = 0; i < n; i++) {
		json_t *row = json_object();

		json_object_set_new(row, "name", json_text(rows[i]->name));
		for (enum op op = 0; op < N_OPS; op++)
			json_object_set_new(row, op_name(op),
					    group_op_json(rows[i], op));
		json_array_append_new(v, row);
	}
	return v;
}

static json_t *
peak_json(const struct peak *pk)
{
	static const char *const breaches[] = { "none", "warning", "critical" };
	const struct datastore *ds = pk->pair->datastore;
	const struct host *h = pk->pair->host;
	json_t *v = json_object();

	json_object_set_new(v, "datastore", json_text(ds->id));
	json_object_set_new(v, "datastore_name", json_text(ds->name));
	json_object_set_new(v, "protocol",
			    json_string(protocol_name(ds->protocol)));
	json_object_set_new(v, "host", json_text(h->id));
	json_object_set_new(v, "host_name", json_text(h->name));
	json_object_set_new(v, "op", json_string(op_name(pk->op)));
	json_object_set_new(v, "t", api_slot_time(pk->slot));
	json_object_set_new(v, "ms", json_ms(pk->us));
	json_object_set_new(v, "ios",
			    pk->ios < 0 ? json_null() : json_integer(pk->ios));
	json_object_set_new(v, "iops",
			    pk->ios < 0 ? json_null()
					: json_num((double)pk->ios / SLOT_S));
	json_object_set_new(v, "sparse", json_boolean(pk->load == LOAD_SPARSE));
	json_object_set_new(v, "ios_unknown",
			    json_boolean(pk->load == LOAD_UNKNOWN));
	json_object_set_new(v, "breach", json_string(breaches[pk->breach]));
	json_object_set_new(v, "threshold_ms",
			    json_ms(ds->threshold.warning_us));
	return v;
}

static json_t *
peak_rows(struct scan *scan)
{
	const struct peak *rows;
	json_t *v = json_array();
	size_t n;

	rows = scan_peak_rows(scan, &n);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(v, peak_json(&rows[i]));
	return v;
}

static bool
step(void *arg, struct request *rq)
{
	struct walk *w = OBJ_CAST(struct walk, WALK_MAGIC, arg);
	json_t *v;

	if (!scan_step(w->scan, PAIRS_PER_TURN))
		return false;
	v = json_object();
	if (w->by != NULL)
		json_object_set_new(v, "by", json_text(w->by));
	json_object_set_new(v, "from", json_time(w->range.from));
	json_object_set_new(v, "to", json_time(w->range.to));
	json_object_set_new(v, "items", w->rows(w->scan));
	reply_json(&rq->reply, v);
	return true;
}

static void
walk_free(void *arg)
{
	struct walk *w = OBJ_CAST(struct walk, WALK_MAGIC, arg);

	scan_free(&w->scan);
	free(w);
}

static struct walk *
walk_new(struct web *web)
{
	struct walk *w = xcalloc(1, sizeof(*w));

	w->magic = WALK_MAGIC;
	w->web = web;
	return w;
}

/* "now-1h" is an hour by the clock of whoever stamped the samples. */
static void
start(struct walk *w, struct request *rq)
{
	scan_by_each_clock(w->scan, api_now(w->web, NULL),
			   w->range.from_is_relative, w->range.to_is_relative);
	rq->reply.job = (struct job){ step, walk_free, w };
}

void
api_groups(void *arg, struct request *rq)
{
	struct walk *w = walk_new(arg);
	enum group_by by;

	if (param_text(rq, "by", &w->by) != 0 ||
	    param_range(rq, api_now(w->web, NULL), &w->range) != 0) {
		walk_free(w);
		return;
	}
	if (w->by == NULL)
		w->by = "protocol";
	if (!group_by_from_name(w->by, &by)) {
		reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "by",
			      "by= is protocol, family, cluster or host, not "
			      "\"%s\"",
			      w->by);
		walk_free(w);
		return;
	}
	w->rows = group_rows;
	w->scan = scan_groups(w->web->site, by, w->range.from, w->range.to);
	start(w, rq);
}

void
api_peaks(void *arg, struct request *rq)
{
	static const struct param_int limit = { "limit", 1, PEAKS_MAX,
						PEAKS_FALLBACK };
	struct walk *w = walk_new(arg);
	int64_t n;

	if (param_int(rq, &limit, &n) != 0 ||
	    param_range(rq, api_now(w->web, NULL), &w->range) != 0) {
		walk_free(w);
		return;
	}
	w->rows = peak_rows;
	w->scan =
		scan_peaks(w->web->site, w->range.from, w->range.to, (size_t)n);
	start(w, rq);
}
