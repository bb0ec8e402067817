#include "conf_faults.h"

static const struct row shape_rows[] = {
	{ "",
	  " the file is empty; add \"targets\", see "
	  "dslatd.yaml(5)\n" },
	{ "# nothing\n",
	  " the file is empty; add \"targets\", see "
	  "dslatd.yaml(5)\n" },
	{ "hello\n",
	  "1:1: the file must be keys and values; write "
	  "\"key: value\", one per line\n" },
	{ "- a\n",
	  "1:1: the file must be keys and values; write "
	  "\"key: value\", one per line\n" },
	{ "listen: 127.0.0.1:1\n", "1:1: no \"targets\"; add it\n" },
	{ "targets:\n", "1:1: \"targets\" is empty; add at least one\n" },
	{ "targets: []\n", "1:1: \"targets\" is empty; add at least one\n" },
	{ "targets: lab\n",
	  "1:10: \"targets\" must be a list; begin "
	  "each entry with \"- \"\n" },
	{ "targets:\n  name: a\n",
	  "2:3: \"targets\" must be a list; begin each entry with "
	  "\"- \"\n" },
	{ "targets: [lab]\n",
	  "1:11: targets[0] must be keys and values; write "
	  "\"key: value\", one per line\n" },
	{ "targets:\n  -\n",
	  "2:3: no \"name\"; add it\n2:3: no \"url\"; add it\n"
	  "2:3: no \"username\"; add it\n" },
	{ "targets:\n  - name: a\n",
	  "2:5: no \"url\"; add it\n2:5: no \"username\"; add it\n"
	  "2:5: no password; add password_file with the absolute path "
	  "of a file that holds it\n" },
	{ "targets:\n  - name: a\n    url:\n    username: \"\"\n"
	  "    password_file: /p\n",
	  "3:5: \"url\" is empty; give it a value\n"
	  "4:15: \"username\" is empty; give it a value, or remove "
	  "it\n" },
	{ PLUS("tls: yes"),
	  "3:12: targets[0].tls must be keys and values; write "
	  "\"key: value\", one per line\n" },
	{ URL("[https://h]"),
	  "1:27: \"url\" must be one value, not a "
	  "list; write it on the line of its "
	  "key\n" },
	{ URL("{ a: b }"),
	  "1:27: \"url\" must be one value, not a "
	  "group of keys; write it on the line of its "
	  "key\n" },
	{ URL("\"https://h\\n\""),
	  "1:27: \"url\" holds a line break, tab or control "
	  "character; remove it\n" },
	{ GOOD "thresholds: { protocols: [nfs3] }\n",
	  "2:26: \"protocols\" must be a group of protocols; write "
	  "\"nfs3:\" and its keys indented below\n" },
	{ GOOD "thresholds: { datastores: { a: b } }\n",
	  "2:27: \"datastores\" must be a list; begin each entry with "
	  "\"- \"\n" },
	/* A broken file: what stands before the break is checked, and
	 * nothing is said to be missing. */
	{ "targets:\n  - name: a b\n    url: h\n    include: *\n",
	  "2:11: \"name\" is \"a b\"; it may have letters, digits, - "
	  "and _ only\n"
	  "3:10: \"url\" has no scheme; write https://host/sdk\n"
	  "4:14: an unquoted \"*\" starts an alias in YAML; quote the "
	  "pattern: \"*\"\n" },
	{ GOOD GOOD,
	  "2:1: \"targets\" is here twice, first in line 1; remove "
	  "one\n"
	  "2:19: a second target named \"a\", the first is in line 1; "
	  "rename one\n" },
};

static void
test_shape(void **state unused)
{
	check_rows(shape_rows, ARRAY_SIZE(shape_rows));
}

#define MEANT(at, key, word)                                                   \
	at ": \"" key "\" is not known; did you mean \"" word "\"?\n"
#define SEE(at, key)                                                           \
	at ": \"" key                                                          \
	   "\" is not known; remove it, or see dslatd.yaml(5) for what is\n"
