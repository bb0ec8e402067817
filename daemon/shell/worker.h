/*
 * worker.h - a thread that does one task after the other for the loop.
 *
 * The loop thread posts tasks; each is run on the worker's thread, in order,
 * and comes back to the loop thread, where it is done.  Between the two a task
 * and all it points to belong to the worker's thread.  The queue has no limit
 * of its own: who posts looks at what has not come back yet.
 *
 * The only file of the daemon with threads in it.
 */
#ifndef DSLAT_WORKER_H
#define DSLAT_WORKER_H

#include "dslat/loop.h"

struct worker;

struct task {
	void (*run)(struct task *t);  /* on the worker's thread */
	void (*done)(struct task *t); /* on the loop thread; frees it */
	struct task *next;            /* the worker's */
};

/* Signals stay with the other threads. */
struct worker *worker_new(struct loop *l, const char *name, struct err *e)
	must_check;
void worker_post(struct worker *w, struct task *t);
/* Until all tasks are done, with what they post, at most limit_us; no turn of
 * the loop is made.  False: not all. */
bool worker_drain(struct worker *w, int64_t limit_us);
/*
 * Waits until all tasks are run, at most limit_us; then ends the thread, and
 * calls done of all tasks, of those not run too.  A thread that still hangs in
 * its task (a disk that does not answer) is left alone with what it holds:
 * false.
 */
bool worker_free(struct worker **w, int64_t limit_us);

#endif
