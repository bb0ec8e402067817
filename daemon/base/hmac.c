/* OpenSSL's headers first: they use the word "unused", a macro of base.h. */
#include <openssl/hmac.h>

#include "dslat/hmac.h"

#include <stdlib.h>
#include <string.h>

const char *
hmac_sha256_hex(const char *key, const void *data, size_t len,
		char out[HMAC_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (HMAC(EVP_sha256(), key, (int)strlen(key), data, len, mac, &n) ==
	    NULL)
		abort(); /* out of memory, as in mem.c */
	assert(2 * n == HMAC_HEX_SIZE - 1);
	for (unsigned i = 0; i < n; i++) {
		out[2 * i] = digits[mac[i] >> 4];
		out[2 * i + 1] = digits[mac[i] & 15];
	}
	out[2 * n] = '\0';
	return out;
}
