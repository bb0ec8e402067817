#include "dslat/conf.h"

#include <string.h>

#include "unit.h"

static struct conf *
parse(const char *yaml, const char *problems)
{
	struct buf b;
	struct err e;
	struct conf *c;

	buf_init(&b, 65536);
	c = conf_parse(yaml, strlen(yaml), "/etc/dslat/f.yaml", &b, &e);
	assert_string_equal(buf_str(&b), problems);
	assert_non_null(c);
	buf_fini(&b);
	return c;
}

#define SMALLEST                                                               \
	"targets:\n"                                                           \
	"  - name: lab\n"                                                      \
	"    url: https://vc.example/sdk\n"                                    \
	"    username: monitor@vsphere.local\n"                                \
	"    password_file: /etc/dslat/lab.password\n"

static void
assert_texts(char *const *texts, const char *const *expected)
{
	size_t i;

	for (i = 0; expected[i] != NULL; i++) {
		assert_non_null(texts[i]);
		assert_string_equal(texts[i], expected[i]);
	}
	assert_null(texts[i]);
}

static void
test_defaults(void **state unused)
{
	static const char *const all[] = { "*", NULL };
	static const char *const listen[] = { CONF_DEFAULT_LISTEN, NULL };
	struct conf *c = parse(SMALLEST, "");
	const struct conf_target *t = &c->targets[0];
	struct threshold_rules builtin;

	assert_string_equal(c->path, "/etc/dslat/f.yaml");
	assert_texts(c->listen, listen);
	assert_int_equal(c->n_targets, 1);
	assert_string_equal(t->name, "lab");
	assert_string_equal(t->url, "https://vc.example/sdk");
	assert_string_equal(t->username, "monitor@vsphere.local");
	assert_string_equal(t->password_file, "/etc/dslat/lab.password");
	assert_null(t->password_env);
	assert_null(t->password_credential);
	assert_null(t->ca_file);
	assert_null(t->fingerprint_sha256);
	assert_false(t->insecure);
	assert_texts(t->include.hosts, all);
	assert_texts(t->include.datastores, all);
	assert_int_equal(t->poll_interval_s, 0);
	assert_string_equal(c->state_dir, "/var/lib/dslat");
	assert_int_equal(c->retention.raw_days, 7);
	assert_true(c->retention.max_bytes == INT64_C(21474836480));
	assert_int_equal(t->line, 2);

	/* The table's defaults are the ones built into threshold.c. */
	threshold_rules_init(&builtin);
	for (size_t i = 0; i < N_THRESHOLD_KEYS; i++) {
		assert_int_equal(c->thresholds.fallback.v[i],
				 builtin.fallback.v[i]);
		for (size_t p = 0; p < N_PROTOCOLS; p++)
			assert_int_equal(c->thresholds.protocols[p].v[i],
					 THRESHOLD_UNSET);
	}
	assert_int_equal(c->thresholds.n_datastores, 0);
	conf_free(&c);
	assert_null(c);
	conf_free(&c);
}

/* Every key, in every form it has. */
static const char everything[] =
	"listen: [\"[::1]:9969\", unix:/run/dslat/http.sock, "
	"localhost:0, \"*:80\", \"[fe80::1%eth0]:80\"]\n"
	"targets:\n"
	"  - name: Lab_1-a\n"
	"    url: HTTPS://[fd00::1]:8443/\n"
	"    username: 'DOM\\monitor'\n"
	"    password_env: DSLAT_PW_1\n"
	"    tls:\n"
	"      fingerprint_sha256: 0123456789ABCDEF0123456789abcdef:"
	"01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF\n"
	"    include: { hosts: \"esx*\", datastores: [nfs*, \"*b\"] }\n"
	"    exclude: { hosts: [esx9], datastores: [] }\n"
	"    poll_interval_s: 60\n"
	"  - name: esx\n"
	"    url: http://127.0.0.1:8989\n"
	"    username: root\n"
	"    password_credential: esx.pw\n"
	"    tls: ~\n"
	"    include:\n"
	"  - { name: x, url: https://h, username: u, "
	"password_file: /p, tls: { insecure: true } }\n"
	"  - { name: y, url: https://h:1/sdk/, username: u, "
	"password_file: /p, tls: { ca_file: /ca.pem } }\n"
	"thresholds:\n"
	"  default: { warning_ms: 30.5, for_samples: 4 }\n"
	"  protocols:\n"
	"    nfs3: { warning_ms: 20, min_ios: 0 }\n"
	"    iscsi: { clear_ms: .001 }\n"
	"  datastores:\n"
	"    - { match: \"lab/gold*\", critical_ms: 600000 }\n"
	"    - { match: \"*/scratch\", sparse_ms: 7.25 }\n"
	"state_dir: /srv/dslat\n"
	"retention: { raw_days: 1, five_minute_days: 2, hour_days: 3,\n"
	"  max_bytes: 64 MiB }\n"
	"web: { tls_cert: /c.pem, tls_key: /k.pem, tokens_file: /t,\n"
	"  allow_anonymous_read: false }\n";

