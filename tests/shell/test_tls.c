/* OpenSSL's headers first: they use the word "unused". */
#include "certs.h"
#include "server.h"

#include "dslat/fetch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../daemon/shell/tls_pin.h"
#include "../unit/unit.h"
#include "outcome.h"

static struct cert ca, other_ca;
static char ca_path[64];
static struct loop *loop;

static bool
serve(struct conn *c, const char *head unused, const char *body unused,
      size_t n unused, void *arg unused)
{
	return conn_answer(c, "200 OK", "text/plain", "secret");
}

static int
group_setup(void **state unused)
{
	struct err e;

	ca = cert_make_ca("dslat test CA");
	other_ca = cert_make_ca("another CA");
	snprintf(ca_path, sizeof(ca_path), "/tmp/dslat-test-ca-%d.pem",
		 (int)getpid());
	cert_write_pem(&ca, ca_path);
	loop = loop_new(&e);
	assert_non_null(loop);
	return 0;
}

static int
group_teardown(void **state unused)
{
	loop_free(&loop);
	unlink(ca_path);
	cert_fini(&ca);
	cert_fini(&other_ca);
	return 0;
}

/* A server that shows a certificate. */
struct host {
	struct cert cert;
	SSL_CTX *ctx;
	struct server *s;
	char fingerprint[65], url[64];
};

static void
host_start(struct host *h, struct cert c, int max_version)
{
	struct server_options so = { .family = AF_INET, .fn = serve };

	h->cert = c;
	h->ctx = so.ssl_ctx = cert_ssl_ctx(&c, max_version);
	h->s = server_start(&so);
	cert_fingerprint(&c, h->fingerprint);
	snprintf(h->url, sizeof(h->url), "https://127.0.0.1:%d",
		 server_port(h->s));
}

static void
host_stop(struct host *h)
{
	server_stop(&h->s);
	SSL_CTX_free(h->ctx);
	cert_fini(&h->cert);
}

static const struct fetch_request get = {
	.method = "GET",
	.path = "/",
	.timeout_us = 5 * US_PER_S,
	.max_bytes = 1000,
};

static struct err
ask(struct fetch_peer *p)
{
	struct outcome o;
	struct fetch *x;

	outcome_init(&o);
	x = fetch_start(p, &get, &outcome_ops, &o);
	assert_non_null(x);
	assert_true(turns_until(loop, &o.dones, 1));
	if (o.r.err.code == ERR_NONE)
		assert_string_equal(buf_str(&o.body), "secret");
	outcome_fini(&o);
	if (o.r.err.code != ERR_NONE)
		print_message("%s\n", o.r.err.text);
	return o.r.err;
}

static struct err
ask_once(const char *url, const struct fetch_tls *tls)
{
	struct err e;
	struct fetch_peer *p = fetch_peer_new(loop, url, tls, &e);

	assert_non_null(p);
	e = ask(p);
	fetch_peer_free(&p);
	return e;
}

static void
assert_has(const struct err *e, const char *text)
{
	if (strstr(e->text, text) == NULL)
		fail_msg("no \"%s\" in \"%s\"", text, e->text);
}

/* The line to add to the configuration, complete. */
static void
assert_cure(const struct err *e, const struct host *h)
{
	char line[128];

	snprintf(line, sizeof(line), "tls: { fingerprint_sha256: \"%s\" }",
		 h->fingerprint);
	assert_has(e, line);
}

static void
test_self_signed(void **state unused)
{
	/* not for this address, and expired: a fingerprint decides alone */
	struct host h;
	char odd[100] = "", wrong[65];
	struct fetch_tls tls = { NULL, NULL, false };
	struct err e;

	host_start(&h, cert_make(NULL, "esx1", "DNS:esx1.example", -30, -3), 0);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "it is self-signed");
	assert_has(&e, h.url + 8);
	assert_cure(&e, &h);

	/* one digit is wrong */
	memcpy(wrong, h.fingerprint, sizeof(wrong));
	wrong[63] = wrong[63] == '0' ? '1' : '0';
	tls.fingerprint_sha256 = wrong;
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "not the one with the configured fingerprint");
	assert_has(&e, wrong);
	assert_cure(&e, &h);
	assert_int_equal(server_requests(h.s), 0); /* nothing was sent */

	tls.fingerprint_sha256 = h.fingerprint;
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_NONE);
	/* as browsers and openssl print it: "AB:CD:..." */
	for (size_t i = 0; i < 32; i++)
		snprintf(odd + 3 * i, 4, "%c%c%s",
			 toupper(h.fingerprint[2 * i]),
			 toupper(h.fingerprint[2 * i + 1]), i < 31 ? ":" : "");
	tls.fingerprint_sha256 = odd;
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_NONE);
	assert_int_equal(server_requests(h.s), 2);

	tls = (struct fetch_tls){ .insecure = true };
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_NONE);
	host_stop(&h);
}

