/*
 * protocols.h - how each storage protocol looks from vim25.
 *
 * One row per protocol: what the adapter is called, which transport a path
 * has, how device names start.  Constant; any thread.
 * Protocol source: vSphere Web Services API reference (HostHostBusAdapter,
 * HostTargetTransport, DatastoreInfo).
 */
#ifndef SIM_PROTOCOLS_H
#define SIM_PROTOCOLS_H

#include "dslat/base.h"

enum protocol_family {
	FAMILY_NAS,
	FAMILY_BLOCK, /* VMFS on LUNs */
	FAMILY_LOCAL_DIR,
	FAMILY_VSAN,
	FAMILY_VVOL,
	FAMILY_PMEM,
};

struct protocol_row {
	const char *name;
	enum protocol_family family;
	const char *summary_type;
	const char *info_type;
	const char *hba_type; /* NULL: no adapter */
	const char *hba_device;
	const char *hba_model;
	const char *driver;
	const char *storage_protocol; /* scsi | nvme */
	const char *transport_type;
	const char *nvme_transport; /* NULL: not NVMe */
	const char *lun_prefix;
	int paths;
	bool has_perf; /* datastore.* counters exist */
	bool local_disk;
};

/* NULL when unknown. */
const struct protocol_row *protocol_find(const char *name);

#endif
