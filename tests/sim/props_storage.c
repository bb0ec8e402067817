/* HostSystem.config.storageDevice and fileSystemVolume. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "props.h"
#include "props_storage.h"
#include "storage.h"

static void
collect(const struct scene *s, size_t host_i, struct devs *out)
{
	*out = (struct devs){ .s = s, .h = &s->hosts[host_i] };
	for (size_t i = 0; i < s->n_dss; i++) {
		const struct scene_ds *d = &s->dss[i];
		const struct pair *p = &d->pairs[host_i];

		if (!scene_ds_listed(d) || !p->mounted || d->luns == NULL)
			continue;
		for (int64_t x = 0; x < d->extents; x++) {
			struct dev *v;
			uint64_t k = scene_hash(s, d->luns[x].name, 9);

			out->v = xreallocarray(out->v, out->n + 1, sizeof(*v));
			v = &out->v[out->n++];
			*v = (struct dev){ .ds = d,
					   .lun = &d->luns[x],
					   .pair = p,
					   .proto = p->proto,
					   .topology = d->topology,
					   .lun_id = d->lun_id + x };
			snprintf(v->id, sizeof(v->id), "02%02x00000%016llx",
				 (unsigned)(v->lun_id & 0xff),
				 (unsigned long long)k);
		}
	}
}

void
props_hba_key(const struct protocol_row *p, int n, char out[96])
{
	char device[32];

	storage_adapter_name(p, n, device);
	snprintf(out, 96, "key-vim.host.%s-%s", p->hba_type + strlen("Host"),
		 device);
}

static void
hba_base(const struct protocol_row *p, int n, struct tree *t, struct node *h)
{
	char text[96];

	props_hba_key(p, n, text);
	tree_str(t, h, "key", text);
	storage_adapter_name(p, n, text);
	tree_str(t, h, "device", text);
	tree_int(t, h, "bus", 3 + n);
	tree_str(t, h, "status", "unknown");
	tree_str(t, h, "model", p->hba_model);
	tree_str(t, h, "driver", p->driver);
	tree_strf(t, h, "pci", "0000:%02x:00.%d", 3 + n, n);
	tree_str(t, h, "storageProtocol", p->storage_protocol);
}

static void
hba_iscsi(const struct devs *ds, const struct protocol_row *p, struct tree *t,
	  struct node *h)
{
	struct node *x;
	char iqn[128];

	tree_bool(t, h, "isSoftwareBased", true);
	tree_bool(t, h, "canBeDisabled", true);
	tree_str(t, h, "networkBindingSupport", "optional");
	x = tree_obj(t, h, "discoveryProperties", NULL);
	tree_bool(t, x, "iSnsDiscoveryEnabled", false);
	tree_bool(t, x, "slpDiscoveryEnabled", false);
	tree_bool(t, x, "staticTargetDiscoveryEnabled", true);
	tree_bool(t, x, "sendTargetsDiscoveryEnabled", true);
	storage_iqn(ds->h, iqn);
	tree_str(t, h, "iScsiName", iqn);
	tree_str(t, h, "iScsiAlias", "");
	x = tree_obj(t, h, "configuredSendTarget", NULL);
	tree_str(t, x, "address", "10.30.0.10");
	tree_int(t, x, "port", 3260);
	for (size_t i = 0; i < ds->n; i++) {
		if (ds->v[i].proto != p)
			continue;
		x = tree_obj(t, h, "configuredStaticTarget", NULL);
		tree_str(t, x, "address", "10.30.0.10");
		tree_int(t, x, "port", 3260);
		tree_str(t, x, "iScsiName", ds->v[i].lun->array);
		tree_str(t, x, "discoveryMethod", "sendTargetMethod");
	}
	tree_int(t, h, "maxSpeedMb", 25000);
	tree_int(t, h, "currentSpeedMb", 25000);
}

static void
hba(const struct devs *ds, const struct protocol_row *p, int n, struct tree *t,
    struct node *parent)
{
	struct node *h = tree_obj(t, parent, "hostBusAdapter", p->hba_type);

	hba_base(p, n, t, h);
	if (schema_is_a(h->type, "HostFibreChannelHba")) {
		tree_int(t, h, "portWorldWideName",
			 storage_host_wwn(ds->s, ds->h, n, true));
		tree_int(t, h, "nodeWorldWideName",
			 storage_host_wwn(ds->s, ds->h, n, false));
		tree_str(t, h, "portType", "fabric");
		tree_int(t, h, "speed", 32);
	}
	if (schema_is_a(h->type, "HostFibreChannelOverEthernetHba")) {
		struct node *l;

		tree_str(t, h, "underlyingNic", "vmnic4");
		l = tree_obj(t, h, "linkInfo", NULL);
		tree_str(t, l, "vnportMac", "00:25:b5:00:0a:1f");
		tree_str(t, l, "fcfMac", "00:2a:6a:00:00:01");
		tree_int(t, l, "vlanId", 1002);
		tree_bool(t, h, "isSoftwareFcoe", false);
	}
	if (schema_is_a(h->type, "HostInternetScsiHba"))
		hba_iscsi(ds, p, t, h);
	if (schema_is_a(h->type, "HostTcpHba"))
		tree_str(t, h, "associatedPnic", "vmnic5");
	if (schema_is_a(h->type, "HostRdmaHba"))
		tree_str(t, h, "associatedRdmaDevice", "vmrdma0");
}

/* Every host has a SATA controller with its boot disk. */
static const char boot_id[] = "0000000000766d68626133323a303a30";
static const char boot_name[] = "mpx.vmhba32:C0:T0:L0";

