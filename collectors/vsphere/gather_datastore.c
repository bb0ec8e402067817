/*
 * The structured properties of a Datastore: who mounts it (host), and what it
 * is made of (info).
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "gather_private.h"
#include "xsd.h"

enum {
	G_MOUNTS = GATHER_DATASTORE_ID, /* the values as a whole */
	G_INFO,
	G_MOUNT,
	G_MOUNT_HOST,
	G_MOUNT_MOUNTED,
	G_MOUNT_ACCESSIBLE,
	G_MOUNT_REASON,
	G_NAS_TYPE,
	G_NAS_HOST,
	G_NAS_PATH,
	G_NAS_HOSTS,
	G_VMFS_LOCAL,
	G_EXTENT,
	G_CONTAINER,
	G_ENDPOINT,
	G_ENDPOINT_TYPE,
	G_ENDPOINT_DEVICE,
	G_ENDPOINT_SERVER,
	G_ENDPOINT_DIR,
	G_ENDPOINT_KIND,
};

static const struct xml_node mount_info_nodes[] = {
	{ "mounted", G_MOUNT_MOUNTED, NULL },
	{ "accessible", G_MOUNT_ACCESSIBLE, NULL },
	{ "inaccessibleReason", G_MOUNT_REASON, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node mount_nodes[] = {
	{ "key", G_MOUNT_HOST, NULL },
	{ "mountInfo", 0, mount_info_nodes },
	{ NULL, 0, NULL },
};
const struct xml_node gather_mounts_nodes[] = {
	{ "*", G_MOUNT, mount_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node nas_nodes[] = {
	{ "type", G_NAS_TYPE, NULL },
	{ "remoteHost", G_NAS_HOST, NULL },
	{ "remotePath", G_NAS_PATH, NULL },
	{ "remoteHostNames", G_NAS_HOSTS, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node extent_nodes[] = {
	{ "diskName", G_EXTENT, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node vmfs_nodes[] = {
	{ "local", G_VMFS_LOCAL, NULL },
	{ "extent", 0, extent_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node endpoint_nodes[] = {
	{ "type", G_ENDPOINT_TYPE, NULL },
	{ "deviceId", G_ENDPOINT_DEVICE, NULL },
	{ "nfsServer", G_ENDPOINT_SERVER, NULL },
	{ "nfsDir", G_ENDPOINT_DIR, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node host_endpoint_nodes[] = {
	{ "protocolEndpoint", G_ENDPOINT, endpoint_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node vvol_nodes[] = {
	{ "scId", G_CONTAINER, NULL },
	{ "hostPE", 0, host_endpoint_nodes },
	{ "protocolEndpointType", G_ENDPOINT_KIND, NULL },
	{ NULL, 0, NULL },
};
const struct xml_node gather_info_nodes[] = {
	{ "nas", 0, nas_nodes },
	{ "vmfs", 0, vmfs_nodes },
	{ "vvolDS", 0, vvol_nodes },
	{ NULL, 0, NULL },
};

static void
free_mounts(struct gather_datastore *d)
{
	for (size_t i = 0; i < d->n_mounts; i++) {
		free(d->mounts[i].host);
		free(d->mounts[i].reason);
	}
	free(d->mounts);
	d->mounts = NULL;
	d->n_mounts = 0;
}

/* Both flags are optional; unset means nothing is wrong. */
static void
open_mount(struct gather_datastore *d)
{
	d->mounts = xgrow(d->mounts, d->n_mounts, sizeof(*d->mounts));
	d->mounts[d->n_mounts++] = (struct gather_mount){
		.mounted = true,
		.accessible = true,
	};
}

void
gather_datastore_open(struct gather_datastore *d, struct xml *x, unsigned id)
{
	switch (id) {
	case G_MOUNTS:
		free_mounts(d); /* the object came twice */
		break;
	case G_INFO:
		xstrset(&d->facts.info_type, xml_xsi_type(x));
		break;
	case G_MOUNT:
		open_mount(d);
		break;
	case G_ENDPOINT:
		xstrset(&d->endpoint_server, NULL);
		break;
	default:
		break;
	}
}

static void
close_mount(struct gather_datastore *d, unsigned id, const char *text)
{
	struct gather_mount *m = &d->mounts[d->n_mounts - 1];

	if (id == G_MOUNT_HOST)
		xstrset(&m->host, text);
	else if (id == G_MOUNT_MOUNTED)
		m->mounted = xsd_bool(text);
	else if (id == G_MOUNT_ACCESSIBLE)
		m->accessible = xsd_bool(text);
	else if (id == G_MOUNT_REASON)
		xstrset(&m->reason, text);
}

static void
close_endpoint(struct gather_datastore *d, unsigned id, const char *text)
{
	struct datastore_facts *f = &d->facts;
	char *export;

	if (id == G_ENDPOINT_TYPE) {
		strings_add(&f->endpoint_types, text);
	} else if (id == G_ENDPOINT_DEVICE) {
		strings_add(&f->endpoint_devices, text);
	} else if (id == G_ENDPOINT_KIND) {
		f->endpoint_is_nvme = strcmp(text, "nvme") == 0;
	} else if (id == G_ENDPOINT_SERVER) {
		xstrset(&d->endpoint_server, text);
	} else if (id == G_ENDPOINT_DIR && d->endpoint_server != NULL) {
		export = xasprintf("%s:%s", d->endpoint_server, text);
		strings_add(&f->endpoint_exports, export);
		free(export);
	}
}

static void
close_info(struct datastore_facts *f, unsigned id, const char *text)
{
	if (id == G_NAS_TYPE)
		xstrset(&f->nas_type, text);
	else if (id == G_NAS_HOST)
		xstrset(&f->nas_host, text);
	else if (id == G_NAS_PATH)
		xstrset(&f->nas_path, text);
	else if (id == G_NAS_HOSTS)
		strings_add(&f->nas_hosts, text);
	else if (id == G_VMFS_LOCAL)
		f->vmfs_local = xsd_bool(text) ? YES : NO;
	else if (id == G_EXTENT)
		strings_add(&f->extents, text);
	else if (id == G_CONTAINER)
		xstrset(&f->container, text);
}

void
gather_datastore_close(struct gather_datastore *d, unsigned id,
		       const char *text)
{
	if (id >= G_ENDPOINT)
		close_endpoint(d, id, text);
	else if (id >= G_NAS_TYPE)
		close_info(&d->facts, id, text);
	else if (id > G_MOUNT)
		close_mount(d, id, text);
}

void
gather_datastore_free(struct gather_datastore *d)
{
	free(d->moref);
	free(d->name);
	free(d->parent);
	free(d->url);
	free(d->maintenance);
	free(d->endpoint_server);
	datastore_facts_fini(&d->facts);
	free_mounts(d);
	free(d);
}
