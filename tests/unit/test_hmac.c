/* HMAC-SHA256 against test cases of RFC 4231. */
#include "dslat/hmac.h"

#include <string.h>

#include "unit.h"

static void
test_rfc4231(void **state unused)
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
	char hex[HMAC_HEX_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(hmac_sha256_hex(rows[i].key, rows[i].data,
						    strlen(rows[i].data), hex),
				    rows[i].mac);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc4231),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
