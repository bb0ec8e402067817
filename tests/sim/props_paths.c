/* HostSystem.config.storageDevice: multipathInfo and plugStoreTopology. */
#include <string.h>

#include "props_storage.h"
#include "storage.h"

static void
transport(const struct dev *v, int n, struct tree *t, struct node *parent)
{
	struct node *x =
		tree_obj(t, parent, "transport", v->proto->transport_type);

	if (schema_is_a(x->type, "HostInternetScsiTargetTransport")) {
		tree_str(t, x, "iScsiName", v->lun->array);
		tree_str(t, x, "iScsiAlias", "");
		tree_strf(t, x, "address", "10.30.0.%d:3260", 10 + n);
	}
	if (schema_is_a(x->type, "HostFibreChannelTargetTransport")) {
		tree_int(t, x, "portWorldWideName",
			 storage_target_wwn(v->lun, n, true));
		tree_int(t, x, "nodeWorldWideName",
			 storage_target_wwn(v->lun, n, false));
	}
	if (schema_is_a(x->type,
			"HostFibreChannelOverEthernetTargetTransport")) {
		tree_str(t, x, "vnportMac", "00:25:b5:00:0a:1f");
		tree_str(t, x, "fcfMac", "00:2a:6a:00:00:01");
		tree_int(t, x, "vlanId", 1002);
	}
}

static void
multipath_lun(const struct dev *v, struct tree *t, struct node *parent)
{
	struct node *l = tree_obj(t, parent, "lun", NULL), *p;
	char name[64], key[96];

	tree_strf(t, l, "key", "key-vim.host.MultipathInfo.LogicalUnit-%s",
		  v->id);
	tree_str(t, l, "id", v->id);
	tree_strf(t, l, "lun", "key-vim.host.ScsiDisk-%s", v->id);
	for (int n = 0; n < v->proto->paths; n++) {
		p = tree_obj(t, l, "path", NULL);
		storage_path_name(v->proto, n, v->lun_id, name);
		tree_strf(t, p, "key", "key-vim.host.MultipathInfo.Path-%s",
			  name);
		tree_str(t, p, "name", name);
		tree_str(t, p, "pathState", n < 2 ? "active" : "standby");
		tree_str(t, p, "state", n < 2 ? "active" : "standby");
		tree_bool(t, p, "isWorkingPath", n < 2);
		props_hba_key(v->proto, n % storage_adapters(v->proto), key);
		tree_str(t, p, "adapter", key);
		tree_strf(t, p, "lun",
			  "key-vim.host.MultipathInfo.LogicalUnit-%s", v->id);
		if (strcmp(v->topology, "bare") != 0)
			transport(v, n, t, p);
	}
	p = tree_obj(t, l, "policy",
		     v->proto->nvme_transport != NULL
			     ? "HostMultipathInfoHppLogicalUnitPolicy"
			     : "HostMultipathInfoLogicalUnitPolicy");
	tree_str(t, p, "policy",
		 v->proto->nvme_transport != NULL ? "LB-RR" : "VMW_PSP_RR");
}

#define PST "key-vim.host.PlugStoreTopology."

static bool
in_plugstore(const struct dev *v)
{
	return strcmp(v->topology, "nvme") != 0 &&
		strcmp(v->topology, "none") != 0;
}

static void
plugstore_adapters(const struct devs *ds, struct tree *t, struct node *p)
{
	char last[32] = "", name[64], key[96], device[32];

	for (size_t i = 0; i < ds->n; i++)
		for (int a = 0; a < storage_adapters(ds->v[i].proto); a++) {
			struct node *n;
			bool seen = false;

			storage_adapter_name(ds->v[i].proto, a, device);
			for (size_t j = 0; !seen && j < i; j++) {
				storage_adapter_name(ds->v[j].proto, a, last);
				seen = strcmp(last, device) == 0;
			}
			if (seen)
				continue;
			n = tree_obj(t, p, "adapter", NULL);
			tree_strf(t, n, "key", PST "Adapter-%s", device);
			props_hba_key(ds->v[i].proto, a, key);
			tree_str(t, n, "adapter", key);
			storage_path_name(ds->v[i].proto, a, ds->v[i].lun_id,
					  name);
			if (in_plugstore(&ds->v[i]))
				tree_strf(t, n, "path", PST "Path-%s", name);
		}
}

static void
plugstore_paths(const struct devs *ds, struct tree *t, struct node *p)
{
	char name[64], device[32];

	for (size_t i = 0; i < ds->n; i++) {
		const struct dev *v = &ds->v[i];

		for (int n = 0; in_plugstore(v) && n < v->proto->paths; n++) {
			int adapters = storage_adapters(v->proto);
			struct node *x = tree_obj(t, p, "path", NULL);

			storage_path_name(v->proto, n, v->lun_id, name);
			storage_adapter_name(v->proto, n % adapters, device);
			tree_strf(t, x, "key", PST "Path-%s", name);
			tree_str(t, x, "name", name);
			tree_int(t, x, "channelNumber", 0);
			tree_int(t, x, "targetNumber", n / adapters);
			tree_int(t, x, "lunNumber", v->lun_id);
			tree_strf(t, x, "adapter", PST "Adapter-%s", device);
			tree_strf(t, x, "target", PST "Target-%s", name);
			tree_strf(t, x, "device", PST "Device-%s", v->id);
		}
	}
}

void
props_plugstore(const struct devs *ds, struct tree *t, struct node *p)
{
	char name[64];

	plugstore_adapters(ds, t, p);
	plugstore_paths(ds, t, p);
	for (size_t i = 0; i < ds->n; i++) {
		const struct dev *v = &ds->v[i];

		for (int n = 0; in_plugstore(v) && n < v->proto->paths; n++) {
			struct node *x = tree_obj(t, p, "target", NULL);

			storage_path_name(v->proto, n, v->lun_id, name);
			tree_strf(t, x, "key", PST "Target-%s", name);
			transport(v, n, t, x);
		}
	}
	for (size_t i = 0; i < ds->n; i++) {
		const struct dev *v = &ds->v[i];
		struct node *x;

		if (!in_plugstore(v))
			continue;
		x = tree_obj(t, p, "device", NULL);
		tree_strf(t, x, "key", PST "Device-%s", v->id);
		tree_strf(t, x, "lun", "key-vim.host.ScsiDisk-%s", v->id);
		for (int n = 0; n < v->proto->paths; n++) {
			storage_path_name(v->proto, n, v->lun_id, name);
			tree_strf(t, x, "path", PST "Path-%s", name);
		}
	}
}

void
props_multipath(const struct devs *ds, struct tree *t, struct node *m)
{
	for (size_t i = 0; i < ds->n; i++)
		if (strcmp(ds->v[i].topology, "multipath") == 0 ||
		    strcmp(ds->v[i].topology, "bare") == 0)
			multipath_lun(&ds->v[i], t, m);
}
