/* OpenSSL's headers first: they use the word "unused", a macro of base.h. */
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "dslat/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void
digest_sha256(const void *data, size_t len, unsigned char out[SHA256_BYTES])
{
	SHA256(data, len, out);
}

void
digest_hmac_sha256(const char *key, const void *data, size_t len,
		   unsigned char out[SHA256_BYTES])
{
	unsigned n = SHA256_BYTES;

	if (HMAC(EVP_sha256(), key, (int)strlen(key), data, len, out, &n) ==
	    NULL)
		abort(); /* out of memory, as in mem.c */
}

void
digest_hex(const void *data, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[p[i] >> 4];
		*out++ = digits[p[i] & 15];
	}
	*out = '\0';
}

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
digest_from_hex(const char *hex, void *out, size_t n)
{
	unsigned char *p = out;

	for (size_t i = 0; i < n; i++, hex += 2) {
		int high = hex_digit(hex[0]);
		int low = high >= 0 ? hex_digit(hex[1]) : -1;

		if (low < 0)
			return -1;
		p[i] = (unsigned char)(high << 4 | low);
	}
	return *hex == '\0' ? 0 : -1;
}

bool
digest_equal(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

void
digest_random(void *out, size_t n)
{
	unsigned char *p = out;

	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && errno != EINTR)
			abort();
		if (got > 0) {
			p += got;
			n -= (size_t)got;
		}
	}
}
