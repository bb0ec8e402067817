#include "cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void
cell_ms(struct table *t, double ms, double iops, enum style style)
{
	if (isnan(ms))
		table_cell(t, STYLE_FAINT, "-");
	else if (ms == 0 && iops == 0)
		table_cell(t, STYLE_FAINT, "idle");
	else if (ms == 0)
		table_cell(t, style, "<1");
	else if (ms < 0.05)
		table_cell(t, style, "<0.1");
	else
		table_cellf(t, style, "%.1f", ms);
}

void
cell_count(struct table *t, double n)
{
	if (isnan(n))
		table_cell(t, STYLE_FAINT, "-");
	else if (n > 0 && n < 0.5)
		table_cell(t, STYLE_PLAIN, "<1");
	else
		table_cellf(t, STYLE_PLAIN, "%.0f", n);
}

void
cell_mib(struct table *t, double bytes)
{
	if (isnan(bytes))
		table_cell(t, STYLE_FAINT, "-");
	else
		table_cellf(t, STYLE_PLAIN, "%.1f", bytes / (1 << 20));
}

void
cell_num(struct table *t, const json_t *v, const char *key)
{
	cell_count(t, js_num(v, key));
}

void
cell_text(struct table *t, const json_t *v, const char *key)
{
	const char *s = js_text(v, key);

	table_cell(t, STYLE_PLAIN, *s != '\0' ? s : "-");
}

void
cell_subject(struct table *t, const json_t *v)
{
	static const char *const named[] = { "datastore", "host" };
	const char *target = js_text(v, "target");

	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_name", named[i]);
		if (*js_text(v, key) != '\0') {
			table_cellf(t, STYLE_PLAIN, "%s%s%s", target,
				    *target != '\0' ? "/" : "",
				    js_text(v, key));
			return;
		}
		if (*js_text(v, named[i]) != '\0')
			target = js_text(v, named[i]);
	}
	table_cell(t, STYLE_PLAIN, *target != '\0' ? target : "-");
}

enum style
style_of(const char *word)
{
	static const struct {
		const char *word;
		enum style style;
	} rows[] = {
		{ "ok", STYLE_GOOD },
		{ "idle", STYLE_FAINT },
		{ "not_measured", STYLE_FAINT },
		{ "maintenance", STYLE_FAINT },
		{ "warning", STYLE_WARN },
		{ "degraded", STYLE_WARN },
		{ "no_data", STYLE_WARN },
		{ "critical", STYLE_BAD },
		{ "inaccessible", STYLE_BAD },
		{ "disconnected", STYLE_BAD },
		{ "unreachable", STYLE_BAD },
		{ "auth_failed", STYLE_BAD },
		{ "failing", STYLE_BAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].word, word) == 0)
			return rows[i].style;
	return STYLE_PLAIN;
}

void
cell_state(struct table *t, const char *word)
{
	table_cell(t, style_of(word), word);
}
