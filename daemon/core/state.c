#include <string.h>

#include "dslat/model.h"
#include "dslat/query.h"

/* 49 ms stands before 50 ms so that "at or over 50" can be read off; a bound
 * counts what is at or below it. */
const int64_t latency_bounds_us[N_LATENCY_BOUNDS] = {
	500,     1000,    2000,    5000,     10000,    15000,  20000,
	30000,   49000,   50000,   75000,    100000,   200000, 500000,
	1000000, 2000000, 5000000, 10000000, 60000000,
};

const char *
target_state_name(enum target_state s)
{
	static const char *const names[] = {
		[TARGET_STARTING] = "starting",
		[TARGET_OK] = "ok",
		[TARGET_DEGRADED] = "degraded",
		[TARGET_UNREACHABLE] = "unreachable",
		[TARGET_AUTH_FAILED] = "auth_failed",
	};

	assert((size_t)s < ARRAY_SIZE(names));
	return names[s];
}

bool
datastore_is_accessible(const struct datastore *ds)
{
	size_t live = 0;

	if (!ds->accessible)
		return false;
	for (size_t i = 0; i < ds->n_pairs; i++) {
		if (ds->pairs[i]->gone)
			continue;
		if (ds->pairs[i]->mounted && ds->pairs[i]->accessible)
			return true;
		live++;
	}
	return live == 0;
}

enum ds_state
datastore_state(const struct datastore *ds)
{
	struct latest l;
	enum breach worst;

	if (ds->maintenance)
		return DS_MAINTENANCE;
	if (!datastore_is_accessible(ds))
		return DS_INACCESSIBLE;
	if (!protocol_is_measured(ds->protocol) && !ds->ever_valid)
		return DS_NOT_MEASURED;
	l = datastore_latest(ds);
	if (latest_age_us(ds->target, &l) > 90 * US_PER_S)
		return DS_NO_DATA;
	worst = MAX(l.op[OP_READ].breach, l.op[OP_WRITE].breach);
	if (worst == BREACH_CRITICAL)
		return DS_CRITICAL;
	if (worst == BREACH_WARNING)
		return DS_WARNING;
	if (load_is_busy(l.op[OP_READ].load) ||
	    load_is_busy(l.op[OP_WRITE].load))
		return DS_OK;
	return DS_IDLE;
}

static const struct {
	const char *name, *reason;
} ds_states[] = {
	[DS_MAINTENANCE] = { "maintenance", "in or entering maintenance mode" },
	[DS_INACCESSIBLE] = { "inaccessible", "no host can reach it" },
	[DS_NOT_MEASURED] = { "not_measured",
			      "vSphere has no latency counters for this kind "
			      "of datastore" },
	[DS_CRITICAL] = { "critical", "at or over the critical threshold" },
	[DS_WARNING] = { "warning", "at or over the warning threshold" },
	[DS_NO_DATA] = { "no_data", "no sample for more than 90 s" },
	[DS_IDLE] = { "idle", NULL },
	[DS_OK] = { "ok", NULL },
};

const char *
ds_state_name(enum ds_state s)
{
	assert((size_t)s < ARRAY_SIZE(ds_states));
	return ds_states[s].name;
}

const char *
ds_state_reason(enum ds_state s)
{
	assert((size_t)s < ARRAY_SIZE(ds_states));
	return ds_states[s].reason;
}
