/*
 * certs.h - certificates made when a test runs, so that none can expire in
 * the tree.
 */
#ifndef DSLAT_CERTS_H
#define DSLAT_CERTS_H

#include <openssl/ssl.h>

struct cert {
	X509 *x509;
	EVP_PKEY *key;
};

/* alt_names as in openssl.cnf: "DNS:vc.example,IP:127.0.0.1".  ca NULL makes
 * it self-signed.  Valid from now + from_days to now + to_days. */
struct cert cert_make(const struct cert *ca, const char *cn,
		      const char *alt_names, int from_days, int to_days);
struct cert cert_make_ca(const char *cn);
void cert_fini(struct cert *c);
void cert_write_pem(const struct cert *c, const char *path);
/* Lower-case hex of SHA-256 over the DER bytes. */
void cert_fingerprint(const struct cert *c, char out[65]);
/* For a server that shows c; max_version as TLS1_2_VERSION, 0 for any. */
SSL_CTX *cert_ssl_ctx(const struct cert *c, int max_version);

#endif
