/*
 * perf_value.h - a counter's value from what a pair did in a slot.
 *
 * Pure; any thread.
 */
#ifndef SIM_PERF_VALUE_H
#define SIM_PERF_VALUE_H

#include "counters.h"
#include "model.h"

/* What a value may be computed from. */
struct perf_input {
	const struct model_sample *s;
	bool sioc, block;
	int io_part, io_parts; /* so many parts of so many of the I/O */
	double latency_x;      /* of the pair's latency */
};

typedef int64_t (*perf_value_fn)(const struct perf_input *in);

/* NULL: the server declares the counter but hosts send nothing for it. */
perf_value_fn perf_value_find(const struct counter *k, bool *aggregate_r);

/* I/O-weighted sum of two samples, for adapters. */
void perf_sample_add(struct model_sample *sum, const struct model_sample *s);
/* The worse of each, for the aggregates. */
void perf_sample_max(struct model_sample *max, const struct model_sample *s);

#endif
