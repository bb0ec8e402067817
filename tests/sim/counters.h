/*
 * counters.h - the performance counters a server declares.
 *
 * One table for three servers whose ids differ; id 0 = this server does not
 * have the counter.  Constant; any thread.
 */
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include "dslat/base.h"

enum counter_column { COUNTERS_VC6, COUNTERS_VC8, COUNTERS_ESXI };

struct counter {
	const char *group, *name, *rollup, *unit, *stats;
	int level, per_device_level;
	int id[3]; /* by enum counter_column */
	const char *summary;
};

extern const struct counter counters[];
extern const size_t n_counters;

#endif
