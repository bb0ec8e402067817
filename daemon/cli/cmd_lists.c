/*
 * dslat datastores, dslat hosts: the newest sample of each, or one of them
 * with all its parts.
 */
#include <math.h>
#include <string.h>

#include "cell.h"
#include "kind.h"

enum {
	COL_TARGET,
	COL_NAME,
	COL_PROTOCOL,
	COL_STATE,
	COL_READ_MS,
	COL_WRITE_MS,
	COL_LIMIT_MS,
	COL_READ_WORST_MS,
	COL_WRITE_WORST_MS,
	COL_WORST_PART,
	COL_READ_PER_S,
	COL_WRITE_PER_S,
	COL_AGE_S,
	COL_PARTS,
	N_COLS,
};

static void
set_columns(struct column columns[N_COLS], const struct kind *k)
{
	static const struct column all[N_COLS] = {
		[COL_TARGET] = { "TARGET", false, false, 0 },
		[COL_NAME] = { NULL, false, true, 0 },
		[COL_PROTOCOL] = { "PROTOCOL", false, false, 2 },
		[COL_STATE] = { "STATE", false, false, 0 },
		[COL_READ_MS] = { "READ ms", true, false, 0 },
		[COL_WRITE_MS] = { "WRITE ms", true, false, 0 },
		[COL_LIMIT_MS] = { "LIMIT ms", true, false, 1 },
		[COL_READ_WORST_MS] = { "WORST READ ms", true, false, 4 },
		[COL_WRITE_WORST_MS] = { "WORST WRITE ms", true, false, 4 },
		[COL_WORST_PART] = { NULL, false, true, 5 },
		[COL_READ_PER_S] = { "READS/s", true, false, 6 },
		[COL_WRITE_PER_S] = { "WRITES/s", true, false, 6 },
		[COL_AGE_S] = { "AGE s", true, false, 3 },
		[COL_PARTS] = { NULL, true, false, 7 },
	};

	memcpy(columns, all, sizeof(all));
	columns[COL_NAME].head = k->head;
	columns[COL_PARTS].head = k->parts_head;
	columns[COL_WORST_PART].head = k->worst_head;
}

static void
add_latency(struct table *t, const json_t *v, const char *op)
{
	char ms[32], iops[32], breach[32];

	snprintf(ms, sizeof(ms), "%s_ms", op);
	snprintf(iops, sizeof(iops), "%s_iops", op);
	snprintf(breach, sizeof(breach), "%s_breach", op);
	cell_ms(t, js_num(v, ms), js_num(v, iops),
		style_of(js_text(v, breach)));
}

static void
add_worst(struct table *t, const struct kind *k, const json_t *latest)
{
	double r = js_num(latest, "read_worst_ms");
	double w = js_num(latest, "write_worst_ms");
	const char *part = js_text(
		latest, r > w || isnan(w) ? k->read_worst : k->write_worst);

	cell_ms(t, r, js_num(latest, "read_iops"), STYLE_PLAIN);
	cell_ms(t, w, js_num(latest, "write_iops"), STYLE_PLAIN);
	table_cell(t, STYLE_PLAIN, *part != '\0' ? part : NULL);
}

static void
add_row(struct table *t, const struct kind *k, const json_t *v)
{
	const json_t *latest = json_object_get(v, "latest");

	table_row(t);
	cell_text(t, v, "target");
	cell_text(t, v, "name");
	cell_text(t, v, "protocol");
	cell_state(t, js_text(v, "state"));
	add_latency(t, latest, "read");
	add_latency(t, latest, "write");
	cell_num(t, v, "threshold_ms");
	add_worst(t, k, latest);
	cell_num(t, latest, "read_iops");
	cell_num(t, latest, "write_iops");
	cell_num(t, v, "stale_s");
	table_cellf(t, STYLE_PLAIN, "%.0f/%.0f",
		    fmax(0, js_num(latest, k->parts_n)),
		    fmax(0, js_num(latest, k->parts_expected)));
}

static bool
one_target(const json_t *items)
{
	const json_t *row;

	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++)
		if (strcmp(js_text(row, "target"),
			   js_text(json_array_get(items, 0), "target")) != 0)
			return false;
	return true;
}

static bool
is_filtered(const struct cli *c)
{
	return c->opt[OPT_TARGET] != NULL || c->opt[OPT_PROTOCOL] != NULL ||
		c->opt[OPT_STATE] != NULL;
}

static void
print_list(const struct cli *c, const struct kind *k, const json_t *items)
{
	struct column columns[N_COLS];
	struct table *t;
	const json_t *row;

	if (json_array_size(items) == 0) {
		cli_say(c, stdout, "no %s%s", k->words,
			is_filtered(c) ? ""
				       : "; \"dslat status\" says how the "
					 "targets are");
		return;
	}
	set_columns(columns, k);
	t = table_new(columns, N_COLS);
	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++)
		add_row(t, k, row);
	if (one_target(items))
		table_hide(t, COL_TARGET);
	if (!k->has_protocol) {
		table_hide(t, COL_PROTOCOL);
		table_hide(t, COL_LIMIT_MS);
	}
	table_print(t, &c->term, stdout);
	table_free(&t);
}

/* ---- one of them -------------------------------------------------------- */

