/*
 * reader.h - the bare reader: libcurl and libxml2 and nothing else.
 *
 * What reading a poll's answers costs at least: an easy handle with a
 * connection that is kept alive, and a SAX2 push parser whose callbacks count.
 * It asks what a poll of dslatd asks.
 */
#ifndef DSLAT_READER_H
#define DSLAT_READER_H

#include "dslat/model.h"

struct reader;

struct reader_counts {
	uint64_t bytes, elements, text_bytes;
};

/* Logs in. */
struct reader *reader_new(const char *url) must_check;
void reader_free(struct reader **r);
/* One poll: CurrentTime, then the newest n_samples of the target's hosts in
 * batches of dslatd's size.  The answers are parsed and forgotten. */
struct reader_counts reader_poll(struct reader *r, const struct target *t,
				 unsigned n_samples);

#endif
