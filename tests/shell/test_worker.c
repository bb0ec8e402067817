/*
 * The worker: order, the way back, and its end.
 */
#include "daemon/shell/worker.h"

#include <stdlib.h>
#include <time.h>

#include "../unit/unit.h"
#include "dslat/mem.h"

#define MANY 1000

struct stage {
	struct loop *loop;
	struct worker *worker;
	int order[MANY]; /* as they came back */
	int n_done, n_run;
};

struct work {
	struct task task;
	struct stage *stage;
	int number, again; /* posts itself so many times more */
	int64_t sleep_us;
	bool run;
};

static void
run(struct task *t)
{
	struct work *w = (struct work *)t;

	if (w->sleep_us != 0)
		nanosleep(&(struct timespec){ .tv_nsec = w->sleep_us * 1000 },
			  NULL);
	w->run = true;
}

static void
done(struct task *t)
{
	struct work *w = (struct work *)t;
	struct stage *s = w->stage;

	s->n_run += w->run;
	s->order[s->n_done++ % MANY] = w->number;
	w->run = false;
	if (w->again-- > 0)
		worker_post(s->worker, t);
	else
		free(w);
}

static struct work *
post(struct stage *s, int number, int64_t sleep_us)
{
	struct work *w = xcalloc(1, sizeof(*w));

	w->task.run = run;
	w->task.done = done;
	w->stage = s;
	w->number = number;
	w->sleep_us = sleep_us;
	worker_post(s->worker, &w->task);
	return w;
}

static int
setup(void **state)
{
	struct stage *s = xcalloc(1, sizeof(*s));
	struct err e;

	s->loop = loop_new(&e);
	assert_non_null(s->loop);
	s->worker = worker_new(s->loop, "test-worker", &e);
	assert_non_null(s->worker);
	*state = s;
	return 0;
}

static int
teardown(void **state)
{
	struct stage *s = *state;

	assert_true(worker_free(&s->worker, US_PER_S));
	loop_free(&s->loop);
	free(s);
	return 0;
}

/* All come back, on turns of the loop, in the order they were posted. */
static void
test_order(void **state)
{
	struct stage *s = *state;

	for (int i = 0; i < MANY; i++)
		post(s, i, 0);
	assert_int_equal(s->n_done, 0);
	for (int turns = 0; s->n_done < MANY && turns < 10000; turns++)
		loop_turn(s->loop, 100);
	assert_int_equal(s->n_done, MANY);
	assert_int_equal(s->n_run, MANY);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(s->order[i], i);
}

/* Without a turn of the loop, and with what is posted meanwhile. */
static void
test_drain(void **state)
{
	struct stage *s = *state;
	struct work *w = post(s, 1, 0);

	w->again = 3; /* looked at on this thread only */
	assert_true(worker_drain(s->worker, 5 * US_PER_S));
	assert_int_equal(s->n_run, 4);
	post(s, 2, 200 * US_PER_MS);
	assert_false(worker_drain(s->worker, 20 * US_PER_MS));
	assert_int_equal(s->n_done, 4);
	assert_true(worker_drain(s->worker, 5 * US_PER_S));
	assert_int_equal(s->n_done, 5);
}

/* The end waits for the task at work; those behind it come back as they are. */
static void
test_end(void **state)
{
	struct stage *s = *state;

	for (int i = 0; i < 100; i++) /* two seconds of it */
		post(s, i, 20 * US_PER_MS);
	assert_true(worker_free(&s->worker, 400 * US_PER_MS));
	assert_null(s->worker);
	assert_int_equal(s->n_done, 100);
	assert_in_range(s->n_run, 1, 60);
	for (int i = 0; i < 100; i++)
		assert_int_equal(s->order[i], i);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
