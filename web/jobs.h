/*
 * jobs.h - work too long for one turn of the loop, a piece at a time.
 *
 * The jobs of all requests take turns: one bounded piece per turn of the loop,
 * so that many of them hold up neither samples nor each other's first piece.
 * A job that waits for another thread is parked: it has its place, but no
 * turns.  A job is part of its owner's struct, zero-filled before its first
 * use.  The loop thread.
 */
#ifndef DSLAT_JOBS_H
#define DSLAT_JOBS_H

#include <sys/queue.h>

#include "dslat/loop.h"

#define JOBS_MAX 64

struct job_link {
	TAILQ_ENTRY(job_link) link;
	bool held;   /* counted in n */
	bool queued; /* its turn will come */
	bool parked;
};

struct jobs {
	struct loop_timer *timer;
	/* Do a piece; true when done: the job is out of the queue then. */
	bool (*step)(struct job_link *job);
	TAILQ_HEAD(job_queue, job_link) queue;
	struct job_link *running; /* in its step, or NULL */
	size_t n;                 /* queued, parked or running */
};

void jobs_init(struct jobs *jobs, struct loop *l,
	       bool (*step)(struct job_link *job));
/* There must be none. */
void jobs_fini(struct jobs *jobs);
/* false: JOBS_MAX are at work already. */
bool jobs_add(struct jobs *jobs, struct job_link *job) must_check;
/* No step until jobs_wake().  Before jobs_add(), or inside a step. */
void jobs_park(struct job_link *job);
/* At any time, parked or not. */
void jobs_wake(struct jobs *jobs, struct job_link *job);
/* Drop a job, outside its step; one that was not added is left alone. */
void jobs_drop(struct jobs *jobs, struct job_link *job);

#endif
