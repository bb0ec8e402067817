/*
 * dslat series: a datastore over time, as rows or as small bars.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "dslat/mem.h"
#include "kind.h"
#include "spark.h"

#define DEFAULT_METRICS "read_ms,write_ms"
#define DEFAULT_POINTS "60"
#define MAX_POINTS_SHOWN 10000
#define MAX_METRICS 8
#define BARS_BYTES ((size_t)4 * MAX_POINTS_SHOWN)

static const struct metric {
	const char *name;
	const char *mean, *max; /* heads */
	const char *iops;       /* of a latency: tells idle from "<1" */
	bool bytes;
} metrics[] = {
	{ "read_ms", "READ ms", "MAX READ ms", "read_iops", false },
	{ "write_ms", "WRITE ms", "MAX WRITE ms", "write_iops", false },
	{ "read_iops", "READS/s", "MAX READS/s", NULL, false },
	{ "write_iops", "WRITES/s", "MAX WRITES/s", NULL, false },
	{ "read_bytes_per_s", "READ MiB/s", "MAX READ MiB/s", NULL, true },
	{ "write_bytes_per_s", "WRITE MiB/s", "MAX WRITE MiB/s", NULL, true },
	{ "read_device_ms", "READ DEVICE ms", "MAX READ DEVICE ms", "read_iops",
	  false },
	{ "write_device_ms", "WRITE DEVICE ms", "MAX WRITE DEVICE ms",
	  "write_iops", false },
	{ "device_ms", "DEVICE ms", "MAX DEVICE ms", NULL, false },
	{ "read_kernel_ms", "READ KERNEL ms", "MAX READ KERNEL ms", "read_iops",
	  false },
	{ "write_kernel_ms", "WRITE KERNEL ms", "MAX WRITE KERNEL ms",
	  "write_iops", false },
	{ "kernel_ms", "KERNEL ms", "MAX KERNEL ms", NULL, false },
	{ "read_queue_ms", "READ QUEUE ms", "MAX READ QUEUE ms", "read_iops",
	  false },
	{ "write_queue_ms", "WRITE QUEUE ms", "MAX WRITE QUEUE ms",
	  "write_iops", false },
	{ "queue_ms", "QUEUE ms", "MAX QUEUE ms", NULL, false },
};

/* One metric of the answer; borrowed from it. */
struct line {
	const struct metric *m;
	const json_t *mean, *max, *iops; /* iops NULL: none asked */
};

struct lines {
	struct line line[MAX_METRICS];
	size_t n;
	const json_t *t; /* epoch milliseconds */
	size_t n_points;
};

static const struct metric *
metric_named(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (strncmp(metrics[i].name, name, len) == 0 &&
		    metrics[i].name[len] == '\0')
			return &metrics[i];
	return NULL;
}

/* What was asked for, and the rates that explain a latency of 0. */
static char *
metrics_to_ask(const char *wanted)
{
	struct buf b;
	const char *p = wanted;

	buf_init(&b, 4096);
	buf_adds(&b, wanted);
	for (;;) {
		size_t n = strcspn(p, ",");
		const struct metric *m = metric_named(p, n);

		if (m != NULL && m->iops != NULL)
			buf_addf(&b, ",%s", m->iops);
		if (p[n] == '\0')
			return buf_take(&b);
		p += n + 1;
	}
}

static const json_t *
series_of(const json_t *v, const char *metric, const char *key)
{
	const json_t *all = json_object_get(v, "series"), *row;

	for (size_t i = 0; (row = json_array_get(all, i)) != NULL; i++)
		if (strcmp(js_text(row, "metric"), metric) == 0)
			return json_object_get(row, key);
	return NULL;
}

static void
take_lines(struct lines *all, const json_t *v, const char *wanted)
{
	const char *p = wanted;

	*all = (struct lines){ .t = json_object_get(v, "t") };
	all->n_points = MIN(json_array_size(all->t), MAX_POINTS_SHOWN);
	for (;;) {
		size_t n = strcspn(p, ",");
		const struct metric *m = metric_named(p, n);

		if (m != NULL && all->n < MAX_METRICS)
			all->line[all->n++] = (struct line){
				.m = m,
				.mean = series_of(v, m->name, "values"),
				.max = series_of(v, m->name, "max"),
				.iops = m->iops != NULL
					? series_of(v, m->iops, "values")
					: NULL,
			};
		if (p[n] == '\0')
			return;
		p += n + 1;
	}
}

