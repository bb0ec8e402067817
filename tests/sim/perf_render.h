/*
 * perf_render.h - one entity's samples as csv or normal series; private to
 * the perf_*.c files.
 */
#ifndef SIM_PERF_RENDER_H
#define SIM_PERF_RENDER_H

#include "perf.h"

/* One (counter, instance pattern) of a query. */
struct perf_wanted {
	const struct counter *k;
	perf_value_fn fn;
	bool aggregate;
	int id;
	const char *instance; /* "*", "" or exact */
};

/* How this answer is to be spoilt; zero: not at all. */
struct perf_spoil {
	bool newest_first, dup_samples, dup_series, bare, no_series, garbage;
	bool time_offset, time_micro;
	int64_t newest_missing, short_by, absent_nth, empty_nth;
	bool has_newest;   /* replace the newest value ... */
	bool latency_only; /* ... of latencies only ... */
	int64_t newest;    /* ... by this */
	char stray[128];   /* an instance nobody has */
};

struct perf_answer {
	struct call *call;
	const struct scene_host *host;
	size_t host_i;
	bool csv;
	struct perf_spoil spoil;
	const struct perf_wanted *wanted;
	size_t n_wanted;
	int64_t slots[SLOTS_KEPT + 1]; /* oldest first */
	size_t n_slots;
	struct model_sample *samples; /* room for all slots, scratch */
	size_t n_series, n_values;
	size_t n_elements; /* of XML, for the server's limit */
};

/* Append a <returnval>. */
void perf_render(struct perf_answer *a, const char *moref);

#endif
