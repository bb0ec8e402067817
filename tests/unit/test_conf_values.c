#include "conf_faults.h"

#define HAS(what) "1:27: \"url\" has " what "\n"
#define NO_SCHEME HAS("no scheme; write https://host/sdk")
#define NO_PATH                                                                \
	HAS("a path that is not /sdk, where the API is; write "                \
	    "https://host/sdk")
#define SECRET                                                                 \
	HAS("a user name or password; remove all up to the \"@\", and use "    \
	    "username and password_file")
#define NO_PORT HAS("no port from 1 to 65535 behind its colon; correct it")
#define BAD_CHAR HAS("a character that no host name has; correct it")
static const struct row url_rows[] = {
	{ URL("vcenter.example"), NO_SCHEME },
	{ URL("vcenter:443"), NO_SCHEME },
	{ URL("https:/h"), NO_SCHEME },
	{ URL("ftp://h"),
	  HAS("a scheme that is not https; write https://host/sdk") },
	{ URL("https://root:hunter2@h/sdk"), SECRET },
	{ URL("https://root@h"), SECRET },
	{ URL("https://h/p@th"), SECRET },
	{ URL("https://"), HAS("no host; write https://host/sdk") },
	{ URL("https://:443"), HAS("no host; write https://host/sdk") },
	{ URL("https:///sdk"), HAS("no host; write https://host/sdk") },
	{ URL("https://h/ui"), NO_PATH },
	{ URL("https://h/sdk/vimService"), NO_PATH },
	{ URL("https://h/sdk?a=b"), NO_PATH },
	{ URL("\"https://h#x\""), NO_PATH },
	{ URL("https://h:0"), NO_PORT },
	{ URL("https://h:65536"), NO_PORT },
	{ URL("\"https://h:\""), NO_PORT },
	{ URL("https://h:44x"), NO_PORT },
	{ URL("https://fd00::1"),
	  HAS("more than one colon; an IPv6 address needs brackets: "
	      "[fd00::1]") },
	{ URL("\"https://[fd00::1\""),
	  HAS("a bracket that is not closed; add the \"]\"") },
	{ URL("\"https://[fd00]\""),
	  HAS("no IPv6 address in its brackets; correct it") },
	{ URL("\"https://[::1]443\""),
	  HAS("text behind the bracket; only :port may follow") },
	{ URL("https://h_ost ile"), BAD_CHAR },
	{ URL("https://-h"), BAD_CHAR },
	{ URL("https://\xc3\xa4"), BAD_CHAR },
};

static void
test_url(void **state unused)
{
	check_rows(url_rows, ARRAY_SIZE(url_rows));
}

