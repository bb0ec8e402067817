#include "certs.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

static void
need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "certs: %s failed\n", what);
	abort();
}

static void
add_extension(X509 *x, int nid, const char *value)
{
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	need(e != NULL, value);
	need(X509_add_ext(x, e, -1), "X509_add_ext");
	X509_EXTENSION_free(e);
}

static struct cert
make(const struct cert *ca, const char *cn, const char *alt_names, int is_ca,
     const int days[2])
{
	static long serial = 1;
	struct cert c = { X509_new(), EVP_EC_gen("P-256") };
	X509_NAME *name = X509_get_subject_name(c.x509);

	need(c.key != NULL, "EVP_EC_gen");
	X509_set_version(c.x509, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(c.x509), serial++);
	X509_gmtime_adj(X509_getm_notBefore(c.x509), days[0] * 86400L);
	X509_gmtime_adj(X509_getm_notAfter(c.x509), days[1] * 86400L);
	X509_set_pubkey(c.x509, c.key);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
				   (const unsigned char *)cn, -1, -1, 0);
	X509_set_issuer_name(
		c.x509, ca != NULL ? X509_get_subject_name(ca->x509) : name);
	add_extension(c.x509, NID_basic_constraints,
		      is_ca ? "critical,CA:TRUE" : "CA:FALSE");
	if (alt_names != NULL)
		add_extension(c.x509, NID_subject_alt_name, alt_names);
	need(X509_sign(c.x509, ca != NULL ? ca->key : c.key, EVP_sha256()) > 0,
	     "X509_sign");
	return c;
}

struct cert
cert_make(const struct cert *ca, const char *cn, const char *alt_names,
	  int from_days, int to_days)
{
	int days[2] = { from_days, to_days };

	return make(ca, cn, alt_names, 0, days);
}

struct cert
cert_make_ca(const char *cn)
{
	static const int days[2] = { -1, 10 };

	return make(NULL, cn, NULL, 1, days);
}

void
cert_fini(struct cert *c)
{
	X509_free(c->x509);
	EVP_PKEY_free(c->key);
	*c = (struct cert){ NULL, NULL };
}

void
cert_write_pem(const struct cert *c, const char *path)
{
	FILE *f = fopen(path, "w");

	need(f != NULL && PEM_write_X509(f, c->x509) == 1 && fclose(f) == 0,
	     path);
}

void
cert_fingerprint(const struct cert *c, char out[65])
{
	unsigned char *der = NULL, hash[32];
	int len = i2d_X509(c->x509, &der);

	need(len > 0 &&
		     EVP_Digest(der, (size_t)len, hash, NULL, EVP_sha256(),
				NULL) == 1,
	     "EVP_Digest");
	OPENSSL_free(der);
	for (size_t i = 0; i < 32; i++)
		snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

SSL_CTX *
cert_ssl_ctx(const struct cert *c, int max_version)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	need(ctx != NULL && SSL_CTX_use_certificate(ctx, c->x509) == 1 &&
		     SSL_CTX_use_PrivateKey(ctx, c->key) == 1 &&
		     SSL_CTX_set_max_proto_version(ctx, max_version) == 1,
	     "SSL_CTX");
	return ctx;
}
