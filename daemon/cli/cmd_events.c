/*
 * dslat events, dslat note: the time line, read and written.
 */
#include <string.h>

#include "cell.h"
#include "kind.h"

static const struct column columns[] = {
	{ "TIME (UTC)", false, false, 0 }, { "KIND", false, false, 2 },
	{ "BY", false, true, 1 },          { "ABOUT", false, true, 3 },
	{ "TEXT", false, true, 0 },
};

/* An incident's row has its number, as ack wants it, and what it did. */
static void
add_text(struct table *t, const json_t *v)
{
	const char *change = js_text(v, "change"), *text = js_text(v, "text");
	long long id = (long long)js_num(v, "incident");

	if (*change == '\0')
		cell_text(t, v, "text");
	else if (strcmp(change, "began") == 0)
		table_cellf(t, STYLE_PLAIN, "incident %lld began: %s", id,
			    text);
	else
		table_cellf(t, STYLE_PLAIN, "incident %lld ended (%s): %s", id,
			    change, text);
}

static void
add_event(struct table *t, const json_t *v)
{
	table_row(t);
	cell_text(t, v, "t");
	cell_text(t, v, "kind");
	cell_text(t, v, "by");
	cell_subject(t, v);
	add_text(t, v);
}

int
cmd_events(struct cli *c)
{
	const char *limit = c->opt[OPT_LIMIT];
	const json_t *items, *row;
	struct table *t;
	struct buf path;
	struct err e;
	json_t *v;

	buf_init(&path, 4096);
	buf_adds(&path, "/api/v1/events");
	api_add_param(&path, "kind", c->opt[OPT_KIND]);
	api_add_param(&path, "from", c->opt[OPT_FROM]);
	api_add_param(&path, "to", c->opt[OPT_TO]);
	api_add_param(&path, "limit", limit != NULL ? limit : "20");
	v = api_json(c->api, buf_str(&path), &e);
	buf_fini(&path);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	items = json_object_get(v, "items");
	t = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++)
		add_event(t, row);
	if (json_array_size(items) == 0)
		cli_say(c, stdout, "no events");
	else
		table_print(t, &c->term, stdout);
	table_free(&t);
	json_decref(v);
	return CLI_OK;
}

/* The id of what somebody named on the command line. */
static int
add_id(struct cli *c, json_t *body, const struct kind *k, const char *named)
{
	const struct kind_name name = { named, NULL, false };
	int status = CLI_OK;
	json_t *row;

	if (named == NULL)
		return CLI_OK;
	row = kind_find(k, c, &name, &status);
	if (row == NULL)
		return status;
	json_object_set(body, k->word, json_object_get(row, "id"));
	json_decref(row);
	return CLI_OK;
}

int
cmd_note(struct cli *c)
{
	json_t *body = json_object(), *v;
	struct err e;
	int status;

	status = add_id(c, body, &kind_datastore, c->opt[OPT_DATASTORE]);
	if (status == CLI_OK)
		status = add_id(c, body, &kind_host, c->opt[OPT_HOST]);
	if (status == CLI_OK && c->n_names == 0)
		status = cli_usage(c,
				   "note: what is to be noted?  Write it "
				   "in quotes behind the command");
	if (status != CLI_OK) {
		json_decref(body);
		return status;
	}
	json_object_set_new(body, "text", json_text(c->names[0]));
	json_object_set_new(body, "target", json_text(c->opt[OPT_TARGET]));
	json_object_set_new(body, "t", json_text(c->opt[OPT_AT]));
	v = api_write(c->api, "POST", "/api/v1/events", body, &e);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	cli_say(c, stdout, "noted at %s", js_text(v, "t"));
	json_decref(v);
	return CLI_OK;
}