static void
say_field(const struct cli *c, const json_t *v, const char *key,
	  const char *label)
{
	if (*js_text(v, key) != '\0')
		cli_say(c, stdout, "%-11s %s", label, js_text(v, key));
}

static void
say_fields(const struct cli *c, const json_t *v)
{
	static const char *const fields[][2] = {
		{ "id", "ID" },
		{ "reason", "why" },
		{ "error", "error" },
		{ "protocol", "protocol" },
		{ "backing", "backing" },
		{ "fs", "file system" },
		{ "version", "version" },
		{ "cluster", "cluster" },
		{ "datacenter", "datacenter" },
	};

	cli_say(c, stdout, "%s/%s: %s", js_text(v, "target"),
		js_text(v, "name"), js_text(v, "state"));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		say_field(c, v, fields[i][0], fields[i][1]);
	if (!isnan(js_num(v, "threshold_ms")))
		cli_say(c, stdout, "%-11s warning %g ms, critical %g ms (%s)",
			"threshold", js_num(v, "threshold_ms"),
			js_num(v, "critical_ms"),
			js_text(v, "threshold_origin"));
	if (js_num(v, "capacity_bytes") > 0)
		cli_say(c, stdout, "%-11s %.1f GiB, %.1f GiB free", "capacity",
			js_num(v, "capacity_bytes") / (1 << 30),
			js_num(v, "free_bytes") / (1 << 30));
	if (js_true(v, "clock_off"))
		cli_say(c, stdout, "%-11s off by %+.0f s", "clock",
			js_num(v, "clock_skew_ms") / 1000);
}

static void
add_part(struct table *t, const json_t *v)
{
	const char *reason = js_text(v, "reason");

	table_row(t);
	cell_text(t, v, "name");
	cell_text(t, v, "protocol");
	add_latency(t, v, "read");
	add_latency(t, v, "write");
	cell_num(t, v, "read_iops");
	cell_num(t, v, "write_iops");
	cell_mib(t, js_num(v, "read_bytes_per_s"));
	cell_mib(t, js_num(v, "write_bytes_per_s"));
	cell_num(t, v, "stale_s");
	if (!js_true(v, "mounted"))
		table_cell(t, STYLE_BAD, "not mounted");
	else if (!js_true(v, "accessible"))
		table_cell(t, STYLE_BAD,
			   *reason != '\0' ? reason : "inaccessible");
	else
		table_cell(t, STYLE_PLAIN, "");
}

static void
print_one(const struct cli *c, const struct kind *k, const json_t *v)
{
	const struct column columns[] = {
		{ k->part_head, false, true, 0 },
		{ "PROTOCOL", false, false, 1 },
		{ "READ ms", true, false, 0 },
		{ "WRITE ms", true, false, 0 },
		{ "READS/s", true, false, 3 },
		{ "WRITES/s", true, false, 3 },
		{ "READ MiB/s", true, false, 4 },
		{ "WRITE MiB/s", true, false, 4 },
		{ "AGE s", true, false, 2 },
		{ "", false, true, 1 },
	};
	const json_t *parts = json_object_get(v, k->parts), *row;
	struct table *t = table_new(columns, ARRAY_SIZE(columns));

	say_fields(c, v);
	for (size_t i = 0; (row = json_array_get(parts, i)) != NULL; i++)
		add_part(t, row);
	if (k->has_protocol) /* then its hosts have none */
		table_hide(t, 1);
	if (json_array_size(parts) != 0) {
		cli_say(c, stdout, "%s", "");
		table_print(t, &c->term, stdout);
	}
	table_free(&t);
}

static int
run_one(struct cli *c, const struct kind *k)
{
	int status = CLI_OK;
	const struct kind_name name = { c->names[0], c->opt[OPT_TARGET],
					false };
	json_t *row = kind_find(k, c, &name, &status), *v;
	struct buf path;
	struct err e;

	if (row == NULL)
		return status;
	buf_init(&path, 4096);
	buf_adds(&path, k->path);
	api_add_segment(&path, js_text(row, "id"));
	json_decref(row);
	if (c->opt[OPT_JSON] != NULL) {
		status = cli_pass(c, buf_str(&path));
	} else if ((v = api_json(c->api, buf_str(&path), &e)) == NULL) {
		status = cli_fail(c, &e);
	} else {
		print_one(c, k, v);
		json_decref(v);
		status = CLI_OK;
	}
	buf_fini(&path);
	return status;
}

static int
run_list(struct cli *c, const struct kind *k)
{
	struct buf path;
	struct err e;
	json_t *v;

	if (c->n_names != 0)
		return run_one(c, k);
	buf_init(&path, 4096);
	buf_adds(&path, k->path);
	api_add_param(&path, "target", c->opt[OPT_TARGET]);
	api_add_param(&path, "protocol", c->opt[OPT_PROTOCOL]);
	api_add_param(&path, "state", c->opt[OPT_STATE]);
	v = api_list(c->api, buf_str(&path), &e);
	buf_fini(&path);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	print_list(c, k, json_object_get(v, "items"));
	json_decref(v);
	return CLI_OK;
}

int
cmd_datastores(struct cli *c)
{
	return run_list(c, &kind_datastore);
}

int
cmd_hosts(struct cli *c)
{
	return run_list(c, &kind_host);
}
