#include "dslat/side.h"

#include <string.h>

#include "unit.h"

static const struct side_pair gold = {
	.target = "lab",
	.cluster = "prod",
	.datastore = "lab:10.0.0.5,10.0.0.6:/gold",
	.datastore_name = "nfs-gold",
	.host = "lab:host-1",
	.host_name = "esx1.example",
	.protocol = PROTO_NFS41,
};
static const struct side_pair bare = {
	.target = "lab",
	.datastore = "lab:61a-b",
	.datastore_name = "iscsi-01",
	.host = "lab:host-2",
	.protocol = PROTO_ISER,
};

static void
test_match(void **state unused)
{
	static const struct {
		const char *text;
		bool gold, bare;
		const char *name;
	} cases[] = {
		{ "family:nfs", true, false, "NFS" },
		{ "family:iscsi", false, true, "iSCSI" },
		{ "protocol:nfs41", true, false, "NFS 4.1" },
		{ "protocol:iscsi", false, false, "iSCSI" },
		{ "protocol:iser", false, true, "iSER" },
		{ "protocol:nvme-tcp", false, false, "NVMe/TCP" },
		{ "family:local", false, false, "local" },
		/* a comma that does not divide */
		{ "datastore:lab:10.0.0.5,10.0.0.6:/gold", true, false,
		  "nfs-gold" },
		{ "datastore:lab:10.0.0.5", false, false, "lab:10.0.0.5" },
		{ "host:lab:host-1,datastore:lab:10.0.0.5,10.0.0.6:/gold", true,
		  false, "nfs-gold on esx1.example" },
		{ "host:lab:host-2", false, true, "lab:host-2" },
		{ "cluster:prod", true, false, "cluster prod" },
		{ "cluster:a,b", false, false, "cluster a,b" },
		{ "target:lab", true, true, "target lab" },
		{ "target:la", false, false, "target la" },
		{ "family:nfs,cluster:prod,target:lab", true, false,
		  "NFS in cluster prod of target lab" },
		{ "family:nfs,cluster:test", false, false,
		  "NFS in cluster test" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct side s;
		struct buf name;
		struct err e;

		print_message("%s\n", cases[i].text);
		assert_int_equal(side_parse(cases[i].text, &s, &e), 0);
		assert_int_equal(side_matches(&s, &gold), cases[i].gold);
		assert_int_equal(side_matches(&s, &bare), cases[i].bare);
		buf_init(&name, 1000);
		side_name(&s, &name);
		assert_string_equal(buf_str(&name), cases[i].name);
		assert_string_equal(s.text, cases[i].text);
		buf_fini(&name);
		side_fini(&s);
	}
}

static void
test_refused(void **state unused)
{
	static const char *const cases[][2] = {
		{ "", "a side begins with" },
		{ "nfs", "a side begins with" },
		{ "families:nfs", "a side begins with" },
		{ "family:", "nothing follows" },
		{ "family:smb", "is no family" },
		{ "family:nfs3x", "is no family" },
		{ "protocol:nfs", "is no protocol" },
		{ "family:nfs,family:fc", "family: is given twice" },
		{ "family:nfs,host:", "nothing follows \"host:\"" },
		{ "family:nfs,", "\"nfs,\" is no family" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct side s;
		struct err e;

		print_message("\"%s\"\n", cases[i][0]);
		assert_int_equal(side_parse(cases[i][0], &s, &e), -1);
		assert_int_equal(e.code, ERR_USAGE);
		assert_non_null(strstr(e.text, cases[i][1]));
		side_fini(&s);
	}
}

static void
test_terms(void **state unused)
{
	assert_int_equal(side_term_len("family:nfs"), 10);
	assert_int_equal(side_term_len("a,b,host:x,y"), 3);
	assert_int_equal(side_term_len(",host:x"), 0);
	assert_int_equal(side_term_len("x,hosts:y"), 9);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
