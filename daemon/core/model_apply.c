/*
 * Merging an inventory snapshot into a target.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/mem.h"
#include "model_private.h"

#define GONE_KEEP_US (3600 * US_PER_S)

/* Set unless the snapshot does not know; true when it changed. */
static size_t
keep_or_set(char **dst, const char *s)
{
	return s != NULL && xstrset(dst, s) ? 1 : 0;
}

static size_t
set_bool(bool *dst, bool v)
{
	if (*dst == v)
		return 0;
	*dst = v;
	return 1;
}

static struct host *
apply_host(struct target *t, const struct inv_host *in, size_t *changes)
{
	struct host *h = map_find_str(t->hosts, in->moref);

	if (h == NULL) {
		h = xcalloc(1, sizeof(*h));
		h->target = t;
		h->moref = xstrdup(in->moref);
		h->id = xasprintf("%s:%s", t->name, in->moref);
		h->name = xstrdup(in->moref);
		h->instances = map_new();
		h->luns = map_new();
		map_set(t->hosts, in->moref, h);
		++*changes;
	}
	*changes += keep_or_set(&h->name, in->name);
	*changes += keep_or_set(&h->system_uuid, in->system_uuid);
	*changes += keep_or_set(&h->cluster, in->cluster);
	*changes += keep_or_set(&h->datacenter, in->datacenter);
	*changes += keep_or_set(&h->version, in->version);
	*changes += set_bool(&h->connected, in->connected);
	*changes += set_bool(&h->maintenance, in->maintenance);
	*changes += set_bool(&h->gone, false);
	h->seen = true;
	return h;
}

static struct datastore *
find_by_moref(const struct target *t, const char *moref)
{
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		if (!ds->gone && strcmp(ds->moref, moref) == 0)
			return ds;
	}
	return NULL;
}

static void
set_identity(struct datastore *ds, const char *uuid)
{
	xstrset(&ds->uuid, uuid);
	free(ds->id);
	ds->id = xasprintf("%s:%s", ds->target->name, uuid);
	map_set(ds->target->datastores, uuid, ds);
}

/*
 * The uuid is the identity.  While an inaccessible datastore hides its URL it
 * is known by its moref: the one seen before, or one filed under the moref
 * until the URL is heard, and then filed anew.
 */
static struct datastore *
identify(struct target *t, const struct inv_datastore *in, size_t *changes)
{
	struct datastore *ds = NULL;

	if (in->uuid != NULL)
		ds = map_find_str(t->datastores, in->uuid);
	if (ds != NULL)
		return ds;
	ds = find_by_moref(t, in->moref);
	if (ds != NULL && in->uuid == NULL)
		return ds;
	++*changes;
	if (ds != NULL && strcmp(ds->uuid, ds->moref) == 0) {
		map_del(t->datastores, ds->uuid);
		set_identity(ds, in->uuid);
		t->site->freed++; /* its place among the others changed */
		return ds;
	}
	ds = xcalloc(1, sizeof(*ds));
	ds->target = t;
	ds->moref = xstrdup(in->moref);
	ds->name = xstrdup(in->moref);
	ds->capacity_bytes = ds->free_bytes = -1;
	ds->final_slot = INT64_MIN;
	set_identity(ds, in->uuid != NULL ? in->uuid : in->moref);
	return ds;
}

static struct pair *
get_pair(struct datastore *ds, struct host *h, size_t *changes)
{
	struct pair *p;

	for (size_t i = 0; i < ds->n_pairs; i++)
		if (ds->pairs[i]->host == h)
			return ds->pairs[i];
	p = xcalloc(1, sizeof(*p));
	p->host = h;
	p->datastore = ds;
	p->newest_valid = p->final_slot = INT64_MIN;
	p->dirty_slot = INT64_MAX;
	ds->pairs = xreallocarray(ds->pairs, ds->n_pairs + 1,
				  sizeof(struct pair *));
	ds->pairs[ds->n_pairs++] = p;
	++*changes;
	return p;
}

static void
apply_mount(struct datastore *ds, struct host *h, const struct inv_mount *in,
	    size_t *changes)
{
	struct pair *p = get_pair(ds, h, changes);

	*changes += set_bool(&p->mounted, in->mounted);
	*changes += set_bool(&p->accessible, in->accessible);
	*changes += set_bool(&p->gone, false);
	*changes += xstrset(&p->reason, in->reason);
	p->seen = true;
}

static struct datastore *
apply_datastore(struct target *t, const struct inv_datastore *in,
		size_t *changes)
{
	struct datastore *ds = identify(t, in, changes);

	if (ds->seen) /* a second entry of one uuid adds only its mounts */
		return ds;
	*changes += keep_or_set(&ds->moref, in->moref);
	*changes += keep_or_set(&ds->name, in->name);
	*changes += keep_or_set(&ds->datacenter, in->datacenter);
	*changes += keep_or_set(&ds->fs, in->fs);
	/* A reading without adapters and paths knows less of the backing. */
	if (in->protocol_known || ds->backing == NULL)
		*changes += keep_or_set(&ds->backing, in->backing);
	if (in->protocol_known || ds->protocol == PROTO_UNKNOWN) {
		*changes += ds->protocol != in->protocol ||
			ds->protocols != in->protocols;
		ds->protocol = in->protocol;
		ds->protocols = in->protocols;
	}
	if (in->n_extents != 0) /* an inaccessible one does not tell */
		*changes +=
			datastore_set_extents(ds, in->extents, in->n_extents);
	*changes += set_bool(&ds->accessible, in->accessible);
	*changes += set_bool(&ds->maintenance, in->maintenance);
	*changes += set_bool(&ds->gone, false);
	ds->capacity_bytes = in->capacity_bytes;
	ds->free_bytes = in->free_bytes;
	ds->seen = true;
	datastore_resolve_threshold(ds);
	return ds;
}