static void
test_ca(void **state unused)
{
	struct fetch_tls tls = { .ca_file = ca_path };
	struct host good, bad;
	struct err e;

	host_start(&good,
		   cert_make(&ca, "vc", "DNS:vc.example,IP:127.0.0.1", -1, 5),
		   0);
	e = ask_once(good.url, &tls);
	assert_int_equal(e.code, ERR_NONE);
	/* the system's CAs do not know it */
	e = ask_once(good.url, NULL);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "its issuer is no CA known here");
	assert_cure(&e, &good);
	assert_int_equal(server_requests(good.s), 1);
	host_stop(&good);

	host_start(&bad, cert_make(&other_ca, "vc", "IP:127.0.0.1", -1, 5), 0);
	e = ask_once(bad.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "its issuer is no CA known here");
	assert_int_equal(server_requests(bad.s), 0);
	host_stop(&bad);
}

/* A self-signed certificate may itself be the CA file. */
static void
test_self_signed_as_ca(void **state unused)
{
	struct host h;
	char path[64];
	struct fetch_tls tls = { .ca_file = path };
	struct err e;

	host_start(&h, cert_make(NULL, "esx1", "IP:127.0.0.1", -1, 5), 0);
	snprintf(path, sizeof(path), "/tmp/dslat-test-self-%d.pem",
		 (int)getpid());
	cert_write_pem(&h.cert, path);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_NONE);
	unlink(path);
	host_stop(&h);
}

static void
test_wrong_name(void **state unused)
{
	struct fetch_tls tls = { .ca_file = ca_path };
	struct host h;
	struct err e;

	host_start(&h,
		   cert_make(&ca, "vc", "DNS:vc.example,IP:10.0.0.5", -1, 5),
		   0);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "it is for vc.example, 10.0.0.5;");
	assert_cure(&e, &h);
	assert_int_equal(server_requests(h.s), 0);
	host_stop(&h);
}

static void
test_dates(void **state unused)
{
	struct fetch_tls tls = { .ca_file = ca_path };
	struct host h;
	struct err e;
	char want[64];
	time_t t = time(NULL) - INT64_C(3) * 86400;
	struct tm tm;

	host_start(&h, cert_make(&ca, "vc", "IP:127.0.0.1", -30, -3), 0);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	strftime(want, sizeof(want), "it has expired (%Y-%m-%d); renew it",
		 gmtime_r(&t, &tm));
	assert_has(&e, want);
	assert_cure(&e, &h);
	host_stop(&h);

	host_start(&h, cert_make(&ca, "vc", "IP:127.0.0.1", 2, 30), 0);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "it is not valid yet (");
	host_stop(&h);
}

/* A connection that one peer made without looking is not used by another of
 * the same server that looks, nor after a pinned one its cookies. */
static void
test_no_shared_connection(void **state unused)
{
	struct fetch_tls blind = { .insecure = true }, pinned = { 0 };
	struct host h;
	struct fetch_peer *a, *b;
	char wrong[65];
	struct err e;

	memset(wrong, 'a', 64);
	wrong[64] = '\0';
	pinned.fingerprint_sha256 = wrong;
	host_start(&h, cert_make(NULL, "esx1", NULL, -1, 5), 0);
	a = fetch_peer_new(loop, h.url, &blind, &e);
	b = fetch_peer_new(loop, h.url, &pinned, &e);
	assert_int_equal(ask(a).code, ERR_NONE);
	assert_int_equal(ask(b).code, ERR_TLS);
	assert_int_equal(ask(a).code, ERR_NONE);
	assert_int_equal(ask(b).code, ERR_TLS);
	assert_int_equal(server_requests(h.s), 2);
	assert_int_equal(server_connections(h.s), 3); /* a kept its own */
	fetch_peer_free(&a);
	fetch_peer_free(&b);
	host_stop(&h);
}

