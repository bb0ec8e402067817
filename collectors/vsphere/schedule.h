/*
 * schedule.h - when to ask what: poll times, windows, batches, back-off.
 *
 * Hosts finish a 20 s sample at :00 :20 :40 of their clock and vCenter passes
 * it on a little later, so polls fall just after the server's mark.  Pure
 * arithmetic; any thread.
 */
#ifndef DSLAT_SCHEDULE_H
#define DSLAT_SCHEDULE_H

#include "dslat/err.h"
#include "dslat/sample.h"

#define SCHEDULE_HOUR_SAMPLES 180 /* what a host keeps: one hour */
#define SCHEDULE_MIN_SAMPLES 6    /* every poll reads at least so many again */
#define SCHEDULE_LIVE_SAMPLES 15  /* more than this behind is a back-fill */
/* Half of vSphere's limit of 500,000 XML elements in one answer. */
#define SCHEDULE_MAX_ELEMENTS 250000
#define SCHEDULE_MAX_HOSTS 10 /* of one live request */

/*
 * How long from now until the next poll: the first time at or after now that
 * lies offset_us behind a multiple of interval_us on the server's clock.
 * offset_us < interval_us.  Result in (0, interval_us].
 */
int64_t schedule_next_us(real_t server_now, int64_t interval_us,
			 int64_t offset_us);

/* A target's own delay behind the mark, 2 to 5 s, so that many targets do not
 * ask at once; the same name always has the same one. */
int64_t schedule_offset_us(const char *target_name);

/*
 * The interval in force when `auto` is configured: 20 s, and 60 s when a poll
 * takes over 5 s or there are more than 20,000 pairs; back to 20 s when it
 * takes under 3 s again.
 */
int64_t schedule_interval_us(int64_t current_us, int64_t poll_us,
			     size_t n_pairs);

/*
 * Wait before the next try after `failures` (>= 1) in a row.  A refused login
 * waits 15 minutes (five of them lock an account), a refused certificate or
 * privilege 5 minutes, the rest 5 s doubling to 5 minutes, shortened by up to
 * a quarter by seed so that targets do not march in step.
 */
int64_t schedule_backoff_us(enum err_code code, unsigned failures,
			    unsigned seed);

/* XML elements a host's answer can have, had csv not been granted. */
size_t schedule_elements(size_t n_instances, size_t n_counters,
			 size_t n_samples);

/* Samples a live poll asks for at this interval. */
unsigned schedule_live_samples(int64_t interval_us);

#endif
