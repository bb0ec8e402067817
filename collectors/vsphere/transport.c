#include "transport.h"

#include <string.h>

static const struct {
	enum transport transport;
	const char *path, *hba;
	enum protocol scsi, nvme;
} transports[] = {
	{ TRANSPORT_FCOE, "HostFibreChannelOverEthernetTargetTransport",
	  "HostFibreChannelOverEthernetHba", PROTO_FCOE, PROTO_NVME_FC },
	{ TRANSPORT_FC, "HostFibreChannelTargetTransport",
	  "HostFibreChannelHba", PROTO_FC, PROTO_NVME_FC },
	{ TRANSPORT_TCP, "HostTcpTargetTransport", "HostTcpHba", PROTO_NVME_TCP,
	  PROTO_NVME_TCP },
	{ TRANSPORT_RDMA, "HostRdmaTargetTransport", "HostRdmaHba", PROTO_ISER,
	  PROTO_NVME_RDMA },
	{ TRANSPORT_ISCSI, "HostInternetScsiTargetTransport",
	  "HostInternetScsiHba", PROTO_ISCSI, PROTO_ISCSI },
	{ TRANSPORT_PCIE, "HostPcieTargetTransport", "HostPcieHba",
	  PROTO_NVME_PCIE, PROTO_NVME_PCIE },
	{ TRANSPORT_SAS, "HostSerialAttachedTargetTransport",
	  "HostSerialAttachedHba", PROTO_SAS, PROTO_SAS },
	{ TRANSPORT_BLOCK, "HostBlockAdapterTargetTransport", "HostBlockHba",
	  PROTO_LOCAL, PROTO_LOCAL },
	{ TRANSPORT_BLOCK, "HostParallelScsiTargetTransport",
	  "HostParallelScsiHba", PROTO_LOCAL, PROTO_LOCAL },
};

enum transport
transport_of_path(const char *xsi_type)
{
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++)
		if (strcmp(transports[i].path, xsi_type) == 0)
			return transports[i].transport;
	return TRANSPORT_UNKNOWN;
}

enum transport
transport_of_hba(const char *xsi_type)
{
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++)
		if (strcmp(transports[i].hba, xsi_type) == 0)
			return transports[i].transport;
	return TRANSPORT_UNKNOWN;
}

enum protocol
transport_protocol(enum transport path, enum transport hba,
		   const struct transport_hints *hints)
{
	enum transport t = path;

	/* FCoE extends FC: a path may call itself by the base. */
	if (hba == TRANSPORT_FCOE || path == TRANSPORT_UNKNOWN)
		t = hba;
	if (t == TRANSPORT_ISCSI && hints->is_iser)
		return PROTO_ISER;
	/* Shared SAS arrays hide behind plain block adapters. */
	if (t == TRANSPORT_BLOCK && hints->is_shared)
		return PROTO_SAS;
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++)
		if (transports[i].transport == t)
			return hints->is_nvme ? transports[i].nvme
					      : transports[i].scsi;
	return PROTO_UNKNOWN;
}

enum protocol
transport_of_nvme(const char *type)
{
	static const struct {
		const char *type;
		enum protocol protocol;
	} types[] = {
		{ "pcie", PROTO_NVME_PCIE },
		{ "fibreChannel", PROTO_NVME_FC },
		{ "rdma", PROTO_NVME_RDMA },
		{ "tcp", PROTO_NVME_TCP },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, type) == 0)
			return types[i].protocol;
	return PROTO_UNKNOWN;
}
