/* Lines against texts written by hand from each format's own description. */
#include "dslat/format.h"

#include <string.h>

#include "unit.h"

#define SLOT 89802000 /* ends 2026-11-30T12:00:00Z, 1796040000 */

static const struct format_who plain = {
	.target = "lab",
	.datacenter = "dc1",
	.cluster = NULL,
	.host = "esx1",
	.host_id = "lab:host-1",
	.datastore = "nfs01",
	.datastore_id = "lab:u1",
	.protocol = PROTO_NFS3,
};
static const struct format_who odd = {
	.target = "lab",
	.datacenter = "=1+1",
	.cluster = "a\tb",
	.host = "-x, \"y\"\nz",
	.host_id = "lab:h=1",
	.datastore = "back\\",
	.datastore_id = "",
	.protocol = PROTO_ISCSI,
};
static const struct cell full = { { 12345, 7000, 40, 3, 1, 0 } };
static const struct cell idle = { { 0, -1, 0, -1, 0, -1 } };
static const struct cell none = { { -1, -1, -1, -1, -1, -1 } };

static const struct {
	enum format format;
	size_t family;
	const struct format_who *who;
	const struct cell *cell;
	const char *line;
} lines[] = {
	{ FORMAT_CSV, 0, &plain, &full,
	  "2026-11-30T12:00:00Z,lab,dc1,esx1,nfs01,nfs3,"
	  "12.345,7,2,0.15,1024,0\n" },
	{ FORMAT_CSV, 0, &odd, &idle,
	  "2026-11-30T12:00:00Z,lab,'=1+1,\"'-x, \"\"y\"\"\nz\",back\\,iscsi,"
	  "0,,0,,0,\n" },
	{ FORMAT_CSV, 0, &plain, &none, "" },
	{ FORMAT_NDJSON, 0, &plain, &full,
	  "{\"target\":\"lab\","
	  "\"datacenter\":\"dc1\",\"cluster\":null,\"host\":\"esx1\","
	  "\"host_id\":\"lab:host-1\",\"datastore\":\"nfs01\","
	  "\"datastore_id\":\"lab:u1\",\"protocol\":\"nfs3\","
	  "\"time_utc\":\"2026-11-30T12:00:00Z\",\"read_ms\":12.345,\"write_ms\":7,\"read_iops\":2,"
	  "\"write_iops\":0.15,\"read_bytes_per_s\":1024,"
	  "\"write_bytes_per_s\":0}\n" },
	{ FORMAT_NDJSON, 0, &odd, &idle,
	  "{\"target\":\"lab\","
	  "\"datacenter\":\"=1+1\",\"cluster\":\"a\\tb\","
	  "\"host\":\"-x, \\\"y\\\"\\nz\",\"host_id\":\"lab:h=1\","
	  "\"datastore\":\"back\\\\\",\"datastore_id\":\"\","
	  "\"protocol\":\"iscsi\",\"time_utc\":\"2026-11-30T12:00:00Z\","
	  "\"read_ms\":0,\"write_ms\":null,"
	  "\"read_iops\":0,\"write_iops\":null,\"read_bytes_per_s\":0,"
	  "\"write_bytes_per_s\":null}\n" },
	{ FORMAT_INFLUX, 0, &plain, &full,
	  "dslat,target=lab,datacenter=dc1,host=esx1,host_id=lab:host-1,"
	  "datastore=nfs01,datastore_id=lab:u1,protocol=nfs3 "
	  "read_latency_seconds=0.012345,write_latency_seconds=0.007,"
	  "read_iops=2,write_iops=0.15,read_bytes_per_second=1024,"
	  "write_bytes_per_second=0 1796040000000000000\n" },
	{ FORMAT_INFLUX, 0, &odd, &idle,
	  "dslat,target=lab,datacenter=\\=1+1,cluster=a\\ b,"
	  "host=-x\\,\\ \"y\"\\ z,host_id=lab:h\\=1,datastore=back\\\\ ,"
	  "protocol=iscsi read_latency_seconds=0,read_iops=0,"
	  "read_bytes_per_second=0 1796040000000000000\n" },
	{ FORMAT_INFLUX, 0, &plain, &none, "" },
	{ FORMAT_OPENMETRICS, 0, &plain, &full,
	  "dslat_read_latency_seconds{target=\"lab\",datacenter_name=\"dc1\","
	  "cluster_name=\"\",ds_name=\"nfs01\",ds_id=\"lab:u1\","
	  "protocol=\"nfs3\",host_name=\"esx1\",host_id=\"lab:host-1\"} "
	  "0.012345 1796040000\n" },
	{ FORMAT_OPENMETRICS, 3, &odd, &full,
	  "dslat_write_iops{target=\"lab\",datacenter_name=\"=1+1\","
	  "cluster_name=\"a\tb\",ds_name=\"back\\\\\",ds_id=\"\","
	  "protocol=\"iscsi\",host_name=\"-x, \\\"y\\\"\\nz\","
	  "host_id=\"lab:h=1\"} 0.15 1796040000\n" },
	{ FORMAT_OPENMETRICS, 0, &plain, &idle, "" },
	{ FORMAT_OPENMETRICS, 1, &plain, &idle, "" },
};

static void
test_lines(void **state unused)
{
	struct buf prefix, out;

	buf_init(&prefix, 4096);
	buf_init(&out, 4096);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		print_message("line %zu\n", i);
		buf_reset(&prefix);
		buf_reset(&out);
		format_prefix(lines[i].format, lines[i].family, lines[i].who,
			      &prefix);
		format_cell(lines[i].format, lines[i].family, &prefix, SLOT,
			    lines[i].cell, &out);
		assert_string_equal(buf_str(&out), lines[i].line);
	}
	buf_fini(&prefix);
	buf_fini(&out);
}

static void
test_around(void **state unused)
{
	static const char *const names[] = { "csv", "ndjson", "openmetrics",
					     "influx" };
	struct buf out;
	enum format f;

	buf_init(&out, 4096);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_true(format_from_name(names[i], &f));
		assert_int_equal(f, i);
		assert_non_null(format_type(f));
		assert_non_null(format_suffix(f));
	}
	assert_false(format_from_name("xml", &f));
	format_begin(FORMAT_CSV, &out);
	assert_string_equal(buf_str(&out),
			    "time_utc,target,datacenter,host,datastore,"
			    "protocol,read_ms,write_ms,read_iops,write_iops,"
			    "read_bytes_per_s,write_bytes_per_s\n");
	buf_reset(&out);
	format_begin_family(FORMAT_OPENMETRICS, 1, &out);
	format_end(FORMAT_OPENMETRICS, &out);
	assert_string_equal(
		buf_str(&out),
		"# TYPE dslat_write_latency_seconds gauge\n"
		"# UNIT dslat_write_latency_seconds seconds\n"
		"# HELP dslat_write_latency_seconds Mean latency of writes in "
		"20 s.\n"
		"# EOF\n");
	buf_fini(&out);
	assert_int_equal(format_families(FORMAT_OPENMETRICS), 6);
	assert_int_equal(format_families(FORMAT_CSV), 1);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