#define BELONGS(at, key, section)                                              \
	at ": \"" key "\" is not known here; it belongs in \"" section "\"\n"
#define LATER(at, key)                                                         \
	at ": \"" key                                                          \
	   "\" is not available in this version (0.1.0); remove "              \
	   "it\n"
static const struct row unknown_rows[] = {
	{ GOOD "lisen: 127.0.0.1:1\n", MEANT("2:1", "lisen", "listen") },
	{ GOOD "threshold: {}\n", MEANT("2:1", "threshold", "thresholds") },
	{ GOOD "zzz: 1\n", SEE("2:1", "zzz") },
	{ GOOD "a: 1\n", SEE("2:1", "a") },
	{ GOOD "\"\": 1\n", SEE("2:1", "") },
	{ GOOD "insecure: true\n", BELONGS("2:1", "insecure", "tls") },
	{ GOOD "name: x\n", BELONGS("2:1", "name", "targets") },
	{ GOOD "default: {}\n", BELONGS("2:1", "default", "thresholds") },
	{ PLUS("ca_file: /ca"), BELONGS("3:7", "ca_file", "tls") },
	{ PLUS("hosts: [x]"), BELONGS("3:7", "hosts", "include") },
	{ PLUS("tls: { fingerprint: x }"),
	  MEANT("3:14", "fingerprint", "fingerprint_sha256") },
	{ PLUS("interval: 20"), MEANT("3:7", "interval", "poll_interval_s") },
	{ PLUS("poll_interval_ms: 20"),
	  MEANT("3:7", "poll_interval_ms", "poll_interval_s") },
	/* what was meant is not said to be missing too */
	{ "targets: [{ nmae: a, uri: https://h, user: u, "
	  "password_flie: /p }]\n",
	  MEANT("1:13", "nmae", "name") MEANT("1:22", "uri", "url")
		  MEANT("1:38", "user", "username")
			  MEANT("1:47", "password_flie", "password_file") },
	{ GOOD "thresholds: { default: { warn_ms: 1 } }\n",
	  MEANT("2:26", "warn_ms", "warning_ms") },
	{ GOOD "thresholds: { protocols: { nfs3: { crit_ms: 1 } } }\n",
	  MEANT("2:36", "crit_ms", "critical_ms") },
	{ GOOD "thresholds: { datastores: [ { match: a/b, "
	       "min_io: 1 }, { matches: a/c } ] }\n",
	  MEANT("2:43", "min_io", "min_ios")
		  MEANT("2:58", "matches", "match") },
	{ GOOD "thresholds: { default: { match: x } }\n",
	  BELONGS("2:26", "match", "datastores") },
	{ GOOD "notify: []\nexporters: []\nprobes:\nexperiments: {}\n"
	       "web: { tls_crt: /x, pass: y }\n",
	  LATER("3:1", "exporters") LATER("4:1", "probes") LATER("5:1",
								 "experiments")
		  MEANT("6:8", "tls_crt", "tls_cert") SEE("6:21", "pass") },
	{ GOOD "state_dir: var/dslat\nretention: { raw_day: 7 }\n",
	  "2:12: \"state_dir\" must be an absolute path; begin it with "
	  "/\n" MEANT("3:14", "raw_day", "raw_days") },
	{ GOOD "retention: { raw_days: 100 }\n",
	  "2:1: \"five_minute_days\" (90) is less than \"raw_days\" (100); "
	  "what is coarser is kept at least as long\n" },
	{ GOOD "retention: { hour_days: 30 }\n",
	  "2:1: \"hour_days\" (30) is less than \"five_minute_days\" (90); "
	  "what is coarser is kept at least as long\n" },
	{ GOOD "web: { tls_cert: /x }\n",
	  "2:1: \"tls_cert\" without \"tls_key\"; set both, or none\n" },
	{ GOOD "web: { tls_key: /x }\n",
	  "2:1: \"tls_key\" without \"tls_cert\"; set both, or none\n" },
	{ GOOD "web: { tls_cert: x, tls_key: /x, tokens_file: t }\n",
	  "2:18: \"tls_cert\" must be an absolute path; begin it with /\n"
	  "2:47: \"tokens_file\" must be an absolute path; begin it with "
	  "/\n" },
	{ GOOD "web: { allow_anonymous_read: false }\n",
	  "2:8: \"allow_anonymous_read: false\" without \"tokens_file\", "
	  "so nobody could read; make one with dslat token new NAME --file "
	  "FILE\n" },
	{ GOOD "thresholds: { protocols: { nfs: {}, x: {} } }\n",
	  "2:28: \"nfs\" is not a protocol; write one of nfs3, nfs41\n"
	  "2:37: \"x\" is not a protocol; write one of unknown, nfs3, "
	  "nfs41, cifs, iscsi, iser, fc, fcoe, nvme-tcp, nvme-rdma, "
	  "nvme-fc, nvme-pcie, sas, local, vsan, vvol, pmem, mixed\n" },
};

