/*
 * Messages in the form of each receiver.  Expected texts are written by hand
 * from the standards named in render.h; the fingerprint comes from a Python
 * script that computes FNV-1a over the sorted labels as Prometheus documents it
 * (tests/notify compares it with what a real Alertmanager says).
 */
#include "../../daemon/notify/render.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/conf.h"
#include "dslat/mem.h"
#include "unit.h"

#define S US_PER_S
#define T0 (INT64_C(1796007600) * S) /* 2026-11-30T03:00:00Z, a Monday */

/* ---- an incident, and names that mean harm ------------------------------------ */

static char s_key[] = "latency:lab:u1:write", s_target[] = "lab",
	    s_id[] = "lab:u1", s_ds[] = "nfs01", s_dc[] = "DC1", s_cl[] = "C 1",
	    s_proto[] = "nfs3", s_back[] = "10.0.0.1:/vol/nfs01",
	    s_worst[] = "esx3", s_where[] = "only esx3: its path",
	    s_sum[] = "lab/nfs01 write 83 ms on esx3 (>= 75)", s_h1[] = "esx3",
	    s_h2[] = "esx4", s_i1[] = "lab:host-3", s_i2[] = "lab:host-4",
	    s_by[] = "ann", s_note[] = "I look";
static struct incident_host s_hosts[] = {
	{ .id = s_i1,
	  .name = s_h1,
	  .worst_us = 83000,
	  .worst_ios = 1240,
	  .worst_t = { T0 + 140 * S },
	  .severity = SEVERITY_CRITICAL },
	{ .id = s_i2, .name = s_h2, .worst_us = 61500, .worst_ios = 40 },
};

static struct incident
slow(void)
{
	return (struct incident){
		.id = 12,
		.key = s_key,
		.kind = INCIDENT_SLOW,
		.state = INCIDENT_ANNOUNCED,
		.severity = SEVERITY_CRITICAL,
		.worst_severity = SEVERITY_CRITICAL,
		.target = s_target,
		.datastore_id = s_id,
		.datastore = s_ds,
		.datacenter = s_dc,
		.cluster = s_cl,
		.protocol = s_proto,
		.backing = s_back,
		.op = OP_WRITE,
		.threshold = { .warning_us = 50000,
			       .critical_us = 75000,
			       .clear_us = 40000 },
		.started = { T0 },
		.announced = { T0 + 60 * S },
		.worst_us = 83000,
		.worst_ios = 1240,
		.worst_t = { T0 + 140 * S },
		.worst_host = s_worst,
		.hosts = s_hosts,
		.n_hosts = 2,
		.n_listed = 2,
		.where = s_where,
		.summary = s_sum,
	};
}

static struct incident
over(void)
{
	struct incident in = slow();

	in.id = 13;
	in.state = INCIDENT_ENDED;
	in.severity = SEVERITY_WARNING;
	in.ended.us = T0 + 720 * S;
	in.end_reason = "cleared";
	return in;
}

#define MAX_ITEMS 1100
static struct message_item items[MAX_ITEMS];

static struct message
message(const struct incident *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		items[i] = (struct message_item){ .in = &in[i],
						  .severity = in[i].severity };
	return (struct message){
		.receiver = "ops",
		.page_url = "http://dslat:9969/",
		.now = { T0 + 780 * S },
		.items = items,
		.n_changed = n,
		.n = n,
	};
}

static json_t *
json_of(const char *text)
{
	json_error_t e;
	json_t *v = json_loads(text, 0, &e);

	if (v == NULL)
		fail_msg("%s: line %d", e.text, e.line);
	return v;
}

static void
assert_json(json_t *got, const char *expected)
{
	json_t *v = json_of(expected);

	if (!json_equal(got, v)) {
		char *text = json_dumps(got, JSON_INDENT(1) | JSON_SORT_KEYS);

		print_error("%s\n", text);
		free(text);
		fail();
	}
	json_decref(v);
	json_decref(got);
}

/* ---- Alertmanager ------------------------------------------------------------- */

