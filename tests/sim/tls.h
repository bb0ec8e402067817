/*
 * tls.h - a certificate for HTTPS: from files, or made by openssl(1).
 */
#ifndef SIM_TLS_H
#define SIM_TLS_H

#include "dslat/err.h"

/* PEM texts the caller frees.  Files NULL: self-signed, for localhost,
 * 127.0.0.1 and ::1, good for 30 days. */
int tls_load(const char *cert_file, const char *key_file, char **cert_r,
	     char **key_r, struct err *e) must_check;

#endif
