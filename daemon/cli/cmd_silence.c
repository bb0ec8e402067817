/*
 * dslat silence add|list|remove: who is not to be told for a while.
 */
#include <string.h>

#include "cell.h"
#include "cli.h"

#define PATH "/api/v1/silences"

static const struct column columns[] = {
	{ "ID", true, false, 0 },          { "STATE", false, false, 1 },
	{ "MATCH", false, true, 0 },       { "PROTOCOL", false, false, 4 },
	{ "KIND", false, false, 4 },       { "OP", false, false, 4 },
	{ "FROM (UTC)", false, false, 3 }, { "UNTIL (UTC)", false, false, 0 },
	{ "BY", false, true, 2 },          { "NOTE", false, true, 2 },
};

static int
list(struct cli *c)
{
	const json_t *items, *row;
	struct table *t;
	struct err e;
	json_t *v;

	if (c->opt[OPT_JSON] != NULL)
		return cli_pass(c, PATH);
	v = api_json(c->api, PATH, &e);
	if (v == NULL)
		return cli_fail(c, &e);
	items = json_object_get(v, "items");
	t = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++) {
		table_row(t);
		cell_num(t, row, "id");
		cell_text(t, row, "state");
		cell_text(t, row, "match");
		cell_text(t, row, "protocol");
		cell_text(t, row, "kind");
		cell_text(t, row, "op");
		cell_text(t, row, "from");
		cell_text(t, row, "until");
		cell_text(t, row, "by");
		cell_text(t, row, "note");
	}
	if (json_array_size(items) == 0)
		cli_say(c, stdout, "no silences");
	else
		table_print(t, &c->term, stdout);
	table_free(&t);
	json_decref(v);
	return CLI_OK;
}

static int
add(struct cli *c)
{
	static const struct {
		enum cli_option option;
		const char *member;
	} members[] = {
		{ OPT_FOR, "duration" }, { OPT_UNTIL, "until" },
		{ OPT_FROM, "from" },    { OPT_PROTOCOL, "protocol" },
		{ OPT_KIND, "kind" },    { OPT_OP, "op" },
		{ OPT_NOTE, "note" },
	};
	json_t *body, *v;
	struct err e;

	if (c->n_names < 2)
		return cli_usage(c,
				 "silence add: what?  A pattern such as "
				 "\"lab/nfs*\", or \"*\" for all");
	if (c->opt[OPT_FOR] == NULL && c->opt[OPT_UNTIL] == NULL)
		return cli_usage(c,
				 "silence add: how long?  --for 2h, or "
				 "--until TIME");
	body = json_object();
	json_object_set_new(body, "match", json_text(c->names[1]));
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (c->opt[members[i].option] != NULL)
			json_object_set_new(
				body, members[i].member,
				json_text(c->opt[members[i].option]));
	v = api_write(c->api, "POST", PATH, body, &e);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	cli_say(c, stdout, "silence %.0f of \"%s\" until %s", js_num(v, "id"),
		js_text(v, "match"), js_text(v, "until"));
	if (js_num(v, "fits_n") == 0)
		cli_say(c, stderr,
			"note: nothing there is now has such a name; a pattern "
			"is on TARGET/DATASTORE, TARGET/HOST or TARGET, as in "
			"\"lab/nfs*\"");
	json_decref(v);
	return CLI_OK;
}

static int
end(struct cli *c)
{
	struct buf path;
	struct err e;
	json_t *v;

	if (c->n_names < 2)
		return cli_usage(c,
				 "silence remove: which?  \"dslat silence "
				 "list\" has their IDs");
	buf_init(&path, 4096);
	buf_adds(&path, PATH);
	api_add_segment(&path, c->names[1]);
	v = api_write(c->api, "DELETE", buf_str(&path), NULL, &e);
	buf_fini(&path);
	if (v == NULL)
		return cli_fail(c, &e);
	json_decref(v);
	if (c->opt[OPT_JSON] == NULL)
		cli_say(c, stdout, "silence %s removed", c->names[1]);
	return CLI_OK;
}

int
cmd_silence(struct cli *c)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *c);
	} verbs[] = { { "add", add }, { "list", list }, { "remove", end } };

	if (c->n_names == 0)
		return list(c);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(c->names[0], verbs[i].name) == 0)
			return verbs[i].run(c);
	return cli_usage(c, "silence: \"%s\" is none of add, list, remove",
			 c->names[0]);
}