static void
test_everything(void **state unused)
{
	static const char *const listen[] = {
		"[::1]:9969", "unix:/run/dslat/http.sock", "localhost:0",
		"*:80",       "[fe80::1%eth0]:80",         NULL
	};
	static const char *const hosts[] = { "esx*", NULL };
	static const char *const stores[] = { "nfs*", "*b", NULL };
	struct conf *c = parse(everything, "");
	const struct conf_target *t = c->targets;
	const struct threshold_rules *r = &c->thresholds;

	assert_texts(c->listen, listen);
	assert_int_equal(c->n_targets, 4);
	assert_string_equal(t[0].name, "Lab_1-a");
	assert_string_equal(t[0].url, "https://[fd00::1]:8443/sdk");
	assert_string_equal(t[0].username, "DOM\\monitor");
	assert_string_equal(t[0].password_env, "DSLAT_PW_1");
	assert_string_equal(t[0].fingerprint_sha256,
			    "0123456789abcdef0123456789abcdef"
			    "0123456789abcdef0123456789abcdef");
	assert_texts(t[0].include.hosts, hosts);
	assert_texts(t[0].include.datastores, stores);
	assert_string_equal(t[0].exclude.hosts[0], "esx9");
	assert_null(t[0].exclude.datastores[0]);
	assert_int_equal(t[0].poll_interval_s, 60);
	assert_string_equal(c->state_dir, "/srv/dslat");
	assert_int_equal(c->retention.raw_days, 1);
	assert_int_equal(c->retention.five_minute_days, 2);
	assert_int_equal(c->retention.hour_days, 3);
	assert_int_equal(c->retention.max_bytes, 67108864);
	assert_string_equal(t[1].url, "http://127.0.0.1:8989/sdk");
	assert_string_equal(t[1].password_credential, "esx.pw");
	assert_int_equal(t[1].line, 12);
	assert_string_equal(t[2].url, "https://h/sdk");
	assert_true(t[2].insecure);
	assert_string_equal(t[3].url, "https://h:1/sdk");
	assert_string_equal(t[3].ca_file, "/ca.pem");

	assert_int_equal(r->fallback.v[THRESHOLD_WARNING_US], 30500);
	assert_int_equal(r->fallback.v[THRESHOLD_CLEAR_US], 24400);
	assert_int_equal(r->fallback.v[THRESHOLD_CRITICAL_US], 45750);
	assert_int_equal(r->fallback.v[THRESHOLD_FOR_SAMPLES], 4);
	assert_int_equal(r->fallback.v[THRESHOLD_WINDOW_SAMPLES], 5);
	assert_int_equal(r->protocols[PROTO_NFS3].v[THRESHOLD_WARNING_US],
			 20000);
	assert_int_equal(r->protocols[PROTO_NFS3].v[THRESHOLD_MIN_IOS], 0);
	assert_int_equal(r->protocols[PROTO_ISCSI].v[THRESHOLD_CLEAR_US], 1);
	assert_int_equal(r->n_datastores, 2);
	assert_string_equal(r->datastores[0].match, "lab/gold*");
	assert_int_equal(r->datastores[0].v[THRESHOLD_CRITICAL_US], 600000000);
	assert_int_equal(r->datastores[1].v[THRESHOLD_SPARSE_US], 7250);
	assert_int_equal(r->datastores[1].v[THRESHOLD_WARNING_US],
			 THRESHOLD_UNSET);
	assert_string_equal(c->web.tls_cert, "/c.pem");
	assert_string_equal(c->web.tls_key, "/k.pem");
	assert_string_equal(c->web.tokens_file, "/t");
	assert_false(c->web.allow_anonymous_read);
	conf_free(&c);
}

