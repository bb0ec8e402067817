/*
 * transport.h - from adapters and path transports to storage protocols.
 *
 * A path's transport says most, its adapter the rest; both are known by their
 * type names in vim25.  Tables; pure.
 */
#ifndef DSLAT_TRANSPORT_H
#define DSLAT_TRANSPORT_H

#include "dslat/protocol.h"

enum transport {
	TRANSPORT_UNKNOWN = 0,
	TRANSPORT_FC,
	TRANSPORT_FCOE,
	TRANSPORT_TCP,
	TRANSPORT_RDMA,
	TRANSPORT_ISCSI,
	TRANSPORT_PCIE,
	TRANSPORT_SAS,
	TRANSPORT_BLOCK, /* a local controller, or one that hides what it is */
};

/* "HostInternetScsiTargetTransport"; unknown for its base class. */
enum transport transport_of_path(const char *xsi_type);
/* "HostInternetScsiHba" */
enum transport transport_of_hba(const char *xsi_type);

/* What decides between the protocols of one transport. */
struct transport_hints {
	bool is_nvme;   /* the adapter's storageProtocol, or the LUN's */
	bool is_iser;   /* the adapter's driver */
	bool is_shared; /* the LUN is known not to be local */
};
enum protocol transport_protocol(enum transport path, enum transport hba,
				 const struct transport_hints *hints);

/* HostNvmeController.transportType: "tcp", "fibreChannel", ... */
enum protocol transport_of_nvme(const char *type);

#endif
