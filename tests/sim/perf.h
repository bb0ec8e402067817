/*
 * perf.h - PerformanceManager: the catalogue and QueryPerf.
 *
 * Answers are rendered straight from the model; nothing is kept between
 * calls.  Call with the sim's lock held.
 */
#ifndef SIM_PERF_H
#define SIM_PERF_H

#include "counters.h"
#include "perf_value.h"
#include "sim.h"
#include "tree.h"

/* The id under which this session knows the counter; 0: it does not. */
int perf_counter_id(const struct call *c, const struct counter *k);

/* Properties of PerformanceManager into a root of that type. */
void perf_props(struct call *c, struct tree *t, struct node *root,
		const char *path);

int perf_query(struct call *c);
int perf_provider_summary(struct call *c);
int perf_available_metric(struct call *c);
int perf_query_counter(struct call *c);

/* The host's instances of a counter group, for the two calls above. */
struct perf_instance {
	char *name; /* "" = the aggregate */
	const struct pair **pairs;
	size_t n_pairs;
	int io_part, io_parts; /* of the pairs' I/O: one of three, ... */
	double latency_x;      /* of the pairs' latency */
};
struct perf_instances {
	struct perf_instance *v;
	size_t n;
};
void perf_instances(const struct sim *s, size_t host_i, const char *group,
		    struct perf_instances *out);
void perf_instances_fini(struct perf_instances *x);

#endif
