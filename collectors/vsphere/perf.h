/*
 * perf.h - QueryPerf: asking hosts for samples, and decoding the answer.
 *
 * One request asks several hosts, each with its own window.  csv is asked;
 * csv and normal answers are both read, streaming: a sink gets one series at a
 * time.  -1 (no value) is passed through, an empty value becomes -1, a number
 * beyond 64 bits saturates, a text that is no number becomes INT64_MIN (which
 * ingest rejects and counts).  Stamps come in the server's order, duplicates
 * and all.  Pure; one thread at a time.
 */
#ifndef DSLAT_PERF_H
#define DSLAT_PERF_H

#include "dslat/clock.h"

#include "counters.h"

/* One host of a request. */
struct perf_query {
	const char *host;    /* moref */
	real_t start;        /* exclusive, server's clock; us = 0: none */
	unsigned max_sample; /* the newest so many; 0: no limit */
	/* The counters of LUNs too, of these or (none named) of all of them;
	 * and their I/Os.  The names are borrowed, the array is the asker's. */
	bool luns, lun_ios;
	const char **lun_names;
	size_t n_lun_names;
};

/* perf_manager: moref.  All counters with `asked` and, but for LUNs by name,
 * all their instances. */
void perf_write_request(struct buf *b, const char *perf_manager,
			const struct perf_query *queries, size_t n,
			const struct counters *c);

/* For each entity of the answer: entity, series..., entity_end. */
struct perf_sink {
	/* All of the entity's stamps; n may be 0. */
	void (*entity)(void *arg, const char *moref, const real_t *stamps,
		       size_t n);
	/* values[i] belongs to stamps[i]; n may be less or more than theirs.
	 * instance is NUL-terminated; "" is the aggregate. */
	void (*series)(void *arg, int32_t counter_id, const char *instance,
		       size_t instance_len, const int64_t *values, size_t n);
	void (*entity_end)(void *arg);
};

/* sink is borrowed.  An answer that breaks off has given its sink whole series
 * only, perhaps without the last entity_end. */
struct answer *perf_answer(const struct perf_sink *sink, void *arg) must_check;
/* Entities and series decoded so far. */
size_t perf_entities(const struct answer *r);
size_t perf_series(const struct answer *r);

#endif
