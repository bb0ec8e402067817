/*
 * dslat peaks: the worst samples, worst first.
 */
#include <string.h>

#include "cell.h"
#include "cli.h"
#include "dslat/sample.h"

static const struct column columns[] = {
	{ "TIME (UTC)", false, false, 0 }, { "ms", true, false, 0 },
	{ "OP", false, false, 0 },         { "I/Os", true, false, 2 },
	{ "LIMIT ms", true, false, 3 },    { "BREACH", false, false, 4 },
	{ "DATASTORE", false, true, 0 },   { "PROTOCOL", false, false, 3 },
	{ "HOST", false, true, 1 },
};

/* "lab/nfs01": the ID's target before its name. */
static void
add_name(struct table *t, const json_t *v, const char *id_key,
	 const char *name_key)
{
	const char *id = js_text(v, id_key), *name = js_text(v, name_key);

	table_cellf(t, STYLE_PLAIN, "%.*s/%s", (int)strcspn(id, ":"), id,
		    *name != '\0' ? name : id);
}

static void
add_peak(struct table *t, const json_t *v)
{
	enum style style = style_of(js_text(v, "breach"));

	table_row(t);
	/* of a bin nobody else's samples are known */
	if (js_num(v, "worst_of_s") > SLOT_S)
		table_cellf(t, STYLE_PLAIN, "%s (worst of %.0f min)",
			    js_text(v, "t"), js_num(v, "worst_of_s") / 60);
	else
		cell_text(t, v, "t");
	cell_ms(t, js_num(v, "ms"), js_num(v, "iops"), style);
	cell_text(t, v, "op");
	if (js_true(v, "sparse"))
		table_cell(t, STYLE_PLAIN, "1-19");
	else
		cell_num(t, v, "ios");
	cell_num(t, v, "threshold_ms");
	table_cell(t, style, js_text(v, "breach"));
	add_name(t, v, "datastore", "datastore_name");
	cell_text(t, v, "protocol");
	cell_text(t, v, "host_name");
}

int
cmd_peaks(struct cli *c)
{
	const json_t *items, *row;
	struct table *t;
	struct buf path;
	struct err e;
	int status = CLI_OK;
	json_t *v = NULL;

	buf_init(&path, 4096);
	buf_adds(&path, "/api/v1/peaks");
	api_add_param(&path, "from", c->opt[OPT_FROM]);
	api_add_param(&path, "to", c->opt[OPT_TO]);
	api_add_param(&path, "limit", c->opt[OPT_LIMIT]);
	if (c->opt[OPT_JSON] != NULL)
		status = cli_pass(c, buf_str(&path));
	else if ((v = api_json(c->api, buf_str(&path), &e)) == NULL)
		status = cli_fail(c, &e);
	buf_fini(&path);
	if (v == NULL)
		return status;
	items = json_object_get(v, "items");
	t = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++)
		add_peak(t, row);
	if (json_array_size(items) == 0)
		cli_say(c, stdout, "no sample with I/O from %s to %s",
			js_text(v, "from"), js_text(v, "to"));
	else
		table_print(t, &c->term, stdout);
	table_free(&t);
	cli_say_partial(c, v);
	json_decref(v);
	return status;
}