#define LABEL_SET(severity)                                                    \
	"{\"alertname\": \"DslatDatastoreSlow\", \"severity\": \"" severity    \
	"\", \"kind\": \"slow\", \"target\": \"lab\", "                        \
	"\"datacenter\": \"DC1\", \"cluster\": \"C 1\", "                      \
	"\"datastore\": \"nfs01\", \"datastore_id\": \"lab:u1\", "             \
	"\"protocol\": \"nfs3\", \"op\": \"write\"}"
#define LABELS(severity) "\"labels\": " LABEL_SET(severity)
#define ANNOTATIONS(id, more) "\"annotations\": " ANNOTATION_SET(id, more)
#define ANNOTATION_SET(id, more)                                               \
	"{\"summary\": \"lab/nfs01 write 83 ms on esx3 "                       \
	"(>= 75)\", \"where\": \"only esx3: its path\", \"incident\": \"" id   \
	"\", \"worst\": \"83 ms\", \"worst_host\": \"esx3\", "                 \
	"\"worst_time\": \"2026-11-30T03:02:20Z\", "                           \
	"\"warning_from\": \"50 ms\", \"critical_from\": \"75 ms\", "          \
	"\"hosts\": \"esx3 83 ms, esx4 61.5 ms\", "                            \
	"\"backing\": \"10.0.0.1:/vol/nfs01\"" more "}"
#define LINK(id) "\"generatorURL\": \"http://dslat:9969/?incident=" id "\""
#define TIMES(start, end)                                                      \
	"\"startsAt\": \"2026-11-30T" start                                    \
	"Z\", \"endsAt\": "                                                    \
	"\"2026-11-30T" end "Z\""

static void
test_alertmanager(void **state unused)
{
	struct incident in[] = { slow(), over() };
	struct message m = message(in, 2);
	json_t *v, *v_alert;

	/* now is 03:13:00; what goes on lives for four minutes more */
	assert_json(
		alertmanager_json(&m),
		"[{" LABELS("critical") "," ANNOTATIONS("12", "") "," LINK("12") "," TIMES("03:00:00", "03:17:00") "}, {" LABELS("warning") "," ANNOTATIONS(
			"13",
			", \"end_reason\": \"cleared\"") "," LINK("13") "," TIMES("03:00:00",
										  "03:12:00") "}]");

	/* told as a warning before: that alert is over */
	m.n = m.n_changed = 1;
	items[0].was_other = true;
	items[0].other = SEVERITY_WARNING;
	m.page_url = NULL;
	assert_json(
		alertmanager_json(&m),
		"[{" LABELS("critical") "," ANNOTATIONS("12", "") "," TIMES("03:00:00", "03:17:00") "}, {" LABELS(
			"warning") "," ANNOTATIONS("12",
						   "") "," TIMES("03:00:00",
								 "03:13:00") "}]");

	/* a webhook's receiver hears both, too */
	v = webhook_json(&m);
	assert_string_equal(json_string_value(json_object_get(v, "status")),
			    "firing");
	v_alert = json_array_get(json_object_get(v, "alerts"), 1);
	assert_string_equal(
		json_string_value(json_object_get(v_alert, "status")),
		"resolved");
	json_decref(v);

	/* a target whose clock runs 20 min before ours */
	in[0] = over();
	items[0] = (struct message_item){ .in = &in[0] };
	in[0].started.us += 1200 * S;
	in[0].ended.us += 1200 * S;
	assert_json(
		alertmanager_json(&m),
		"[{" LABELS("warning") "," ANNOTATIONS(
			"13",
			", \"end_reason\": \"cleared\"") "," TIMES("03:13:00",
								   "03:13:00") "}]");
}

/* Labels have names that Alertmanager takes, and are never empty; a value that
 * changes is not among them. */
