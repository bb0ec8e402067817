#include "dslat/protocol.h"

#include <string.h>

static const struct {
	const char *name;
	const char *family; /* NULL: the name itself */
	bool not_measured;
} protocols[N_PROTOCOLS] = {
	[PROTO_UNKNOWN] = { "unknown", NULL, false },
	[PROTO_NFS3] = { "nfs3", "nfs", false },
	[PROTO_NFS41] = { "nfs41", "nfs", false },
	[PROTO_CIFS] = { "cifs", NULL, false },
	[PROTO_ISCSI] = { "iscsi", "iscsi", false },
	[PROTO_ISER] = { "iser", "iscsi", false },
	[PROTO_FC] = { "fc", "fc", false },
	[PROTO_FCOE] = { "fcoe", "fc", false },
	[PROTO_NVME_TCP] = { "nvme-tcp", "nvme", false },
	[PROTO_NVME_RDMA] = { "nvme-rdma", "nvme", false },
	[PROTO_NVME_FC] = { "nvme-fc", "nvme", false },
	[PROTO_NVME_PCIE] = { "nvme-pcie", "nvme", false },
	[PROTO_SAS] = { "sas", NULL, false },
	[PROTO_LOCAL] = { "local", NULL, false },
	[PROTO_VSAN] = { "vsan", NULL, true },
	[PROTO_VVOL] = { "vvol", NULL, false },
	[PROTO_PMEM] = { "pmem", NULL, true },
	[PROTO_MIXED] = { "mixed", NULL, false },
};

const char *
protocol_name(enum protocol p)
{
	assert((size_t)p < ARRAY_SIZE(protocols));
	return protocols[p].name;
}

bool
protocol_from_name(const char *name, enum protocol *p_r)
{
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		if (strcmp(protocols[i].name, name) == 0) {
			*p_r = (enum protocol)i;
			return true;
		}
	}
	return false;
}

const char *
protocol_family(enum protocol p)
{
	assert((size_t)p < ARRAY_SIZE(protocols));
	return protocols[p].family != NULL ? protocols[p].family
					   : protocols[p].name;
}

bool
protocol_is_measured(enum protocol p)
{
	assert((size_t)p < ARRAY_SIZE(protocols));
	return !protocols[p].not_measured;
}
