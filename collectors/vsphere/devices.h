/*
 * devices.h - one LUN or namespace as one host reaches it.
 *
 * What is left of a host's HostStorageDeviceInfo once the paths have been
 * walked (storage.h), and all that classifying a datastore needs (classify.h).
 * Plain data; one thread at a time.
 */
#ifndef DSLAT_DEVICES_H
#define DSLAT_DEVICES_H

#include "dslat/map.h"
#include "dslat/protocol.h"

#include "strings.h"

enum yes_no { UNSAID = 0, NO, YES };

struct device {
	/* By the paths, as masks of 1 << enum protocol: as the adapters say,
	 * and what they would be if the device is a NVMe namespace. */
	uint32_t protocols, protocols_if_nvme;
	enum yes_no local;        /* scsiLun.localDisk */
	bool in_nvme_topology;    /* a controller has it as its namespace */
	uint32_t nvme_transports; /* the protocols of those controllers */
	struct strings via;       /* portals, WWPNs; or subsystems' NQNs */
};

/* The devices of one host by canonicalName ("naa.6...", "eui...", "mpx...");
 * all zero is none. */
struct devices {
	struct map *by_name;
};

/* Borrowed; NULL when absent. */
struct device *devices_find(const struct devices *d, const char *name);
/* The same, added when absent. */
struct device *devices_get(struct devices *d, const char *name);
void devices_fini(struct devices *d);

#endif
