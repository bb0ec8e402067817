/*
 * GET /api/v1/series: columns over time, one metric of one series per turn.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/mem.h"
#include "web/api.h"
#include "web/param.h"
#include "web/series_row.h"

#define MAX_SERIES 64
#define POINTS_MAX 10000
#define POINTS_FALLBACK 2000

struct series {
	uint32_t magic;
	struct web *web;
	const char *datastores[MAX_SERIES],
		*hosts[MAX_SERIES];   /* ids, in uri */
	size_t n_datastores, n_hosts; /* no hosts: over all of them */
	enum metric metrics[N_METRICS];
	size_t n_metrics;
	struct span span;
	struct json_rows rows; /* into the reply's body; .n of n_series() */
	struct series_row row; /* all metrics of a datastore or pair */
	bool has_row;          /* it is ready */
	char *partial;         /* why not all is there, or NULL */
	struct bin *bins;      /* of one metric */
};
#define SERIES_MAGIC OBJ_MAGIC('s', 'e', 'r', 'i')

static size_t
n_series(const struct series *s)
{
	return s->n_datastores * MAX(s->n_hosts, 1) * s->n_metrics;
}

/* ---- parameters ---- */

static void
reply_unknown_metric(struct request *rq, const char *name, const char *word)
{
	struct buf known;

	buf_init(&known, 1024);
	for (enum metric m = 0; m < N_METRICS; m++)
		buf_addf(&known, "%s%s", m != 0 ? ", " : "", metric_name(m));
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, name,
		      "there is no metric \"%s\"; the metrics are %s", word,
		      buf_str(&known));
	buf_fini(&known);
}

static int
add_metric(void *arg, struct request *rq, const char *name, const char *word)
{
	struct series *s = OBJ_CAST(struct series, SERIES_MAGIC, arg);
	enum metric m;

	if (!metric_from_name(word, strlen(word), &m)) {
		reply_unknown_metric(rq, name, word);
		return -1;
	}
	for (size_t i = 0; i < s->n_metrics; i++)
		if (s->metrics[i] == m)
			return 0;
	s->metrics[s->n_metrics++] = m;
	return 0;
}

static int
too_many(struct request *rq)
{
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "datastore",
		      "one answer holds %d series (datastores x hosts x "
		      "metrics); ask in several requests",
		      MAX_SERIES);
	return -1;
}

/* Ids may hold commas: they are repeated, not listed. */
static int
read_ids(struct series *s, struct request *rq)
{
	for (size_t i = 0; i < rq->uri.n_params; i++) {
		const struct uri_param *p = &rq->uri.params[i];
		bool is_host = strcmp(p->name, "host") == 0;
		const char **ids = is_host ? s->hosts : s->datastores;
		size_t *n = is_host ? &s->n_hosts : &s->n_datastores;

		if (!is_host && strcmp(p->name, "datastore") != 0)
			continue;
		if (*n == MAX_SERIES)
			return too_many(rq);
		ids[(*n)++] = p->value;
	}
	return 0;
}

static int
check_ids(const struct series *s, struct request *rq)
{
	if (s->n_datastores == 0) {
		reply_problem(&rq->reply, PROBLEM_MISSING_PARAMETER,
			      "datastore",
			      "datastore= is missing; /api/v1/datastores lists "
			      "the ids");
		return -1;
	}
	if (n_series(s) > MAX_SERIES)
		return too_many(rq);
	if (api_has_store(s->web))
		return 0; /* it may know what the inventory does not */
	for (size_t i = 0; i < s->n_datastores; i++)
		for (size_t j = 0; j < MAX(s->n_hosts, 1); j++)
			if (series_row_check(s->web, rq, s->datastores[i],
					     j < s->n_hosts ? s->hosts[j]
							    : NULL) != 0)
				return -1;
	return 0;
}

/* The one that an id begins with; NULL: none of ours. */
static const struct target *
target_of(const struct series *s, const char *id)
{
	char *name = xstrndup(id, strcspn(id, ":"));
	const struct target *t = site_find_target(s->web->site, name);

	free(name);
	return t;
}

/* Bins cannot be shorter than what is kept of the oldest. */
static int64_t
least_slots(const struct series *s, int64_t first_slot)
{
	struct store_status st;

	if (!api_has_store(s->web))
		return 1;
	st = store_status(s->web->store);
	return history_least_slots(&st, first_slot);
}

static int
read_params(struct series *s, struct request *rq)
{
	static const struct param_int points = { "points", 1, POINTS_MAX,
						 POINTS_FALLBACK };
	struct time_range range;
	int64_t n;

	if (read_ids(s, rq) != 0 ||
	    param_words(rq, "metric", add_metric, s) != 0)
		return -1;
	if (s->n_metrics == 0) {
		s->metrics[s->n_metrics++] = METRIC_READ_MS;
		s->metrics[s->n_metrics++] = METRIC_WRITE_MS;
	}
	if (check_ids(s, rq) != 0 || param_int(rq, &points, &n) != 0)
		return -1;
	if (param_range(rq, api_now(s->web, target_of(s, s->datastores[0])),
			&range) != 0)
		return -1;
	s->span = span_make(range.from, range.to, (size_t)n,
			    least_slots(s, slot_of(range.from) + 1));
	return 0;
}

