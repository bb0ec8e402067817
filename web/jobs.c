#include "web/jobs.h"

static void
enqueue(struct jobs *jobs, struct job_link *job)
{
	TAILQ_INSERT_TAIL(&jobs->queue, job, link);
	job->queued = true;
	loop_timer_in_us(jobs->timer, 0);
}

static void
dequeue(struct jobs *jobs, struct job_link *job)
{
	TAILQ_REMOVE(&jobs->queue, job, link);
	job->queued = false;
}

static void
run(void *arg, struct now now)
{
	struct jobs *jobs = arg;
	struct job_link *job = TAILQ_FIRST(&jobs->queue);

	(void)now;
	if (job == NULL)
		return;
	dequeue(jobs, job);
	jobs->running = job;
	if (jobs->step(job)) {
		job->held = false;
		jobs->n--;
	} else if (!job->parked) {
		enqueue(jobs, job);
	}
	jobs->running = NULL;
	if (!TAILQ_EMPTY(&jobs->queue))
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
	jobs->n++;
	job->held = true;
	if (!job->parked)
		enqueue(jobs, job);
	return true;
}

void
jobs_park(struct job_link *job)
{
	job->parked = true;
}

void
jobs_wake(struct jobs *jobs, struct job_link *job)
{
	if (!job->parked)
		return;
	job->parked = false;
	if (job->held && job != jobs->running)
		enqueue(jobs, job);
}

void
jobs_drop(struct jobs *jobs, struct job_link *job)
{
	assert(job != jobs->running);
	if (job->queued)
		dequeue(jobs, job);
	jobs->n -= job->held;
	job->held = false;
}