static void
test_labels(void **state unused)
{
	char empty[] = "";

	for (int kind = 0; kind < N_INCIDENT_KINDS; kind++) {
		struct incident in = slow();
		json_t *first, *second, *value;
		const char *key;

		in.kind = (enum incident_kind)kind;
		in.cluster = empty;
		in.host = s_h1;
		first = alert_labels(&in, SEVERITY_WARNING, false);
		json_object_foreach(first, key, value)
		{
			assert_int_equal(strspn(key,
						"abcdefghijklmnopqrstuvwxyz"
						"_"),
					 strlen(key));
			assert_true(json_string_length(value) > 0);
		}
		assert_null(json_object_get(first, "cluster"));
		in.worst_us *= 2;
		in.worst_host = s_h2;
		in.state = INCIDENT_ENDED;
		in.ended.us = T0 + S;
		in.n_listed = 1;
		in.severity = SEVERITY_WARNING;
		second = alert_labels(&in, SEVERITY_WARNING, false);
		assert_true(json_equal(first, second));
		assert_true(alert_fingerprint(first) ==
			    alert_fingerprint(second));
		json_decref(first);
		json_decref(second);
	}
}

static void
test_fingerprint(void **state unused)
{
	struct incident in = slow();
	json_t *labels = alert_labels(&in, SEVERITY_CRITICAL, false);
	json_t *none = json_object();

	assert_true(alert_fingerprint(labels) == UINT64_C(0x36956a0f15df3ce5));
	assert_true(alert_fingerprint(none) == UINT64_C(0xcbf29ce484222325));
	json_decref(labels);
	json_decref(none);
}

/* ---- webhook -------------------------------------------------------------------- */

static void
test_webhook(void **state unused)
{
	struct incident in[] = { slow(), over() };
	struct message m = message(in, 2);
	json_t *v = webhook_json(&m), *common;

	common = json_incref(json_object_get(v, "commonLabels"));
	assert_null(json_object_get(common, "severity")); /* they differ */
	assert_string_equal(
		json_string_value(json_object_get(common, "datastore")),
		"nfs01");
	json_decref(common);
	json_decref(v);

	m.n = m.n_changed = 1;
	assert_json(
		webhook_json(&m),
		"{\"version\": \"4\", \"groupKey\": "
		"\"{}/{receiver=\\\"ops\\\"}:{}\", \"truncatedAlerts\": 0, "
		"\"status\": \"firing\", \"receiver\": \"ops\", "
		"\"groupLabels\": {}, \"commonLabels\": " LABEL_SET("critical")
		", \"commonAnnotations\": " ANNOTATION_SET("12", "") ", \"externalURL\": "
		"\"http://dslat:9969/\", \"alerts\": [{\"status\": \"firing\","
		LABELS("critical") "," ANNOTATIONS("12", "") "," LINK("12") ","
		"\"startsAt\": \"2026-11-30T03:00:00Z\", "
		"\"endsAt\": \"0001-01-01T00:00:00Z\", "
		"\"fingerprint\": \"36956a0f15df3ce5\"}]}");
}

/* The group fires while anything in it does; what only goes on is left out
 * first. */
static void
test_webhook_group(void **state unused)
{
	static struct incident many[MAX_ITEMS];
	struct incident in[] = { over(), slow() };
	struct message m = message(in, 2);
	json_t *v;

	m.n_changed = 1;
	v = webhook_json(&m);
	assert_string_equal(json_string_value(json_object_get(v, "status")),
			    "firing");
	assert_int_equal(json_array_size(json_object_get(v, "alerts")), 2);
	json_decref(v);
	m.n = 1;
	v = webhook_json(&m);
	assert_string_equal(json_string_value(json_object_get(v, "status")),
			    "resolved");
	json_decref(v);
	for (size_t i = 0; i < MAX_ITEMS; i++)
		many[i] = slow();
	m = message(many, MAX_ITEMS);
	m.n_changed = 1;
	v = webhook_json(&m);
	assert_int_equal(json_array_size(json_object_get(v, "alerts")),
			 WEBHOOK_MAX_ALERTS);
	assert_int_equal(
		json_integer_value(json_object_get(v, "truncatedAlerts")),
		MAX_ITEMS - WEBHOOK_MAX_ALERTS);
	json_decref(v);
}

/* ---- mail ----------------------------------------------------------------------- */

static char to1[] = "ann@example.com", to2[] = "bob@example.com";
static char *const to[] = { to1, to2, NULL };
static const struct mail_route route = { "dslat@example.com", to };

