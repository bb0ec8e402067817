/*
 * The names of things and the one JSON form of an incident, both ways.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_private.h"

const char *const incident_end_reasons[] = { "cleared", "idle",        "back",
					     "gone",    "maintenance", NULL };

static const char *const kinds[] = {
	[INCIDENT_SLOW] = "slow",
	[INCIDENT_NO_DATA] = "no_data",
	[INCIDENT_INACCESSIBLE] = "inaccessible",
	[INCIDENT_UNREACHABLE] = "unreachable",
	[INCIDENT_LOGIN] = "login",
};
static const char *const states[] = {
	[INCIDENT_OPEN] = "open",
	[INCIDENT_ANNOUNCED] = "announced",
	[INCIDENT_ENDED] = "ended",
};
static const char *const severities[] = {
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_CRITICAL] = "critical",
};
static const char *const changes[] = {
	[INCIDENT_OPENED] = "opened",     [INCIDENT_TOLD] = "announced",
	[INCIDENT_SEVERITY] = "severity", [INCIDENT_UPDATED] = "updated",
	[INCIDENT_ACKED] = "acked",       [INCIDENT_CLOSED] = "ended",
};

const char *
incident_kind_name(enum incident_kind k)
{
	assert((size_t)k < ARRAY_SIZE(kinds));
	return kinds[k];
}

const char *
incident_state_name(enum incident_state s)
{
	assert((size_t)s < ARRAY_SIZE(states));
	return states[s];
}

const char *
severity_name(enum severity s)
{
	assert((size_t)s < ARRAY_SIZE(severities));
	return severities[s];
}

const char *
incident_change_name(enum incident_change c)
{
	assert((size_t)c < ARRAY_SIZE(changes));
	return changes[c];
}

#define TEXT(name) offsetof(struct incident, name)
static const size_t owned[] = {
	TEXT(key),         TEXT(target),  TEXT(datastore_id), TEXT(datastore),
	TEXT(datacenter),  TEXT(cluster), TEXT(host_id),      TEXT(host),
	TEXT(protocol),    TEXT(backing), TEXT(worst_host),   TEXT(where),
	TEXT(summary),     TEXT(ack_by),  TEXT(ack_note),     TEXT(nested_in),
	TEXT(silenced_by),
};
#undef TEXT

static char **
owned_text(struct incident *in, size_t i)
{
	return (char **)(void *)((char *)in + owned[i]);
}

void
incident_copy(const struct incident *in, struct incident *in_r)
{
	*in_r = *in;
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++) {
		char **text = owned_text(in_r, i);

		*text = *text != NULL ? xstrdup(*text) : NULL;
	}
	in_r->n_listed = MIN(in->n_listed, INCIDENT_TOLD_HOSTS);
	in_r->hosts = xcalloc(in_r->n_listed, sizeof(*in_r->hosts));
	for (size_t i = 0; i < in_r->n_listed; i++) {
		in_r->hosts[i] = in->hosts[i];
		in_r->hosts[i].id = xstrdup(in->hosts[i].id);
		in_r->hosts[i].name = xstrdup(in->hosts[i].name);
	}
}

void
incident_fini(struct incident *in)
{
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++)
		free(*owned_text(in, i));
	for (size_t i = 0; i < in->n_listed; i++) {
		free(in->hosts[i].id);
		free(in->hosts[i].name);
	}
	free(in->hosts);
	*in = (struct incident){ 0 };
}

/* ---- tables of members --------------------------------------------------- */

struct member {
	const char *name;
	size_t offset;
};
#define IN(name, field)                                                        \
	{                                                                      \
		name, offsetof(struct incident, field)                         \
	}