static void
hbas(const struct devs *ds, struct tree *t, struct node *parent)
{
	const struct protocol_row *boot = protocol_find("block");
	bool has_boot = false;

	for (size_t i = 0; i < ds->n; i++) {
		const struct protocol_row *p = ds->v[i].proto;
		bool seen = p->hba_type == NULL;

		for (size_t j = 0; !seen && j < i; j++)
			seen = ds->v[j].proto->hba_device != NULL &&
				strcmp(ds->v[j].proto->hba_device,
				       p->hba_device) == 0;
		if (seen)
			continue;
		has_boot = has_boot || p == boot;
		for (int n = 0; n < storage_adapters(p); n++)
			hba(ds, p, n, t, parent);
	}
	if (!has_boot)
		hba(ds, boot, 0, t, parent);
}

/* What makes storageDevice so long: one element per byte. */
static void
bytes(struct tree *t, struct node *n, const char *id)
{
	struct node *name = tree_obj(t, n, "alternateName", NULL);

	tree_str(t, name, "namespace", "GENERIC_VPD");
	tree_int(t, name, "namespaceId", 5);
	for (const char *p = id; *p != '\0'; p++)
		tree_int(t, name, "data", (signed char)(*p ^ 0x80));
	for (int i = 0; i < 36; i++)
		tree_int(t, n, "standardInquiry", i * 7 % 100);
}

static void
lun(struct tree *t, struct node *parent, const char *name, const char *id,
    const struct dev *v)
{
	struct node *n = tree_obj(t, parent, "scsiLun", "HostScsiDisk"), *x;
	const struct protocol_row *p =
		v != NULL ? v->proto : protocol_find("block");
	bool nvme = p->nvme_transport != NULL;

	tree_strf(t, n, "deviceName", "/vmfs/devices/disks/%s", name);
	tree_str(t, n, "deviceType", "disk");
	tree_strf(t, n, "key", "key-vim.host.ScsiDisk-%s", id);
	tree_str(t, n, "uuid", id);
	x = tree_obj(t, n, "descriptor", NULL);
	tree_str(t, x, "quality", "highQuality");
	tree_str(t, x, "id", name);
	tree_str(t, n, "canonicalName", name);
	tree_strf(t, n, "displayName", "%s Disk (%s)",
		  nvme                    ? "NVMe"
			  : p->local_disk ? "Local"
					  : "EXAMPLE",
		  name);
	tree_str(t, n, "lunType", "disk");
	tree_str(t, n, "vendor", nvme ? "NVMe" : "EXAMPLE ");
	tree_str(t, n, "model", "LUN             ");
	tree_str(t, n, "revision", "8888");
	tree_int(t, n, "scsiLevel", nvme ? 0 : 6);
	bytes(t, n, id);
	tree_int(t, n, "queueDepth", nvme ? 2048 : 128);
	tree_str(t, n, "operationalState", "ok");
	tree_str(t, n, "vStorageSupport",
		 p->local_disk ? "vStorageUnsupported" : "vStorageSupported");
	tree_bool(t, n, "protocolEndpoint",
		  v != NULL && v->ds->proto->family == FAMILY_VVOL);
	tree_bool(t, n, "perenniallyReserved", false);
	tree_str(t, n, "applicationProtocol", nvme ? "NVMe" : "SCSI");
	x = tree_obj(t, n, "capacity", NULL);
	tree_int(t, x, "blockSize", 512);
	tree_int(t, x, "block", INT64_C(8589934592));
	tree_strf(t, n, "devicePath", "/vmfs/devices/disks/%s", name);
	tree_bool(t, n, "ssd", true);
	tree_bool(t, n, "localDisk", p->local_disk);
	tree_str(t, n, "scsiDiskType", "native512");
}

static void
nvme_controller(const struct devs *ds, const struct protocol_row *p,
		struct tree *t, struct node *parent, int number)
{
	struct node *c = tree_obj(t, parent, "connectedController", NULL);
	char key[96];

