/*
 * "notify:" of the configuration: every fault with its place and cure, and what
 * comes out of a good one.
 */
#include <stdlib.h>

#include "conf_faults.h"
#include "dslat/mem.h"

/* One notifier in line 2, its first key in column 13. */
#define ONE(keys) GOOD "notify: [ { " keys " } ]\n"
#define NEEDS(type, key)                                                       \
	"2:11: no \"" key "\", which type " type " needs; add it\n"
#define URL_HAS(what) "2:45: \"url\" has " what "\n"
#define HOOK(url) ONE("name: hook, type: webhook, url: " url)
#define HOOK2(keys) ONE("name: a, type: webhook, url: http://h, " keys)
#define MAIL(keys)                                                             \
	ONE("name: a, type: smtp, server: m, from: a@b, to: c@d, " keys)

static const struct row rows[] = {
	{ GOOD "notify: {}\n",
	  "2:9: \"notify\" must be a list; begin each entry with \"- \"\n" },
	{ ONE("url: x"),
	  "2:11: no \"name\"; add it\n2:11: no \"type\"; add it\n"
	  "2:18: \"url\" must begin with http:// or https://\n" },
	{ ONE("name: a, type: webhok"),
	  "2:28: \"type\" is \"webhok\"; write webhook, alertmanager, smtp, "
	  "exec or syslog\n" },
	{ ONE("name: a, type: webhook"), NEEDS("webhook", "url") },
	{ ONE("name: a, type: alertmanager"), NEEDS("alertmanager", "url") },
	{ ONE("name: a, type: smtp"),
	  NEEDS("smtp", "server") NEEDS("smtp", "from") NEEDS("smtp", "to") },
	{ ONE("name: a, type: exec"), NEEDS("exec", "command") },
	{ ONE("name: a, type: syslog"), NEEDS("syslog", "address") },
	/* meant, but not well written: not said to be missing */
	{ ONE("name: a, type: webhook, uri: http://h"),
	  "2:37: \"uri\" is not known; did you mean \"url\"?\n" },
	{ ONE("name: a, type: syslog, address: l, server: m, command: /x"),
	  "2:48: \"server\" means nothing for type syslog; remove it\n"
	  "2:59: \"command\" means nothing for type syslog; remove it\n" },
	{ ONE("name: a, type: alertmanager, url: http://h, secret_file: /s"),
	  "2:57: \"secret_file\" means nothing for type alertmanager; remove "
	  "it\n" },
	{ ONE("name: a b, type: syslog, address: l"),
	  "2:19: \"name\" is \"a b\"; it may have letters, digits, - and _ "
	  "only\n" },
	/* a target of the same name is no obstacle */
	{ GOOD "notify: [ { name: a, type: syslog, address: l }, { name: a, "
	       "type: syslog, address: l } ]\n",
	  "2:58: a second notifier named \"a\", the first is in line 2; rename "
	  "one\n" },
	{ HOOK("h:1"), "2:45: \"url\" must begin with http:// or https://\n" },
	{ HOOK("http://u:p@h/x"),
	  URL_HAS("a user name or password; remove all up to the \"@\"") },
	{ HOOK("http:///x"), URL_HAS("no host; write one behind the //") },
	{ HOOK("http://h:0/x"),
	  URL_HAS("no port from 1 to 65535 behind its colon; correct it") },
	{ HOOK("http://h/a b"),
	  URL_HAS("a character that no URL has; write it as %XX") },
	{ HOOK("\"http://h/#a\""),
	  URL_HAS("a character that no URL has; write it as %XX") },
	{ HOOK2("secret_file: s"),
	  "2:65: \"secret_file\" must be an absolute path; begin it with /\n" },
	{ HOOK2("timeout_s: 0"),
	  "2:63: \"timeout_s\" is 0; it must be 1 to 300\n" },
	{ HOOK2("group_s: 301"),
	  "2:61: \"group_s\" is 301; it must be 0 to 300\n" },
	{ HOOK2("min_severity: high"),
	  "2:66: \"min_severity\" is \"high\"; write warning or critical\n" },
	{ HOOK2("kinds: [slow, fast]"),
	  "2:66: \"fast\" is no kind of incident; write slow, no_data, "
	  "inaccessible, unreachable or login\n" },
	{ HOOK2("match: []"),
	  "2:59: \"match\" is an empty list; remove it for the default, "
	  "\"*\"\n" },
	{ HOOK2("tls: { insecure: true, ca_file: /c }"),
	  "2:52: \"insecure: true\" beside \"ca_file\"; remove insecure, so "
	  "that the certificate is verified\n" },
	{ HOOK2("password: x"),
	  "2:52: \"password\" does not belong in this file; write it to a file "
	  "of its own and name that with password_file\n" },
	{ MAIL("username: u"),
	  "2:65: \"username\" without \"password_file\"; add it\n" },
	{ MAIL("password_file: /p"),
	  "2:65: \"password_file\" without \"username\"; add it\n" },
	{ ONE("name: a, type: smtp, server: m/x, from: A <a@b>, to: [c@d, "
	      "\"e@f, g@h\", c]"),
	  "2:42: \"server\" has a slash; write host, host:port or "
	  "smtps://host:port\n"
	  "2:53: \"from\" is \"A <a@b>\", which is no address; write "
	  "user@domain alone\n"
	  "2:72: \"to\" is \"e@f, g@h\", which is no address; write "
	  "user@domain alone\n"
	  "2:84: \"to\" is \"c\", which is no address; write user@domain "
	  "alone\n" },
	{ ONE("name: a, type: exec, command: []"),
	  "2:43: \"command\" is an empty list; write the path of a program\n" },
	{ ONE("name: a, type: exec, command: page"),
	  "2:43: \"command\" must begin with the absolute path of a program; "
	  "begin it with /\n" },
	{ ONE("name: a, type: exec, command: /bin/page -x"),
	  "2:43: \"command\" is one text with spaces; write program and "
	  "arguments as a list: [/path, arg]\n" },
	{ ONE("name: a, type: exec, command: [/p, \"{}{summary}{sumary}\"]"),
	  "2:48: {sumary} is not known; see command in dslatd.yaml(5) for what "
	  "is\n" },
	{ ONE("name: a, type: syslog, address: unix:x, protocol: tls, "
	      "facility: local8"),
	  "2:45: \"address\" has no absolute path; write unix:/path\n"
	  "2:63: \"protocol\" is \"tls\"; write udp or tcp\n"
	  "2:78: \"facility\" is \"local8\"; write user, daemon, local0 to "
	  "local7, or another of dslatd.yaml(5)\n" },
	{ ONE("name: a, type: syslog, address: \"[::1\""),
	  "2:45: \"address\" has a bracket that is not closed; add the "
	  "\"]\"\n" },
};

