/*
 * units.h - the one place where numbers change their unit.
 *
 * Inside dslat: latency and durations int64_t microseconds, sizes bytes,
 * rates per second.  vSphere declares a counter's unit in its own table
 * (PerfCounterInfo.unitInfo.key, facts: vim25 API reference); an unknown unit
 * is an error, never a guess.  Pure; any thread.
 */
#ifndef DSLAT_UNITS_H
#define DSLAT_UNITS_H

#include "dslat/base.h"

enum unit {
	UNIT_UNKNOWN = 0,
	UNIT_MILLISECOND,
	UNIT_MICROSECOND,
	UNIT_NUMBER,
	UNIT_KIB_PER_S, /* vSphere's "kiloBytesPerSecond" counts 1024 bytes */
};

/* "millisecond" -> UNIT_MILLISECOND; UNIT_UNKNOWN for any other word. */
enum unit unit_from_key(const char *key, size_t len);

/* A value in its counter's unit as microseconds; only for the two time units
 * (asserted).  Saturates instead of overflowing. */
int64_t unit_to_us(enum unit u, int64_t value);

static inline int64_t
ms_to_us(int64_t ms)
{
	return ms * 1000;
}

/* For pages: at most 3 decimals are meaningful. */
static inline double
us_to_ms(int64_t us)
{
	return (double)us / 1000.0;
}

/* For Prometheus. */
static inline double
us_to_s(int64_t us)
{
	return (double)us / 1e6;
}

#endif