static double
at(const json_t *array, size_t i)
{
	const json_t *v = json_array_get(array, i);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *
time_at(const struct lines *all, size_t i, char out[REAL_TEXT_SIZE])
{
	real_t t = { (int64_t)at(all->t, i) * US_PER_MS };

	return real_format(t, out);
}

/* ---- rows --------------------------------------------------------------- */

static void
add_value(struct table *t, const struct line *l, size_t i, bool max)
{
	double v = at(max ? l->max : l->mean, i);

	if (l->m->iops != NULL)
		cell_ms(t, v, at(l->iops, i), STYLE_PLAIN);
	else if (l->m->bytes)
		cell_mib(t, v);
	else
		cell_count(t, v);
}

static void
print_rows(const struct cli *c, const struct lines *all)
{
	struct column columns[1 + 2 * MAX_METRICS] = {
		{ "UNTIL (UTC)", false, false, 0 },
	};
	char text[REAL_TEXT_SIZE];
	struct table *t;

	for (size_t i = 0; i < all->n; i++) {
		const struct metric *m = all->line[i].m;

		columns[1 + 2 * i] = (struct column){ m->mean, true, false, 0 };
		columns[2 + 2 * i] = (struct column){ m->max, true, false, 1 };
	}
	t = table_new(columns, 1 + 2 * all->n);
	for (size_t i = 0; i < all->n_points; i++) {
		table_row(t);
		table_cell(t, STYLE_PLAIN, time_at(all, i, text));
		for (size_t j = 0; j < all->n; j++) {
			add_value(t, &all->line[j], i, false);
			add_value(t, &all->line[j], i, true);
		}
	}
	table_print(t, &c->term, stdout);
	table_free(&t);
}

/* ---- bars --------------------------------------------------------------- */

/* Bars show the maxima, so that no peak is hidden in a mean. */
static void
say_bars(const struct cli *c, const struct lines *all, const struct line *l)
{
	double *values = xcalloc(all->n_points, sizeof(*values));
	char text[REAL_TEXT_SIZE];
	size_t top = 0, n = all->n_points;
	double unit = l->m->bytes ? 1 << 20 : 1;
	struct buf b;

	buf_init(&b, BARS_BYTES);
	for (size_t i = 0; i < n; i++) {
		values[i] = at(l->max, i);
		if (isnan(values[top]) || values[i] > values[top])
			top = i;
	}
	spark_add(&b, values, n, c->term.ascii);
	if (n == 0 || isnan(values[top]))
		cli_say(c, stdout, "%-12s %s no sample", l->m->mean,
			buf_str(&b));
	else
		cli_say(c, stdout, "%-12s %s max %.1f until %s", l->m->mean,
			buf_str(&b), values[top] / unit,
			time_at(all, top, text));
	buf_fini(&b);
	free(values);
}

/* ---- the command -------------------------------------------------------- */

static void
say_head(const struct cli *c, const json_t *ds, const json_t *v)
{
	const json_t *row = json_array_get(json_object_get(v, "series"), 0);
	const char *name = js_text(row, "datastore_name");
	char about[128] = "(not in the inventory any more)";

	if (json_object_get(ds, "protocol") != NULL)
		snprintf(about, sizeof(about), "(%s), threshold %g ms",
			 js_text(ds, "protocol"), js_num(ds, "threshold_ms"));
	cli_say(c, stdout, "%s/%s %s, one value per %.0f s, %s to %s",
		js_text(ds, "target"),
		*name != '\0' ? name : js_text(ds, "name"), about,
		js_num(v, "resolution_s"), js_text(v, "from"),
		js_text(v, "to"));
}

static void
print_series(const struct cli *c, const json_t *ds, const json_t *v,
	     const char *wanted)
{
	struct lines all;

	take_lines(&all, v, wanted);
	say_head(c, ds, v);
	if (c->opt[OPT_SPARK] == NULL)
		print_rows(c, &all);
	for (size_t i = 0; i < all.n; i++)
		say_bars(c, &all, &all.line[i]);
	cli_say_partial(c, v);
}

/* "/api/v1/series?..."; -1: *status_r, and the reason was printed. */
static int
series_path(const struct cli *c, const json_t *ds, const char *ask,
	    struct buf *path, int *status_r)
{
	const char *points = c->opt[OPT_POINTS];
	struct kind_name name = { c->opt[OPT_HOST], js_text(ds, "target"),
				  true };
	json_t *host = NULL;

	if (name.text != NULL) {
		host = kind_find(&kind_host, c, &name, status_r);
		if (host == NULL)
			return -1;
	}
	buf_adds(path, "/api/v1/series");
	api_add_param(path, "datastore", js_text(ds, "id"));
	api_add_param(path, "host", host != NULL ? js_text(host, "id") : NULL);
	api_add_param(path, "metric", ask);
	api_add_param(path, "from", c->opt[OPT_FROM]);
	api_add_param(path, "to", c->opt[OPT_TO]);
	api_add_param(path, "points", points != NULL ? points : DEFAULT_POINTS);
	json_decref(host);
	return 0;
}

static int
show_series(struct cli *c, const json_t *ds, struct buf *path)
{
	const char *wanted = c->opt[OPT_METRIC];
	int status = CLI_OK;
	struct err e;
	char *ask;
	json_t *v;

	if (wanted == NULL)
		wanted = DEFAULT_METRICS;
	if (c->opt[OPT_JSON] != NULL) {
		if (series_path(c, ds, wanted, path, &status) != 0)
			return status;
		return cli_pass(c, buf_str(path));
	}
	ask = metrics_to_ask(wanted);
	if (series_path(c, ds, ask, path, &status) == 0) {
		v = api_json(c->api, buf_str(path), &e);
		if (v == NULL)
			status = cli_fail(c, &e);
		else
			print_series(c, ds, v, wanted);
		json_decref(v);
	}
	free(ask);
	return status;
}

int
cmd_series(struct cli *c)
{
	struct kind_name name = { c->names[0], NULL, true };
	int status = CLI_OK;
	json_t *ds;
	struct buf path;

	if (c->n_names == 0) {
		cli_say(c, stderr,
			"dslat: series of which datastore? \"dslat"
			" datastores\" lists them");
		return CLI_USAGE;
	}
	ds = kind_find(&kind_datastore, c, &name, &status);
	if (ds == NULL)
		return status;
	buf_init(&path, 8192);
	status = show_series(c, ds, &path);
	buf_fini(&path);
	json_decref(ds);
	return status;
}
