#include "dslat/model.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/depth.h"
#include "dslat/mem.h"
#include "model_private.h"

struct site *
site_new(struct now now)
{
	struct site *site = xcalloc(1, sizeof(*site));

	site->now = now;
	site->started = now.real;
	site->started_mono = now.mono;
	site->bus = bus_new();
	return site;
}

void
pair_free(struct pair *p)
{
	free(p->ring);
	depth_forget(p);
	free(p->reason);
	free(p);
}

static void
free_extents(struct datastore *ds)
{
	for (size_t i = 0; i < ds->n_extents; i++)
		free(ds->extents[i]);
	free(ds->extents);
	ds->extents = NULL;
	ds->n_extents = 0;
}

/* Values of an extent stay where its place among the others does: a datastore
 * that grows gets more of them behind. */
static bool
keeps_places(const struct datastore *ds, char *const *names, size_t n)
{
	for (size_t i = 0; i < ds->n_extents; i++)
		if (i == n || strcmp(ds->extents[i], names[i]) != 0)
			return false;
	return true;
}

bool
datastore_set_extents(struct datastore *ds, char *const *names, size_t n)
{
	bool keeps = keeps_places(ds, names, n);

	if (keeps && n == ds->n_extents)
		return false;
	for (size_t i = 0; !keeps && i < ds->n_pairs; i++)
		depth_forget(ds->pairs[i]);
	free_extents(ds);
	for (; ds->n_extents < n; ds->n_extents++) {
		ds->extents = xgrow(ds->extents, ds->n_extents, sizeof(char *));
		ds->extents[ds->n_extents] = xstrdup(names[ds->n_extents]);
	}
	return true;
}

void
datastore_free(struct datastore *ds)
{
	for (size_t i = 0; i < ds->n_pairs; i++)
		pair_free(ds->pairs[i]);
	free(ds->pairs);
	free_extents(ds);
	free(ds->id);
	free(ds->uuid);
	free(ds->moref);
	free(ds->name);
	free(ds->datacenter);
	free(ds->cluster);
	free(ds->fs);
	free(ds->backing);
	free(ds->threshold_origin);
	free(ds);
}

void
host_free(struct host *h)
{
	free(h->id);
	free(h->moref);
	free(h->name);
	free(h->system_uuid);
	free(h->cluster);
	free(h->datacenter);
	free(h->version);
	free(h->error);
	free(h->pairs);
	map_free(&h->instances);
	depth_unlink(h);
	free(h);
}

static void
target_free(struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);)
		datastore_free(v);
	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		host_free(v);
	map_free(&t->datastores);
	map_free(&t->hosts);
	free(t->name);
	free(t->url);
	free(t->error);
	free(t->api_type);
	free(t->version);
	free(t);
}

void
site_free(struct site **sp)
{
	struct site *site = *sp;

	if (site == NULL)
		return;
	for (size_t i = 0; i < site->n_targets; i++)
		target_free(site->targets[i]);
	free(site->targets);
	bus_free(&site->bus);
	free(site);
	*sp = NULL;
}

struct target *
site_add_target(struct site *site, const char *name, const char *url)
{
	struct target *t = xcalloc(1, sizeof(*t));

	assert(site_find_target(site, name) == NULL);
	t->site = site;
	t->name = xstrdup(name);
	t->url = xstrdup(url);
	t->field_mask = FIELD_MASK_ALL;
	t->hosts = map_new();
	t->datastores = map_new();
	site->targets = xreallocarray(site->targets, site->n_targets + 1,
				      sizeof(*site->targets));
	site->targets[site->n_targets++] = t;
	return t;
}

void
site_remove_target(struct site *site, const char *name)
{
	for (size_t i = 0; i < site->n_targets; i++) {
		if (strcmp(site->targets[i]->name, name) != 0)
			continue;
		target_free(site->targets[i]);
		site->n_targets--;
		memmove(&site->targets[i], &site->targets[i + 1],
			(site->n_targets - i) * sizeof(struct target *));
		site->freed++;
		return;
	}
}

static struct target *
find_target(const struct site *site, const char *name, size_t len)
{
	for (size_t i = 0; i < site->n_targets; i++)
		if (strlen(site->targets[i]->name) == len &&
		    memcmp(site->targets[i]->name, name, len) == 0)
			return site->targets[i];
	return NULL;
}

struct target *
site_find_target(const struct site *site, const char *name)
{
	return find_target(site, name, strlen(name));
}

/* "target:rest" -> the target and the rest, or NULL. */
static struct target *
split_id(const struct site *site, const char *id, const char **rest_r)
{
	const char *colon = strchr(id, ':');

	if (colon == NULL)
		return NULL;
	*rest_r = colon + 1;
	return find_target(site, id, (size_t)(colon - id));
}

struct datastore *
site_find_datastore(const struct site *site, const char *id)
{
	const char *uuid;
	struct target *t = split_id(site, id, &uuid);

	return t != NULL ? target_find_datastore(t, uuid) : NULL;
}

struct host *
site_find_host(const struct site *site, const char *id)
{
	const char *moref;
	struct target *t = split_id(site, id, &moref);

	return t != NULL ? target_find_host(t, moref) : NULL;
}

struct host *
target_find_host(const struct target *t, const char *moref)
{
	struct host *h = map_find_str(t->hosts, moref);

	return h != NULL && !h->gone ? h : NULL;
}

struct datastore *
target_find_datastore(const struct target *t, const char *uuid)
{
	struct datastore *ds = map_find_str(t->datastores, uuid);

	return ds != NULL && !ds->gone ? ds : NULL;
}

void
datastore_resolve_threshold(struct datastore *ds)
{
	const struct threshold_rules *rules = ds->target->site->rules;
	const char *origin;
	char *path;

	if (rules == NULL)
		return;
	path = xasprintf("%s/%s", ds->target->name,
			 ds->name != NULL ? ds->name : "");
	threshold_resolve(rules, ds->protocol, path, &ds->threshold, &origin);
	xstrset(&ds->threshold_origin, origin);
	free(path);
}

void
site_set_rules(struct site *site, const struct threshold_rules *rules)
{
	void *ds;

	site->rules = rules;
	for (size_t i = 0; i < site->n_targets; i++) {
		const struct map *all = site->targets[i]->datastores;

		for (size_t j = 0; map_next(all, &j, NULL, &ds);)
			datastore_resolve_threshold(ds);
	}
}

real_t
target_now(const struct target *t)
{
	const struct now *now = &t->site->now;

	if (t->server_seen.us == 0)
		return now->real;
	return real_add_us(t->server_time,
			   mono_diff_us(now->mono, t->server_seen));
}

void
target_set_time(struct target *t, real_t server, mono_t seen)
{
	const struct now *now = &t->site->now;
	real_t ours = real_add_us(now->real, mono_diff_us(seen, now->mono));

	t->server_time = server;
	t->server_seen = seen;
	t->clock_skew_us = real_diff_us(server, ours);
}

void
target_set_error(struct target *t, enum target_state s, const char *text)
{
	t->state = s;
	xstrset(&t->error, text);
}

bool
pair_is_expected(const struct pair *p)
{
	const struct datastore *ds = p->datastore;

	return !p->gone && p->mounted && p->accessible && p->host->connected &&
		!p->host->gone &&
		(protocol_is_measured(ds->protocol) || ds->ever_valid);
}
