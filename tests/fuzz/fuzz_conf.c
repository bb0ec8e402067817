/*
 * fuzz_conf.c - any bytes as a configuration file.
 *
 * What is taken must survive being dumped and read again: the dump of the
 * second is the dump of the first, comments apart.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/conf.h"

#define DUMP_MAX_BYTES ((size_t)64 << 20)

static void
without_comments(struct buf *b)
{
	char *to = b->data;

	for (const char *from = b->data; *from != '\0';) {
		size_t len = strcspn(from, "\n");
		const char *comment = memmem(from, len, " # ", 3);

		if (*from != '#') {
			size_t n = comment != NULL ? (size_t)(comment - from)
						   : len;

			memmove(to, from, n);
			to += n;
			*to++ = '\n';
		}
		from += len + (from[len] != '\0');
	}
	*to = '\0';
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf problems, first, second;
	struct conf *c, *again;
	struct err e;

	buf_init(&problems, DUMP_MAX_BYTES);
	buf_init(&first, DUMP_MAX_BYTES);
	buf_init(&second, DUMP_MAX_BYTES);
	c = conf_parse((const char *)data, size, "fuzz", &problems, &e);
	if (c != NULL) {
		assert(conf_dump(c, &first) == 0);
		again = conf_parse(buf_str(&first), first.len, "fuzz",
				   &problems, &e);
		assert(again != NULL);
		assert(conf_dump(again, &second) == 0);
		without_comments(&first);
		without_comments(&second);
		assert(strcmp(first.data, second.data) == 0);
		conf_free(&again);
	} else {
		assert(e.code == ERR_CONF && problems.len > 0);
	}
	conf_free(&c);
	buf_fini(&problems);
	buf_fini(&first);
	buf_fini(&second);
	return 0;
}