/* ---- columns ---- */

static void
set_columns(const struct series *s, json_t *v)
{
	static const char *const names[] = { "values", "max", "min", "n" };
	json_t *columns[ARRAY_SIZE(names)];

	for (size_t c = 0; c < ARRAY_SIZE(names); c++) {
		columns[c] = json_array();
		json_object_set_new(v, names[c], columns[c]);
	}
	for (size_t i = 0; i < s->span.n_bins; i++) {
		const struct bin *b = &s->bins[i];

		json_array_append_new(columns[0], json_num(b->mean));
		json_array_append_new(columns[1], json_num(b->max));
		json_array_append_new(columns[2], json_num(b->min));
		json_array_append_new(columns[3],
				      json_integer((json_int_t)b->n));
	}
}

static void
begin(struct series *s, struct buf *body)
{
	json_t *head = json_object(), *t = json_array();

	for (size_t i = 0; i < s->span.n_bins; i++)
		json_array_append_new(
			t,
			json_integer(span_bin_end(&s->span, i).us / US_PER_MS));
	json_object_set_new(head, "resolution_s",
			    json_integer(s->span.step_slots * SLOT_S));
	json_object_set_new(head, "from",
			    api_slot_time(s->span.first_slot - 1));
	json_object_set_new(
		head, "to",
		api_slot_time(s->span.first_slot - 1 +
			      (int64_t)s->span.n_bins * s->span.step_slots));
	json_object_set_new(head, "t", t);
	json_rows_begin(&s->rows, body, head, "series");
}

/* Of the layers there is no more than the rings have, of what is still in the
 * inventory. */
static void
fill_bins(struct series *s, enum metric m)
{
	const struct datastore *ds =
		site_find_datastore(s->web->site, s->row.datastore_id);
	const struct host *h = s->row.host_id != NULL
		? site_find_host(s->web->site, s->row.host_id)
		: NULL;
	bool is_live = ds != NULL && (s->row.host_id == NULL || h != NULL);

	if (metric_is_layer(m) && is_live) {
		depth_series(ds, h, m, &s->span, s->bins);
		return;
	}
	for (size_t i = 0; i < s->span.n_bins; i++)
		s->bins[i] = metric_is_layer(m)
			? (struct bin){ NAN, NAN, NAN, 0 }
			: bin_of(&s->row.rolls[i], m);
}

static void
add_series(struct series *s)
{
	enum metric m = s->metrics[s->rows.n % s->n_metrics];
	json_t *v = json_object();

	fill_bins(s, m);
	json_object_set_new(v, "metric", json_string(metric_name(m)));
	json_object_set_new(v, "datastore", json_text(s->row.datastore_id));
	json_object_set_new(v, "datastore_name",
			    json_text(s->row.datastore_name));
	json_object_set_new(v, "host", json_text(s->row.host_id));
	json_object_set_new(v, "host_name", json_text(s->row.host_name));
	set_columns(s, v);
	json_rows_add(&s->rows, v);
}

/* The next row is there, with what it takes. */
static int
step_row(struct series *s, struct request *rq)
{
	size_t row = s->rows.n / s->n_metrics, hosts = MAX(s->n_hosts, 1);

	if (s->row.datastore_id == NULL) {
		s->row.datastore_id = s->datastores[row / hosts];
		s->row.host_id = s->n_hosts != 0 ? s->hosts[row % hosts] : NULL;
		series_row_begin(&s->row, s->web, rq, &s->span);
	}
	return series_row_step(&s->row, s->web, rq);
}

static json_t *
tail(const struct series *s)
{
	json_t *v = json_object();

	json_object_set_new(v, "partial", json_text(s->partial));
	return v;
}

static bool
step(void *arg, struct request *rq)
{
	struct series *s = OBJ_CAST(struct series, SERIES_MAGIC, arg);

	if (!s->has_row) {
		int rc = step_row(s, rq);

		s->has_row = rc == 1;
		return rc < 0;
	}
	if (s->rows.buf == NULL)
		begin(s, &rq->reply.body);
	add_series(s);
	if (s->rows.n % s->n_metrics == 0) {
		if (s->partial == NULL)
			xstrset(&s->partial, s->row.trouble);
		series_row_end(&s->row);
		s->has_row = false;
	}
	if (s->rows.n < n_series(s))
		return false;
	json_rows_end(&s->rows, tail(s));
	reply_json_body(&rq->reply);
	return true;
}

static void
series_free(void *arg)
{
	struct series *s = OBJ_CAST(struct series, SERIES_MAGIC, arg);

	series_row_end(&s->row);
	free(s->partial);
	free(s->bins);
	free(s);
}

void
api_series(void *arg, struct request *rq)
{
	struct series *s = xcalloc(1, sizeof(*s));

	s->magic = SERIES_MAGIC;
	s->web = arg;
	if (read_params(s, rq) != 0) {
		series_free(s);
		return;
	}
	s->bins = xcalloc(s->span.n_bins, sizeof(*s->bins));
	rq->reply.job = (struct job){ step, series_free, s };
}