static char *
mail_of(const struct message *m)
{
	struct buf b;

	buf_init(&b, (size_t)16 << 20);
	mail_render(m, &route, &b);
	return buf_take(&b);
}

static void
test_mail(void **state unused)
{
	struct incident in = slow();
	struct message m;
	char *mail;

	in.ack_by = s_by;
	in.ack_note = s_note;
	m = message(&in, 1);
	mail = mail_of(&m);
	assert_string_equal(
		mail,
		"From: dslat <dslat@example.com>\r\n"
		"To: <ann@example.com>,\r\n <bob@example.com>\r\n"
		"Subject: [dslat] CRITICAL: lab/nfs01 write 83 ms on esx3 "
		"(>= 75)\r\n"
		"Date: Mon, 30 Nov 2026 03:13:00 +0000\r\n"
		"Message-ID: <dslat.ops.1796008380000000.12@example.com>\r\n"
		"References: <dslat.ops.incident-12@example.com>\r\n"
		"Auto-Submitted: auto-generated\r\n"
		"MIME-Version: 1.0\r\n"
		"Content-Type: text/plain; charset=utf-8\r\n"
		"Content-Transfer-Encoding: quoted-printable\r\n"
		"\r\n"
		"lab/nfs01 write 83 ms on esx3 (>=3D 75)\r\n"
		"\r\n"
		"Where to look: only esx3: its path\r\n"
		"\r\n"
		"  state       critical\r\n"
		"  since       03:00:00 UTC (13 min)\r\n"
		"  worst       write 83 ms on esx3 at 03:02:20 UTC, 1240 I/Os "
		"in 20 s\r\n"
		"  limits      warning from 50 ms, critical from 75 ms, over "
		"below 40 ms\r\n"
		"  datastore   nfs01\r\n"
		"  target      lab\r\n"
		"  datacenter  DC1\r\n"
		"  cluster     C 1\r\n"
		"  protocol    nfs3\r\n"
		"  backing     10.0.0.1:/vol/nfs01\r\n"
		"  hosts          83 ms  esx3\r\n"
		"               61.5 ms  esx4\r\n"
		"  taken by    ann\r\n"
		"  note        I look\r\n"
		"  page        http://dslat:9969/?incident=3D12\r\n"
		"  incident    12\r\n");
	free(mail);
}

/* Names that end a header, a line or the mail itself. */
static void
test_mail_injection(void **state unused)
{
	char evil[] = "x\r\nBcc: all@example.com\r\n\r\n.\r\nQUIT";
	char dot[] = ".";
	struct incident in = slow();
	struct message m;
	char *mail, *body;

	in.summary = in.datastore = in.where = in.worst_host = evil;
	in.backing = dot;
	in.hosts = NULL;
	in.n_hosts = in.n_listed = 0;
	m = message(&in, 1);
	mail = mail_of(&m);
	assert_null(strstr(mail, "\nBcc"));
	assert_null(strstr(mail, "\nQUIT"));
	assert_null(strstr(mail, "\n."));
	body = strstr(mail, "\r\n\r\n");
	for (const char *s = mail; *s != '\0'; s++)
		if (*s == '\r' || *s == '\n')
			assert_true(s[*s == '\r' ? 1 : -1] ==
				    (*s == '\r' ? '\n' : '\r'));
	assert_non_null(body);
	free(mail);
}

/* Lines of headers and body have at most 76 characters, and are ASCII. */
static void
test_mail_utf8(void **state unused)
{
	/* "Zürich 存储 " and more, far too long for one line */
	static char name[] =
		"Z\xc3\xbcrich \xe5\xad\x98\xe5\x82\xa8 \xf0\x9f\x92\xbe "
		"=?UTF-8?Q?a?= _underscore_ and so on, with a lot of words "
		"that go on and on \xc3\xa4\xc3\xb6\xc3\xbc until the end of "
		"the line is far behind and \xff broken";
	struct incident in = slow();
	struct message m;
	char *mail;
	size_t width = 0;

	in.summary = name;
	m = message(&in, 1);
	mail = mail_of(&m);
	assert_non_null(
		strstr(mail,
		       "Subject: [dslat]\r\n =?UTF-8?Q?CRITICAL=3A=20Z=C3=BC"
		       "rich=20=E5=AD=98=E5=82=A8"));
	assert_non_null(strstr(mail, "=EF=BF=BD"));
	for (const char *s = mail; *s != '\0'; s++) {
		assert_true((unsigned char)*s <= '~');
		width = *s == '\n' ? 0 : width + 1;
		assert_true(width <= 78); /* CR and all */
	}
	free(mail);
}

