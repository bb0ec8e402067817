/* OpenSSL's headers first: they use the word "unused", a macro of base.h. */
#include <openssl/hmac.h>

#include "dslat/hmac.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/digest.h"

const char *
hmac_sha256_hex(const char *key, const void *data, size_t len,
		char out[HMAC_HEX_SIZE])
{
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (HMAC(EVP_sha256(), key, (int)strlen(key), data, len, mac, &n) ==
	    NULL)
		abort(); /* out of memory, as in mem.c */
	assert(2 * n == HMAC_HEX_SIZE - 1);
	digest_hex(mac, n, out);
	return out;
}
