/*
 * dslat incidents, dslat ack: what went wrong, and who has it in hand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cli.h"
#include "dslat/clock.h"

static const struct column columns[] = {
	{ "ID", true, false, 0 },       { "SINCE (UTC)", false, false, 0 },
	{ "FOR", true, false, 1 },      { "SEVERITY", false, false, 0 },
	{ "STATE", false, false, 3 },   { "KIND", false, false, 2 },
	{ "ON", false, true, 0 },       { "OP", false, false, 0 },
	{ "WORST ms", true, false, 0 }, { "HOSTS", true, false, 5 },
	{ "ACK", false, true, 6 },      { "WHERE TO LOOK", false, true, 4 },
};

static bool
time_of(const json_t *v, const char *key, real_t *t_r)
{
	const char *s = js_text(v, key);

	return real_parse(s, strlen(s), t_r) == 0;
}

/* From its start to its end, or to what is known last. */
static void
add_duration(struct table *t, const json_t *v)
{
	real_t from, to;
	long long s;

	if (!time_of(v, "started", &from) ||
	    (!time_of(v, "ended", &to) && !time_of(v, "updated", &to))) {
		table_cell(t, STYLE_FAINT, "-");
		return;
	}
	s = MAX(real_diff_us(to, from) / US_PER_S, 0);
	if (s >= 86400)
		table_cellf(t, STYLE_PLAIN, "%lldd %02lldh", s / 86400,
			    s / 3600 % 24);
	else if (s >= 3600)
		table_cellf(t, STYLE_PLAIN, "%lldh %02lldm", s / 3600,
			    s / 60 % 60);
	else
		table_cellf(t, STYLE_PLAIN, "%lldm %02llds", s / 60, s % 60);
}

/* Where nobody is told of it, why. */
static const char *
state_word(const json_t *v)
{
	const char *state = js_text(v, "state");

	if (strcmp(state, "announced") != 0)
		return state;
	if (js_text(v, "nested_in")[0] != '\0')
		return "nested";
	return js_text(v, "silenced_by")[0] != '\0' ? "silenced" : state;
}

static void
add_incident(struct table *t, const json_t *v)
{
	const char *severity = js_text(v, "worst_severity");
	bool has_ended = strcmp(js_text(v, "state"), "ended") == 0;

	table_row(t);
	cell_num(t, v, "id");
	cell_text(t, v, "started");
	add_duration(t, v);
	table_cell(t, has_ended ? STYLE_FAINT : style_of(severity), severity);
	table_cell(t, STYLE_PLAIN, state_word(v));
	cell_text(t, v, "kind");
	cell_subject(t, v);
	cell_text(t, v, "op");
	cell_ms(t, js_num(v, "worst_ms"), NAN, style_of(severity));
	cell_num(t, v, "hosts_n");
	cell_text(t, v, "ack_by");
	cell_text(t, v, "where");
}

static void
print_incidents(const struct cli *c, const json_t *items)
{
	struct table *t = table_new(columns, ARRAY_SIZE(columns));
	const json_t *row;

	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++)
		add_incident(t, row);
	if (json_array_size(items) == 0)
		cli_say(c, stdout, "no %sincidents",
			c->opt[OPT_OPEN] != NULL ? "open " : "");
	else
		table_print(t, &c->term, stdout);
	table_free(&t);
}

int
cmd_incidents(struct cli *c)
{
	struct buf path;
	struct err e;
	json_t *v;

	buf_init(&path, 4096);
	buf_adds(&path, "/api/v1/incidents");
	if (c->opt[OPT_OPEN] != NULL)
		api_add_param(&path, "state", "active");
	api_add_param(&path, "kind", c->opt[OPT_KIND]);
	api_add_param(&path, "from", c->opt[OPT_FROM]);
	api_add_param(&path, "to", c->opt[OPT_TO]);
	v = api_list(c->api, buf_str(&path), &e);
	buf_fini(&path);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	print_incidents(c, json_object_get(v, "items"));
	json_decref(v);
	return CLI_OK;
}

int
cmd_ack(struct cli *c)
{
	json_t *body = json_object(), *v;
	struct buf path;
	struct err e;

	if (c->n_names == 0) {
		json_decref(body);
		return cli_usage(c,
				 "ack: which incident?  \"dslat incidents "
				 "--open\" lists them");
	}
	if (c->n_names == 2)
		json_object_set_new(body, "note", json_text(c->names[1]));
	buf_init(&path, 4096);
	buf_adds(&path, "/api/v1/incidents");
	api_add_segment(&path, c->names[0]);
	buf_adds(&path, "/ack");
	v = api_write(c->api, "POST", buf_str(&path), body, &e);
	buf_fini(&path);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	cli_say(c, stdout, "incident %s acknowledged by %s", c->names[0],
		js_text(v, "ack_by"));
	json_decref(v);
	return CLI_OK;
}
