/*
 * tls_pin.h - which server certificate is good, decided during the handshake.
 *
 * Hooks OpenSSL's verification behind libcurl's back (CURLOPT_SSL_CTX_FUNCTION)
 * so that a wrong certificate ends the handshake before a byte of the request
 * is sent, and so that the error can name the fingerprint.  A fingerprint, if
 * given, decides alone: dates, names and issuers do not matter then.  The
 * struct must live as long as handshakes may run with it.  Loop thread only.
 */
#ifndef DSLAT_TLS_PIN_H
#define DSLAT_TLS_PIN_H

#include "dslat/err.h"

#define TLS_SHA256_SIZE 32
#define TLS_HEX_SIZE (2 * TLS_SHA256_SIZE + 1)

struct tls_check {
	bool has_pin;
	unsigned char pin[TLS_SHA256_SIZE];
	/* what the last handshake met */
	bool seen;     /* a certificate came */
	bool accepted; /* its chain or fingerprint is good */
	unsigned char sha256[TLS_SHA256_SIZE];
	char reason[160]; /* why not accepted */
	const char *cure; /* and what to do about it */
	char names[160];  /* what it is for */
};

/* 64 hex digits, any case, ':' between bytes allowed; 0 or -1. */
int tls_pin_parse(const char *hex, unsigned char out[TLS_SHA256_SIZE]);
/* In CURLOPT_SSL_CTX_FUNCTION: ssl_ctx is the SSL_CTX. */
void tls_check_install(struct tls_check *c, void *ssl_ctx);
/* The error of a handshake that curl ended because of the certificate; peer is
 * the server's name for people. */
int tls_check_explain(const struct tls_check *c, const char *peer,
		      struct err *e);

#endif