static const struct member texts[] = {
	IN("key", key),
	IN("target", target),
	IN("datastore", datastore_id),
	IN("datastore_name", datastore),
	IN("datacenter", datacenter),
	IN("cluster", cluster),
	IN("host", host_id),
	IN("host_name", host),
	IN("protocol", protocol),
	IN("backing", backing),
	IN("worst_host", worst_host),
	IN("where", where),
	IN("summary", summary),
	IN("ack_by", ack_by),
	IN("ack_note", ack_note),
	IN("nested_in", nested_in),
	IN("silenced_by", silenced_by),
};
static const struct member times[] = {
	IN("started", started), IN("announced", announced),
	IN("updated", updated), IN("ended", ended),
	IN("worst_t", worst_t), IN("acked", acked),
};
static const struct member limits_us[] = {
	IN("warning_ms", threshold.warning_us),
	IN("critical_ms", threshold.critical_us),
	IN("clear_ms", threshold.clear_us),
	IN("sparse_ms", threshold.sparse_us),
};
static const struct member limits_n[] = {
	IN("window_samples", threshold.window_samples),
	IN("for_samples", threshold.for_samples),
	IN("clear_samples", threshold.clear_samples),
};

static const void *
at(const void *base, const struct member *m)
{
	return (const char *)base + m->offset;
}

static void *
at_r(void *base, const struct member *m)
{
	return (char *)base + m->offset;
}

/* ---- out ----------------------------------------------------------------- */

static json_t *
count_or_null(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *
hosts_json(const struct incident *in)
{
	json_t *list = json_array();

	for (size_t i = 0; i < in->n_listed; i++) {
		const struct incident_host *h = &in->hosts[i];
		json_t *v = json_object();

		json_object_set_new(v, "id", json_text(h->id));
		json_object_set_new(v, "name", json_text(h->name));
		json_object_set_new(v, "worst_ms", json_ms(h->worst_us));
		json_object_set_new(v, "worst_ios",
				    count_or_null(h->worst_ios));
		json_object_set_new(v, "worst_t", json_time(h->worst_t));
		json_object_set_new(v, "severity",
				    json_text(severity_name(h->severity)));
		json_object_set_new(v, "idle_samples",
				    json_integer(h->idle_slots));
		json_array_append_new(list, v);
	}
	return list;
}

static json_t *
threshold_json(const struct incident *in)
{
	json_t *v = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(limits_us); i++) {
		const int64_t *us = at(in, &limits_us[i]);

		json_object_set_new(v, limits_us[i].name, json_ms(*us));
	}
	json_object_set_new(v, "min_ios", json_integer(in->threshold.min_ios));
	for (size_t i = 0; i < ARRAY_SIZE(limits_n); i++) {
		const int *n = at(in, &limits_n[i]);

		json_object_set_new(v, limits_n[i].name, json_integer(*n));
	}
	return v;
}

static json_t *
slot_json(int64_t slot)
{
	return slot == INT64_MIN ? json_null() : json_time(slot_end(slot));
}

/* One letter per slot, newest last: '.', 'w'arning, 'c'ritical. */
static json_t *
window_json(const struct incident *in)
{
	char text[TRACK_SLOTS + 1];

	for (unsigned i = 0; i < TRACK_SLOTS; i++) {
		uint32_t bit = UINT32_C(1) << (TRACK_SLOTS - 1 - i);

		text[i] = '.';
		if ((in->window_critical & bit) != 0)
			text[i] = 'c';
		else if ((in->window_breach & bit) != 0)
			text[i] = 'w';
	}
	text[TRACK_SLOTS] = '\0';
	return json_text(text);
}

static void
set_latency(json_t *v, const struct incident *in)
{
	bool is = in->kind == INCIDENT_SLOW;

	json_object_set_new(v, "op",
			    is ? json_text(op_name(in->op)) : json_null());
	json_object_set_new(v, "worst_ms", json_ms(in->worst_us));
	json_object_set_new(v, "worst_ios", count_or_null(in->worst_ios));
	json_object_set_new(v, "breach_samples",
			    json_integer(in->breach_slots));
	json_object_set_new(v, "threshold",
			    is ? threshold_json(in) : json_null());
	json_object_set_new(v, "window", is ? window_json(in) : json_null());
	json_object_set_new(v, "window_t", slot_json(in->window_slot));
	json_object_set_new(v, "judged_t", slot_json(in->judged_slot));
	json_object_set_new(v, "fine_samples", json_integer(in->clear_slots));
}