static void
test_patterns(void **state unused)
{
	static const struct {
		const char *name;
		bool host, datastore;
	} rows[] = {
		{ "esx1.lab", true, false }, { "esx9.lab", false, false },
		{ "nfs01", false, true },    { "nfs-tmp", false, false },
		{ "san/1", false, true },    { "", false, false },
	};
	struct conf *c = parse(SMALLEST
			       "    include: { hosts: \"esx*\", "
			       "datastores: [\"nfs*\", \"san[/-]?\"] }\n"
			       "    exclude: { hosts: [\"esx9.*\"], "
			       "datastores: \"*-tmp\" }\n",
			       "");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].name);
		assert_int_equal(conf_wants_host(c->targets, rows[i].name),
				 rows[i].host);
		assert_int_equal(conf_wants_datastore(c->targets, rows[i].name),
				 rows[i].datastore);
	}
	conf_free(&c);
}

static void
test_target_same(void **state unused)
{
	static const struct {
		const char *extra;
		bool same;
	} rows[] = {
		{ "", true },
		{ "    poll_interval_s: auto\n", true },
		{ "    tls: { insecure: false }\n    include: { hosts: \"*\" }\n",
		  true },
		{ "thresholds: { default: { warning_ms: 10 } }\n", true },
		{ "    poll_interval_s: 20\n", false },
		{ "    tls: { insecure: true }\n", false },
		{ "    tls: { ca_file: /ca }\n", false },
		{ "    tls: { fingerprint_sha256: "
		  "0123456789abcdef0123456789abcdef"
		  "0123456789abcdef0123456789abcdef }\n",
		  false },
		{ "    include: { hosts: [\"*\", \"a\"] }\n", false },
		{ "    include: { datastores: [\"a\"] }\n", false },
		{ "    exclude: { hosts: [\"a\"] }\n", false },
		{ "    exclude: { datastores: [\"a\"] }\n", false },
	};
	static const char *const others[] = {
		"targets: [{ name: lax, url: https://vc.example, username: "
		"monitor@vsphere.local, password_file: "
		"/etc/dslat/lab.password }]",
		"targets: [{ name: lab, url: https://vd.example, username: "
		"monitor@vsphere.local, password_file: "
		"/etc/dslat/lab.password }]",
		"targets: [{ name: lab, url: https://vc.example, username: "
		"monitor, password_file: /etc/dslat/lab.password }]",
		"targets: [{ name: lab, url: https://vc.example, username: "
		"monitor@vsphere.local, password_file: /etc/dslat/b }]",
		"targets: [{ name: lab, url: https://vc.example, username: "
		"monitor@vsphere.local, password_env: A }]",
		"targets: [{ name: lab, url: https://vc.example, username: "
		"monitor@vsphere.local, password_credential: A }]",
	};
	struct conf *a = parse(SMALLEST, ""), *b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf yaml;

		print_message("%s\n", rows[i].extra);
		buf_init(&yaml, 1024);
		buf_addf(&yaml, "%s%s", SMALLEST, rows[i].extra);
		b = parse(buf_str(&yaml), "");
		buf_fini(&yaml);
		assert_int_equal(conf_target_same(a->targets, b->targets),
				 rows[i].same);
		assert_int_equal(conf_target_same(b->targets, a->targets),
				 rows[i].same);
		conf_free(&b);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		b = parse(others[i], "");
		assert_false(conf_target_same(a->targets, b->targets));
		conf_free(&b);
	}
	conf_free(&a);
}

static void
test_origins(void **state unused)
{
	struct conf *c = parse(SMALLEST "    tls: { ca_file: null }\n", "");
	struct mark at = { 0 };

	assert_true(conf_is_set(c, "targets[0].url", &at));
	assert_int_equal(at.line, 3);
	assert_int_equal(at.column, 10);
	assert_true(conf_is_set(c, "targets[0].url", NULL));
	assert_false(conf_is_set(c, "targets[0].tls.ca_file", &at));
	assert_false(conf_is_set(c, "listen", &at));
	assert_int_equal(at.line, 3);
	conf_free(&c);
}

/* Warnings are lines, but the configuration is good. */
static void
test_warnings(void **state unused)
{
	struct conf *c;

	c = parse(
		"targets: [{ name: a, url: http://10.0.0.1, username: u, "
		"password_env: P }]\n",
		"/etc/dslat/f.yaml:1:27: warning: \"url\" is http, so the "
		"password goes over the network in clear text; write "
		"https://\n");
	conf_free(&c);
	c = parse(
		"targets:\n"
		"  - { name: a, url: http://localhost, username: u, "
		"password_env: P,\n"
		"      tls: { insecure: true } }\n",
		"/etc/dslat/f.yaml:3:7: warning: \"tls\" does nothing while "
		"\"url\" is http; write https://\n");
	conf_free(&c);
	c = parse(SMALLEST
		  "thresholds: { protocols: { vsan: {} }, "
		  "datastores: [{ match: gold* }] }\n",
		  "/etc/dslat/f.yaml:6:28: warning: \"vsan\" datastores have "
		  "no latency counters; this has no effect\n"
		  "/etc/dslat/f.yaml:6:62: warning: \"match\" is \"gold*\", "
		  "which is compared with target/datastore; write \"*/gold*\" "
		  "for any target\n");
	conf_free(&c);
}

