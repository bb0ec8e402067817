#include "gather.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "gather_private.h"
#include "xsd.h"

/* Of rows and of the elements in structured values. */
enum {
	G_NAME = 1,
	G_PARENT,
	G_CONNECTION,
	G_POWER,
	G_IN_MAINTENANCE,
	G_VERSION,
	G_SYSTEM_UUID,
	G_STORAGE,
	G_URL,
	G_FS,
	G_ACCESSIBLE,
	G_MAINTENANCE,
	G_CAPACITY,
	G_FREE,
	G_MOUNTS = GATHER_DATASTORE_ID, /* see gather_datastore.c */
	G_INFO,
};

/*
 * What is asked, type by type (a type's rows stand together).  Only leaf paths:
 * HostSystem.config as a whole is a megabyte per host.  nvmeTopology is a pass
 * of its own because a path the server does not know costs the whole call.
 */
static const struct props_row all_rows[] = {
	{ "Folder", "name", G_NAME, GATHER_BASIC, NULL },
	{ "Folder", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "StoragePod", "name", G_NAME, GATHER_BASIC, NULL },
	{ "StoragePod", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "Datacenter", "name", G_NAME, GATHER_BASIC, NULL },
	{ "Datacenter", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "ComputeResource", "name", G_NAME, GATHER_BASIC, NULL },
	{ "ComputeResource", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "ClusterComputeResource", "name", G_NAME, GATHER_BASIC, NULL },
	{ "ClusterComputeResource", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "HostSystem", "name", G_NAME, GATHER_BASIC, NULL },
	{ "HostSystem", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "HostSystem", "runtime.connectionState", G_CONNECTION, GATHER_BASIC,
	  NULL },
	{ "HostSystem", "runtime.powerState", G_POWER, GATHER_BASIC, NULL },
	{ "HostSystem", "runtime.inMaintenanceMode", G_IN_MAINTENANCE,
	  GATHER_BASIC, NULL },
	{ "HostSystem", "config.product.version", G_VERSION, GATHER_BASIC,
	  NULL },
	{ "HostSystem", "hardware.systemInfo.uuid", G_SYSTEM_UUID, GATHER_BASIC,
	  NULL },
	{ "HostSystem", "config.storageDevice.hostBusAdapter", G_STORAGE,
	  GATHER_STORAGE, storage_hba_nodes },
	{ "HostSystem", "config.storageDevice.scsiLun", G_STORAGE,
	  GATHER_STORAGE, storage_lun_nodes },
	{ "HostSystem", "config.storageDevice.multipathInfo", G_STORAGE,
	  GATHER_STORAGE, storage_multipath_nodes },
	{ "HostSystem", "config.storageDevice.plugStoreTopology", G_STORAGE,
	  GATHER_STORAGE, storage_topology_nodes },
	{ "HostSystem", "config.storageDevice.nvmeTopology", G_STORAGE,
	  GATHER_NVME, storage_nvme_nodes },
	{ "Datastore", "name", G_NAME, GATHER_BASIC, NULL },
	{ "Datastore", "parent", G_PARENT, GATHER_BASIC, NULL },
	{ "Datastore", "summary.url", G_URL, GATHER_BASIC, NULL },
	{ "Datastore", "summary.type", G_FS, GATHER_BASIC, NULL },
	{ "Datastore", "summary.accessible", G_ACCESSIBLE, GATHER_BASIC, NULL },
	{ "Datastore", "summary.maintenanceMode", G_MAINTENANCE, GATHER_BASIC,
	  NULL },
	{ "Datastore", "summary.capacity", G_CAPACITY, GATHER_BASIC, NULL },
	{ "Datastore", "summary.freeSpace", G_FREE, GATHER_BASIC, NULL },
	{ "Datastore", "info", G_INFO, GATHER_BASIC, gather_info_nodes },
	{ "Datastore", "host", G_MOUNTS, GATHER_BASIC, gather_mounts_nodes },
	{ NULL, NULL, 0, 0, NULL },
};

