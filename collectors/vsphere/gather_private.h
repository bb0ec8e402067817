/*
 * gather_private.h - what gather.c collects and gather_build.c makes of it.
 *
 * All strings are owned and NULL where the server did not say.
 */
#ifndef DSLAT_GATHER_PRIVATE_H
#define DSLAT_GATHER_PRIVATE_H

#include "dslat/map.h"

#include "classify.h"
#include "devices.h"
#include "gather.h"
#include "props.h"
#include "storage.h"

/* A folder, datacenter, compute resource: for names and the way up. */
struct gather_node {
	char *type, *name, *parent;
};

struct gather_host {
	char *moref, *name, *parent, *version, *system_uuid;
	char *connection, *power; /* the words of the server */
	bool in_maintenance;
	struct devices devices;
	size_t index; /* in the inventory, once it is there */
};

struct gather_mount {
	char *host; /* moref */
	bool mounted, accessible;
	char *reason;
};

struct gather_datastore {
	char *moref, *name, *parent, *url, *maintenance;
	enum yes_no accessible;
	int64_t capacity_bytes, free_bytes; /* -1 unknown */
	struct datastore_facts facts;
	struct gather_mount *mounts;
	size_t n_mounts;
	char *endpoint_server; /* of the vVol endpoint being read */
};

struct gather {
	bool is_vcenter;
	struct props_row *rows; /* own copy: paths can be dropped */
	/* By moref. */
	struct map *nodes, *hosts, *datastores;
	struct map *wanted; /* canonical names of devices behind datastores */
	size_t n_denied;
	char *problem;
	/* The object being read; at most one is not NULL. */
	struct gather_node *node;
	struct gather_host *host;
	struct gather_datastore *datastore;
	struct storage *storage; /* of the host */
};

/* gather_datastore.c: the values with structure; ids from here on. */
#define GATHER_DATASTORE_ID 0x40u
extern const struct xml_node gather_mounts_nodes[];
extern const struct xml_node gather_info_nodes[];
void gather_datastore_open(struct gather_datastore *d, struct xml *x,
			   unsigned id);
void gather_datastore_close(struct gather_datastore *d, unsigned id,
			    const char *text);
void gather_datastore_free(struct gather_datastore *d);

#endif
