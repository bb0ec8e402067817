/*
 * tls_files.h - a certificate and its key, read and looked at.
 *
 * The only module that knows GnuTLS, which is what libmicrohttpd speaks TLS
 * with: what is accepted here is accepted there.  At start and reload only.
 */
#ifndef DSLAT_TLS_FILES_H
#define DSLAT_TLS_FILES_H

#include "dslat/buf.h"
#include "dslat/clock.h"
#include "dslat/err.h"

struct tls_pair {
	struct buf cert, key; /* PEM */
};

/* The certificate (with those of its chain behind it) and the key, which fit
 * each other.  A text of e says the cure. */
int tls_pair_read(struct tls_pair *p, const char *cert_path,
		  const char *key_path, struct err *e) must_check;
void tls_pair_fini(struct tls_pair *p);
bool tls_pair_same(const struct tls_pair *a, const struct tls_pair *b);
/* The day after which clients refuse it. */
real_t tls_pair_expires(const struct tls_pair *p);

#endif
