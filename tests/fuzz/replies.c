#include "replies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../golden/dump.h"

/* Smaller pieces for smaller inputs: each costs a call of the parser. */
#define PIECES_MAX 4096

static int
run(const char *const *methods, const struct dump_feed *feed, struct buf *out)
{
	struct gather *g = gather_new(true);
	int rc = 0;

	for (; *methods != NULL; methods++)
		rc |= dump_answer(out, *methods, g, feed);
	dump_inventory(out, g);
	gather_free(&g);
	return rc;
}

void
fuzz_replies(const char *const *methods, const uint8_t *data, size_t size)
{
	struct dump_feed feed = {
		.data = (const char *)data,
		.len = size,
		.status = size % 7 == 0 ? 500 : 200,
	};
	struct buf whole, pieces;
	int rc;

	buf_init(&whole, DUMP_MAX_BYTES);
	buf_init(&pieces, DUMP_MAX_BYTES);
	rc = run(methods, &feed, &whole);
	feed.chunk = size / PIECES_MAX + 1;
	/* libxml2 2.9 may word or place an error by where a piece ends. */
	if (run(methods, &feed, &pieces) != rc ||
	    (rc == 0 && strcmp(buf_str(&whole), buf_str(&pieces)) != 0)) {
		fprintf(stderr, "whole:\n%s\nin pieces of %zu:\n%s\n",
			buf_str(&whole), feed.chunk, buf_str(&pieces));
		abort();
	}
	buf_fini(&whole);
	buf_fini(&pieces);
}