/* A vCenter's alone: an ESXi host may refuse a type it never has. */
static bool
is_vcenter_type(const char *type)
{
	return strcmp(type, "StoragePod") == 0 ||
		strcmp(type, "ClusterComputeResource") == 0;
}

/* ---- objects and their text values ---- */

static void *
get(struct map *m, const char *moref, size_t size_bytes)
{
	void *o = map_find_str(m, moref);

	if (o == NULL) {
		o = xcalloc(1, size_bytes);
		map_set(m, moref, o);
	}
	return o;
}

static int
on_object(void *arg, const char *type, const char *moref, struct err *e unused)
{
	struct gather *g = arg;

	g->node = NULL;
	g->host = NULL;
	g->datastore = NULL;
	if (strcmp(type, "HostSystem") == 0) {
		g->host = get(g->hosts, moref, sizeof(*g->host));
		xstrset(&g->host->moref, moref);
		storage_reset(g->storage);
	} else if (strcmp(type, "Datastore") == 0) {
		g->datastore = map_find_str(g->datastores, moref);
		if (g->datastore != NULL)
			return 0;
		g->datastore = get(g->datastores, moref, sizeof(*g->datastore));
		g->datastore->moref = xstrdup(moref);
		g->datastore->capacity_bytes = -1;
		g->datastore->free_bytes = -1;
	} else {
		g->node = get(g->nodes, moref, sizeof(*g->node));
		xstrset(&g->node->type, type);
	}
	return 0;
}

static void
node_value(struct gather_node *n, unsigned id, const char *text)
{
	if (id == G_NAME)
		xstrset(&n->name, text);
	else if (id == G_PARENT)
		xstrset(&n->parent, text);
}

static void
host_value(struct gather_host *h, unsigned id, const char *text)
{
	switch (id) {
	case G_NAME:
		xstrset(&h->name, text);
		break;
	case G_PARENT:
		xstrset(&h->parent, text);
		break;
	case G_CONNECTION:
		xstrset(&h->connection, text);
		break;
	case G_POWER:
		xstrset(&h->power, text);
		break;
	case G_IN_MAINTENANCE:
		h->in_maintenance = xsd_bool(text);
		break;
	case G_VERSION:
		xstrset(&h->version, text);
		break;
	case G_SYSTEM_UUID:
		xstrset(&h->system_uuid, text);
		break;
	default:
		break;
	}
}

/* A size that is none stays unknown. */
static void
set_bytes(int64_t *dst, const char *text)
{
	int64_t v;

	if (xsd_i64_all(text, &v) && v >= 0)
		*dst = v;
}

static void
datastore_value(struct gather_datastore *d, unsigned id, const char *text)
{
	switch (id) {
	case G_NAME:
		xstrset(&d->name, text);
		break;
	case G_PARENT:
		xstrset(&d->parent, text);
		break;
	case G_URL:
		xstrset(&d->url, text);
		break;
	case G_FS:
		xstrset(&d->facts.fs, text);
		break;
	case G_ACCESSIBLE:
		d->accessible = xsd_bool(text) ? YES : NO;
		break;
	case G_MAINTENANCE:
		xstrset(&d->maintenance, text);
		break;
	case G_CAPACITY:
		set_bytes(&d->capacity_bytes, text);
		break;
	case G_FREE:
		set_bytes(&d->free_bytes, text);
		break;
	default:
		break;
	}
}

static int
on_value(void *arg, const struct props_row *row, const char *text,
	 size_t len unused, struct err *e unused)
{
	struct gather *g = arg;

	if (row->nodes != NULL)
		return 0;
	if (g->host != NULL)
		host_value(g->host, row->id, text);
	else if (g->datastore != NULL)
		datastore_value(g->datastore, row->id, text);
	else if (g->node != NULL)
		node_value(g->node, row->id, text);
	return 0;
}

/* ---- structured values ---- */

