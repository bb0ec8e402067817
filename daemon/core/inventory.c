#include "dslat/inventory.h"

#include <stdlib.h>

#include "dslat/mem.h"

struct inventory *
inventory_new(void)
{
	return xcalloc(1, sizeof(struct inventory));
}

static void
host_fini(struct inv_host *h)
{
	free(h->moref);
	free(h->name);
	free(h->system_uuid);
	free(h->cluster);
	free(h->datacenter);
	free(h->version);
}

static void
datastore_fini(struct inv_datastore *ds)
{
	for (size_t i = 0; i < ds->n_mounts; i++)
		free(ds->mounts[i].reason);
	free(ds->mounts);
	for (size_t i = 0; i < ds->n_extents; i++)
		free(ds->extents[i]);
	free(ds->extents);
	free(ds->moref);
	free(ds->uuid);
	free(ds->name);
	free(ds->datacenter);
	free(ds->fs);
	free(ds->backing);
}

void
inventory_free(struct inventory **p)
{
	struct inventory *inv = *p;

	if (inv == NULL)
		return;
	for (size_t i = 0; i < inv->n_hosts; i++)
		host_fini(&inv->hosts[i]);
	for (size_t i = 0; i < inv->n_datastores; i++)
		datastore_fini(&inv->datastores[i]);
	free(inv->hosts);
	free(inv->datastores);
	free(inv);
	*p = NULL;
}

struct inv_host *
inventory_add_host(struct inventory *inv, const char *moref)
{
	inv->hosts = xreallocarray(inv->hosts, inv->n_hosts + 1,
				   sizeof(*inv->hosts));
	inv->hosts[inv->n_hosts] = (struct inv_host){ .moref = xstrdup(moref) };
	return &inv->hosts[inv->n_hosts++];
}

struct inv_datastore *
inventory_add_datastore(struct inventory *inv, const char *moref)
{
	struct inv_datastore *ds;

	inv->datastores = xreallocarray(inv->datastores, inv->n_datastores + 1,
					sizeof(*inv->datastores));
	ds = &inv->datastores[inv->n_datastores++];
	*ds = (struct inv_datastore){ .moref = xstrdup(moref),
				      .capacity_bytes = -1,
				      .free_bytes = -1 };
	return ds;
}

struct inv_mount *
inventory_add_mount(struct inv_datastore *ds, size_t host)
{
	ds->mounts = xreallocarray(ds->mounts, ds->n_mounts + 1,
				   sizeof(*ds->mounts));
	ds->mounts[ds->n_mounts] = (struct inv_mount){ .host = host };
	return &ds->mounts[ds->n_mounts++];
}

void
inventory_add_extent(struct inv_datastore *ds, const char *name)
{
	ds->extents = xgrow(ds->extents, ds->n_extents, sizeof(char *));
	ds->extents[ds->n_extents++] = xstrdup(name);
}

/* Keep the hosts wanted; to[i] is the new index of host i, or SIZE_MAX. */
static void
filter_hosts(struct inventory *inv, inventory_wants_fn wants, void *arg,
	     size_t *to)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->n_hosts; i++) {
		struct inv_host *h = &inv->hosts[i];

		to[i] = SIZE_MAX;
		if (h->name != NULL && !wants(arg, h->name)) {
			host_fini(h);
			continue;
		}
		to[i] = n;
		inv->hosts[n++] = *h;
	}
	inv->n_hosts = n;
}

static void
filter_mounts(struct inv_datastore *ds, const size_t *to)
{
	size_t n = 0;

	for (size_t i = 0; i < ds->n_mounts; i++) {
		struct inv_mount *m = &ds->mounts[i];

		if (to[m->host] == SIZE_MAX) {
			free(m->reason);
			continue;
		}
		m->host = to[m->host];
		ds->mounts[n++] = *m;
	}
	ds->n_mounts = n;
}

void
inventory_filter(struct inventory *inv, inventory_wants_fn host,
		 inventory_wants_fn datastore, void *arg)
{
	size_t *to = xcalloc(inv->n_hosts, sizeof(*to)), n = 0;

	filter_hosts(inv, host, arg, to);
	for (size_t i = 0; i < inv->n_datastores; i++) {
		struct inv_datastore *ds = &inv->datastores[i];

		if (ds->name != NULL && !datastore(arg, ds->name)) {
			datastore_fini(ds);
			continue;
		}
		filter_mounts(ds, to);
		inv->datastores[n++] = *ds;
	}
	inv->n_datastores = n;
	free(to);
}