/* The one cluster its hosts are in, or none. */
static void
set_cluster(struct datastore *ds)
{
	const char *cluster = NULL;

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const char *c = ds->pairs[i]->host->cluster;

		if (ds->pairs[i]->gone || c == NULL)
			continue;
		if (cluster != NULL && strcmp(cluster, c) != 0) {
			cluster = NULL;
			break;
		}
		cluster = c;
	}
	xstrset(&ds->cluster, cluster);
}

static void
link_pair(struct pair *p)
{
	struct host *h = p->host;
	const char *uuid = p->datastore->uuid, *colon = strchr(uuid, ':');

	h->pairs =
		xreallocarray(h->pairs, h->n_pairs + 1, sizeof(struct pair *));
	h->pairs[h->n_pairs++] = p;
	map_set(h->instances, uuid, p);
	/* "vvol:x-y": whether the counter's instance has the prefix is not
	 * documented; take both forms. */
	if (colon != NULL && map_find_str(h->instances, colon + 1) == NULL)
		map_set(h->instances, colon + 1, p);
}

/* Every host's list of pairs, from what the datastores own. */
static void
relink(struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);) {
		struct host *h = v;

		h->n_pairs = 0;
		map_free(&h->instances);
		h->instances = map_new();
	}
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			if (!ds->pairs[j]->gone)
				link_pair(ds->pairs[j]);
	}
	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		depth_link(v);
}

static void
forget_seen(struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);)
		((struct host *)v)->seen = false;
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		ds->seen = false;
		for (size_t j = 0; j < ds->n_pairs; j++)
			ds->pairs[j]->seen = false;
	}
}

/* What the snapshot did not name is gone. */
static size_t
mark_gone(struct target *t)
{
	mono_t now = t->site->now.mono;
	size_t changes = 0;
	void *v;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &v);) {
		struct host *h = v;

		if (h->seen || h->gone)
			continue;
		h->gone = true;
		h->connected = false;
		h->gone_since = now;
		changes++;
	}
	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			changes += set_bool(&ds->pairs[j]->gone,
					    !ds->pairs[j]->seen);
		set_cluster(ds);
		if (ds->seen || ds->gone)
			continue;
		ds->gone = true;
		ds->gone_since = now;
		changes++;
	}
	return changes;
}

size_t
model_apply(struct target *t, const struct inventory *inv)
{
	struct host **hosts = xcalloc(inv->n_hosts, sizeof(struct host *));
	size_t changes = 0;

	forget_seen(t);
	for (size_t i = 0; i < inv->n_hosts; i++)
		hosts[i] = apply_host(t, &inv->hosts[i], &changes);
	for (size_t i = 0; i < inv->n_datastores; i++) {
		const struct inv_datastore *in = &inv->datastores[i];
		struct datastore *ds = apply_datastore(t, in, &changes);

		for (size_t j = 0; j < in->n_mounts; j++)
			apply_mount(ds, hosts[in->mounts[j].host],
				    &in->mounts[j], &changes);
	}
	changes += mark_gone(t);
	if (changes != 0)
		relink(t);
	free(hosts);
	return changes;
}

static bool
expired(const struct target *t, bool gone, mono_t since)
{
	return gone && mono_diff_us(t->site->now.mono, since) >= GONE_KEEP_US;
}

/* Pairs of a host about to be freed; a datastore outlives them. */
static void
drop_pairs_of(struct target *t, const struct host *h)
{
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;
		size_t n = 0;

		for (size_t j = 0; j < ds->n_pairs; j++) {
			if (ds->pairs[j]->host == h)
				pair_free(ds->pairs[j]);
			else
				ds->pairs[n++] = ds->pairs[j];
		}
		ds->n_pairs = n;
	}
}

static bool
expire_target(struct target *t)
{
	bool freed = false;
	const char *key;
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, &key, &v);) {
		struct datastore *ds = v;

		if (!expired(t, ds->gone, ds->gone_since))
			continue;
		map_del(t->datastores, key);
		datastore_free(ds);
		freed = true;
	}
	for (size_t i = 0; map_next(t->hosts, &i, &key, &v);) {
		struct host *h = v;

		if (!expired(t, h->gone, h->gone_since))
			continue;
		drop_pairs_of(t, h);
		map_del(t->hosts, key);
		host_free(h);
		freed = true;
	}
	if (freed)
		relink(t);
	return freed;
}

void
model_expire(struct site *site)
{
	for (size_t i = 0; i < site->n_targets; i++)
		if (expire_target(site->targets[i]))
			site->freed++;
}