json_t *
incident_json(const struct incident *in)
{
	json_t *v = json_object();

	json_object_set_new(v, "id", json_integer(in->id));
	json_object_set_new(v, "kind", json_text(incident_kind_name(in->kind)));
	json_object_set_new(v, "state",
			    json_text(incident_state_name(in->state)));
	json_object_set_new(v, "severity",
			    json_text(severity_name(in->severity)));
	json_object_set_new(v, "worst_severity",
			    json_text(severity_name(in->worst_severity)));
	json_object_set_new(v, "was_announced",
			    json_boolean(in->was_announced));
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const real_t *t = at(in, &times[i]);

		json_object_set_new(v, times[i].name, json_time(*t));
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *const *text = at(in, &texts[i]);

		json_object_set_new(v, texts[i].name, json_text(*text));
	}
	json_object_set_new(v, "end_reason", json_text(in->end_reason));
	set_latency(v, in);
	json_object_set_new(v, "hosts_n",
			    json_integer((json_int_t)in->n_hosts));
	json_object_set_new(v, "hosts", hosts_json(in));
	return v;
}

/* ---- in ------------------------------------------------------------------ */

/* Index of the word among n, or n. */
static size_t
word_index(const json_t *v, const char *const *words, size_t n)
{
	const char *s = json_string_value(v);
	size_t i = 0;

	while (i < n && (s == NULL || strcmp(s, words[i]) != 0))
		i++;
	return i;
}

static int64_t
us_of(const json_t *ms)
{
	double v = json_number_value(ms);

	if (!json_is_number(ms) || v < 0 || v > 1e12)
		return -1;
	return llround(v * (double)US_PER_MS);
}

static int64_t
count_of(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0
		? json_integer_value(v)
		: -1;
}

static real_t
time_of(const json_t *v)
{
	real_t t = { 0 };

	if (!json_is_string(v) ||
	    real_parse(json_string_value(v), json_string_length(v), &t) != 0)
		t.us = 0;
	return t;
}

static int64_t
slot_of_json(const json_t *v)
{
	real_t t = time_of(v);

	return t.us == 0 ? INT64_MIN : slot_of(t);
}

static void
read_window(const char *text, struct incident *in)
{
	size_t len = text != NULL ? strlen(text) : 0;

	for (size_t i = 0; i < len && len <= TRACK_SLOTS; i++) {
		uint32_t bit = UINT32_C(1) << (len - 1 - i);

		if (text[i] != '.')
			in->window_breach |= bit;
		if (text[i] == 'c')
			in->window_critical |= bit;
	}
}

static void
read_hosts(const json_t *list, struct incident *in)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, v)
	{
		const char *id = json_string_value(json_object_get(v, "id"));
		const char *name =
			json_string_value(json_object_get(v, "name"));
		struct incident_host *h;

		if (id == NULL || in->n_listed == INCIDENT_MAX_HOSTS)
			continue;
		in->hosts = xreallocarray(in->hosts, in->n_listed + 1,
					  sizeof(*in->hosts));
		h = &in->hosts[in->n_listed++];
		*h = (struct incident_host){
			.id = xstrdup(id),
			.name = xstrdup(name != NULL ? name : id),
			.worst_us = us_of(json_object_get(v, "worst_ms")),
			.worst_ios = count_of(json_object_get(v, "worst_ios")),
			.worst_t = time_of(json_object_get(v, "worst_t")),
		};
		if (word_index(json_object_get(v, "severity"), severities,
			       ARRAY_SIZE(severities)) == SEVERITY_CRITICAL)
			h->severity = SEVERITY_CRITICAL;
		h->idle_slots = (int)MIN(
			MAX(count_of(json_object_get(v, "idle_samples")), 0),
			INT32_MAX);
	}
}