#define HEX32 "0123456789abcdef0123456789abcdef"
static const struct row target_rows[] = {
	{ "targets: [{ name: a/b, url: https://h, username: u, "
	  "password_env: P }]\n",
	  "1:19: \"name\" is \"a/b\"; it may have letters, digits, - "
	  "and _ only\n" },
	{ "targets: [{ name: " HEX32 HEX32 ", url: https://h, "
	  "username: u, password_env: P }]\n",
	  "1:19: \"name\" is longer than 63 characters; shorten it\n" },
	{ "targets:\n"
	  "  - { name: a, url: https://h, username: u, "
	  "password_file: /p }\n"
	  "  - { name: b, url: https://h, username: u, "
	  "password_file: /p }\n"
	  "  - { name: a, url: https://i, username: u, "
	  "password_file: /p }\n",
	  "4:13: a second target named \"a\", the first is in line 2; "
	  "rename one\n" },
	{ "targets: [{ name: a, url: https://h, username: u, "
	  "password: hunter2 }]\n",
	  "1:51: \"password\" does not belong in this file; write it to "
	  "a file of its own and name that with password_file\n" },
	{ PLUS("password_file: /p"),
	  "2:45: \"password_env\" beside \"password_file\"; keep one "
	  "of them\n" },
	{ PLUS("password_credential: c"),
	  "3:7: \"password_credential\" beside \"password_env\"; keep "
	  "one of them\n" },
	{ "targets: [{ name: a, url: https://h, username: u, "
	  "password_file: p }]\n",
	  "1:66: \"password_file\" must be an absolute path; begin it "
	  "with /\n" },
	{ "targets: [{ name: a, url: https://h, username: u, "
	  "password_env: hunter-2 }]\n",
	  "1:65: \"password_env\" must be the name of an environment "
	  "variable; use letters, digits and _\n" },
	{ "targets: [{ name: a, url: https://h, username: u, "
	  "password_env: 2hunter }]\n",
	  "1:65: \"password_env\" must be the name of an environment "
	  "variable; use letters, digits and _\n" },
	{ "targets: [{ name: a, url: https://h, username: u, "
	  "password_credential: ../x }]\n",
	  "1:72: \"password_credential\" must be the name of a systemd "
	  "credential; use letters, digits, - . _\n" },
	{ PLUS("tls: { ca_file: ca.pem }"),
	  "3:23: \"ca_file\" must be an absolute path; begin it with "
	  "/\n" },
	{ PLUS("tls: { fingerprint_sha256: " HEX32 " }"),
	  "3:34: \"fingerprint_sha256\" has 32 hex digits; it must have "
	  "64\n" },
	{ PLUS("tls: { fingerprint_sha256: " HEX32 "01234567 }"),
	  "3:34: \"fingerprint_sha256\" has 40 hex digits, so it is "
	  "SHA-1; take the SHA-256 one, of 64\n" },
	{ PLUS("tls: { fingerprint_sha256: SHA256 }"),
	  "3:34: \"fingerprint_sha256\" has a character that is no hex "
	  "digit; write 64 hex digits, colons allowed\n" },
	{ PLUS("tls: { insecure: true, "
	       "fingerprint_sha256: " HEX32 HEX32 " }"),
	  "3:14: \"insecure: true\" beside \"fingerprint_sha256\"; "
	  "remove insecure, so that the certificate is verified\n" },
	{ PLUS("tls: { ca_file: /c, insecure: true }"),
	  "3:27: \"insecure: true\" beside \"ca_file\"; remove "
	  "insecure, so that the certificate is verified\n" },
	{ PLUS("tls: { ca_file: /c, fingerprint_sha256: " HEX32 HEX32 " }"),
	  "3:7: \"ca_file\" beside \"fingerprint_sha256\", which trusts that "
	  "certificate alone; keep one of them\n" },
	{ PLUS("tls: { insecure: yes }"),
	  "3:24: \"insecure\" is \"yes\"; write true or false\n" },
	{ PLUS("include: { hosts: [], datastores: [a, \"\"] }"),
	  "3:25: \"hosts\" is an empty list; remove it for the default, "
	  "\"*\"\n"
	  "3:45: \"datastores\" is empty; give it a value, or remove "
	  "it\n" },
#define BYTES(v) URL("https://h") "retention: { max_bytes: " v " }\n"
#define NO_SIZE(v)                                                             \
	"2:25: \"max_bytes\" is \"" v                                          \
	"\"; it must be a whole number with KiB, MiB, GiB or TiB behind it\n"
	{ BYTES("20GB"), NO_SIZE("20GB") },
	{ BYTES("1.5GiB"), NO_SIZE("1.5GiB") },
	{ BYTES("GiB"), NO_SIZE("GiB") },
	{ BYTES("20 G"), NO_SIZE("20 G") },
	{ BYTES("65535KiB"),
	  "2:25: \"max_bytes\" is 65535KiB; it must be 64MiB to 1024TiB\n" },
	{ BYTES("99999999999TiB"),
	  "2:25: \"max_bytes\" is 99999999999TiB; it must be 64MiB to "
	  "1024TiB\n" },
	{ PLUS("poll_interval_s: 20s"),
	  "3:24: \"poll_interval_s\" is \"20s\", which is not a whole "
	  "number; write 20\n" },
	{ PLUS("poll_interval_s: 20 sec"),
	  "3:24: \"poll_interval_s\" is \"20 sec\", which is not a whole "
	  "number; write 20\n" },
	{ PLUS("poll_interval_s: 7m"),
	  "3:24: \"poll_interval_s\" is \"7m\"; it must be a whole number "
	  "in the unit of its name\n" },
	{ PLUS("poll_interval_s: often"),
	  "3:24: \"poll_interval_s\" is \"often\"; it must be a whole "
	  "number or auto\n" },
	{ PLUS("poll_interval_s: 19"),
	  "3:24: \"poll_interval_s\" is 19; it must be 20 to 600, or "
	  "auto\n" },
	{ PLUS("poll_interval_s: 601"),
	  "3:24: \"poll_interval_s\" is 601; it must be 20 to 600, or "
	  "auto\n" },
};

