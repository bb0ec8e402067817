/*
 * clock.h - two kinds of time that do not mix.
 *
 * mono_t counts from an unknown origin and never jumps: timeouts, ages,
 * schedules.  real_t is UTC since 1970: samples (from the server's clock, not
 * ours), pages, logs.  Both are microseconds in int64_t.  Only clock.c reads a
 * clock; the loop does so once per turn and passes the result down, so tests
 * run in virtual time.  Values only; any thread.
 */
#ifndef DSLAT_CLOCK_H
#define DSLAT_CLOCK_H

#include "dslat/base.h"

typedef struct {
	int64_t us;
} mono_t;
typedef struct {
	int64_t us;
} real_t;

struct now {
	mono_t mono;
	real_t real;
};

#define US_PER_MS INT64_C(1000)
#define US_PER_S INT64_C(1000000)

/* Read both clocks (CLOCK_MONOTONIC and CLOCK_REALTIME). */
struct now clock_sample(void);

static inline mono_t
mono_add_us(mono_t t, int64_t us)
{
	return (mono_t){ t.us + us };
}

static inline int64_t
mono_diff_us(mono_t later, mono_t earlier)
{
	return later.us - earlier.us;
}

static inline real_t
real_add_us(real_t t, int64_t us)
{
	return (real_t){ t.us + us };
}

static inline int64_t
real_diff_us(real_t later, real_t earlier)
{
	return later.us - earlier.us;
}

#define REAL_TEXT_SIZE 32
/*
 * RFC 3339 in UTC, "2026-11-30T12:41:40Z"; with milliseconds when they are
 * not zero.  Returns out.
 */
const char *real_format(real_t t, char out[REAL_TEXT_SIZE]);

/*
 * Read RFC 3339 / xsd:dateTime: fraction optional (digits past microseconds
 * are dropped), zone "Z", "+hh:mm" or absent (taken as UTC: vSphere's wire
 * times are UTC).  len is the text's length in bytes.  0 or -1.
 */
int real_parse(const char *s, size_t len, real_t *t_r) must_check;

#endif