static void
test_faults(void **state unused)
{
	check_rows(rows, ARRAY_SIZE(rows));
}

static struct conf *
good(const char *yaml, const char *warnings)
{
	struct buf problems;
	struct conf *c;
	struct err e;

	buf_init(&problems, 65536);
	c = conf_parse(yaml, strlen(yaml), "f", &problems, &e);
	assert_string_equal(buf_str(&problems), warnings);
	assert_non_null(c);
	buf_fini(&problems);
	return c;
}

static void
test_defaults(void **state unused)
{
	struct conf *c =
		good(ONE("name: a, type: syslog, address: unix:/dev/log"), "");
	const struct conf_notify *n = &c->notify[0];

	assert_int_equal(c->n_notify, 1);
	assert_string_equal(n->name, "a");
	assert_int_equal(n->type, NOTIFY_SYSLOG);
	assert_string_equal(n->match[0], "*");
	assert_null(n->match[1]);
	assert_null(n->kinds[0]);
	assert_false(n->critical_only);
	assert_true(n->send_resolved);
	assert_int_equal(n->timeout_s, 10);
	assert_int_equal(n->group_s, 5);
	assert_string_equal(n->address, "unix:/dev/log");
	assert_string_equal(n->protocol, "udp");
	assert_int_equal(n->facility_code, 3); /* daemon, RFC 5424 6.2.1 */
	assert_true(n->starttls);
	assert_int_equal(n->line, 2);
	conf_free(&c);
}

static void
test_values(void **state unused)
{
	struct conf *c = good(
		GOOD
		"notify:\n"
		"- { name: m, type: smtp, server: \"smtps://m:465\", from: a@b,"
		" to: [c@d, e+f@g.h], username: u, password_file: /p,"
		" starttls: false, min_severity: critical }\n"
		"- { name: x, type: exec, command: [/bin/x, \"{where}\"] }\n"
		"- { name: s, type: syslog, address: l, facility: local7 }\n",
		"");

	assert_int_equal(c->n_notify, 3);
	assert_string_equal(c->notify[0].to[1], "e+f@g.h");
	assert_true(c->notify[0].critical_only);
	assert_string_equal(c->notify[1].command[1], "{where}");
	assert_int_equal(c->notify[2].facility_code, 23);
	conf_free(&c);
	c = good(MAIL("username: u, password_file: /p, starttls: false"),
		 "f:2:65: warning: with \"starttls: false\" the password goes "
		 "over the network in clear text\n");
	conf_free(&c);
}

/* Without the comments, which name lines. */
static char *
dump(const struct conf *c)
{
	struct buf out;
	char *text, *to;

	buf_init(&out, 65536);
	assert_int_equal(conf_dump(c, &out), 0);
	text = to = buf_take(&out);
	for (const char *s = text; *s != '\0'; s++) {
		if (*s == '#')
			s += strcspn(s, "\n");
		*to++ = *s;
	}
	*to = '\0';
	return text;
}

/* What --dump-config prints is read as the same again, whatever the type. */
static void
test_dump(void **state unused)
{
	static const char *const notifiers[] = {
		"type: webhook, url: http://h/x, tls: { insecure: true }",
		"type: alertmanager, url: http://h, kinds: [login]",
		"type: smtp, server: m, from: a@b, to: [c@d]",
		"type: exec, command: [/bin/x, \"{url}\"]",
		"type: syslog, address: log, protocol: tcp",
	};

	for (size_t i = 0; i < ARRAY_SIZE(notifiers); i++) {
		char *yaml = xasprintf(GOOD "notify: [ { name: a, %s } ]\n",
				       notifiers[i]);
		struct conf *c = good(yaml, ""), *again;
		char *first = dump(c), *second;

		again = good(first, "");
		second = dump(again);
		assert_string_equal(first, second);
		assert_int_equal(again->notify[0].type, c->notify[0].type);
		free(first);
		free(second);
		free(yaml);
		conf_free(&c);
		conf_free(&again);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
