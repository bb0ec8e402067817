/*
 * inventory.h - the managed objects: folders, clusters, hosts, datastores,
 * managers, each with moref and parent.
 *
 * Rebuilt when the scene's generation moved; pointers are borrowed until then.
 * Managers have no parent and are no part of views.
 */
#ifndef SIM_INVENTORY_H
#define SIM_INVENTORY_H

#include "dslat/map.h"
#include "scene.h"

enum mo_kind {
	MO_FOLDER,
	MO_DATACENTER,
	MO_CLUSTER,
	MO_HOST,
	MO_DATASTORE,
	MO_MANAGER,
	MO_VIEW, /* not in the inventory: part of a session's view */
};

struct mo {
	enum mo_kind kind;
	const char *type;
	char *id;
	char *name; /* folders */
	size_t i;   /* in the scene's array of its kind */
	struct mo *parent;
	struct mo *folders[4];  /* datacenters: vm, host, datastore, network */
	const char *child_type; /* folders */
	const struct view *view;
};

struct inventory {
	struct mo **all; /* parents before children */
	size_t n;
	struct map *by_id;
	uint32_t generation;
};

/* Bring it up to the scene. */
void inventory_update(struct inventory *inv, const struct scene *s);
void inventory_fini(struct inventory *inv);
struct mo *inventory_find(const struct inventory *inv, const char *id);
/* Is `mo` below `container`, at any depth or directly? */
bool inventory_below(const struct mo *mo, const struct mo *container,
		     bool recursive);

/* Well-known morefs differ between vCenter and ESXi: rows of both. */
enum manager {
	MGR_SERVICE,
	MGR_PROPERTY,
	MGR_VIEW,
	MGR_SESSION,
	MGR_PERF,
	MGR_SETTING,
	MGR_EVENT,
	N_MANAGERS
};

const char *manager_type(enum manager m);
const char *manager_id(const struct scene *s, enum manager m);

#endif
