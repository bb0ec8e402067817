/*
 * GET /api/v1/hosts and /api/v1/hosts/{id}: the same turned round.
 */
#include <string.h>

#include "web/api.h"
#include "web/list.h"

/* The first that applies. */
enum host_state {
	HOST_MAINTENANCE,
	HOST_DISCONNECTED,
	HOST_CRITICAL,
	HOST_WARNING,
	HOST_NO_DATA,
	HOST_IDLE,
	HOST_OK,
};

static const char *const state_names[] = {
	[HOST_MAINTENANCE] = "maintenance",
	[HOST_DISCONNECTED] = "disconnected",
	[HOST_CRITICAL] = "critical",
	[HOST_WARNING] = "warning",
	[HOST_NO_DATA] = "no_data",
	[HOST_IDLE] = "idle",
	[HOST_OK] = "ok",
};

static enum host_state
state_of(const struct host *h, const struct latest *l)
{
	enum breach worst = MAX(l->op[OP_READ].breach, l->op[OP_WRITE].breach);

	if (h->maintenance)
		return HOST_MAINTENANCE;
	if (!h->connected)
		return HOST_DISCONNECTED;
	if (latest_age_us(h->target, l) > 90 * US_PER_S)
		return HOST_NO_DATA;
	if (worst != BREACH_NONE)
		return worst == BREACH_CRITICAL ? HOST_CRITICAL : HOST_WARNING;
	if (load_is_busy(l->op[OP_READ].load) ||
	    load_is_busy(l->op[OP_WRITE].load))
		return HOST_OK;
	return HOST_IDLE;
}

/* The worst of the host's datastores in the slot, or NULL. */
static const struct datastore *
worst_datastore(const struct host *h, int64_t slot, enum op op)
{
	const struct datastore *worst = NULL;
	int64_t worst_us = -1;

	for (size_t i = 0; i < h->n_pairs; i++) {
		struct merged m = merge_one(h->pairs[i], slot, op);

		if (load_is_busy(m.load) && m.worst_us > worst_us) {
			worst_us = m.worst_us;
			worst = h->pairs[i]->datastore;
		}
	}
	return worst;
}

static void
set_worst(json_t *v, const struct host *h, const struct latest *l)
{
	static const struct {
		enum op op;
		const char *ms, *name, *id;
	} keys[] = {
		{ OP_READ, "read_worst_ms", "read_worst_datastore",
		  "read_worst_datastore_id" },
		{ OP_WRITE, "write_worst_ms", "write_worst_datastore",
		  "write_worst_datastore_id" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct datastore *ds =
			worst_datastore(h, l->slot, keys[i].op);

		json_object_set_new(v, keys[i].ms,
				    json_ms(l->op[keys[i].op].worst_us));
		json_object_set_new(v, keys[i].name,
				    json_text(ds != NULL ? ds->name : NULL));
		json_object_set_new(v, keys[i].id,
				    json_text(ds != NULL ? ds->id : NULL));
	}
}

static json_t *
latest_json(const struct host *h, const struct latest *l)
{
	json_t *v = json_object();

	json_object_set_new(v, "t", api_slot_time(l->slot));
	api_set_values(v, l->op);
	set_worst(v, h, l);
	json_object_set_new(v, "datastores_n",
			    json_integer((json_int_t)l->hosts_n));
	json_object_set_new(v, "datastores_expected",
			    json_integer((json_int_t)l->hosts_expected));
	return v;
}

static json_t *
datastores_json(const struct host *h)
{
	json_t *v = json_array();

	for (size_t i = 0; i < h->n_pairs; i++)
		if (!h->pairs[i]->gone)
			json_array_append_new(v, api_pair(h->pairs[i], false));
	return v;
}

json_t *
api_host(const struct host *h, bool expand)
{
	struct latest l = host_latest(h);
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "id", h->id },
		{ "target", h->target->name },
		{ "moref", h->moref },
		{ "name", h->name },
		{ "datacenter", h->datacenter },
		{ "cluster", h->cluster },
		{ "version", h->version },
		{ "state", state_names[state_of(h, &l)] },
		{ "error", h->error },
	};
	json_t *v = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		json_object_set_new(v, texts[i].key, json_text(texts[i].text));
	json_object_set_new(v, "connected", json_boolean(h->connected));
	json_object_set_new(v, "maintenance", json_boolean(h->maintenance));
	json_object_set_new(v, "clock_off", json_boolean(h->shift_slots != 0));
	json_object_set_new(
		v, "clock_skew_ms",
		h->newest_stamp_us != 0
			? json_num((double)h->skew_us / (double)US_PER_MS)
			: json_null());
	json_object_set_new(v, "stale_s", api_stale_s(h->target, &l));
	json_object_set_new(v, "latest", latest_json(h, &l));
	if (expand)
		json_object_set_new(v, "datastores", datastores_json(h));
	return v;
}

/* ---- the list ---- */

static bool
is_gone(const void *item)
{
	return ((const struct host *)item)->gone;
}

static struct list_key
key_of(const void *item)
{
	const struct host *h = item;

	return (struct list_key){ h->target->name,
				  h->name != NULL ? h->name : "", h->id };
}

static size_t
cost_of(const void *item, bool expand)
{
	const struct host *h = item;

	return 1 + h->n_pairs * (expand ? 3 : 2);
}

static bool
matches(const void *item, const struct list_filter *f)
{
	const struct host *h = item;
	struct latest l;

	if (f->states == 0)
		return true;
	l = host_latest(h);
	return (f->states & 1u << state_of(h, &l)) != 0;
}

static json_t *
row_of(const struct web *w unused, const void *item, bool expand)
{
	return api_host(item, expand);
}

static const char *
state_name(unsigned state)
{
	return state < ARRAY_SIZE(state_names) ? state_names[state] : NULL;
}

static const struct list_ops ops = {
	.map_offset = offsetof(struct target, hosts),
	.expand = "datastores",
	.state_name = state_name,
	.is_gone = is_gone,
	.key_of = key_of,
	.cost_of = cost_of,
	.matches = matches,
	.row_of = row_of,
};

void
api_hosts(void *arg, struct request *rq)
{
	list_reply(arg, rq, &ops);
}

void
api_host_one(void *arg, struct request *rq)
{
	const struct host *h = api_find_host(arg, rq, NULL, rq->id);

	if (h != NULL)
		reply_json(&rq->reply, api_host(h, true));
}