static int
on_open(void *arg, struct xml *x, unsigned id, struct err *e unused)
{
	struct gather *g = arg;

	if (id >= STORAGE_ID && g->host != NULL)
		storage_open(g->storage, x, id);
	else if (id >= GATHER_DATASTORE_ID && g->datastore != NULL)
		gather_datastore_open(g->datastore, x, id);
	return 0;
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len unused,
	 struct err *e unused)
{
	struct gather *g = arg;

	if (id >= STORAGE_ID && g->host != NULL)
		storage_close(g->storage, id, text);
	else if (id >= GATHER_DATASTORE_ID && g->datastore != NULL)
		gather_datastore_close(g->datastore, id, text);
	return 0;
}

static void
on_missing(void *arg, const char *path, const struct soap_fault *f)
{
	struct gather *g = arg;

	if (strcmp(f->type, "NoPermission") == 0)
		g->n_denied++;
	else if (g->problem == NULL)
		g->problem = xasprintf("%s: %s%s%s", path, f->type,
				       f->text[0] != '\0' ? ": " : "", f->text);
}

static int
on_object_end(void *arg, struct err *e unused)
{
	struct gather *g = arg;
	const struct strings *devices;

	if (g->host != NULL) {
		storage_reduce(g->storage, g->wanted, &g->host->devices);
		storage_reset(g->storage);
	} else if (g->datastore != NULL) {
		devices = classify_devices(&g->datastore->facts);
		for (size_t i = 0; i < devices->n; i++)
			map_set(g->wanted, devices->v[i], g);
	}
	g->node = NULL;
	g->host = NULL;
	g->datastore = NULL;
	return 0;
}

static const struct props_sink sink = {
	.object = on_object,
	.value = on_value,
	.open = on_open,
	.close = on_close,
	.missing = on_missing,
	.object_end = on_object_end,
};

/* ---- interface ---- */

struct gather *
gather_new(bool is_vcenter)
{
	struct gather *g = xcalloc(1, sizeof(*g));

	g->is_vcenter = is_vcenter;
	g->rows = xcalloc(ARRAY_SIZE(all_rows), sizeof(*g->rows));
	memcpy(g->rows, all_rows, sizeof(all_rows));
	for (struct props_row *r = g->rows; r->type != NULL; r++)
		if (!is_vcenter && is_vcenter_type(r->type))
			r->pass = 0;
	g->storage = storage_new();
	gather_reset(g);
	return g;
}

void
gather_write_view(const struct gather *g, struct buf *b,
		  const struct service_content *sc)
{
	const char *types[ARRAY_SIZE(all_rows)];
	size_t n = 0;

	for (const struct props_row *r = g->rows; r->type != NULL; r++)
		if (r->pass != 0 &&
		    (n == 0 || strcmp(types[n - 1], r->type) != 0))
			types[n++] = r->type;
	service_write_view(b, sc, types, n);
}

void
gather_write_request(const struct gather *g, struct buf *b,
		     const struct service_content *sc, const char *view,
		     enum gather_pass pass, unsigned max_objects)
{
	props_write_view(b, sc->property_collector, view, g->rows, pass,
			 max_objects);
}

struct answer *
gather_answer(struct gather *g, bool next)
{
	return props_answer(g->rows, &sink, g, next);
}

/* Every object has a name and a parent; of a server that says no, only the one
 * type that not all know can be meant. */
static bool
is_dispensable(const struct props_row *r)
{
	return strcmp(r->type, "StoragePod") == 0 ||
		(r->id != G_NAME && r->id != G_PARENT);
}

bool
gather_drop_path(struct gather *g, const char *path)
{
	bool found = false;

	for (struct props_row *r = g->rows; r->type != NULL; r++)
		if (r->pass != 0 && strcmp(r->path, path) == 0 &&
		    is_dispensable(r)) {
			r->pass = 0;
			found = true;
		}
	return found;
}

const char *
gather_problem(const struct gather *g)
{
	return g->problem;
}
