/*
 * jobs.h - work too long for one turn of the loop, a piece at a time.
 *
 * The jobs of all requests take turns: one bounded piece per turn of the loop,
 * so that many of them hold up neither samples nor each other's first piece.
 * A job is part of its owner's struct.  The loop thread.
 */
#ifndef DSLAT_JOBS_H
#define DSLAT_JOBS_H

#include <sys/queue.h>

#include "dslat/loop.h"

#define JOBS_MAX 64

struct job_link {
	TAILQ_ENTRY(job_link) link;
	bool queued;
};

struct jobs {
	struct loop_timer *timer;
	/* Do a piece; true when done: the job is out of the queue then. */
	bool (*step)(struct job_link *job);
	TAILQ_HEAD(job_queue, job_link) queue;
	size_t n;
};

void jobs_init(struct jobs *jobs, struct loop *l,
	       bool (*step)(struct job_link *job));
/* The queue must be empty. */
void jobs_fini(struct jobs *jobs);
/* false: JOBS_MAX are at work already. */
bool jobs_add(struct jobs *jobs, struct job_link *job) must_check;
/* Drop a job; one that is not queued is left alone. */
void jobs_drop(struct jobs *jobs, struct job_link *job);

#endif
