/*
 * `maintenance`: hours of the week in which nobody is told.
 */
#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/mem.h"

/* Monday is bit 0. */
static const char *const days[] = { "mon", "tue", "wed", "thu",
				    "fri", "sat", "sun" };
#define EVERY_DAY 0x7fu

static int
day_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(days); i++)
		if (strcmp(word, days[i]) == 0)
			return (int)i;
	return -1;
}

void
conf_check_weekdays(struct conf_reader *r, const struct yaml_node *n,
		    void *value)
{
	const struct yaml_node *one = n->kind == YAML_LIST ? n->first : n;
	char **words = *(char ***)value;

	for (size_t i = 0; words[i] != NULL; i++, one = one->next)
		if (day_of(words[i]) < 0)
			fault_add(r->faults, one->at,
				  "\"%.*s\" is none of mon, tue, wed, thu, "
				  "fri, sat and sun",
				  CONF_SHOWN_MAX, words[i]);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "hh:mm" or "h:mm" as a minute of the day, or -1. */
static int
minute_of(const char *s)
{
	size_t len = strlen(s);
	int hour, minute;

	if (len < 4 || len > 5 || s[len - 3] != ':' || !is_digit(s[0]) ||
	    !is_digit(s[len - 4]) || !is_digit(s[len - 2]) ||
	    !is_digit(s[len - 1]))
		return -1;
	hour = s[len - 4] - '0' + (len == 5 ? (s[0] - '0') * 10 : 0);
	minute = (s[len - 2] - '0') * 10 + s[len - 1] - '0';
	return hour < 24 && minute < 60 ? hour * 60 + minute : -1;
}

void
conf_check_time_of_day(struct conf_reader *r, const struct yaml_node *n,
		       void *value)
{
	if (minute_of(*(char **)value) < 0)
		fault_add(r->faults, n->at,
			  "\"%s\" is \"%.*s\"; write hours and minutes from "
			  "\"00:00\" to \"23:59\"",
			  n->key, CONF_SHOWN_MAX, *(char **)value);
}

void
conf_check_timezone(struct conf_reader *r, const struct yaml_node *n,
		    void *value)
{
	const char *s = *(char **)value;

	if (strcmp(s, "utc") != 0 && strcmp(s, "local") != 0)
		fault_add(r->faults, n->at,
			  "\"timezone\" is \"%.*s\"; write utc or local",
			  CONF_SHOWN_MAX, s);
}

void
conf_check_maintenance_name(struct conf_reader *r, const struct yaml_node *n,
			    void *value unused)
{
	conf_check_new_name(r, n, "maintenance:", "maintenance window");
}

/* A whole element: words become numbers. */
void
conf_check_maintenance(struct conf_reader *r unused,
		       const struct yaml_node *n unused, void *value)
{
	struct conf_maintenance *m = value;
	int day;

	m->window.weekdays = 0;
	for (size_t i = 0; m->weekdays != NULL && m->weekdays[i] != NULL; i++) {
		day = day_of(m->weekdays[i]);
		m->window.weekdays |= day >= 0 ? 1u << day : 0;
	}
	if (m->window.weekdays == 0)
		m->window.weekdays = EVERY_DAY;
	m->window.start_min = m->from != NULL ? minute_of(m->from) : -1;
	m->window.end_min = m->to != NULL ? minute_of(m->to) : -1;
	m->window.utc = m->timezone != NULL && strcmp(m->timezone, "utc") == 0;
}

void *
conf_add_maintenance(struct conf *c)
{
	struct conf_maintenance *m;

	c->maintenance = xreallocarray(c->maintenance, c->n_maintenance + 1,
				       sizeof(*c->maintenance));
	m = &c->maintenance[c->n_maintenance++];
	*m = (struct conf_maintenance){ .from = NULL };
	conf_preset(conf_key_get("maintenance"), m);
	return m;
}

const void *
conf_maintenance_item(const struct conf *c, size_t i)
{
	return i < c->n_maintenance ? &c->maintenance[i] : NULL;
}

void
conf_maintenance_fini(struct conf_maintenance *m)
{
	free(m->window.name);
	free(m->window.match);
	free(m->from);
	free(m->to);
	free(m->timezone);
	conf_texts_free(&m->weekdays);
}
