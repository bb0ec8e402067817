/*
 * inventory.h - what a target said it has, in one snapshot.
 *
 * Collectors fill a snapshot from the wire; model_apply() merges it into the
 * model.  Strings are owned by the snapshot and may be NULL where the target
 * did not say ("every property is optional").  The loop thread.
 */
#ifndef DSLAT_INVENTORY_H
#define DSLAT_INVENTORY_H

#include "dslat/protocol.h"

struct inv_host {
	char *moref; /* "host-14"; never NULL */
	char *name;
	char *system_uuid; /* hardware.systemInfo.uuid */
	char *cluster;
	char *datacenter;
	char *version;    /* "8.0.3" */
	bool connected;   /* connectionState is connected and powered on */
	bool maintenance; /* in maintenance mode, or in standby */
};

struct inv_mount {
	size_t host; /* index into hosts */
	bool mounted;
	bool accessible;
	char *reason; /* inaccessibleReason, or NULL */
};

struct inv_datastore {
	char *moref; /* "datastore-17"; never NULL */
	char *uuid;  /* last path component of summary.url; may be NULL */
	char *name;
	char *datacenter;
	char *fs;      /* summary.type as said: "VMFS", "NFS41", ... */
	char *backing; /* "server:/export", "naa.6... via 10.0.0.5:3260" */
	enum protocol protocol;
	uint32_t protocols;     /* mask of 1 << enum protocol */
	bool protocol_known;    /* false: a guess; what is known goes first */
	bool accessible;        /* summary.accessible */
	bool maintenance;       /* summary.maintenanceMode is not "normal" */
	int64_t capacity_bytes; /* -1 unknown */
	int64_t free_bytes;     /* -1 unknown */
	char **extents; /* canonical names of the devices VMFS lies on */
	size_t n_extents;
	struct inv_mount *mounts;
	size_t n_mounts;
};

struct inventory {
	struct inv_host *hosts;
	size_t n_hosts;
	struct inv_datastore *datastores;
	size_t n_datastores;
	size_t n_denied; /* properties refused for lack of a privilege */
};

struct inventory *inventory_new(void) must_check;
void inventory_free(struct inventory **inv);

/* Append a zeroed element (moref copied); borrowed, until the next add. */
struct inv_host *inventory_add_host(struct inventory *inv, const char *moref);
struct inv_datastore *inventory_add_datastore(struct inventory *inv,
					      const char *moref);
struct inv_mount *inventory_add_mount(struct inv_datastore *ds, size_t host);
void inventory_add_extent(struct inv_datastore *ds, const char *name);

/* Drop hosts and datastores whose names are not wanted (a name that is not
 * known is); arg is handed on. */
typedef bool (*inventory_wants_fn)(void *arg, const char *name);
void inventory_filter(struct inventory *inv, inventory_wants_fn host,
		      inventory_wants_fn datastore, void *arg);

#endif