static void
test_unknown(void **state unused)
{
	check_rows(unknown_rows, ARRAY_SIZE(unknown_rows));
}

#define LISTEN(value) GOOD "listen: " value "\n"
static const struct row listen_rows[] = {
	{ LISTEN("9969"),
	  "2:9: \"9969\" has no port; write "
	  "address:port, as in 127.0.0.1:9969\n" },
	{ LISTEN("::1:9969"),
	  "2:9: \"::1:9969\" needs brackets around "
	  "the IPv6 address: [::1]:9969\n" },
	{ LISTEN("\"[::1]\""),
	  "2:9: \"[::1]\" has no port from 0 to 65535 behind its last "
	  "colon; correct it\n" },
	{ LISTEN("[::1]:9969"),
	  "2:14: text behind a closing bracket; quote the whole "
	  "value\n" },
	{ LISTEN("127.0.0.1:65536"),
	  "2:9: \"127.0.0.1:65536\" has no port from 0 to 65535 behind "
	  "its last colon; correct it\n" },
	{ LISTEN("\"127.0.0.1:\""),
	  "2:9: \"127.0.0.1:\" has no port from 0 to 65535 behind its "
	  "last colon; correct it\n" },
	{ LISTEN("[\"a b:80\", \"[fe80::g]:1\", :80]"),
	  "2:10: \"a b:80\" does not begin with an address; write it before "
	  "the last colon, or \"*\" for all\n"
	  "2:20: \"[fe80::g]:1\" does not begin with an address; write it "
	  "before the last colon, or \"*\" for all\n"
	  "2:35: \":80\" does not begin with an address; write it before the "
	  "last colon, or \"*\" for all\n" },
	{ LISTEN("unix:run/x"),
	  "2:9: \"unix:run/x\" must have an "
	  "absolute path: unix:/path\n" },
	{ LISTEN("unix:/0123456789012345678901234567890123456789012345"
		 "6789012345678901234567890123456789012345678901234567"
		 "890123456"),
	  "2:9: \"unix:/012345678901234567890123456789012345678901234"
	  "567890123\" is longer than a socket's path may be (107); "
	  "choose a shorter one\n" },
	{ LISTEN("[]"),
	  "2:9: \"listen\" is an empty list; remove it "
	  "for the default, \"127.0.0.1:9969\"\n" },
	{ LISTEN("[127.0.0.1:80, 127.0.0.1:80]"),
	  "2:24: \"127.0.0.1:80\" is here twice; remove one\n" },
	{ LISTEN("[127.0.0.1:80, [a]]"),
	  "2:24: \"listen\" must be one value, not a list; write it on "
	  "the line of its key\n" },
	{ LISTEN("[127.0.0.1:80, ]\nlisten: [~]"),
	  "3:1: \"listen\" is here twice, first in line 2; remove one\n"
	  "3:10: \"listen\" must be one value, not nothing; write it "
	  "on the line of its key\n" },
};

static void
test_listen(void **state unused)
{
	check_rows(listen_rows, ARRAY_SIZE(listen_rows));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_listen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