static const char dump_yaml[] =
	"targets:\n"
	"  - name: \"null\"\n"
	"    url: https://vc\n"
	"    username: 'DOM\\a \"b\"'\n"
	"    password_file: /p q\n"
	"    include: { hosts: [\"a, b\", x] }\n"
	"thresholds:\n"
	"  default: { critical_ms: 60 }\n"
	"  protocols: { nfs41: { warning_ms: 20, clear_ms: 19.5 } }\n"
	"  datastores: [ { match: \"*\", min_ios: 1 } ]\n";

static const char dump_text[] =
	"# dslatd 0.1.0, effective configuration of /etc/dslat/f.yaml\n"
	"listen: [127.0.0.1:9969]                # default\n"
	"state_dir: /var/lib/dslat               # default\n"
	"targets:\n"
	"  - name: \"null\"                        # f.yaml:2\n"
	"    url: https://vc/sdk                 # f.yaml:3\n"
	"    username: \"DOM\\\\a \\\"b\\\"\"            # f.yaml:4\n"
	"    password_file: \"/p q\"               # f.yaml:5\n"
	"    password_env: null                  # default\n"
	"    password_credential: null           # default\n"
	"    tls:\n"
	"      ca_file: null                     # default\n"
	"      fingerprint_sha256: null          # default\n"
	"      insecure: false                   # default\n"
	"    include:\n"
	"      hosts: [\"a, b\", x]                # f.yaml:6\n"
	"      datastores: [\"*\"]                 # default\n"
	"    exclude:\n"
	"      hosts: []                         # default\n"
	"      datastores: []                    # default\n"
	"    poll_interval_s: auto               # default\n"
	"thresholds:\n"
	"  default:\n"
	"    warning_ms: 50                      # default\n"
	"    critical_ms: 60                     # f.yaml:8\n"
	"    clear_ms: 40                        # default\n"
	"    min_ios: 20                         # default\n"
	"    sparse_ms: 1000                     # default\n"
	"    window_samples: 5                   # default\n"
	"    for_samples: 3                      # default\n"
	"    clear_samples: 15                   # default\n"
	"  protocols:\n"
	"    nfs41:\n"
	"      warning_ms: 20                    # f.yaml:9\n"
	"      critical_ms: 30                   # from warning_ms\n"
	"      clear_ms: 19.5                    # f.yaml:9\n"
	"  datastores:\n"
	"    - match: \"*\"                        # f.yaml:10\n"
	"      min_ios: 1                        # f.yaml:10\n"
	"notify: []                              # default\n"
	"maintenance: []                         # default\n"
	"retention:\n"
	"  raw_days: 7                           # default\n"
	"  five_minute_days: 90                  # default\n"
	"  hour_days: 730                        # default\n"
	"  max_bytes: 20GiB                      # default\n"
	"web:\n"
	"  tls_cert: null                        # default\n"
	"  tls_key: null                         # default\n"
	"  tokens_file: null                     # default\n"
	"  allow_anonymous_read: true            # default\n"
	"  public_url: null                      # default\n";

/* Up to the comments, which name other lines. */
static void
assert_same_values(const char *a, const char *b)
{
	for (; *a != '\0'; a++, b++) {
		if (*a == '#') {
			a = strchr(a, '\n');
			b = strchr(b, '\n');
		}
		assert_int_equal(*a, *b);
	}
}

/* What the dump says is read as the same configuration again. */
static void
test_dump(void **state unused)
{
	struct conf *c = parse(dump_yaml, ""), *again;
	struct buf out, second, small;

	buf_init(&out, 65536);
	buf_init(&second, 65536);
	assert_int_equal(conf_dump(c, &out), 0);
	assert_string_equal(buf_str(&out), dump_text);

	again = parse(buf_str(&out), "");
	assert_true(conf_target_same(c->targets, again->targets));
	assert_int_equal(conf_dump(again, &second), 0);
	assert_same_values(buf_str(&out), buf_str(&second));

	buf_init(&small, 100);
	assert_int_equal(conf_dump(c, &small), -1);
	buf_fini(&small);
	buf_fini(&out);
	buf_fini(&second);
	conf_free(&c);
	conf_free(&again);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_target_same),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
