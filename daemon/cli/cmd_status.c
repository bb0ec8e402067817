/*
 * dslat status: how dslatd, its targets and its notifiers are.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "cli.h"

static const struct column columns[] = {
	{ "TARGET", false, true, 0 },     { "STATE", false, false, 0 },
	{ "SERVER", false, false, 3 },    { "HOSTS", true, false, 1 },
	{ "DATASTORES", true, false, 1 }, { "POLLED s AGO", true, false, 2 },
	{ "POLL ms", true, false, 4 },    { "CLOCK ms", true, false, 5 },
	{ "VALUES", true, false, 6 },     { "REJECTED", true, false, 6 },
};

static const struct column notifier_columns[] = {
	{ "NOTIFIER", false, true, 0 },   { "TYPE", false, false, 1 },
	{ "STATE", false, false, 0 },     { "QUEUED", true, false, 0 },
	{ "SENT", true, false, 2 },       { "FAILURES", true, false, 2 },
	{ "TOLD s AGO", true, false, 1 },
};

/* Seconds between two of the answer's own times, so that our clock is not in
 * it; NaN if one is missing. */
static double
seconds_between(const json_t *a, const char *a_key, const json_t *b,
		const char *b_key)
{
	const json_t *x = json_object_get(a, a_key);
	const json_t *y = json_object_get(b, b_key);
	real_t t, u;

	if (!json_is_string(x) || !json_is_string(y) ||
	    real_parse(json_string_value(x), json_string_length(x), &t) != 0 ||
	    real_parse(json_string_value(y), json_string_length(y), &u) != 0)
		return NAN;
	return (double)MAX(real_diff_us(u, t), 0) / (double)US_PER_S;
}

static void
add_target(struct table *t, const json_t *status, const json_t *v)
{
	const char *type = js_text(v, "api_type");
	const char *version = js_text(v, "version");
	double skew_ms = js_num(v, "clock_skew_ms");

	table_row(t);
	cell_text(t, v, "name");
	cell_state(t, js_text(v, "state"));
	table_cellf(t, STYLE_PLAIN, "%s %s", *type != '\0' ? type : "-",
		    version);
	cell_num(t, v, "hosts");
	cell_num(t, v, "datastores");
	cell_count(t, seconds_between(v, "last_poll", status, "now"));
	cell_num(t, v, "poll_ms");
	if (isnan(skew_ms))
		table_cell(t, STYLE_FAINT, "-");
	else
		table_cellf(t, STYLE_PLAIN, "%+.0f", round(skew_ms) + 0.0);
	cell_num(t, v, "samples");
	cell_num(t, v, "rejected");
}

static void
add_notifier(struct table *t, const json_t *status, const json_t *v)
{
	table_row(t);
	cell_text(t, v, "name");
	cell_text(t, v, "type");
	cell_state(t, js_text(v, "state"));
	cell_num(t, v, "queued");
	cell_num(t, v, "sent");
	cell_num(t, v, "failures");
	cell_count(t, seconds_between(v, "last_success", status, "now"));
}

static void
say_notifiers(const struct cli *c, const json_t *status)
{
	const json_t *all = json_object_get(status, "notifiers"), *row;
	struct table *t;

	if (json_array_size(all) == 0)
		return;
	t = table_new(notifier_columns, ARRAY_SIZE(notifier_columns));
	for (size_t i = 0; (row = json_array_get(all, i)) != NULL; i++)
		add_notifier(t, status, row);
	cli_say(c, stdout, "%s", "");
	table_print(t, &c->term, stdout);
	table_free(&t);
	for (size_t i = 0; (row = json_array_get(all, i)) != NULL; i++)
		if (*js_text(row, "error") != '\0')
			cli_say(c, stdout, "%s: %s", js_text(row, "name"),
				js_text(row, "error"));
}

static void
say_uptime(const struct cli *c, const json_t *v)
{
	int64_t s = (int64_t)json_integer_value(json_object_get(v, "uptime_s"));

	cli_say(c, stdout, "dslatd %s at %s, up %d d %02d:%02d:%02d",
		js_text(v, "version"), api_url(c->api), (int)(s / 86400),
		(int)(s / 3600 % 24), (int)(s / 60 % 60), (int)(s % 60));
}

/* What a row has no room for. */
static void
say_notes(const struct cli *c, const json_t *v)
{
	const char *name = js_text(v, "name");

	if (*js_text(v, "error") != '\0')
		cli_say(c, stdout, "%s: %s", name, js_text(v, "error"));
	if (js_true(v, "insecure"))
		cli_say(c, stdout,
			"%s: its certificate is not verified"
			" (tls: insecure)",
			name);
}

/* How far back the history reaches, or what is wrong with it. */
static void
say_store(const struct cli *c, const json_t *v)
{
	double raw = js_num(v, "raw_days");
	double five = js_num(v, "five_minute_days"),
	       hours = js_num(v, "hour_days");
	double mib = js_num(v, "bytes") / (1 << 20);

	if (!json_is_object(v) || strcmp(js_text(v, "state"), "off") == 0)
		return;
	if (strcmp(js_text(v, "state"), "ok") != 0)
		cli_say(c, stdout, "history: %s", js_text(v, "error"));
	else if (isnan(raw) || isnan(five) || isnan(hours))
		cli_say(c, stdout, "history: %.1f MiB, less than an hour", mib);
	else
		cli_say(c, stdout,
			"history: %.1f MiB; %.1f days of samples, %.1f of 5 "
			"minutes, %.1f of hours",
			mib, raw, five, hours);
	if (*js_text(v, "aside") != '\0')
		cli_say(c, stdout, "history: a damaged one was set aside: %s",
			js_text(v, "aside"));
}

int
cmd_status(struct cli *c)
{
	const json_t *targets, *row, *loop;
	struct table *t;
	struct err e;
	json_t *v;

	if (c->opt[OPT_JSON] != NULL)
		return cli_pass(c, "/api/v1/status");
	v = api_json(c->api, "/api/v1/status", &e);
	if (v == NULL)
		return cli_fail(c, &e);
	say_uptime(c, v);
	targets = json_object_get(v, "targets");
	t = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 0; (row = json_array_get(targets, i)) != NULL; i++)
		add_target(t, v, row);
	if (json_array_size(targets) == 0)
		cli_say(c, stdout, "no targets: nothing is watched");
	else
		table_print(t, &c->term, stdout);
	table_free(&t);
	for (size_t i = 0; (row = json_array_get(targets, i)) != NULL; i++)
		say_notes(c, row);
	say_notifiers(c, v);
	say_store(c, json_object_get(v, "store"));
	loop = json_object_get(v, "loop");
	if (js_num(loop, "stalls") > 0)
		cli_say(c, stdout,
			"the loop was held up %.0f times, %.0f ms at"
			" most (%s)",
			js_num(loop, "stalls"), js_num(loop, "stall_max_ms"),
			js_text(loop, "stall_where"));
	json_decref(v);
	return CLI_OK;
}