static void
read_threshold(const json_t *v, struct incident *in)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits_us); i++)
		*(int64_t *)at_r(in, &limits_us[i]) =
			us_of(json_object_get(v, limits_us[i].name));
	in->threshold.min_ios = count_of(json_object_get(v, "min_ios"));
	for (size_t i = 0; i < ARRAY_SIZE(limits_n); i++)
		*(int *)at_r(in, &limits_n[i]) = (int)MIN(
			MAX(count_of(json_object_get(v, limits_n[i].name)), 0),
			INT16_MAX);
}

static bool
read_latency(const json_t *v, struct incident *in)
{
	static const char *const ops[] = { "read", "write" };
	size_t op = word_index(json_object_get(v, "op"), ops, N_OPS);

	in->window_slot = in->judged_slot = INT64_MIN;
	in->worst_us = us_of(json_object_get(v, "worst_ms"));
	in->worst_ios = count_of(json_object_get(v, "worst_ios"));
	if (in->kind != INCIDENT_SLOW)
		return true;
	if (op == N_OPS || in->datastore_id == NULL)
		return false;
	in->op = (enum op)op;
	read_threshold(json_object_get(v, "threshold"), in);
	in->breach_slots = (uint32_t)MAX(
		count_of(json_object_get(v, "breach_samples")), 0);
	in->window_slot = slot_of_json(json_object_get(v, "window_t"));
	in->judged_slot = slot_of_json(json_object_get(v, "judged_t"));
	in->clear_slots =
		(int)MIN(MAX(count_of(json_object_get(v, "fine_samples")), 0),
			 INT16_MAX);
	read_window(json_string_value(json_object_get(v, "window")), in);
	return in->window_slot != INT64_MIN && in->judged_slot != INT64_MIN;
}

static bool
read_words(const json_t *v, struct incident *in)
{
	size_t kind = word_index(json_object_get(v, "kind"), kinds,
				 ARRAY_SIZE(kinds));
	size_t state = word_index(json_object_get(v, "state"), states,
				  ARRAY_SIZE(states));
	size_t now = word_index(json_object_get(v, "severity"), severities,
				ARRAY_SIZE(severities));
	size_t worst = word_index(json_object_get(v, "worst_severity"),
				  severities, ARRAY_SIZE(severities));
	size_t reason = word_index(json_object_get(v, "end_reason"),
				   incident_end_reasons,
				   ARRAY_SIZE(incident_end_reasons) - 1);

	if (kind == ARRAY_SIZE(kinds) || state == ARRAY_SIZE(states) ||
	    now == ARRAY_SIZE(severities) || worst == ARRAY_SIZE(severities))
		return false;
	in->kind = (enum incident_kind)kind;
	in->state = (enum incident_state)state;
	in->severity = (enum severity)now;
	in->worst_severity = (enum severity)worst;
	in->end_reason = incident_end_reasons[reason];
	in->was_announced = json_is_true(json_object_get(v, "was_announced"));
	return true;
}

bool
incident_from_json(const json_t *v, struct incident *in_r)
{
	struct incident *in = in_r;

	*in = (struct incident){ 0 };
	in->id = json_integer_value(json_object_get(v, "id"));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		xstrset(at_r(in, &texts[i]),
			json_string_value(json_object_get(v, texts[i].name)));
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		*(real_t *)at_r(in, &times[i]) =
			time_of(json_object_get(v, times[i].name));
	if (in->id > 0 && in->key != NULL && in->target != NULL &&
	    in->started.us != 0 && read_words(v, in) && read_latency(v, in)) {
		read_hosts(json_object_get(v, "hosts"), in);
		in->n_hosts =
			(size_t)MAX(count_of(json_object_get(v, "hosts_n")),
				    (int64_t)in->n_listed);
		return true;
	}
	incident_fini(in);
	return false;
}
