/* Datastore: info, summary, host, capability, iormConfiguration. */
#include <stdio.h>
#include <string.h>

#include "props.h"

#define GIB (INT64_C(1) << 30)

void
props_url(const struct scene *s, const struct scene_ds *d, char out[512])
{
	if (s->is_esxi)
		snprintf(out, 512, "/vmfs/volumes/%s%s", d->uuid,
			 d->url_slash ? "/" : "");
	else
		snprintf(out, 512, "ds:///vmfs/volumes/%s/", d->uuid);
}

void
props_volume(const struct scene_ds *d, struct tree *t, struct node *v)
{
	tree_str(t, v, "type", d->type);
	tree_str(t, v, "name", d->name);
	tree_int(t, v, "capacity", d->capacity_gib * GIB);
}

void
props_vmfs(const struct scene_ds *d, struct tree *t, struct node *v)
{
	props_volume(d, t, v);
	tree_int(t, v, "blockSizeMb", 1);
	tree_int(t, v, "blockSize", 1024);
	tree_int(t, v, "unmapGranularity", 1024);
	tree_str(t, v, "unmapPriority", "low");
	tree_int(t, v, "maxBlocks", 63963136);
	tree_int(t, v, "majorVersion", 6);
	tree_str(t, v, "version", "6.82");
	tree_str(t, v, "uuid", d->uuid);
	for (int64_t x = 0; d->luns != NULL && x < d->extents; x++) {
		struct node *e = tree_obj(t, v, "extent", NULL);

		tree_str(t, e, "diskName", d->luns[x].name);
		tree_int(t, e, "partition", 1);
	}
	tree_bool(t, v, "vmfsUpgradable", false);
	tree_bool(t, v, "ssd", true);
	tree_bool(t, v, "local", d->local);
}

void
props_nas(const struct scene_ds *d, struct tree *t, struct node *v)
{
	props_volume(d, t, v);
	tree_str(t, v, "remoteHost", d->server);
	tree_str(t, v, "remotePath", d->path);
	tree_str(t, v, "userName",
		 strcmp(d->type, "CIFS") == 0 ? "esx-svc" : "");
	if (strcmp(d->type, "NFS41") == 0) {
		const char *s = d->servers != NULL ? d->servers : d->server;

		while (*s != '\0') {
			size_t len = strcspn(s, ",");

			tree_strf(t, v, "remoteHostNames", "%.*s", (int)len, s);
			s += len + (s[len] == ',');
		}
	}
	tree_str(t, v, "securityType", d->security);
	tree_bool(t, v, "protocolEndpoint", false);
}

static void
endpoint(struct call *c, const struct scene_ds *d, const struct scene_host *h,
	 struct tree *t, struct node *pe)
{
	bool nas = strcmp(d->proto->name, "vvol-nfs") == 0;
	bool nvme = d->proto->nvme_transport != NULL;

	tree_str(t, pe, "peType", nas ? "nas" : "block");
	tree_str(t, pe, "type", nas ? "nfs" : nvme ? "nvme" : "scsi");
	tree_strf(t, pe, "uuid", "00005cf9-%.8s", d->uuid + strlen("vvol:"));
	tree_ref(t, pe, "hostKey", "HostSystem", h->moref);
	tree_str(t, pe, "storageArray", "com.example.vp:array-1");
	if (nas) {
		tree_str(t, pe, "nfsServer",
			 d->server != NULL ? d->server : "10.20.0.9");
		tree_str(t, pe, "nfsDir",
			 d->path != NULL ? d->path : "/vvolPE");
		tree_str(t, pe, "nfsServerMajor", "3");
	} else {
		tree_str(t, pe, "deviceId", d->luns[0].name);
	}
	(void)c;
}

void
props_vvol(struct call *c, const struct scene_ds *d, struct tree *t,
	   struct node *v)
{
	const struct scene *s = &c->sim->scene;
	bool nvme = d->proto->nvme_transport != NULL;
	struct node *a;

