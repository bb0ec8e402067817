/*
 * digest.h - SHA-256, HMAC, random bytes, and comparing without telling where.
 *
 * What tokens are made of and held as, and what signs webhooks.  Pure but for digest_random(), which
 * asks the kernel.  Any thread.
 */
#ifndef DSLAT_DIGEST_H
#define DSLAT_DIGEST_H

#include "dslat/base.h"

#define SHA256_BYTES 32
#define SHA256_HEX_SIZE (2 * SHA256_BYTES + 1)

void digest_sha256(const void *data, size_t len,
		   unsigned char out[SHA256_BYTES]);
/* RFC 2104: who wrote this? */
void digest_hmac_sha256(const char *key, const void *data, size_t len,
			unsigned char out[SHA256_BYTES]);
/* Lower-case hex digits of n bytes and a NUL: 2n + 1 chars of room. */
void digest_hex(const void *data, size_t n, char *out);
/* Exactly 2n hex digits, of either case; -1: they are not. */
int digest_from_hex(const char *hex, void *out, size_t n) must_check;
/* In a time that does not depend on what differs. */
bool digest_equal(const void *a, const void *b, size_t n) must_check;
/* From the kernel; waits for it at boot, never fails. */
void digest_random(void *out, size_t n);

#endif
