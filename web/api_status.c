/*
 * GET /api/v1/status: how dslatd itself and each of its targets are.
 */
#include "config.h"

#include <math.h>

#include "dslat/notifiers.h"
#include "dslat/store.h"
#include "dslat/units.h"
#include "web/api.h"
#include "web/sse.h"

static json_t *
count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static size_t
n_hosts(const struct target *t)
{
	size_t n = 0;
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		n += !((const struct host *)v)->gone;
	return n;
}

static size_t
n_datastores(const struct target *t)
{
	size_t n = 0;
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);)
		n += !((const struct datastore *)v)->gone;
	return n;
}

json_t *
api_target(const struct target *t)
{
	const struct target_stats *s = &t->stats;
	bool heard = t->server_seen.us != 0, polled = t->last_poll.us != 0;
	const struct {
		const char *key;
		json_t *value;
	} rows[] = {
		{ "name", json_text(t->name) },
		{ "url", json_text(t->url) },
		{ "state", json_string(target_state_name(t->state)) },
		{ "error", json_text(t->error) },
		{ "api_type", json_text(t->api_type) },
		{ "version", json_text(t->version) },
		{ "insecure", json_boolean(t->insecure) },
		{ "last_poll", json_time(t->last_poll) },
		{ "poll_ms", polled ? json_ms(t->poll_us) : json_null() },
		{ "poll_interval_s",
		  json_num(t->poll_interval_us != 0
				   ? us_to_s(t->poll_interval_us)
				   : NAN) },
		{ "hosts", count(n_hosts(t)) },
		{ "datastores", count(n_datastores(t)) },
		{ "samples", count(s->samples) },
		{ "rejected", count(s->rejected) },
		{ "late", count(s->late) },
		{ "unclaimed", count(s->unclaimed) },
		{ "gaps", count(s->gaps) },
		{ "polls", count(s->polls) },
		{ "poll_failures", count(s->poll_failures) },
		{ "logins", count(s->logins) },
		{ "server_time",
		  heard ? json_time(target_now(t)) : json_null() },
		{ "clock_skew_ms",
		  heard ? json_num((double)t->clock_skew_us / (double)US_PER_MS)
			: json_null() },
	};
	json_t *v = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		json_object_set_new(v, rows[i].key, rows[i].value);
	return v;
}

static json_t *
loop_json(const struct loop *l)
{
	struct loop_stats s = loop_stats(l);
	json_t *v = json_object();

	json_object_set_new(v, "turns", count(s.turns));
	json_object_set_new(v, "stalls", count(s.stalls));
	json_object_set_new(v, "stall_max_ms", json_ms(s.stall_max_us));
	json_object_set_new(v, "stall_where", json_text(s.stall_where));
	return v;
}

static json_t *
http_json(const struct web *w)
{
	struct http_stats s = http_stats(w->http);
	json_t *v = json_object(), *requests = json_object();

	json_object_set_new(requests, "2xx", count(s.requests[2]));
	json_object_set_new(requests, "3xx", count(s.requests[3]));
	json_object_set_new(requests, "4xx", count(s.requests[4]));
	json_object_set_new(requests, "5xx", count(s.requests[5]));
	json_object_set_new(v, "requests", requests);
	json_object_set_new(v, "connections", count(s.connections));
	json_object_set_new(v, "late", count(s.late));
	json_object_set_new(v, "streams", count(sse_clients(w->sse)));
	return v;
}

static json_t *
notifiers_json(const struct web *w)
{
	size_t n = w->notifiers != NULL ? notifiers_count(w->notifiers) : 0;
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		struct notifier_status s = notifiers_status(w->notifiers, i);
		json_t *v = json_object();

		json_object_set_new(v, "name", json_text(s.name));
		json_object_set_new(v, "type", json_text(s.type));
		json_object_set_new(v, "state",
				    json_text(notifier_state_name(s.state)));
		json_object_set_new(v, "error", json_text(s.error));
		json_object_set_new(v, "queued", count(s.queued));
		json_object_set_new(v, "sent", count(s.sent));
		json_object_set_new(v, "failures", count(s.failures));
		json_object_set_new(v, "dropped", count(s.dropped));
		json_object_set_new(v, "last_success",
				    json_time(s.last_success));
		json_object_set_new(v, "next_try", json_time(s.next_try));
		json_array_append_new(list, v);
	}
	return list;
}

/* How far back something reaches; null: there is nothing. */
static json_t *
days(real_t now, real_t since)
{
	double us = (double)real_diff_us(now, since);

	return since.us == 0 ? json_null()
			     : json_num(us / (86400.0 * (double)US_PER_S));
}

static json_t *
store_json(const struct store *store, real_t now)
{
	struct store_status s = store_status(store);
	const struct {
		const char *key;
		json_t *value;
	} rows[] = {
		{ "state", json_string(store_state_name(s.state)) },
		{ "error", json_text(s.error) },
		{ "bytes", json_integer(s.bytes) },
		{ "free_bytes",
		  s.free_bytes >= 0 ? json_integer(s.free_bytes)
				    : json_null() },
		{ "raw_days", days(now, s.raw_since) },
		{ "five_minute_days", days(now, s.five_minute_since) },
		{ "hour_days", days(now, s.hour_since) },
		{ "written", json_time(s.written) },
		{ "commits", count(s.commits) },
		{ "failures", count(s.failures) },
		{ "samples", count(s.cells) },
		{ "jobs", count(s.jobs) },
		{ "aside", json_text(s.aside) },
	};
	json_t *v = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		json_object_set_new(v, rows[i].key, rows[i].value);
	return v;
}

void
api_status(void *arg, struct request *rq)
{
	const struct web *w = arg;
	const struct site *site = w->site;
	json_t *v = json_object(), *targets = json_array();

	for (size_t i = 0; i < site->n_targets; i++)
		json_array_append_new(targets, api_target(site->targets[i]));
	json_object_set_new(v, "version", json_string(PACKAGE_VERSION));
	json_object_set_new(v, "started", json_time(site->started));
	json_object_set_new(v, "now", json_time(site->now.real));
	json_object_set_new(
		v, "uptime_s",
		json_integer(mono_diff_us(site->now.mono, site->started_mono) /
			     US_PER_S));
	json_object_set_new(v, "targets", targets);
	json_object_set_new(v, "exporters", json_array());
	json_object_set_new(v, "notifiers", notifiers_json(w));
	json_object_set_new(v, "store",
			    w->store != NULL
				    ? store_json(w->store, site->now.real)
				    : json_null());
	json_object_set_new(v, "loop", loop_json(w->loop));
	json_object_set_new(v, "http", http_json(w));
	reply_json(&rq->reply, v);
}