	props_volume(d, t, v);
	tree_str(t, v, "scId", d->uuid);
	for (size_t i = 0; i < s->n_hosts; i++) {
		struct node *pe;

		if (s->hosts[i].gone || !d->pairs[i].mounted)
			continue;
		pe = tree_obj(t, v, "hostPE", NULL);
		tree_ref(t, pe, "key", "HostSystem", s->hosts[i].moref);
		endpoint(c, d, &s->hosts[i], t,
			 tree_obj(t, pe, "protocolEndpoint", NULL));
	}
	a = tree_obj(t, v, "storageArray", NULL);
	tree_str(t, a, "name", "array-1");
	tree_str(t, a, "uuid", "com.example.vp:array-1");
	tree_str(t, a, "vendorId", "EXAMPLE");
	tree_str(t, a, "modelId", "Array 9000");
	if (strcmp(d->proto->name, "vvol-nfs") != 0)
		tree_str(t, v, "protocolEndpointType", nvme ? "nvme" : "scsi");
}

static void
info(struct call *c, const struct scene_ds *d, struct tree *t,
     struct node *root)
{
	const struct scene *s = &c->sim->scene;
	struct node *n = tree_obj(t, root, "info", d->proto->info_type);
	char text[512];

	tree_str(t, n, "name", d->name);
	props_url(s, d, text);
	tree_str(t, n, "url", text);
	tree_int(t, n, "freeSpace", d->free_gib * GIB);
	tree_int(t, n, "maxFileSize", INT64_C(70368744177664));
	tree_int(t, n, "maxVirtualDiskCapacity", INT64_C(68169720922112));
	tree_int(t, n, "maxMemoryFileSize", INT64_C(70368744177664));
	props_time(c->now, text);
	tree_str(t, n, "timestamp", text);
	if (d->proto->family == FAMILY_VSAN) {
		tree_str(t, n, "containerId", d->uuid + strlen("vsan:"));
		tree_str(t, n, "aliasOf", d->uuid + strlen("vsan:"));
		tree_str(t, n, "membershipUuid",
			 "192f7865-d0d0-21b7-7409-062517c9e1a8");
		tree_int(t, n, "accessGenNo", 13);
	}
	if (d->no_info)
		return;
	if (d->proto->family == FAMILY_BLOCK)
		props_vmfs(d, t, tree_obj(t, n, "vmfs", NULL));
	if (d->proto->family == FAMILY_NAS)
		props_nas(d, t, tree_obj(t, n, "nas", NULL));
	if (d->proto->family == FAMILY_LOCAL_DIR)
		tree_str(t, n, "path",
			 d->folder_path != NULL ? d->folder_path
						: "/tmp/local");
	if (d->proto->family == FAMILY_VVOL)
		props_vvol(c, d, t, tree_obj(t, n, "vvolDS", NULL));
	if (d->proto->family == FAMILY_PMEM) {
		struct node *v = tree_obj(t, n, "pmem", NULL);

		props_volume(d, t, v);
		tree_str(t, v, "uuid", d->uuid);
		tree_str(t, v, "version", "1.0");
	}
}

/* In vCenter a datastore is accessible if any host reaches it. */
static bool
accessible(const struct call *c, const struct scene_ds *d)
{
	const struct scene *s = &c->sim->scene;

	for (size_t i = 0; d->accessible && i < s->n_hosts; i++)
		if (!s->hosts[i].gone && d->pairs[i].mounted &&
		    model_mounted(&c->sim->model, &d->pairs[i], c->now))
			return true;
	return false;
}

static int
n_mounts(const struct scene *s, const struct scene_ds *d)
{
	int n = 0;

	for (size_t i = 0; i < s->n_hosts; i++)
		n += d->pairs[i].mounted && !s->hosts[i].gone;
	return n;
}

static void
summary(struct call *c, const struct scene_ds *d, struct tree *t,
	struct node *n)
{
	const struct scene *s = &c->sim->scene;
	char url[512];

