/*
 * GET /api/v1/series: columns over time, one metric of one series per turn.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/mem.h"
#include "web/api.h"
#include "web/param.h"

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
	struct roll *rolls;    /* of all metrics of a datastore or pair */
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

static const struct pair *
find_pair(const struct datastore *ds, const struct host *h)
{
	for (size_t i = 0; i < ds->n_pairs; i++)
		if (ds->pairs[i]->host == h)
			return ds->pairs[i];
	return NULL;
}

/* Both exist, and the host mounts the datastore (or did lately). */
static int
check_pair(const struct series *s, struct request *rq, const char *ds_id,
	   const char *host_id)
{
	const struct datastore *ds =
		api_find_datastore(s->web, rq, "datastore", ds_id);
	const struct host *h;

	if (ds == NULL)
		return -1;
	if (host_id == NULL)
		return 0;
	h = api_find_host(s->web, rq, "host", host_id);
	if (h == NULL)
		return -1;
	if (find_pair(ds, h) != NULL)
		return 0;
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "host",
		      "the host \"%s\" does not mount the datastore \"%s\"",
		      host_id, ds_id);
	return -1;
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
	for (size_t i = 0; i < s->n_datastores; i++)
		for (size_t j = 0; j < MAX(s->n_hosts, 1); j++)
			if (check_pair(s, rq, s->datastores[i],
				       j < s->n_hosts ? s->hosts[j] : NULL) !=
			    0)
				return -1;
	return 0;
}

static int
read_params(struct series *s, struct request *rq)
{
	static const struct param_int points = { "points", 1, POINTS_MAX,
						 POINTS_FALLBACK };
	const struct datastore *ds;
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
	ds = site_find_datastore(s->web->site, s->datastores[0]);
	if (param_range(rq, api_now(s->web, ds->target), &range) != 0)
		return -1;
	s->span = span_make(range.from, range.to, (size_t)n, 1);
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

static void
add_series(struct series *s, const struct datastore *ds, const struct host *h)
{
	enum metric m = s->metrics[s->rows.n % s->n_metrics];
	json_t *v = json_object();

	if (metric_is_layer(m))
		depth_series(ds, h, m, &s->span, s->bins);
	else
		for (size_t i = 0; i < s->span.n_bins; i++)
			s->bins[i] = bin_of(&s->rolls[i], m);
	json_object_set_new(v, "metric", json_string(metric_name(m)));
	json_object_set_new(v, "datastore", json_text(ds->id));
	json_object_set_new(v, "datastore_name", json_text(ds->name));
	json_object_set_new(v, "host", json_text(h != NULL ? h->id : NULL));
	json_object_set_new(v, "host_name",
			    json_text(h != NULL ? h->name : NULL));
	set_columns(s, v);
	json_rows_add(&s->rows, v);
}

static void
gather(struct series *s, const struct datastore *ds, const struct host *h)
{
	for (size_t i = 0; i < s->span.n_bins; i++)
		roll_init(&s->rolls[i], NULL);
	series_add_rings(ds, h, &s->span, INT64_MIN, INT64_MAX, s->rolls);
}

static bool
step(void *arg, struct request *rq)
{
	struct series *s = OBJ_CAST(struct series, SERIES_MAGIC, arg);
	size_t row = s->rows.n / s->n_metrics, hosts = MAX(s->n_hosts, 1);
	const char *ds_id = s->datastores[row / hosts];
	const char *host_id = s->n_hosts != 0 ? s->hosts[row % hosts] : NULL;
	const struct datastore *ds;
	const struct host *h;

	/* Turns of the loop lie between: both may have gone. */
	if (check_pair(s, rq, ds_id, host_id) != 0)
		return true;
	if (s->rows.buf == NULL)
		begin(s, &rq->reply.body);
	ds = site_find_datastore(s->web->site, ds_id);
	h = host_id != NULL ? site_find_host(s->web->site, host_id) : NULL;
	if (s->rows.n % s->n_metrics == 0)
		gather(s, ds, h);
	add_series(s, ds, h);
	if (s->rows.n < n_series(s))
		return false;
	json_rows_end(&s->rows, NULL);
	reply_json_body(&rq->reply);
	return true;
}

static void
series_free(void *arg)
{
	struct series *s = OBJ_CAST(struct series, SERIES_MAGIC, arg);

	free(s->bins);
	free(s->rolls);
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
	s->rolls = xcalloc(s->span.n_bins, sizeof(*s->rolls));
	rq->reply.job = (struct job){ step, series_free, s };
}
