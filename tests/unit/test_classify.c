#include "../../collectors/vsphere/classify.h"

#include <stdlib.h>
#include <string.h>

#include "../../collectors/vsphere/transport.h"

#include "unit.h"

static const struct {
	const char *url, *uuid;
} urls[] = {
	{ "ds:///vmfs/volumes/5a4d3c2b-6f7e8d9c-0a1b-001122334455/",
	  "5a4d3c2b-6f7e8d9c-0a1b-001122334455" },
	{ "/vmfs/volumes/d10c389e-c75b7dc4", "d10c389e-c75b7dc4" },
	{ "/vmfs/volumes/d10c389e-c75b7dc4/", "d10c389e-c75b7dc4" },
	{ "/vmfs/volumes/d10c389e-c75b7dc4///", "d10c389e-c75b7dc4" },
	{ "d10c389e-c75b7dc4", "d10c389e-c75b7dc4" },
	{ "ds:///vmfs/volumes/vsan:5281f817da2563b1-f53a57a4a4c49434/",
	  "vsan:5281f817da2563b1-f53a57a4a4c49434" },
	{ "ds:///vmfs/volumes/vvol:1-2/", "vvol:1-2" },
	{ NULL, NULL },
	{ "", NULL },
	{ "/", NULL },
	{ "ds:///", NULL },
};

static void
test_uuid(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		char *uuid = classify_uuid(urls[i].url);

		if (urls[i].uuid == NULL)
			assert_null(uuid);
		else
			assert_string_equal(uuid, urls[i].uuid);
		free(uuid);
	}
}

static const struct {
	const char *path, *hba;
	struct transport_hints hints;
	enum protocol protocol;
} transports[] = {
	{ "HostInternetScsiTargetTransport",
	  "HostInternetScsiHba",
	  { 0 },
	  PROTO_ISCSI },
	{ "HostInternetScsiTargetTransport",
	  "HostInternetScsiHba",
	  { .is_iser = true },
	  PROTO_ISER },
	/* FCoE extends FC and must be told from it either way */
	{ "HostFibreChannelTargetTransport",
	  "HostFibreChannelOverEthernetHba",
	  { 0 },
	  PROTO_FCOE },
	{ "HostFibreChannelOverEthernetTargetTransport",
	  "HostFibreChannelHba",
	  { 0 },
	  PROTO_FCOE },
	{ "HostFibreChannelOverEthernetTargetTransport",
	  "",
	  { .is_nvme = true },
	  PROTO_NVME_FC },
	{ "HostFibreChannelTargetTransport",
	  "HostFibreChannelHba",
	  { .is_nvme = true },
	  PROTO_NVME_FC },
	{ "HostRdmaTargetTransport",
	  "HostRdmaHba",
	  { .is_nvme = true },
	  PROTO_NVME_RDMA },
	{ "HostRdmaTargetTransport", "HostRdmaHba", { 0 }, PROTO_ISER },
	{ "HostTcpTargetTransport",
	  "HostTcpHba",
	  { .is_nvme = true },
	  PROTO_NVME_TCP },
	{ "HostPcieTargetTransport",
	  "HostPcieHba",
	  { .is_nvme = true },
	  PROTO_NVME_PCIE },
	{ "HostSerialAttachedTargetTransport",
	  "HostSerialAttachedHba",
	  { 0 },
	  PROTO_SAS },
	{ "HostBlockAdapterTargetTransport",
	  "HostBlockHba",
	  { 0 },
	  PROTO_LOCAL },
	{ "HostParallelScsiTargetTransport",
	  "HostParallelScsiHba",
	  { .is_shared = true },
	  PROTO_SAS },
	/* the base class says nothing: ask the adapter */
	{ "HostTargetTransport", "HostFibreChannelHba", { 0 }, PROTO_FC },
	{ "", "HostSerialAttachedHba", { 0 }, PROTO_SAS },
	{ "HostFutureTransport", "HostFutureHba", { 0 }, PROTO_UNKNOWN },
	{ "", "", { .is_nvme = true }, PROTO_UNKNOWN },
};

static void
test_transports(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++) {
		print_message("%s %s\n", transports[i].path, transports[i].hba);
		assert_int_equal(transport_protocol(
					 transport_of_path(transports[i].path),
					 transport_of_hba(transports[i].hba),
					 &transports[i].hints),
				 transports[i].protocol);
	}
}

static void
classify_extents(size_t n_extents, size_t n_portals, struct inv_datastore *ds)
{
	struct datastore_facts f = { .fs = strdup("VMFS") };
	struct device d = { .protocols = 1u << PROTO_ISCSI };
	const struct device *devices[] = { &d, &d };
	struct buf b;

	buf_init(&b, 100);
	for (size_t i = 0; i < MAX(n_extents, n_portals); i++) {
		buf_reset(&b);
		buf_addf(&b, "x%zu", i);
		if (i < n_extents)
			strings_add(&f.extents, buf_str(&b));
		if (i < n_portals)
			strings_add(&d.via, buf_str(&b));
	}
	*ds = (struct inv_datastore){ 0 };
	classify(&f, devices, 2, ds);
	datastore_facts_fini(&f);
	strings_fini(&d.via);
	buf_fini(&b);
}

/* A backing is for people: long lists are cut. */
static void
test_long_backing(void **state unused)
{
	struct inv_datastore ds;

	classify_extents(8, 2, &ds);
	assert_string_equal(ds.backing,
			    "x0, x1, x2, x3, x4, x5, x6, x7 via x0, x1");
	free(ds.backing);
	classify_extents(1, 9, &ds);
	assert_string_equal(ds.backing,
			    "x0 via x0, x1, x2, x3, x4, x5, x6, x7, ...");
	free(ds.backing);
	assert_int_equal(ds.protocol, PROTO_ISCSI);
	assert_true(ds.protocol_known);
}

/* A datastore that calls itself local may be on SAS; without its paths that
 * is not known, and must not replace what is. */
static void
test_guess_without_paths(void **state unused)
{
	struct datastore_facts f = { .fs = strdup("VMFS"), .vmfs_local = YES };
	struct device d = { .protocols = 1u << PROTO_SAS };
	const struct device *devices[] = { &d };
	struct inv_datastore ds = { 0 };

	strings_add(&f.extents, "naa.1");
	classify(&f, devices, 0, &ds);
	assert_int_equal(ds.protocol, PROTO_LOCAL);
	assert_false(ds.protocol_known);
	free(ds.backing);
	classify(&f, devices, 1, &ds);
	assert_int_equal(ds.protocol, PROTO_SAS);
	assert_true(ds.protocol_known);
	free(ds.backing);
	datastore_facts_fini(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uuid),
		cmocka_unit_test(test_transports),
		cmocka_unit_test(test_long_backing),
		cmocka_unit_test(test_guess_without_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