	tree_ref(t, n, "datastore", "Datastore", d->moref);
	tree_str(t, n, "name", d->name);
	props_url(s, d, url);
	tree_str(t, n, "url", url);
	tree_int(t, n, "capacity", d->capacity_gib * GIB);
	tree_int(t, n, "freeSpace", d->free_gib * GIB);
	tree_int(t, n, "uncommitted", 9797894144);
	tree_bool(t, n, "accessible", accessible(c, d));
	tree_bool(t, n, "multipleHostAccess", n_mounts(s, d) > 1);
	tree_str(t, n, "type", d->type);
	tree_str(t, n, "maintenanceMode", d->maintenance);
}

void
props_mount(const struct scene_ds *d, const struct pair *p, bool is_accessible,
	    struct tree *t, struct node *n)
{
	tree_strf(t, n, "path", "/vmfs/volumes/%s", d->uuid);
	tree_str(t, n, "accessMode", "readWrite");
	tree_bool(t, n, "mounted", true);
	tree_bool(t, n, "accessible", is_accessible);
	if (!is_accessible)
		tree_str(t, n, "inaccessibleReason",
			 d->reason != NULL ? d->reason : "AllPathsDown_Start");
	if (d->proto->family == FAMILY_NAS && d->connections > 0) {
		tree_str(t, n, "vmknicName", "vmk2");
		tree_bool(t, n, "vmknicActive", is_accessible);
		tree_int(t, n, "numTcpConnections", d->connections);
	}
	(void)p;
}

static void
hosts(struct call *c, const struct scene_ds *d, struct tree *t,
      struct node *root)
{
	const struct scene *s = &c->sim->scene;

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct pair *p = &d->pairs[i];
		struct node *m;

		if (s->hosts[i].gone || !p->mounted)
			continue;
		m = tree_obj(t, root, "host", NULL);
		tree_ref(t, m, "key", "HostSystem", s->hosts[i].moref);
		props_mount(d, p,
			    d->accessible &&
				    model_mounted(&c->sim->model, p, c->now),
			    t, tree_obj(t, m, "mountInfo", NULL));
	}
}

static void
capability(const struct scene_ds *d, struct tree *t, struct node *n)
{
	bool block = d->proto->family == FAMILY_BLOCK;

	tree_bool(t, n, "directoryHierarchySupported", true);
	tree_bool(t, n, "rawDiskMappingsSupported", block);
	tree_bool(t, n, "perFileThinProvisioningSupported", true);
	tree_bool(t, n, "storageIORMSupported", block);
}

static void
iorm(const struct scene_ds *d, struct tree *t, struct node *n)
{
	tree_bool(t, n, "enabled", d->sioc);
	tree_str(t, n, "congestionThresholdMode", "automatic");
	tree_int(t, n, "congestionThreshold", 30);
	tree_int(t, n, "percentOfPeakThroughput", 90);
	tree_bool(t, n, "statsCollectionEnabled", d->sioc);
	tree_bool(t, n, "reservationEnabled", true);
	tree_bool(t, n, "statsAggregationDisabled", false);
}

void
props_datastore(struct call *c, const struct mo *mo, const char *path,
		struct tree *t, struct node *root)
{
	const struct scene_ds *d = &c->sim->scene.dss[mo->i];
	char id[600];

	if (props_want(path, "info", NULL))
		info(c, d, t, root);
	if (props_want(path, "summary", NULL))
		summary(c, d, t, tree_obj(t, root, "summary", NULL));
	if (props_want(path, "host", NULL))
		hosts(c, d, t, root);
	if (props_want(path, "browser", NULL)) {
		snprintf(id, sizeof(id), "datastoreBrowser-%s", d->moref);
		tree_ref(t, root, "browser", "HostDatastoreBrowser", id);
	}
	if (props_want(path, "capability", NULL))
		capability(d, t, tree_obj(t, root, "capability", NULL));
	if (props_want(path, "iormConfiguration", NULL) &&
	    !c->sim->scene.is_esxi)
		iorm(d, t, tree_obj(t, root, "iormConfiguration", NULL));
}
