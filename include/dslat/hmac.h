/*
 * hmac.h - HMAC-SHA256 (RFC 2104) in hex: who wrote this?
 *
 * Pure; any thread.
 */
#ifndef DSLAT_HMAC_H
#define DSLAT_HMAC_H

#include "dslat/base.h"

#define HMAC_HEX_SIZE 65

/* 64 lower-case digits and a NUL.  Returns out. */
const char *hmac_sha256_hex(const char *key, const void *data, size_t len,
			    char out[HMAC_HEX_SIZE]);

#endif