static void
test_mail_digest(void **state unused)
{
	static struct incident in[520];
	struct message m;
	char *mail;

	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		in[i] = i < 515 ? slow() : over();
	m = message(in, ARRAY_SIZE(in));
	mail = mail_of(&m);
	assert_non_null(strstr(mail,
			       "Subject: [dslat] 520 incidents: 515 "
			       "critical, 5 over\r\n"));
	assert_non_null(strstr(mail,
			       "\r\n  critical  lab/nfs01 write 83 ms on "
			       "esx3 (>=3D 75)\r\n"));
	assert_non_null(strstr(mail, "\r\n  and 20 more\r\n"));
	assert_non_null(strstr(mail, "\r\n----\r\n"));
	assert_null(strstr(mail, "References:"));
	free(mail);
	m = message(&in[515], 2);
	m.n_changed = 1;
	mail = mail_of(&m);
	assert_non_null(strstr(mail,
			       "Subject: [dslat] OVER: lab/nfs01 write "
			       "83 ms on esx3 (>= 75); over after 12 "
			       "min\r\n"));
	assert_non_null(strstr(mail, "  until       03:12:00 UTC\r\n"));
	assert_non_null(strstr(mail, "Still going on, told before: 1."));
	free(mail);
}

/* ---- syslog --------------------------------------------------------------------- */

static char *
syslog_of(const struct message *m, size_t max_bytes)
{
	struct buf b;

	buf_init(&b, 16384);
	syslog_render(m,
		      &(struct syslog_origin){
			      .hostname = "mon 1\x07",
			      .pid = 42,
			      .facility_code = 3,
			      .max_bytes = max_bytes,
		      },
		      &b);
	return buf_take(&b);
}

static void
test_syslog(void **state unused)
{
	struct incident in[] = { slow(), over() };
	struct message m = message(in, 1);
	struct buf framed, plain;
	char *s = syslog_of(&m, 8192);

	/* daemon.crit: 3 * 8 + 2 */
	assert_string_equal(
		s,
		"<26>1 2026-11-30T03:13:00Z mon1 dslatd 42 incident "
		"[dslat@32473 status=\"firing\" severity=\"critical\" "
		"incident=\"12\" kind=\"slow\" target=\"lab\" "
		"datastore=\"nfs01\" op=\"write\" worst_ms=\"83\" "
		"worst_host=\"esx3\" started=\"2026-11-30T03:00:00Z\"] "
		"CRITICAL: lab/nfs01 write 83 ms on esx3 (>= 75); only "
		"esx3: its path");
	buf_init(&plain, 8192);
	buf_init(&framed, 8192);
	buf_adds(&plain, s);
	syslog_frame(&plain, &framed);
	assert_int_equal(strtoul(buf_str(&framed), NULL, 10), strlen(s));
	assert_string_equal(strchr(buf_str(&framed), ' ') + 1, s);
	buf_fini(&plain);
	buf_fini(&framed);
	free(s);

	m = message(in, 2);
	s = syslog_of(&m, 8192);
	assert_non_null(strstr(s,
			       "severity=\"critical\" count=\"2\"] 2 "
			       "incidents: 1 critical, 1 over; lab/nfs01 "
			       "write"));
	free(s);
	m = message(&in[1], 1);
	s = syslog_of(&m, 8192);
	assert_int_equal(strncmp(s, "<29>1 ", 6), 0); /* notice */
	assert_non_null(strstr(s, "status=\"resolved\" severity=\"warning\""));
	assert_non_null(strstr(s, "ended=\"2026-11-30T03:12:00Z\"] OVER: "));
	free(s);
}

