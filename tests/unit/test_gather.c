#include "../../collectors/vsphere/gather.h"

#include <stdlib.h>
#include <string.h>

#include "../../collectors/vsphere/props.h"

#include "unit.h"

static struct service_content sc = {
	.root_folder = (char[]){ "group-d1" },
	.property_collector = (char[]){ "propertyCollector" },
	.view_manager = (char[]){ "ViewManager" },
};

/* Every <element>text</element> of the buf, joined by spaces. */
static void
texts_of(const struct buf *b, const char *element, struct buf *out)
{
	struct buf tag;
	const char *s = buf_str(b), *end;

	buf_init(&tag, 100);
	buf_addf(&tag, "<%s>", element);
	buf_reset(out);
	while ((s = strstr(s, buf_str(&tag))) != NULL) {
		s += tag.len;
		end = strchr(s, '<');
		if (out->len != 0)
			buf_addc(out, ' ');
		buf_add(out, s, (size_t)(end - s));
	}
	buf_fini(&tag);
}

static void
expect_texts(const struct buf *b, const char *element, const char *expected)
{
	struct buf out;

	buf_init(&out, 1 << 16);
	texts_of(b, element, &out);
	assert_string_equal(buf_str(&out), expected);
	buf_fini(&out);
}

/* The server must be asked for these paths and no more: leaves only. */
static const struct {
	bool is_vcenter;
	enum gather_pass pass;
	const char *types, *paths;
} passes[] = {
	{ true, GATHER_BASIC,
	  "Folder StoragePod Datacenter ComputeResource "
	  "ClusterComputeResource HostSystem Datastore",
	  "name parent name parent name parent name parent name parent "
	  "name parent runtime.connectionState runtime.powerState "
	  "runtime.inMaintenanceMode config.product.version "
	  "hardware.systemInfo.uuid "
	  "name parent summary.url summary.type summary.accessible "
	  "summary.maintenanceMode summary.capacity summary.freeSpace info "
	  "host" },
	{ false, GATHER_BASIC,
	  "Folder Datacenter ComputeResource HostSystem Datastore",
	  "name parent name parent name parent "
	  "name parent runtime.connectionState runtime.powerState "
	  "runtime.inMaintenanceMode config.product.version "
	  "hardware.systemInfo.uuid "
	  "name parent summary.url summary.type summary.accessible "
	  "summary.maintenanceMode summary.capacity summary.freeSpace info "
	  "host" },
	{ true, GATHER_STORAGE, "HostSystem",
	  "config.storageDevice.hostBusAdapter config.storageDevice.scsiLun "
	  "config.storageDevice.multipathInfo "
	  "config.storageDevice.plugStoreTopology" },
	{ true, GATHER_NVME, "HostSystem",
	  "config.storageDevice.nvmeTopology" },
};

static void
test_requests(void **state unused)
{
	struct buf b, types;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	buf_init(&types, 4096);
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		struct gather *g = gather_new(passes[i].is_vcenter);

		buf_reset(&b);
		gather_write_request(g, &b, &sc, "view-1", passes[i].pass, 0);
		buf_reset(&types);
		buf_addf(&types, "%s ContainerView", passes[i].types);
		expect_texts(&b, "type", buf_str(&types));
		expect_texts(&b, "pathSet", passes[i].paths);
		if (passes[i].pass == GATHER_BASIC) {
			buf_reset(&b);
			gather_write_view(g, &b, &sc);
			expect_texts(&b, "type", passes[i].types);
		}
		gather_free(&g);
		assert_null(g);
	}
	buf_fini(&types);
	buf_fini(&b);
}

/* A path the server does not know is left out from then on. */
static void
test_drop(void **state unused)
{
	struct gather *g = gather_new(true);
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	assert_true(
		gather_drop_path(g, "config.storageDevice.plugStoreTopology"));
	assert_false(
		gather_drop_path(g, "config.storageDevice.plugStoreTopology"));
	assert_false(gather_drop_path(g, "config.storageDevice"));
	gather_write_request(g, &b, &sc, "v", GATHER_STORAGE, 20);
	expect_texts(&b, "pathSet",
		     "config.storageDevice.hostBusAdapter "
		     "config.storageDevice.scsiLun "
		     "config.storageDevice.multipathInfo");
	expect_texts(&b, "maxObjects", "20");
	gather_reset(g);
	buf_reset(&b);
	gather_write_request(g, &b, &sc, "v", GATHER_STORAGE, 0);
	assert_null(strstr(buf_str(&b), "plugStoreTopology"));
	assert_null(strstr(buf_str(&b), "maxObjects"));
	gather_free(&g);
	buf_fini(&b);
}

static const char page[] =
	"<Envelope xmlns=\"http://schemas.xmlsoap.org/soap/envelope/\"><Body>"
	"<RetrievePropertiesExResponse xmlns=\"urn:vim25\"><returnval>"
	"<token>2</token><objects><obj type=\"HostSystem\">host-1</obj>"
	"<propSet><name>name</name><val>one</val></propSet></objects>"
	"<objects><obj type=\"HostSystem\">host-2</obj></objects></returnval>"
	"</RetrievePropertiesExResponse></Body></Envelope>";

/* A gather starts over after a page that broke off, or after it was taken. */
static void
test_again(void **state unused)
{
	struct gather *g = gather_new(true);
	struct inventory *inv;

	for (int i = 0; i < 3; i++) {
		struct answer *r = gather_answer(g, false);
		struct err e;
		size_t len = i == 1 ? strlen(page) / 2 : strlen(page);

		assert_int_equal(answer_feed(r, page, len, &e), 0);
		if (i == 1) {
			assert_int_equal(answer_finish(r, 200, &e), -1);
			gather_reset(g);
		} else {
			assert_int_equal(answer_finish(r, 200, &e), 0);
			assert_string_equal(props_token(r), "2");
			assert_int_equal(props_objects(r), 2);
			inv = gather_take(g);
			assert_int_equal(inv->n_hosts, 2);
			assert_string_equal(inv->hosts[0].name, "one");
			inventory_free(&inv);
		}
		answer_free(&r);
	}
	inv = gather_take(g);
	assert_int_equal(inv->n_hosts, 0);
	inventory_free(&inv);
	gather_free(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
