#include "web/api.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/store.h"
#include "web/nearest.h"

#define MAX_TRIED 2000 /* names compared before "did you mean" gives up */

real_t
api_now(const struct web *w, const struct target *t)
{
	if (t == NULL && w->site->n_targets == 1)
		t = w->site->targets[0];
	return t != NULL ? target_now(t) : w->site->now.real;
}

bool
api_has_store(const struct web *w)
{
	return w->store != NULL && store_status(w->store).state != STORE_OFF;
}

static json_t *
per_s(int64_t in_slot)
{
	return json_num(in_slot < 0 ? NAN : (double)in_slot / SLOT_S);
}

static const char *
breach_name(enum breach b)
{
	static const char *const names[] = {
		[BREACH_NONE] = "none",
		[BREACH_WARNING] = "warning",
		[BREACH_CRITICAL] = "critical",
	};

	return names[b];
}

/* The key "read_ms" of an op and "_ms". */
static void
set(json_t *v, enum op op, const char *what, json_t *take)
{
	char key[40];

	snprintf(key, sizeof(key), "%s%s", op_name(op), what);
	json_object_set_new(v, key, take);
}

void
api_set_values(json_t *v, const struct merged op[N_OPS])
{
	for (enum op o = 0; o < N_OPS; o++) {
		const struct merged *m = &op[o];

		set(v, o, "_ms", json_ms(m->mean_us));
		set(v, o, "_iops", per_s(m->ios));
		set(v, o, "_bytes_per_s", per_s(m->bytes));
		set(v, o, "_breach", json_string(breach_name(m->breach)));
		set(v, o, "_sparse", json_boolean(m->load == LOAD_SPARSE));
		set(v, o, "_ios_unknown",
		    json_boolean(m->load == LOAD_UNKNOWN));
	}
}

/* "read_device_ms", ... and "device_ms", the worse of the two. */
static void
set_layers(json_t *v, const struct pair *p, int64_t slot)
{
	for (enum layer l = 0; l < N_LAYERS; l++) {
		int64_t worse_us = -1;
		char what[20];

		snprintf(what, sizeof(what), "_%s_ms", layer_name(l));
		for (enum op op = 0; op < N_OPS; op++) {
			struct merged m = depth_merge_one(p, slot, l, op);

			worse_us = MAX(worse_us, m.mean_us);
			set(v, op, what, json_ms(m.mean_us));
		}
		json_object_set_new(v, what + 1, json_ms(worse_us));
	}
}

json_t *
api_slot_time(int64_t slot)
{
	char text[REAL_TEXT_SIZE];

	if (slot == INT64_MIN)
		return json_null();
	return json_string(real_format(slot_end(slot), text));
}

void
api_set_roll(json_t *v, const struct roll_op *r)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
		{ "p50_ms", 0.5 },
		{ "p90_ms", 0.9 },
		{ "p95_ms", 0.95 },
		{ "p99_ms", 0.99 },
	};

	json_object_set_new(v, "n", json_integer((json_int_t)r->busy_n));
	json_object_set_new(v, "ios", json_integer(r->weight));
	json_object_set_new(v, "mean_ms",
			    json_ms(r->busy_n != 0 ? roll_mean_us(r) : -1));
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		json_object_set_new(
			v, quantiles[i].key,
			json_ms(hist_quantile_us(r->hist, quantiles[i].q,
						 r->max_us)));
	json_object_set_new(v, "max_ms", json_ms(r->max_us));
	json_object_set_new(v, "max_t",
			    r->busy_n != 0 ? api_slot_time(r->max_slot)
					   : json_null());
	json_object_set_new(v, "over_s",
			    json_integer((json_int_t)r->over_n * SLOT_S));
}

json_t *
api_stale_s(const struct target *t, const struct latest *l)
{
	int64_t age_us = latest_age_us(t, l);

	if (age_us == INT64_MAX)
		return json_null();
	return json_integer(MAX(age_us, 0) / US_PER_S);
}

json_t *
api_pair(const struct pair *p, bool from_datastore)
{
	struct latest l = pair_latest(p);
	json_t *v = json_object();

	json_object_set_new(
		v, "id",
		json_text(from_datastore ? p->host->id : p->datastore->id));
	json_object_set_new(
		v, "name",
		json_text(from_datastore ? p->host->name : p->datastore->name));
	if (!from_datastore)
		json_object_set_new(
			v, "protocol",
			json_string(protocol_name(p->datastore->protocol)));
	json_object_set_new(v, "t", api_slot_time(l.slot));
	json_object_set_new(v, "stale_s", api_stale_s(p->host->target, &l));
	api_set_values(v, l.op);
	set_layers(v, p, l.slot);
	json_object_set_new(v, "mounted", json_boolean(p->mounted));
	json_object_set_new(v, "accessible", json_boolean(p->accessible));
	json_object_set_new(v, "reason", json_text(p->reason));
	return v;
}

/* What "did you mean" looks at: ids, and names that lead to ids. */
static void
try_all(struct nearest *n, const struct site *site, bool hosts)
{
	size_t tried = 0;

	for (size_t i = 0; i < site->n_targets; i++) {
		const struct target *t = site->targets[i];
		void *v;

		for (size_t j = 0;
		     map_next(hosts ? t->hosts : t->datastores, &j, NULL, &v) &&
		     tried < MAX_TRIED;
		     tried++) {
			const struct host *h = v;
			const struct datastore *ds = v;
			const char *id = hosts ? h->id : ds->id;
			const char *name = hosts ? h->name : ds->name;

			if (hosts ? h->gone : ds->gone)
				continue;
			nearest_try(n, id, id);
			nearest_try(n, strchr(id, ':') + 1, id);
			if (name != NULL)
				nearest_try(n, name, id);
		}
	}
}

static void
reply_unknown(const struct web *w, struct request *rq, const char *parameter,
	      const char *id, bool hosts)
{
	enum problem kind =
		hosts ? PROBLEM_UNKNOWN_HOST : PROBLEM_UNKNOWN_DATASTORE;
	const char *what = hosts ? "host" : "datastore";
	struct nearest n;

	nearest_init(&n, id);
	try_all(&n, w->site, hosts);
	if (n.best != NULL)
		reply_problem(&rq->reply, kind, parameter,
			      "there is no %s with the id \"%s\"; the nearest "
			      "is \"%s\"",
			      what, id, n.best);
	else
		reply_problem(&rq->reply, kind, parameter,
			      "there is no %s with the id \"%s\"; "
			      "/api/v1/%ss lists all",
			      what, id, what);
}

struct datastore *
api_find_datastore(const struct web *w, struct request *rq,
		   const char *parameter, const char *id)
{
	struct datastore *ds = site_find_datastore(w->site, id);

	if (ds == NULL)
		reply_unknown(w, rq, parameter, id, false);
	return ds;
}

struct host *
api_find_host(const struct web *w, struct request *rq, const char *parameter,
	      const char *id)
{
	struct host *h = site_find_host(w->site, id);

	if (h == NULL)
		reply_unknown(w, rq, parameter, id, true);
	return h;
}
