/*
 * protocol.h - the storage protocols a datastore can have, and their families.
 *
 * The words are part of the API and configuration contract.  Pure tables.
 */
#ifndef DSLAT_PROTOCOL_H
#define DSLAT_PROTOCOL_H

#include "dslat/base.h"

enum protocol {
	PROTO_UNKNOWN = 0,
	PROTO_NFS3,
	PROTO_NFS41,
	PROTO_CIFS,
	PROTO_ISCSI,
	PROTO_ISER,
	PROTO_FC,
	PROTO_FCOE,
	PROTO_NVME_TCP,
	PROTO_NVME_RDMA,
	PROTO_NVME_FC,
	PROTO_NVME_PCIE,
	PROTO_SAS,
	PROTO_LOCAL,
	PROTO_VSAN,
	PROTO_VVOL,
	PROTO_PMEM,
	PROTO_MIXED, /* several: see the mask */
};
#define N_PROTOCOLS (PROTO_MIXED + 1)

/* "nfs3", "nvme-tcp", ... */
const char *protocol_name(enum protocol p);
/* false when no protocol has that name. */
bool protocol_from_name(const char *name, enum protocol *p_r);

/*
 * The family a comparison groups by: "nfs" (nfs3, nfs41), "iscsi" (iscsi,
 * iser), "fc" (fc, fcoe), "nvme" (nvme-*), else the protocol's own name.
 */
const char *protocol_family(enum protocol p);

/* vSAN and PMEM have no datastore.* counters: listed, never measured. */
bool protocol_is_measured(enum protocol p);

#endif
