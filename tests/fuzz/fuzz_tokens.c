/*
 * fuzz_tokens.c - any bytes as a tokens file, and as a token that is shown.
 *
 * What is taken, written out again and read again, is the same.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/tokens.h"

static void
check_again(const struct tokens *t)
{
	struct tokens again;
	struct buf b;
	struct err e;

	buf_init(&b, (size_t)1 << 20);
	for (size_t i = 0; i < t->n; i++) {
		char hex[SHA256_HEX_SIZE];

		digest_hex(t->rows[i].sha256, SHA256_BYTES, hex);
		buf_addf(&b, "%s:%s:%s\n", t->rows[i].name,
			 token_role_name(t->rows[i].role), hex);
	}
	if (tokens_parse(&again, buf_str(&b), b.len, &e) != 0 ||
	    again.n != t->n)
		abort();
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(again.rows[i].name, t->rows[i].name) != 0 ||
		    again.rows[i].role != t->rows[i].role ||
		    !digest_equal(again.rows[i].sha256, t->rows[i].sha256,
				  SHA256_BYTES))
			abort();
	tokens_fini(&again);
	buf_fini(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct tokens t;
	struct err e;

	if (tokens_parse(&t, (const char *)data, size, &e) > size)
		abort();
	check_again(&t);
	tokens_find(&t, text);
	tokens_fini(&t);
	free(text);
	return 0;
}
