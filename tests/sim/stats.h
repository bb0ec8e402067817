/*
 * stats.h - what clients asked for, for tests to look at.
 *
 * The caller guards it.
 */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include "dslat/buf.h"
#include "dslat/map.h"

struct stats {
	struct map *calls; /* method -> int64_t *, allocated */
	int64_t requests;
	int64_t logins, logins_refused, logouts;
	int64_t after_invalid_login; /* requests after a refused login */
	int64_t concurrent, concurrent_max;
	int64_t faults; /* SOAP faults sent */
	int64_t perf_series, perf_values;
	int64_t answer_bytes;
	int64_t sessions_expired;
	bool login_was_refused;
};

void stats_init(struct stats *s);
void stats_reset(struct stats *s);
void stats_fini(struct stats *s);
void stats_call(struct stats *s, const char *method);
/* A JSON object. */
void stats_json(const struct stats *s, size_t n_sessions, struct buf *out);

#endif
