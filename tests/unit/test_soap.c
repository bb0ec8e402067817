#include "../../collectors/vsphere/soap.h"

#include <string.h>

#include "../../collectors/vsphere/props.h"
#include "../../collectors/vsphere/service.h"

#include "unit.h"

#define BEGIN                                                                  \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?><soapenv:Envelope "         \
	"xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" "         \
	"xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" "                      \
	"xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"             \
	"<soapenv:Body>"
#define END "</soapenv:Body></soapenv:Envelope>"

static struct service_content sc = {
	.root_folder = (char[]){ "group-d1" },
	.property_collector = (char[]){ "propertyCollector" },
	.view_manager = (char[]){ "ViewManager" },
	.session_manager = (char[]){ "SessionManager" },
	.perf_manager = (char[]){ "PerfMgr" },
};

static const struct props_row rows[] = {
	{ "HostSystem", "name", 1, 1 | 2, NULL },
	{ "HostSystem", "parent", 2, 1, NULL },
	{ "Datastore", "name", 1, 2, NULL },
	{ "Datastore", "host", 3, 1, NULL },
	{ NULL, NULL, 0, 0, NULL },
};

static void
write_content(struct buf *b)
{
	service_write_content(b);
}

static void
write_login(struct buf *b)
{
	service_write_login(b, &sc, "VSPHERE.LOCAL\\<user>",
			    "a&b\"c'd e>f\t]]>");
}

static void
write_logout(struct buf *b)
{
	service_write_logout(b, &sc);
}

static void
write_time(struct buf *b)
{
	service_write_time(b);
}

static void
write_view(struct buf *b)
{
	static const char *const types[] = { "HostSystem", "Datastore" };

	service_write_view(b, &sc, types, 2);
}

static void
write_destroy(struct buf *b)
{
	service_write_view_destroy(b, "session[1]2");
}

static void
write_props_view(struct buf *b)
{
	props_write_view(b, "propertyCollector", "session[1]2", rows, 1, 100);
}

static void
write_props_object(struct buf *b)
{
	props_write_object(b, "ha-property-collector", "HostSystem",
			   "192.168.1.10:/c/data & <x>", rows, 2);
}

static void
write_props_next(struct buf *b)
{
	props_write_next(b, "propertyCollector", "1 < 2");
}

static void
write_props_cancel(struct buf *b)
{
	props_write_cancel(b, "propertyCollector", "7");
}

/* The order of elements is that of the fact sheet's requests. */
static const struct {
	const char *name;
	void (*write)(struct buf *b);
	const char *expected;
} requests[] = {
	{ "content", write_content,
	  "<RetrieveServiceContent xmlns=\"urn:vim25\">"
	  "<_this type=\"ServiceInstance\">ServiceInstance</_this>"
	  "</RetrieveServiceContent>" },
	{ "login", write_login,
	  "<Login xmlns=\"urn:vim25\">"
	  "<_this type=\"SessionManager\">SessionManager</_this>"
	  "<userName>VSPHERE.LOCAL\\&lt;user&gt;</userName>"
	  "<password>a&amp;b&quot;c&apos;d e&gt;f&#9;]]&gt;</password>"
	  "</Login>" },
	{ "logout", write_logout,
	  "<Logout xmlns=\"urn:vim25\">"
	  "<_this type=\"SessionManager\">SessionManager</_this></Logout>" },
	{ "time", write_time,
	  "<CurrentTime xmlns=\"urn:vim25\">"
	  "<_this type=\"ServiceInstance\">ServiceInstance</_this>"
	  "</CurrentTime>" },
	{ "view", write_view,
	  "<CreateContainerView xmlns=\"urn:vim25\">"
	  "<_this type=\"ViewManager\">ViewManager</_this>"
	  "<container type=\"Folder\">group-d1</container>"
	  "<type>HostSystem</type><type>Datastore</type>"
	  "<recursive>true</recursive></CreateContainerView>" },
	{ "destroy", write_destroy,
	  "<DestroyView xmlns=\"urn:vim25\">"
	  "<_this type=\"ContainerView\">session[1]2</_this></DestroyView>" },
	{ "properties of a view", write_props_view,
	  "<RetrievePropertiesEx xmlns=\"urn:vim25\">"
	  "<_this type=\"PropertyCollector\">propertyCollector</_this>"
	  "<specSet><propSet><type>HostSystem</type><pathSet>name</pathSet>"
	  "<pathSet>parent</pathSet></propSet>"
	  "<propSet><type>Datastore</type><pathSet>host</pathSet></propSet>"
	  "<objectSet><obj type=\"ContainerView\">session[1]2</obj>"
	  "<skip>true</skip><selectSet xsi:type=\"TraversalSpec\">"
	  "<name>view</name><type>ContainerView</type><path>view</path>"
	  "<skip>false</skip></selectSet></objectSet></specSet>"
	  "<options><maxObjects>100</maxObjects></options>"
	  "</RetrievePropertiesEx>" },
	{ "properties of an object", write_props_object,
	  "<RetrievePropertiesEx xmlns=\"urn:vim25\">"
	  "<_this type=\"PropertyCollector\">ha-property-collector</_this>"
	  "<specSet><propSet><type>HostSystem</type><pathSet>name</pathSet>"
	  "</propSet><propSet><type>Datastore</type><pathSet>name</pathSet>"
	  "</propSet><objectSet>"
	  "<obj type=\"HostSystem\">192.168.1.10:/c/data &amp; &lt;x&gt;</obj>"
	  "</objectSet></specSet><options/></RetrievePropertiesEx>" },
	{ "next page", write_props_next,
	  "<ContinueRetrievePropertiesEx xmlns=\"urn:vim25\">"
	  "<_this type=\"PropertyCollector\">propertyCollector</_this>"
	  "<token>1 &lt; 2</token></ContinueRetrievePropertiesEx>" },
	{ "no more pages", write_props_cancel,
	  "<CancelRetrievePropertiesEx xmlns=\"urn:vim25\">"
	  "<_this type=\"PropertyCollector\">propertyCollector</_this>"
	  "<token>7</token></CancelRetrievePropertiesEx>" },
};

