#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "render.h"

/* What Alertmanager's own webhook says of an alert that goes on. */
#define NO_END "0001-01-01T00:00:00Z"
#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)
#define FNV_SEPARATOR 0xff

static const char *const alert_names[N_INCIDENT_KINDS] = {
	[INCIDENT_SLOW] = "DslatDatastoreSlow",
	[INCIDENT_NO_DATA] = "DslatNoData",
	[INCIDENT_INACCESSIBLE] = "DslatDatastoreInaccessible",
	[INCIDENT_UNREACHABLE] = "DslatUnreachable",
	[INCIDENT_LOGIN] = "DslatLoginRefused",
};

/* What is not there is no label: an empty one means the same. */
static void
set(json_t *v, const char *key, const char *text)
{
	char *clean;

	if (text == NULL || text[0] == '\0')
		return;
	clean = message_clean(text);
	json_object_set_new(v, key, json_text(clean));
	free(clean);
}

/* Only what stays the same from the first message to the last, severity apart:
 * labels are an alert's identity. */
json_t *
alert_labels(const struct incident *in, enum severity severity, bool is_test)
{
	json_t *v = json_object();

	set(v, "alertname", is_test ? "DslatTest" : alert_names[in->kind]);
	set(v, "severity", severity_name(severity));
	set(v, "target", in->target);
	if (is_test)
		return v;
	set(v, "kind", incident_kind_name(in->kind));
	set(v, "datacenter", in->datacenter);
	set(v, "cluster", in->cluster);
	set(v, "datastore", in->datastore);
	set(v, "datastore_id", in->datastore_id);
	set(v, "protocol", in->protocol);
	set(v, "host", in->host);
	if (in->kind == INCIDENT_SLOW)
		set(v, "op", op_name(in->op));
	return v;
}

static void
set_take(json_t *v, const char *key, char *text)
{
	set(v, key, text);
	free(text);
}

static char *
list_hosts(const struct incident *in)
{
	struct buf b;

	buf_init(&b, (size_t)1 << 16);
	for (size_t i = 0; i < in->n_listed; i++) {
		const struct incident_host *h = &in->hosts[i];
		char *worst = h->worst_us < 0 ? NULL : message_ms(h->worst_us);

		buf_addf(&b, "%s%s%s%s", i != 0 ? ", " : "", h->name,
			 worst != NULL ? " " : "", worst != NULL ? worst : "");
		free(worst);
	}
	if (in->n_hosts > in->n_listed)
		buf_addf(&b, " and %zu more", in->n_hosts - in->n_listed);
	return buf_take(&b);
}

json_t *
alert_annotations(const struct incident *in)
{
	char t[REAL_TEXT_SIZE];
	json_t *v = json_object();

	set(v, "summary", in->summary);
	set(v, "where", in->where);
	if (in->id != 0)
		set_take(v, "incident", xasprintf("%lld", (long long)in->id));
	if (in->kind == INCIDENT_SLOW && in->worst_us >= 0) {
		set_take(v, "worst", message_ms(in->worst_us));
		set(v, "worst_host", in->worst_host);
		if (in->worst_t.us != 0)
			set(v, "worst_time", real_format(in->worst_t, t));
		set_take(v, "warning_from",
			 message_ms(in->threshold.warning_us));
		set_take(v, "critical_from",
			 message_ms(in->threshold.critical_us));
	}
	set_take(v, "hosts", list_hosts(in));
	set(v, "backing", in->backing);
	set(v, "end_reason", in->end_reason);
	set(v, "acknowledged_by", in->ack_by);
	set(v, "acknowledgement", in->ack_note);
	return v;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint64_t
fnv_add(uint64_t hash, const char *s)
{
	for (; *s != '\0'; s++)
		hash = (hash ^ (unsigned char)*s) * FNV_PRIME;
	return (hash ^ FNV_SEPARATOR) * FNV_PRIME;
}

uint64_t
alert_fingerprint(const json_t *labels)
{
	json_t *object = (json_t *)(uintptr_t)labels;
	const char **keys =
			   xcalloc(json_object_size(labels) + 1, sizeof(*keys)),
		   *key;
	uint64_t hash = FNV_OFFSET;
	size_t n = 0;
	json_t *value;

	json_object_foreach(object, key, value) keys[n++] = key;
	qsort(keys, n, sizeof(*keys), by_text);
	for (size_t i = 0; i < n; i++) {
		hash = fnv_add(hash, keys[i]);
		hash = fnv_add(
			hash,
			json_string_value(json_object_get(labels, keys[i])));
	}
	free(keys);
	return hash;
}

/* ---- one alert ------------------------------------------------------------- */

/* A target's clock may run before ours: nothing begins or ended later than
 * now, or the other side would take it for going on. */
static real_t
no_later(real_t t, real_t limit)
{
	return t.us > limit.us ? limit : t;
}

static json_t *
link_of(const struct message *m, const struct incident *in)
{
	char *url = message_link(m, in);
	json_t *v = json_text(url != NULL ? url : "");

	free(url);
	return v;
}

/* One alert: an incident with one severity. */
struct alert {
	const struct incident *in;
	enum severity severity;
	bool over;
	real_t end; /* if it is over */
};

static json_t *
alert_base(const struct message *m, const struct alert *a)
{
	real_t last = a->over ? a->end : m->now;
	json_t *v = json_object();

	json_object_set_new(v, "labels",
			    alert_labels(a->in, a->severity, m->is_test));
	json_object_set_new(v, "annotations", alert_annotations(a->in));
	json_object_set_new(v, "startsAt",
			    json_time(no_later(a->in->started, last)));
	json_object_set_new(v, "generatorURL", link_of(m, a->in));
	return v;
}

typedef json_t *alert_fn(const struct message *m, const struct alert *a);

/* The first n items.  With another severity it is another alert, and the one
 * that was told is over. */
static json_t *
alert_list(const struct message *m, size_t n, alert_fn *fn)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct message_item *item = &m->items[i];
		const struct incident *in = item->in;
		const struct alert now = {
			.in = in,
			.severity = item->severity,
			.over = in->state == INCIDENT_ENDED,
			.end = no_later(in->ended, m->now),
		};
		const struct alert before = { in, item->other, true, m->now };

		json_array_append_new(list, fn(m, &now));
		if (item->was_other)
			json_array_append_new(list, fn(m, &before));
	}
	return list;
}