/* TLS 1.2 shows its certificate at another place of the handshake. */
static void
test_tls12(void **state unused)
{
	struct fetch_tls tls = { NULL, NULL, false };
	struct host h;
	struct err e;

	host_start(&h, cert_make(NULL, "esx1", NULL, -1, 5), TLS1_2_VERSION);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_cure(&e, &h);
	assert_int_equal(server_requests(h.s), 0);
	tls.fingerprint_sha256 = h.fingerprint;
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_NONE);
	host_stop(&h);
}

/* Names in a certificate are the other side's text. */
static void
test_hostile_names(void **state unused)
{
	struct fetch_tls tls = { .ca_file = ca_path };
	struct host h;
	struct err e;

	host_start(&h, cert_make(&ca, "evil\x1b[2Jname", NULL, -1, 5), 0);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "it is for evil?[2Jname;");
	assert_null(strchr(e.text, 0x1b));
	host_stop(&h);
}

/* The error is complete even for the longest names. */
static void
test_long_names(void **state unused)
{
	char names[1200] = "";
	struct fetch_tls tls = { .ca_file = ca_path };
	struct host h;
	struct err e;

	for (int i = 0; i < 40; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%sDNS:host%02d.very.long.domain", i > 0 ? "," : "",
			 i);
	host_start(&h, cert_make(&ca, "vc", names, -1, 5), 0);
	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "it is for host00.very.long.domain, host01");
	assert_cure(&e, &h);
	host_stop(&h);
}

static void
test_not_tls(void **state unused)
{
	struct server_options so = { .family = AF_INET, .fn = serve };
	struct fetch_tls tls = { .ca_file = "/nonexistent/ca.pem" };
	struct server *s = server_start(&so);
	struct host h;
	char url[64];
	struct err e;

	/* https to a plain port; plain http to a TLS port */
	snprintf(url, sizeof(url), "https://127.0.0.1:%d", server_port(s));
	e = ask_once(url, NULL);
	assert_int_equal(e.code, ERR_NET);
	assert_has(&e, "127.0.0.1:");
	assert_has(&e,
		   " answers, but not with TLS: does this port speak"
		   " https?");
	server_stop(&s);
	host_start(&h, cert_make(&ca, "vc", "IP:127.0.0.1", -1, 5), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", server_port(h.s));
	e = ask_once(url, NULL);
	assert_int_equal(e.code, ERR_NET);

	e = ask_once(h.url, &tls);
	assert_int_equal(e.code, ERR_TLS);
	assert_has(&e, "/nonexistent/ca.pem cannot be read");
	host_stop(&h);
}

static void
test_parse(void **state unused)
{
	static const struct {
		int zeros;        /* that many '0' ... */
		const char *tail; /* ... and this */
		bool good;
	} rows[] = {
		{ 64, "", true },      { 62, "7f", true },
		{ 60, "fF:7f", true }, { 63, "", false },
		{ 65, "", false },     { 66, "", false },
		{ 63, "g", false },    { 62, "g0", false },
		{ 64, ":", false },    { 62, "::00", false },
		{ 61, ":000", false }, { 0, "", false },
		{ 0, ":", false },     { 62, " 00", false },
	};
	unsigned char out[TLS_SHA256_SIZE];
	struct fetch_tls tls = { NULL, NULL, false };
	struct fetch_peer *p;
	char hex[80];
	struct err e;

	tls.fingerprint_sha256 = hex;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(hex, '0', sizeof(hex));
		snprintf(hex + rows[i].zeros, 8, "%s", rows[i].tail);
		assert_int_equal(tls_pin_parse(hex, out),
				 rows[i].good ? 0 : -1);
		p = fetch_peer_new(loop, "https://vc", &tls, &e);
		assert_int_equal(p != NULL, rows[i].good);
		if (p == NULL) {
			assert_int_equal(e.code, ERR_CONF);
			assert_has(&e, "is not a SHA-256 fingerprint");
		}
		fetch_peer_free(&p);
	}
	memset(hex, '0', sizeof(hex));
	snprintf(hex + 60, 8, "fF:7f");
	assert_int_equal(tls_pin_parse(hex, out), 0);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[30], 0xff);
	assert_int_equal(out[31], 0x7f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_self_signed),
		cmocka_unit_test(test_ca),
		cmocka_unit_test(test_self_signed_as_ca),
		cmocka_unit_test(test_wrong_name),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_no_shared_connection),
		cmocka_unit_test(test_tls12),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_not_tls),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
