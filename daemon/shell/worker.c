#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dslat/mem.h"

struct tasks {
	struct task *first, **end;
};

struct worker {
	struct loop *loop;
	pthread_t thread;
	pthread_mutex_t mutex; /* for all below but the pipe's loop side */
	pthread_cond_t wanted;
	struct tasks todo, finished;
	bool stop;
	int pipe[2]; /* a byte: something is finished */
	struct loop_fd *fd;
	size_t n; /* posted and not done; the loop thread's */
};

static void
push(struct tasks *q, struct task *t)
{
	t->next = NULL;
	*q->end = t;
	q->end = &t->next;
}

static struct task *
pop(struct tasks *q)
{
	struct task *t = q->first;

	if (t == NULL)
		return NULL;
	q->first = t->next;
	if (q->first == NULL)
		q->end = &q->first;
	return t;
}

static void
empty(struct tasks *q)
{
	*q = (struct tasks){ NULL, &q->first };
}

static void
lock(struct worker *w)
{
	int rc = pthread_mutex_lock(&w->mutex);

	assert(rc == 0);
}

static void
unlock(struct worker *w)
{
	int rc = pthread_mutex_unlock(&w->mutex);

	assert(rc == 0);
}

/* The next task, or NULL when the worker shall stop and has none. */
static struct task *
next_task(struct worker *w)
{
	struct task *t;

	lock(w);
	while ((t = pop(&w->todo)) == NULL && !w->stop)
		pthread_cond_wait(&w->wanted, &w->mutex);
	unlock(w);
	return t;
}

static void *
thread_main(void *arg)
{
	struct worker *w = arg;
	struct task *t;

	while ((t = next_task(w)) != NULL) {
		ssize_t n;

		t->run(t);
		lock(w);
		push(&w->finished, t);
		unlock(w);
		n = write(w->pipe[1], "", 1);
		(void)n; /* a full pipe wakes the loop as well */
	}
	return NULL;
}

static void
finish(struct worker *w, struct tasks *q)
{
	struct task *t;

	for (;;) {
		lock(w);
		t = pop(q);
		unlock(w);
		if (t == NULL)
			return;
		w->n--;
		t->done(t);
	}
}

static void
on_finished(void *arg, int fd, int ready unused, struct now now unused)
{
	struct worker *w = arg;
	char bytes[64];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		continue;
	finish(w, &w->finished);
}

static int
start(struct worker *w, const char *name, struct err *e)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, thread_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return err_set(e, ERR_IO, "thread %s: %s", name, strerror(rc));
	pthread_setname_np(w->thread, name);
	return 0;
}

struct worker *
worker_new(struct loop *l, const char *name, struct err *e)
{
	struct worker *w = xcalloc(1, sizeof(*w));

	w->loop = l;
	empty(&w->todo);
	empty(&w->finished);
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->wanted, NULL);
	if (pipe2(w->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
		err_set(e, ERR_IO, "pipe of thread %s: %s", name,
			strerror(errno));
		goto fail;
	}
	if (start(w, name, e) != 0) {
		close(w->pipe[0]);
		close(w->pipe[1]);
		goto fail;
	}
	w->fd = loop_fd_add(l, w->pipe[0], LOOP_IN, on_finished, w);
	return w;
fail:
	pthread_cond_destroy(&w->wanted);
	pthread_mutex_destroy(&w->mutex);
	free(w);
	return NULL;
}

void
worker_post(struct worker *w, struct task *t)
{
	w->n++;
	lock(w);
	push(&w->todo, t);
	pthread_cond_signal(&w->wanted);
	unlock(w);
}

bool
worker_drain(struct worker *w, int64_t limit_us)
{
	mono_t until = mono_add_us(clock_sample().mono, limit_us);
	struct pollfd p = { .fd = w->pipe[0], .events = POLLIN };

	for (;;) {
		int64_t left_us;

		on_finished(w, w->pipe[0], LOOP_IN, loop_now(w->loop));
		left_us = mono_diff_us(until, clock_sample().mono);
		if (w->n == 0 || left_us <= 0)
			return w->n == 0;
		poll(&p, 1, (int)(left_us / US_PER_MS) + 1);
	}
}

static bool
join(struct worker *w, int64_t limit_us)
{
	int64_t until_us = clock_sample().real.us + limit_us;
	struct timespec ts = {
		.tv_sec = (time_t)(until_us / US_PER_S),
		.tv_nsec = (long)(until_us % US_PER_S) * 1000,
	};

	return pthread_timedjoin_np(w->thread, NULL, &ts) == 0;
}

/* What is not begun by then is not run. */
static void
drop_todo(struct worker *w, struct tasks *dropped)
{
	struct task *t;

	lock(w);
	while ((t = pop(&w->todo)) != NULL)
		push(dropped, t);
	unlock(w);
}

bool
worker_free(struct worker **wp, int64_t limit_us)
{
	struct worker *w = *wp;
	struct tasks dropped;
	bool ended;

	if (w == NULL)
		return true;
	*wp = NULL;
	lock(w);
	w->stop = true;
	pthread_cond_signal(&w->wanted);
	unlock(w);
	ended = join(w, limit_us);
	empty(&dropped);
	drop_todo(w, &dropped);
	if (!ended)
		ended = join(w, limit_us / 4); /* the one it is at */
	finish(w, &w->finished);
	finish(w, &dropped);
	loop_fd_del(&w->fd);
	if (!ended) {
		pthread_detach(w->thread);
		return false;
	}
	close(w->pipe[0]);
	close(w->pipe[1]);
	pthread_cond_destroy(&w->wanted);
	pthread_mutex_destroy(&w->mutex);
	free(w);
	return true;
}