static void
test_target(void **state unused)
{
	check_rows(target_rows, ARRAY_SIZE(target_rows));
}

#define THRESHOLDS(value) GOOD "thresholds: { " value " }\n"
#define DEFAULT(value) THRESHOLDS("default: { " value " }")
#define CLEAR_BELOW(at, clear, warning, where)                                 \
	at ": \"clear_ms\" (" clear ") must be below \"warning_ms\" (" warning \
	   ")" where "; change one of them\n"
#define WARNING_AT_MOST(at, warning, critical, where)                          \
	at ": \"warning_ms\" (" warning                                        \
	   ") must be at most \"critical_ms\" (" critical ")" where            \
	   "; change one of them\n"
static const struct row thresholds_rows[] = {
	{ DEFAULT("warning_ms: 50ms"),
	  "2:38: \"warning_ms\" is \"50ms\", which is not a number of "
	  "milliseconds; write 50\n" },
	{ DEFAULT("warning_ms: 1e3"),
	  "2:38: \"warning_ms\" is \"1e3\"; it must be a number of "
	  "milliseconds\n" },
	{ DEFAULT("warning_ms: 1 s"),
	  "2:38: \"warning_ms\" is \"1 s\"; it must be a number of "
	  "milliseconds\n" },
	{ DEFAULT("warning_ms: 1m"),
	  "2:38: \"warning_ms\" is \"1m\"; it must be a number of "
	  "milliseconds\n" },
	{ DEFAULT("warning_ms: fast"),
	  "2:38: \"warning_ms\" is \"fast\"; it must be a number of "
	  "milliseconds\n" },
	{ DEFAULT("warning_ms: 0"),
	  "2:38: \"warning_ms\" is 0; it must be 0.001 to 600000\n" },
	{ DEFAULT("warning_ms: -1"),
	  "2:38: \"warning_ms\" is -1; it must be 0.001 to 600000\n" },
	{ DEFAULT("warning_ms: 600000.001"),
	  "2:38: \"warning_ms\" is 600000.001; it must be 0.001 to "
	  "600000\n" },
	{ DEFAULT("warning_ms: 99999999999999999999"),
	  "2:38: \"warning_ms\" is 99999999999999999999; it must be "
	  "0.001 to 600000\n" },
	{ DEFAULT("warning_ms: 1.2345"),
	  "2:38: \"warning_ms\" is \"1.2345\", which is not a number "
	  "of milliseconds; write 1.234\n" },
	{ DEFAULT("warning_ms: \"1.\""),
	  "2:38: \"warning_ms\" is \"1.\", which is not a number of "
	  "milliseconds; write 1\n" },
	{ DEFAULT("warning_ms: \"-\""),
	  "2:38: \"warning_ms\" is \"-\"; it must be a number of "
	  "milliseconds\n" },
	{ DEFAULT("min_ios: 1.5"),
	  "2:35: \"min_ios\" is \"1.5\", which is not a whole number; "
	  "write 1\n" },
	{ DEFAULT("min_ios: -5"),
	  "2:35: \"min_ios\" is -5; it must be 0 to 1000000\n" },
	{ DEFAULT("window_samples: 16, for_samples: 0, "
		  "clear_samples: 181"),
	  "2:42: \"window_samples\" is 16; it must be 1 to 15\n"
	  "2:59: \"for_samples\" is 0; it must be 1 to 15\n"
	  "2:77: \"clear_samples\" is 181; it must be 1 to 180\n" },
	{ DEFAULT("clear_ms: 60"), CLEAR_BELOW("2:36", "60", "50", "") },
	{ DEFAULT("warning_ms: 20, clear_ms: 20"),
	  CLEAR_BELOW("2:52", "20", "20", "") },
	{ DEFAULT("warning_ms: 20, critical_ms: 19.999"),
	  WARNING_AT_MOST("2:38", "20", "19.999", "") },
	{ DEFAULT("critical_ms: 45"), WARNING_AT_MOST("2:39", "50", "45", "") },
	{ DEFAULT("for_samples: 6"),
	  "2:39: \"for_samples\" (6) must be at most "
	  "\"window_samples\" (5); change one of them\n" },
	{ DEFAULT("window_samples: 2"),
	  "2:42: \"for_samples\" (3) must be at most "
	  "\"window_samples\" (2); change one of them\n" },
	{ THRESHOLDS("protocols: { nfs3: { clear_ms: 50 } }"),
	  CLEAR_BELOW("2:46", "50", "50", " on nfs3 datastores") },
	{ THRESHOLDS("datastores: [ { match: a/b, critical_ms: 30 } ]"),
	  WARNING_AT_MOST("2:56", "50", "30", "") },
	/* good over the default, wrong over a protocol's row */
	{ THRESHOLDS("protocols: { fc: { warning_ms: 5 } }, "
		     "datastores: [ { match: a/b, clear_ms: 30 } ]"),
	  CLEAR_BELOW("2:91", "30", "5", " on fc datastores") },
	{ THRESHOLDS("datastores: [ { warning_ms: 1 } ]"),
	  "2:29: no \"match\"; add it\n" },
	{ THRESHOLDS("datastores: [ { match: gold } ]"),
	  "2:38: \"match\" is \"gold\", without a target; write "
	  "\"*/gold\"\n" },
	{ THRESHOLDS("datastores: [ { match: a/b }, { match: a/b } ]"),
	  "2:54: a second row for \"a/b\", never reached; remove "
	  "one\n" },
};

static void
test_thresholds(void **state unused)
{
	check_rows(thresholds_rows, ARRAY_SIZE(thresholds_rows));
}

/* A mistyped file never puts what may be a password into a message. */
static void
test_no_leak(void **state unused)
{
	static const char *const yamls[] = {
		URL("https://root:hunter2@h/sdk"),
		URL("root:hunter2@h"),
		URL("https://hunter2 x"),
		PLUS("password: hunter2"),
		PLUS("password: [hunter2]"),
		PLUS("password_file: hunter2"),
		PLUS("password_env: hunter2!"),
		PLUS("password_credential: /hunter2"),
		PLUS("pasword: hunter2"),
		PLUS("pwd: hunter2"),
		PLUS("tls: hunter2"),
		PLUS("tls: { ca_file: hunter2 }"),
		"targets: hunter2\n",
		"hunter2\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(yamls); i++) {
		struct buf b;
		struct err e;

		print_message("%s\n", yamls[i]);
		buf_init(&b, 65536);
		assert_null(
			conf_parse(yamls[i], strlen(yamls[i]), "f", &b, &e));
		assert_null(strstr(buf_str(&b), "hunter2"));
		assert_null(strstr(e.text, "hunter2"));
		buf_fini(&b);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_url),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