static void
test_syslog_escapes(void **state unused)
{
	char name[] = "a\"b]c\\d\n<0>1 - - - - - - e\xc3\xbc";
	struct incident in = slow();
	struct message m = message(&in, 1);
	char *s;

	in.datastore = in.summary = name;
	in.where = NULL;
	s = syslog_of(&m, 8192);
	assert_non_null(strstr(s,
			       "datastore=\"a\\\"b\\]c\\\\d <0>1 - - - - - "
			       "- e\xc3\xbc\" op"));
	assert_non_null(strstr(s,
			       "] \xef\xbb\xbf"
			       "CRITICAL: a\"b]c\\d <0>1"));
	assert_null(strchr(s, '\n'));
	assert_string_equal(s + strlen(s) - 3, "e\xc3\xbc");
	/* a limit never cuts a character in two */
	for (size_t max = strlen(s) - 3; max < strlen(s); max++) {
		char *cut = syslog_of(&m, max);

		assert_true(strlen(cut) <= max);
		assert_int_not_equal((unsigned char)cut[strlen(cut) - 1], 0xc3);
		free(cut);
	}
	free(s);
}

/* ---- exec ----------------------------------------------------------------------- */

static void
test_exec(void **state unused)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "{status}", "firing" },
		{ "{count}", "1" },
		{ "{summary}", "lab/nfs01 write 83 ms on esx3 (>= 75)" },
		{ "{severity}", "critical" },
		{ "{kind}", "slow" },
		{ "{target}", "lab" },
		{ "{datastore}", "nfs01" },
		{ "{host}", "esx3" },
		{ "{op}", "write" },
		{ "{worst_ms}", "83" },
		{ "{started}", "2026-11-30T03:00:00Z" },
		{ "{ended}", "" },
		{ "{where}", "only esx3: its path" },
		{ "{url}", "http://dslat:9969/?incident=12" },
		{ "a{op}b{op}{op}c", "awritebwritewritec" },
		{ "", "" },
		{ "{", "{" },
		{ "{op", "{op" },
		{ "{opx}", "{opx}" },
		{ "{{op}}", "{write}" },
	};
	struct incident in = slow();
	struct message m = message(&in, 1);
	char *got;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		got = exec_argument(&m, rows[i].text);
		assert_string_equal(got, rows[i].expected);
		free(got);
	}
	/* the words that the configuration takes, and no others */
	assert_int_equal(n_notify_words, 14);
	for (size_t i = 0; i < n_notify_words; i++) {
		char *word = xasprintf("{%s}", notify_words[i]);

		got = exec_argument(&m, word);
		assert_string_not_equal(got, word);
		free(got);
		free(word);
	}
}

static void
test_durations(void **state unused)
{
	static const struct {
		int64_t s;
		const char *expected;
	} rows[] = {
		{ 0, "0 s" },          { 119, "119 s" },
		{ 120, "2 min" },      { 7199, "119 min" },
		{ 7200, "2 h 0 min" }, { 172799, "47 h 59 min" },
		{ 172800, "2 days" },
	};
	static const struct {
		int64_t us;
		const char *expected;
	} ms[] = {
		{ 0, "0 ms" },        { 400, "0.4 ms" },
		{ 1500, "1.5 ms" },   { 49999, "50 ms" },
		{ 61500, "61.5 ms" }, { 83000, "83 ms" },
		{ 100499, "100 ms" }, { 7000000, "7000 ms" },
	};
	struct incident in = over();
	struct message m = message(&in, 1);
	char *got;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		in.ended.us = in.started.us + rows[i].s * S;
		got = message_lasted(&m, &in);
		assert_string_equal(got, rows[i].expected);
		free(got);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ms); i++) {
		got = message_ms(ms[i].us);
		assert_string_equal(got, ms[i].expected);
		free(got);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alertmanager),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_webhook),
		cmocka_unit_test(test_webhook_group),
		cmocka_unit_test(test_mail),
		cmocka_unit_test(test_mail_injection),
		cmocka_unit_test(test_mail_utf8),
		cmocka_unit_test(test_mail_digest),
		cmocka_unit_test(test_syslog),
		cmocka_unit_test(test_syslog_escapes),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