static void
test_requests(void **state unused)
{
	struct buf b, expected;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	buf_init(&expected, SOAP_REQUEST_MAX_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		print_message("%s\n", requests[i].name);
		buf_reset(&b);
		buf_reset(&expected);
		requests[i].write(&b);
		buf_addf(&expected, "%s%s%s", BEGIN, requests[i].expected, END);
		assert_false(b.full);
		assert_string_equal(buf_str(&b), buf_str(&expected));
	}
	buf_fini(&b);
	buf_fini(&expected);
}

/* A request that does not fit says so, whatever was written last. */
static void
test_request_full(void **state unused)
{
	struct buf b;

	buf_init(&b, 300);
	service_write_view(&b, &sc, (const char *const[]){ "HostSystem" }, 1);
	assert_true(b.full);
	buf_fini(&b);
}

static const struct {
	struct soap_fault fault;
	enum err_code code;
	const char *text;
} faults[] = {
	{ { .type = "InvalidLogin", .text = "Cannot complete login." },
	  ERR_AUTH,
	  "wrong user name or password: InvalidLogin: Cannot complete login." },
	{ { .type = "NotAuthenticated", .object = "group-d1" },
	  ERR_SESSION,
	  "the session is gone: NotAuthenticated, object group-d1" },
	{ { .type = "NoPermission",
	    .object = "host-1",
	    .privilege = "System.Read" },
	  ERR_PERM,
	  "no permission: NoPermission, object host-1, privilege System.Read" },
	{ { .type = "ManagedObjectNotFound", .object = "host-1" },
	  ERR_GONE,
	  "the object no longer exists: ManagedObjectNotFound, object host-1" },
	{ { .type = "InvalidArgument", .property = "querySpec.interval" },
	  ERR_FAULT,
	  "the server refuses: InvalidArgument, property querySpec.interval" },
	{ { .text = "XML document element count exceeds configured maximum "
		    "500000" },
	  ERR_LIMIT,
	  "the request is too large for the server: fault: XML document "
	  "element count exceeds configured maximum 500000" },
	{ { .type = "InvalidLoginX" },
	  ERR_FAULT,
	  "the server refuses: InvalidLoginX" },
};

static void
test_faults(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct err e;

		assert_int_equal(soap_fault_err(&faults[i].fault, &e), -1);
		assert_int_equal(e.code, faults[i].code);
		assert_string_equal(e.text, faults[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_request_full),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
