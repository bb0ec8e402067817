/*
 * simclock.h - the simulated server's own clock.
 *
 * Real: the machine's time, run at `speed` from a start that may be set, and
 * put wrong by an offset.  Manual: stands still until it is advanced, for
 * tests in virtual time.  Values only; the caller guards it.
 */
#ifndef SIM_SIMCLOCK_H
#define SIM_SIMCLOCK_H

#include "dslat/clock.h"

struct simclock {
	bool manual;
	double speed;      /* simulated seconds in one real second */
	struct now base;   /* when the clock was started */
	real_t start;      /* what it said then */
	int64_t offset_us; /* how wrong the server's clock is */
};

/* start 0: the present. */
void simclock_init(struct simclock *c, bool manual, double speed, real_t start);
/* The server's idea of now. */
real_t simclock_now(const struct simclock *c);
/* Manual clocks only. */
void simclock_advance_us(struct simclock *c, int64_t us);

#endif
