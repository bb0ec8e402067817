/*
 * From what was gathered to a struct inventory.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "gather_private.h"

#define MAX_LEVELS 64 /* of folders; a ring of parents ends here */

/* The names of the nearest cluster and datacenter above; borrowed or NULL. */
static void
find_places(const struct gather *g, const char *parent, const char **cluster_r,
	    const char **datacenter_r)
{
	*cluster_r = NULL;
	*datacenter_r = NULL;
	for (int i = 0; i < MAX_LEVELS && parent != NULL; i++) {
		const struct gather_node *n = map_find_str(g->nodes, parent);

		if (n == NULL)
			return;
		if (strcmp(n->type, "ClusterComputeResource") == 0)
			*cluster_r = n->name;
		if (strcmp(n->type, "Datacenter") == 0) {
			*datacenter_r = n->name;
			return;
		}
		parent = n->parent;
	}
}

static bool
is(const char *text, const char *word)
{
	return text != NULL && strcmp(text, word) == 0;
}

static void
copy(char **dst, const char *s)
{
	if (s != NULL && s[0] != '\0')
		xstrset(dst, s);
}

/* What the server does not say (a missing privilege) is taken for good. */
static void
build_host(const struct gather *g, struct gather_host *h, struct inventory *inv)
{
	struct inv_host *out;
	const char *cluster, *datacenter;

	h->index = inv->n_hosts;
	out = inventory_add_host(inv, h->moref);
	find_places(g, h->parent, &cluster, &datacenter);
	copy(&out->name, h->name);
	copy(&out->system_uuid, h->system_uuid);
	copy(&out->version, h->version);
	copy(&out->cluster, cluster);
	copy(&out->datacenter, datacenter);
	out->connected =
		(h->connection == NULL || is(h->connection, "connected")) &&
		!is(h->power, "poweredOff") && !is(h->power, "standBy");
	out->maintenance = h->in_maintenance || is(h->power, "standBy");
}

/* Each device of the datastore as each host that mounts it reaches it. */
static void
classify_datastore(const struct gather *g, const struct gather_datastore *d,
		   struct inv_datastore *out)
{
	const struct strings *names = classify_devices(&d->facts);
	const struct device **devices =
		xcalloc(names->n * d->n_mounts, sizeof(struct device *));
	size_t n = 0;

	for (size_t m = 0; m < d->n_mounts; m++) {
		const struct gather_mount *mount = &d->mounts[m];
		const struct gather_host *h =
			mount->mounted && mount->host != NULL
			? map_find_str(g->hosts, mount->host)
			: NULL;

		for (size_t i = 0; h != NULL && i < names->n; i++) {
			devices[n] = devices_find(&h->devices, names->v[i]);
			n += devices[n] != NULL;
		}
	}
	classify(&d->facts, devices, n, out);
	free(devices);
}

static void
build_mounts(const struct gather *g, const struct gather_datastore *d,
	     struct inv_datastore *out)
{
	for (size_t i = 0; i < d->n_mounts; i++) {
		const struct gather_mount *m = &d->mounts[i];
		const struct gather_host *h = m->host != NULL
			? map_find_str(g->hosts, m->host)
			: NULL;
		struct inv_mount *mount;

		if (h == NULL)
			continue;
		mount = inventory_add_mount(out, h->index);
		mount->mounted = m->mounted;
		mount->accessible = m->accessible;
		copy(&mount->reason, m->reason);
	}
}

/* Said, or true if a host says so of its mount, or nobody says anything. */
static bool
is_accessible(const struct gather_datastore *d)
{
	bool any = d->n_mounts == 0;

	for (size_t i = 0; i < d->n_mounts; i++)
		any = any || (d->mounts[i].mounted && d->mounts[i].accessible);
	return d->accessible != UNSAID ? d->accessible == YES : any;
}

static void
build_datastore(const struct gather *g, const struct gather_datastore *d,
		struct inventory *inv)
{
	struct inv_datastore *out = inventory_add_datastore(inv, d->moref);
	const char *cluster, *datacenter;

	find_places(g, d->parent, &cluster, &datacenter);
	out->uuid = classify_uuid(d->url);
	copy(&out->name, d->name);
	copy(&out->datacenter, datacenter);
	copy(&out->fs, d->facts.fs);
	out->accessible = is_accessible(d);
	out->maintenance =
		d->maintenance != NULL && !is(d->maintenance, "normal");
	if (out->accessible) { /* they are not valid otherwise */
		out->capacity_bytes = d->capacity_bytes;
		out->free_bytes = d->free_bytes;
	}
	for (size_t i = 0; i < d->facts.extents.n; i++)
		inventory_add_extent(out, d->facts.extents.v[i]);
	build_mounts(g, d, out);
	if (out->datacenter == NULL && out->n_mounts != 0)
		copy(&out->datacenter,
		     inv->hosts[out->mounts[0].host].datacenter);
	classify_datastore(g, d, out);
}

static void
free_objects(struct gather *g)
{
	void *v;

	for (size_t i = 0; map_next(g->nodes, &i, NULL, &v);) {
		struct gather_node *n = v;

		free(n->type);
		free(n->name);
		free(n->parent);
		free(n);
	}
	for (size_t i = 0; map_next(g->hosts, &i, NULL, &v);) {
		struct gather_host *h = v;

		free(h->moref);
		free(h->name);
		free(h->parent);
		free(h->version);
		free(h->system_uuid);
		free(h->connection);
		free(h->power);
		devices_fini(&h->devices);
		free(h);
	}
	for (size_t i = 0; map_next(g->datastores, &i, NULL, &v);)
		gather_datastore_free(v);
}

struct inventory *
gather_take(struct gather *g)
{
	struct inventory *inv = inventory_new();
	void *v;

	for (size_t i = 0; map_next(g->hosts, &i, NULL, &v);)
		build_host(g, v, inv);
	for (size_t i = 0; map_next(g->datastores, &i, NULL, &v);)
		build_datastore(g, v, inv);
	inv->n_denied = g->n_denied;
	gather_reset(g);
	return inv;
}

static void
free_maps(struct gather *g)
{
	if (g->nodes == NULL) /* just made */
		return;
	free_objects(g);
	map_free(&g->nodes);
	map_free(&g->hosts);
	map_free(&g->datastores);
	map_free(&g->wanted);
}

void
gather_reset(struct gather *g)
{
	free_maps(g);
	g->nodes = map_new();
	g->hosts = map_new();
	g->datastores = map_new();
	g->wanted = map_new();
	g->node = NULL;
	g->host = NULL;
	g->datastore = NULL;
	g->n_denied = 0;
	xstrset(&g->problem, NULL);
}

void
gather_free(struct gather **gp)
{
	struct gather *g = *gp;

	if (g == NULL)
		return;
	free_maps(g);
	storage_free(&g->storage);
	free(g->rows);
	free(g->problem);
	free(g);
	*gp = NULL;
}