/* ---- Alertmanager, API v2 ------------------------------------------------ */

static json_t *
manager_alert(const struct message *m, const struct alert *a)
{
	json_t *v = alert_base(m, a);
	real_t end = a->over ? a->end : real_add_us(m->now, ALERT_LIFE_US);

	json_object_set_new(v, "endsAt", json_time(end));
	if (m->page_url == NULL)
		json_object_del(v, "generatorURL"); /* "" is no URI */
	return v;
}

json_t *
alertmanager_json(const struct message *m)
{
	return alert_list(m, m->n, manager_alert);
}

/* ---- webhook, version 4 -------------------------------------------------- */

static json_t *
webhook_alert(const struct message *m, const struct alert *a)
{
	json_t *v = alert_base(m, a);
	char *print;

	json_object_set_new(v, "status",
			    json_string(a->over ? "resolved" : "firing"));
	json_object_set_new(v, "endsAt",
			    a->over ? json_time(a->end) : json_string(NO_END));
	print = xasprintf("%016llx",
			  (unsigned long long)alert_fingerprint(
				  json_object_get(v, "labels")));
	json_object_set_new(v, "fingerprint", json_string(print));
	free(print);
	return v;
}

/* What all have with the same value. */
static json_t *
common(const json_t *alerts, const char *part)
{
	json_t *all = json_deep_copy(
		json_object_get(json_array_get(alerts, 0), part));
	const char *key;
	json_t *value;
	void *next;

	for (size_t i = 1; i < json_array_size(alerts); i++) {
		const json_t *other =
			json_object_get(json_array_get(alerts, i), part);

		json_object_foreach_safe(
			all, next, key,
			value) if (!json_equal(value,
					       json_object_get(other, key)))
			json_object_del(all, key);
	}
	return all != NULL ? all : json_object();
}

json_t *
webhook_json(const struct message *m)
{
	size_t n = MIN(m->n, MAX(m->n_changed, WEBHOOK_MAX_ALERTS));
	json_t *v = json_object(), *alerts = alert_list(m, n, webhook_alert);
	char *key = xasprintf("{}/{receiver=\"%s\"}:{}", m->receiver);
	bool firing = false;

	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].in->state != INCIDENT_ENDED)
			firing = true;
	json_object_set_new(v, "version", json_string("4"));
	json_object_set_new(v, "groupKey", json_text(key));
	json_object_set_new(v, "truncatedAlerts",
			    json_integer((json_int_t)(m->n - n)));
	json_object_set_new(v, "status",
			    json_string(firing ? "firing" : "resolved"));
	json_object_set_new(v, "receiver", json_text(m->receiver));
	json_object_set_new(v, "groupLabels", json_object());
	json_object_set_new(v, "commonLabels", common(alerts, "labels"));
	json_object_set_new(v, "commonAnnotations",
			    common(alerts, "annotations"));
	json_object_set_new(v, "externalURL",
			    json_text(m->page_url != NULL ? m->page_url : ""));
	json_object_set_new(v, "alerts", alerts);
	free(key);
	return v;
}
