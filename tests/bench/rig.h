/*
 * rig.h - dslatd inside the bench: its loop, collector and pages, with a clock
 * that the bench moves in step with the simulated vCenter's.
 *
 * The clock stands still but for a microsecond each time it is read (a timer
 * armed by another is due a little later than it) and jumps a poll interval
 * at a time, so that an hour of polls takes seconds.  The thread of the bench
 * is the loop's.
 */
#ifndef DSLAT_RIG_H
#define DSLAT_RIG_H

#include "child.h"
#include "dslat/targets.h"
#include "dslat/web.h"

struct rig {
	const struct sim *sim;
	struct loop *loop;
	struct site *site;
	struct targets *targets;
	struct web *web;
	struct target *target;
	struct now now;
	int64_t interval_us;
	/* turns of the loop */
	int64_t turn_cpu_max_us; /* CPU time of the longest since reset */
	uint64_t stalls;         /* over 50 ms, while nobody else had the CPU */
	uint64_t preempted;      /* over 50 ms by the clock, not in CPU time */
};

void rig_start(struct rig *r, const struct sim *sim, int64_t interval_s);
void rig_stop(struct rig *r);
/* The pages' address. */
const char *rig_base(const struct rig *r);

void rig_turn(struct rig *r);
/* Until nothing is in flight: a poll, its back-fill, the inventory. */
void rig_settle(struct rig *r);
/* Both clocks one interval on: a poll is due. */
void rig_advance(struct rig *r);
/* That poll, which must be a good one, and what follows from it. */
void rig_poll(struct rig *r);
/* Turns until the client has its answer, or so many marks. */
void rig_serve(struct rig *r, struct client *c, size_t n_marks);

/* CPU time of this process, user and system. */
int64_t cpu_us(void);

#endif
