/* SHA-256 against FIPS 180-2, HMAC-SHA256 against RFC 4231, and hex. */
#include "dslat/digest.h"

#include <string.h>

#include "unit.h"

static void
test_sha256(void **state unused)
{
	unsigned char out[SHA256_BYTES];
	char hex[SHA256_HEX_SIZE];

	digest_sha256("abc", 3, out);
	digest_hex(out, sizeof(out), hex);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223"
			    "b00361a396177a9cb410ff61f20015ad");
}

static void
test_hmac(void **state unused)
{
	static const struct {
		const char *key, *data, *mac;
	} rows[] = {
		/* 4.2 */
		{ "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
		  "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
		  "Hi There",
		  "b0344c61d8db38535ca8afceaf0bf12b"
		  "881dc200c9833da726e9376c2e32cff7" },
		/* 4.3 */
		{ "Jefe", "what do ya want for nothing?",
		  "5bdcc146bf60754e6a042426089575c7"
		  "5a003f089d2739839dec58b964ec3843" },
	};
	unsigned char mac[SHA256_BYTES];
	char hex[SHA256_HEX_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		digest_hmac_sha256(rows[i].key, rows[i].data,
				   strlen(rows[i].data), mac);
		digest_hex(mac, sizeof(mac), hex);
		assert_string_equal(hex, rows[i].mac);
	}
}

static void
test_hex(void **state unused)
{
	unsigned char out[2];
	char hex[5];

	assert_int_equal(digest_from_hex("0aFf", out, 2), 0);
	assert_int_equal(out[0], 0x0a);
	assert_int_equal(out[1], 0xff);
	digest_hex(out, 2, hex);
	assert_string_equal(hex, "0aff");
	assert_int_equal(digest_from_hex("0aF", out, 2), -1);
	assert_int_equal(digest_from_hex("0aFf0", out, 2), -1);
	assert_int_equal(digest_from_hex("0agf", out, 2), -1);
	assert_true(digest_equal("ab", "ab", 2));
	assert_false(digest_equal("ab", "ac", 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_hmac),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