	props_hba_key(p, 0, key);
	tree_strf(t, c, "key", "key-vim.host.NvmeController-%d", number);
	tree_int(t, c, "controllerNumber", number);
	tree_str(t, c, "subnqn", "nqn.2010-06.com.example:array01.subsystem1");
	tree_strf(t, c, "name", "nqn.2010-06.com.example:array01.subsystem1#%s",
		  p->hba_device);
	tree_str(t, c, "associatedAdapter", key);
	tree_str(t, c, "transportType", p->nvme_transport);
	tree_bool(t, c, "fusedOperationSupported", false);
	tree_int(t, c, "numberOfQueues", 4);
	tree_int(t, c, "queueSize", 256);
	for (size_t i = 0; i < ds->n; i++) {
		const struct dev *v = &ds->v[i];
		struct node *s;

		if (v->proto->nvme_transport == NULL ||
		    strcmp(v->proto->hba_device, p->hba_device) != 0 ||
		    strcmp(v->topology, "none") == 0)
			continue;
		s = tree_obj(t, c, "attachedNamespace", NULL);
		tree_strf(t, s, "key", "key-vim.host.NvmeNamespace-%s@%d",
			  v->lun->name, number);
		tree_str(t, s, "name", v->lun->name);
		tree_int(t, s, "id", v->lun_id + 1);
		tree_int(t, s, "blockSize", 512);
		tree_int(t, s, "capacityInBlocks", INT64_C(8589934592));
	}
	tree_str(t, c, "vendorId", "0x1abc");
	tree_str(t, c, "model", "EXAMPLE NVMe");
}

static void
nvme(const struct devs *ds, struct tree *t, struct node *topology)
{
	int number = 256;

	for (size_t i = 0; i < ds->n; i++) {
		const struct protocol_row *p = ds->v[i].proto;
		bool seen = p->nvme_transport == NULL;
		struct node *a;
		char key[96];

		for (size_t j = 0; !seen && j < i; j++)
			seen = ds->v[j].proto->nvme_transport != NULL &&
				strcmp(ds->v[j].proto->hba_device,
				       p->hba_device) == 0;
		if (seen)
			continue;
		a = tree_obj(t, topology, "adapter", NULL);
		tree_strf(t, a, "key", "key-vim.host.NvmeTopology.Interface-%s",
			  p->hba_device);
		props_hba_key(p, 0, key);
		tree_str(t, a, "adapter", key);
		nvme_controller(ds, p, t, a, number++);
	}
}

void
props_storage(const struct scene *s, size_t host_i, const char *path,
	      struct tree *t, struct node *device)
{
	struct devs ds;

	collect(s, host_i, &ds);
	if (props_want(path, "hostBusAdapter", NULL))
		hbas(&ds, t, device);
	if (props_want(path, "scsiLun", NULL)) {
		for (size_t i = 0; i < ds.n; i++)
			lun(t, device, ds.v[i].lun->name, ds.v[i].id, &ds.v[i]);
		lun(t, device, boot_name, boot_id, NULL);
	}
	if (props_want(path, "nvmeTopology", NULL))
		nvme(&ds, t, tree_obj(t, device, "nvmeTopology", NULL));
	if (props_want(path, "multipathInfo", NULL))
		props_multipath(&ds, t,
				tree_obj(t, device, "multipathInfo", NULL));
	if (props_want(path, "plugStoreTopology", NULL))
		props_plugstore(&ds, t,
				tree_obj(t, device, "plugStoreTopology", NULL));
	if (props_want(path, "softwareInternetScsiEnabled", NULL))
		tree_bool(t, device, "softwareInternetScsiEnabled", true);
	free(ds.v);
}

void
props_volumes(const struct scene *s, size_t host_i, struct tree *t,
	      struct node *volumes)
{
	static const char *const types[] = { "VMFS", "NFS",  "NFS41", "vsan",
					     "VVOL", "VFFS", "OTHER", "PMEM" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		tree_str(t, volumes, "volumeTypeList", types[i]);
	for (size_t i = 0; i < s->n_dss; i++) {
		const struct scene_ds *d = &s->dss[i];
		const struct pair *p = &d->pairs[host_i];
		struct node *m;

		if (!scene_ds_listed(d) || !p->mounted)
			continue;
		m = tree_obj(t, volumes, "mountInfo", NULL);
		props_mount(d, p, p->accessible, t,
			    tree_obj(t, m, "mountInfo", NULL));
		if (d->proto->family == FAMILY_BLOCK)
			props_vmfs(d, t,
				   tree_obj(t, m, "volume", "HostVmfsVolume"));
		else if (d->proto->family == FAMILY_NAS)
			props_nas(d, t,
				  tree_obj(t, m, "volume", "HostNasVolume"));
		else
			props_volume(d, t, tree_obj(t, m, "volume", NULL));
	}
}
