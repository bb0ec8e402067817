#include "inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

static const struct {
	const char *type, *vcenter, *esxi;
} managers[N_MANAGERS] = {
	[MGR_SERVICE] = { "ServiceInstance", "ServiceInstance",
			  "ServiceInstance" },
	[MGR_PROPERTY] = { "PropertyCollector", "propertyCollector",
			   "ha-property-collector" },
	[MGR_VIEW] = { "ViewManager", "ViewManager", "ViewManager" },
	[MGR_SESSION] = { "SessionManager", "SessionManager", "ha-sessionmgr" },
	[MGR_PERF] = { "PerformanceManager", "PerfMgr", "ha-perfmgr" },
	[MGR_SETTING] = { "OptionManager", "VpxSettings", "HostAgentSettings" },
	[MGR_EVENT] = { "EventManager", "EventManager", "ha-eventmgr" },
};

const char *
manager_type(enum manager m)
{
	return managers[m].type;
}

const char *
manager_id(const struct scene *s, enum manager m)
{
	return s->is_esxi ? managers[m].esxi : managers[m].vcenter;
}

static struct mo *
add(struct inventory *inv, enum mo_kind kind, const char *type, char *id_take,
    struct mo *parent)
{
	struct mo *mo = xcalloc(1, sizeof(*mo));

	mo->kind = kind;
	mo->type = type;
	mo->id = id_take;
	mo->parent = parent;
	inv->all = xreallocarray(inv->all, inv->n + 1, sizeof(struct mo *));
	inv->all[inv->n++] = mo;
	map_set(inv->by_id, mo->id, mo);
	return mo;
}

static struct mo *
add_folder(struct inventory *inv, char *id_take, const char *name,
	   const char *child_type, struct mo *parent)
{
	struct mo *f = add(inv, MO_FOLDER, "Folder", id_take, parent);

	f->name = xstrdup(name);
	f->child_type = child_type;
	return f;
}

/* The folder of that name below parent, made when it is new; no name: parent
 * itself. */
static struct mo *
sub_folder(struct inventory *inv, struct mo *parent, const char *name,
	   char letter)
{
	char *id;

	if (name == NULL)
		return parent;
	for (size_t i = 0; i < inv->n; i++)
		if (inv->all[i]->parent == parent &&
		    inv->all[i]->kind == MO_FOLDER &&
		    strcmp(inv->all[i]->name, name) == 0)
			return inv->all[i];
	id = xasprintf("group-%c%zu", letter, 3000 + inv->n);
	return add_folder(inv, id, name, parent->child_type, parent);
}

static struct mo *
add_datacenter(struct inventory *inv, const struct scene *s, size_t i,
	       struct mo *root)
{
	static const struct {
		const char *name, *letter, *child;
	} rows[] = {
		{ "vm", "v", "VirtualMachine" },
		{ "host", "h", "ComputeResource" },
		{ "datastore", "s", "Datastore" },
		{ "network", "n", "Network" },
	};
	struct mo *dc =
		add(inv, MO_DATACENTER, "Datacenter",
		    s->is_esxi ? xstrdup("ha-datacenter")
			       : xasprintf("datacenter-%zu", 3 + i * 10),
		    root);

	dc->i = i;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		char *id = s->is_esxi ? xasprintf("ha-folder-%s", rows[r].name)
				      : xasprintf("group-%s%zu", rows[r].letter,
						  4 + i * 10 + r);

		dc->folders[r] =
			add_folder(inv, id, rows[r].name, rows[r].child, dc);
	}
	return dc;
}

static void
add_clusters(struct inventory *inv, const struct scene *s, size_t dc_i,
	     struct mo *dc)
{
	for (size_t i = 0; i < s->n_clusters; i++) {
		const struct scene_cluster *c = &s->clusters[i];
		bool single = s->is_esxi || c->standalone;
		struct mo *mo;

		if (strcmp(c->datacenter, s->dcs[dc_i].name) != 0)
			continue;
		mo = add(inv, MO_CLUSTER,
			 single ? "ComputeResource" : "ClusterComputeResource",
			 s->is_esxi ? xstrdup("ha-compute-res")
				    : xasprintf("domain-%s%zu",
						single ? "s" : "c", 500 + i),
			 sub_folder(inv, dc->folders[1], c->folder, 'h'));
		mo->i = i;
		for (size_t h = 0; h < s->n_hosts; h++) {
			if (s->hosts[h].gone ||
			    strcmp(s->hosts[h].cluster, c->name) != 0)
				continue;
			add(inv, MO_HOST, "HostSystem",
			    xstrdup(s->hosts[h].moref), mo)
				->i = h;
		}
	}
}

/* Where a datastore is: in a pod, in a folder, or in the datacenter's own. */
static struct mo *
datastore_parent(struct inventory *inv, const struct scene_ds *d, struct mo *dc)
{
	struct mo *pod;

	if (d->pod == NULL)
		return sub_folder(inv, dc->folders[2], d->folder, 's');
	pod = sub_folder(inv, dc->folders[2], d->pod, 'p');
	pod->type = "StoragePod";
	return pod;
}

static void
add_datastores(struct inventory *inv, const struct scene *s, size_t dc_i,
	       struct mo *dc)
{
	for (size_t i = 0; i < s->n_pods; i++)
		if (strcmp(s->pods[i].datacenter, s->dcs[dc_i].name) == 0)
			sub_folder(inv, dc->folders[2], s->pods[i].name, 'p')
				->type = "StoragePod";
	for (size_t i = 0; i < s->n_dss; i++) {
		const struct scene_ds *d = &s->dss[i];

		if (scene_ds_listed(d) &&
		    strcmp(d->datacenter, s->dcs[dc_i].name) == 0)
			add(inv, MO_DATASTORE, "Datastore", xstrdup(d->moref),
			    datastore_parent(inv, d, dc))
				->i = i;
	}
}

static void
build(struct inventory *inv, const struct scene *s)
{
	struct mo *root;

	for (int m = 0; m < N_MANAGERS; m++)
		add(inv, MO_MANAGER, managers[m].type,
		    xstrdup(manager_id(s, (enum manager)m)), NULL)
			->i = (size_t)m;
	root = add_folder(inv,
			  xstrdup(s->is_esxi ? "ha-folder-root" : "group-d1"),
			  s->is_esxi ? "ha-folder-root" : "Datacenters",
			  "Datacenter", NULL);
	for (size_t i = 0; i < s->n_dcs; i++) {
		struct mo *dc = add_datacenter(
			inv, s, i,
			sub_folder(inv, root, s->dcs[i].folder, 'd'));

		add_clusters(inv, s, i, dc);
		add_datastores(inv, s, i, dc);
	}
}

void
inventory_fini(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n; i++) {
		free(inv->all[i]->id);
		free(inv->all[i]->name);
		free(inv->all[i]);
	}
	free(inv->all);
	map_free(&inv->by_id);
	*inv = (struct inventory){ 0 };
}

void
inventory_update(struct inventory *inv, const struct scene *s)
{
	if (inv->by_id != NULL && inv->generation == s->generation)
		return;
	inventory_fini(inv);
	inv->by_id = map_new();
	inv->generation = s->generation;
	build(inv, s);
}

struct mo *
inventory_find(const struct inventory *inv, const char *id)
{
	return map_find_str(inv->by_id, id);
}

bool
inventory_below(const struct mo *mo, const struct mo *container, bool recursive)
{
	for (mo = mo->parent; mo != NULL; mo = mo->parent) {
		if (mo == container)
			return true;
		if (!recursive)
			return false;
	}
	return false;
}
