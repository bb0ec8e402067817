/*
 * classify.h - which protocol a datastore speaks, and what is behind it.
 *
 * By what the datastore says of itself and, for VMFS, by the union of all
 * paths of all hosts that mount it: one host may use iSCSI, another FC.  Pure.
 */
#ifndef DSLAT_CLASSIFY_H
#define DSLAT_CLASSIFY_H

#include "dslat/inventory.h"

#include "devices.h"

/* What one datastore says of itself; strings are NULL where it does not. */
struct datastore_facts {
	char *fs;        /* summary.type: "VMFS", "NFS41", ... */
	char *info_type; /* of info: "NasDatastoreInfo", ... */
	/* nas */
	char *nas_type; /* "NFS", "NFS41", "CIFS" */
	char *nas_host, *nas_path;
	struct strings nas_hosts; /* NFS 4.1: all its servers */
	/* vmfs */
	struct strings extents; /* canonical names of its devices */
	enum yes_no vmfs_local;
	/* vvolDS, over all its protocol endpoints */
	char *container;
	struct strings endpoint_types;   /* "scsi", "nfs", "nfs4x" */
	struct strings endpoint_devices; /* canonical names */
	struct strings endpoint_exports; /* "server:/export" */
	bool endpoint_is_nvme;
};
void datastore_facts_fini(struct datastore_facts *f);

/* The canonical names whose paths matter: extents or endpoints. */
const struct strings *classify_devices(const struct datastore_facts *f);

/*
 * Set protocol, protocols, protocol_known and backing of ds.  devices: each of
 * classify_devices() as each mounting host reaches it; those that no host told
 * of are left out.
 */
void classify(const struct datastore_facts *f,
	      const struct device *const *devices, size_t n_devices,
	      struct inv_datastore *ds);

/*
 * The last component of a datastore's URL, which is its perf instance:
 * "ds:///vmfs/volumes/vsan:52-f5/" -> "vsan:52-f5".  NULL when there is none.
 */
char *classify_uuid(const char *url);

#endif
