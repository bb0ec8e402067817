/* OpenSSL's headers first: they use the word "unused", a macro of base.h. */
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "tls_pin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int
tls_pin_parse(const char *hex, unsigned char out[TLS_SHA256_SIZE])
{
	for (size_t i = 0; i < TLS_SHA256_SIZE; i++) {
		int high, low;

		if (i > 0 && *hex == ':')
			hex++;
		high = hex_digit(hex[0]);
		low = high >= 0 ? hex_digit(hex[1]) : -1;
		if (low < 0)
			return -1;
		out[i] = (unsigned char)(high << 4 | low);
		hex += 2;
	}
	return *hex == '\0' ? 0 : -1;
}

static const char *
to_hex(const unsigned char sha256[TLS_SHA256_SIZE], char out[TLS_HEX_SIZE])
{
	for (size_t i = 0; i < TLS_SHA256_SIZE; i++)
		snprintf(out + 2 * i, 3, "%02x", sha256[i]);
	return out;
}

/* " (2026-11-30)" */
static void
add_date(char *out, size_t size, const ASN1_TIME *t)
{
	size_t n = strlen(out);
	struct tm tm;

	if (ASN1_TIME_to_tm(t, &tm) == 1)
		snprintf(out + n, size - n, " (%04d-%02d-%02d)",
			 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

static void
note_reason(struct tls_check *c, const X509_STORE_CTX *ctx)
{
	int error = X509_STORE_CTX_get_error(ctx);
	const X509 *cert = X509_STORE_CTX_get_current_cert(ctx);
	const char *it = X509_STORE_CTX_get_error_depth(ctx) == 0
		? "it"
		: "a certificate of its chain";
	size_t size = sizeof(c->reason);

	c->cure = "give its CA as ca_file";
	switch (error) {
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
		snprintf(c->reason, size, "it is self-signed");
		break;
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
		snprintf(c->reason, size, "its issuer is no CA known here");
		break;
	case X509_V_ERR_CERT_HAS_EXPIRED:
		snprintf(c->reason, size, "%s has expired", it);
		add_date(c->reason, size, X509_get0_notAfter(cert));
		c->cure = "renew it";
		break;
	case X509_V_ERR_CERT_NOT_YET_VALID:
		snprintf(c->reason, size, "%s is not valid yet", it);
		add_date(c->reason, size, X509_get0_notBefore(cert));
		c->cure = "set this machine's clock";
		break;
	default:
		snprintf(c->reason, size, "%s: %s", it,
			 X509_verify_cert_error_string(error));
	}
}

/* Names come from the other side: only what names are made of is kept. */
static void
add_name(struct tls_check *c, const char *name, size_t len)
{
	size_t n = strlen(c->names);

	if (n + len + 3 > sizeof(c->names))
		return;
	if (n != 0)
		n += (size_t)snprintf(c->names + n, sizeof(c->names) - n, ", ");
	for (size_t i = 0; i < len; i++) {
		if (name[i] > ' ' && name[i] < 0x7f)
			c->names[n++] = name[i];
		else
			c->names[n++] = '?';
	}
	c->names[n] = '\0';
}

static void
add_address(struct tls_check *c, const ASN1_OCTET_STRING *a)
{
	int len = ASN1_STRING_length(a);
	char text[INET6_ADDRSTRLEN];

	if ((len == 4 || len == 16) &&
	    inet_ntop(len == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(a),
		      text, sizeof(text)) != NULL)
		add_name(c, text, strlen(text));
}

static void
note_names(struct tls_check *c, const X509 *cert)
{
	GENERAL_NAMES *all =
		X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	char cn[64];
	int n;

	c->names[0] = '\0';
	for (int i = 0; i < sk_GENERAL_NAME_num(all); i++) {
		const GENERAL_NAME *g = sk_GENERAL_NAME_value(all, i);

		if (g->type == GEN_DNS)
			add_name(c,
				 (const char *)ASN1_STRING_get0_data(
					 g->d.dNSName),
				 (size_t)ASN1_STRING_length(g->d.dNSName));
		else if (g->type == GEN_IPADD)
			add_address(c, g->d.iPAddress);
	}
	GENERAL_NAMES_free(all);
	if (c->names[0] != '\0')
		return;
	n = X509_NAME_get_text_by_NID(X509_get_subject_name(cert),
				      NID_commonName, cn, sizeof(cn));
	if (n > 0)
		add_name(c, cn, (size_t)n);
}

/* In place of OpenSSL's own verification; 0 ends the handshake. */
static int
verify(X509_STORE_CTX *ctx, void *arg)
{
	struct tls_check *c = arg;
	const X509 *cert = X509_STORE_CTX_get0_cert(ctx);

	c->seen = c->accepted = false;
	if (cert == NULL ||
	    X509_digest(cert, EVP_sha256(), c->sha256, NULL) != 1)
		return 0;
	c->seen = true;
	note_names(c, cert);
	if (c->has_pin) {
		c->accepted = memcmp(c->sha256, c->pin, sizeof(c->pin)) == 0;
		X509_STORE_CTX_set_error(
			ctx,
			c->accepted ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
		return c->accepted;
	}
	c->accepted = X509_verify_cert(ctx) == 1;
	if (!c->accepted)
		note_reason(c, ctx);
	return c->accepted;
}

void
tls_check_install(struct tls_check *c, void *ssl_ctx)
{
	SSL_CTX_set_cert_verify_callback(ssl_ctx, verify, c);
	/* One handshake per connection: none later, when c may be gone, and
	 * none that shows another certificate. */
	SSL_CTX_set_options(ssl_ctx, SSL_OP_NO_RENEGOTIATION);
}

int
tls_check_explain(const struct tls_check *c, const char *peer, struct err *e)
{
	char is[TLS_HEX_SIZE], wanted[TLS_HEX_SIZE];

	to_hex(c->sha256, is);
	if (c->has_pin)
		return err_set(e, ERR_TLS,
			       "certificate of %s refused: it is not"
			       " the one with the configured fingerprint %s; if"
			       " it was replaced on purpose, configure"
			       " tls: { fingerprint_sha256: \"%s\" }",
			       peer, to_hex(c->pin, wanted), is);
	if (c->accepted)
		return err_set(e, ERR_TLS,
			       "certificate of %s refused: it is for"
			       " %s; use that name, or trust this certificate"
			       " by its fingerprint:"
			       " tls: { fingerprint_sha256: \"%s\" }",
			       peer, c->names[0] != '\0' ? c->names : "no name",
			       is);
	return err_set(e, ERR_TLS,
		       "certificate of %s refused: %s; %s, or trust"
		       " this certificate by its fingerprint:"
		       " tls: { fingerprint_sha256: \"%s\" }",
		       peer, c->reason, c->cure, is);
}
