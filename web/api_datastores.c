/*
 * GET /api/v1/datastores and /api/v1/datastores/{id}.
 */
#include <string.h>

#include "dslat/watch.h"
#include "web/api.h"
#include "web/list.h"

static json_t *
protocol_names(uint32_t mask)
{
	json_t *v = json_array();

	for (enum protocol p = 0; p < N_PROTOCOLS; p++)
		if ((mask & 1u << p) != 0)
			json_array_append_new(v, json_string(protocol_name(p)));
	return v;
}

static json_t *
bytes(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static void
set_worst(json_t *v, const struct latest *l)
{
	static const struct {
		enum op op;
		const char *ms, *host, *host_id;
	} keys[] = {
		{ OP_READ, "read_worst_ms", "read_worst_host",
		  "read_worst_host_id" },
		{ OP_WRITE, "write_worst_ms", "write_worst_host",
		  "write_worst_host_id" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct merged *m = &l->op[keys[i].op];
		const struct host *h = m->worst_host;

		json_object_set_new(v, keys[i].ms, json_ms(m->worst_us));
		json_object_set_new(v, keys[i].host,
				    json_text(h != NULL ? h->name : NULL));
		json_object_set_new(v, keys[i].host_id,
				    json_text(h != NULL ? h->id : NULL));
	}
}

static json_t *
latest_json(const struct latest *l)
{
	json_t *v = json_object();

	json_object_set_new(v, "t", api_slot_time(l->slot));
	api_set_values(v, l->op);
	set_worst(v, l);
	json_object_set_new(v, "hosts_n", json_integer((json_int_t)l->hosts_n));
	json_object_set_new(v, "hosts_expected",
			    json_integer((json_int_t)l->hosts_expected));
	return v;
}

static json_t *
hosts_json(const struct datastore *ds)
{
	json_t *v = json_array();

	for (size_t i = 0; i < ds->n_pairs; i++)
		if (!ds->pairs[i]->gone)
			json_array_append_new(v, api_pair(ds->pairs[i], true));
	return v;
}

/* The worst one that goes on; null: there is none. */
static json_t *
incident_id(const struct web *w, const struct datastore *ds)
{
	const struct incident *in = NULL;

	if (w->watch != NULL)
		in = incidents_of(watch_incidents(w->watch), ds->id);
	return in != NULL ? json_integer(in->id) : json_null();
}

json_t *
api_datastore(const struct web *w, const struct datastore *ds, bool expand)
{
	enum ds_state state = datastore_state(ds);
	struct latest l = datastore_latest(ds);
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "id", ds->id },
		{ "target", ds->target->name },
		{ "uuid", ds->uuid },
		{ "moref", ds->moref },
		{ "name", ds->name },
		{ "datacenter", ds->datacenter },
		{ "cluster", ds->cluster },
		{ "fs", ds->fs },
		{ "protocol", protocol_name(ds->protocol) },
		{ "family", protocol_family(ds->protocol) },
		{ "backing", ds->backing },
		{ "state", ds_state_name(state) },
		{ "reason", ds_state_reason(state) },
		{ "threshold_origin", ds->threshold_origin },
	};
	json_t *v = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		json_object_set_new(v, texts[i].key, json_text(texts[i].text));
	json_object_set_new(v, "protocols", protocol_names(ds->protocols));
	json_object_set_new(v, "accessible", json_boolean(ds->accessible));
	json_object_set_new(v, "maintenance", json_boolean(ds->maintenance));
	json_object_set_new(v, "capacity_bytes", bytes(ds->capacity_bytes));
	json_object_set_new(v, "free_bytes", bytes(ds->free_bytes));
	json_object_set_new(v, "stale_s", api_stale_s(ds->target, &l));
	json_object_set_new(v, "threshold_ms",
			    json_ms(ds->threshold.warning_us));
	json_object_set_new(v, "critical_ms",
			    json_ms(ds->threshold.critical_us));
	json_object_set_new(v, "incident", incident_id(w, ds));
	json_object_set_new(v, "latest", latest_json(&l));
	if (expand)
		json_object_set_new(v, "hosts", hosts_json(ds));
	return v;
}

/* ---- the list ---- */

static bool
is_gone(const void *item)
{
	return ((const struct datastore *)item)->gone;
}

static struct list_key
key_of(const void *item)
{
	const struct datastore *ds = item;

	return (struct list_key){ ds->target->name,
				  ds->name != NULL ? ds->name : "", ds->id };
}

static size_t
cost_of(const void *item, bool expand)
{
	const struct datastore *ds = item;

	return 1 + ds->n_pairs * (expand ? 4 : 2);
}

static bool
matches(const void *item, const struct list_filter *f)
{
	const struct datastore *ds = item;

	if (f->protocols != 0 && (f->protocols & 1u << ds->protocol) == 0)
		return false;
	return f->states == 0 ||
		(f->states & 1u << (unsigned)datastore_state(ds)) != 0;
}

static json_t *
row_of(const struct web *w, const void *item, bool expand)
{
	return api_datastore(w, item, expand);
}

static const char *
state_name(unsigned state)
{
	return state <= DS_OK ? ds_state_name((enum ds_state)state) : NULL;
}

static const struct list_ops ops = {
	.map_offset = offsetof(struct target, datastores),
	.expand = "hosts",
	.state_name = state_name,
	.is_gone = is_gone,
	.key_of = key_of,
	.cost_of = cost_of,
	.matches = matches,
	.row_of = row_of,
};

void
api_datastores(void *arg, struct request *rq)
{
	list_reply(arg, rq, &ops);
}

void
api_datastore_one(void *arg, struct request *rq)
{
	const struct datastore *ds = api_find_datastore(arg, rq, NULL, rq->id);

	if (ds != NULL)
		reply_json(&rq->reply, api_datastore(arg, ds, true));
}
