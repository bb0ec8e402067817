#include "web/jobs.h"

static void
run(void *arg, struct now now)
{
	struct jobs *jobs = arg;
	struct job_link *job = TAILQ_FIRST(&jobs->queue);

	(void)now;
	if (job == NULL)
		return;
	TAILQ_REMOVE(&jobs->queue, job, link);
	job->queued = false;
	jobs->n--;
	if (!jobs->step(job)) {
		TAILQ_INSERT_TAIL(&jobs->queue, job, link);
		job->queued = true;
		jobs->n++;
	}
	if (jobs->n != 0)
		loop_timer_in_us(jobs->timer, 0);
}

void
jobs_init(struct jobs *jobs, struct loop *l, bool (*step)(struct job_link *job))
{
	*jobs = (struct jobs){ .step = step };
	TAILQ_INIT(&jobs->queue);
	jobs->timer = loop_timer_new(l, run, jobs);
}

void
jobs_fini(struct jobs *jobs)
{
	assert(jobs->n == 0);
	loop_timer_free(&jobs->timer);
}

bool
jobs_add(struct jobs *jobs, struct job_link *job)
{
	if (jobs->n == JOBS_MAX)
		return false;
	TAILQ_INSERT_TAIL(&jobs->queue, job, link);
	job->queued = true;
	jobs->n++;
	loop_timer_in_us(jobs->timer, 0);
	return true;
}

void
jobs_drop(struct jobs *jobs, struct job_link *job)
{
	if (!job->queued)
		return;
	TAILQ_REMOVE(&jobs->queue, job, link);
	job->queued = false;
	jobs->n--;
}
