#include "dslat/loop.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "outcome.h"

struct fixture {
	struct loop *l;
	struct now now; /* virtual */
	char log[256];  /* letters of the timers that ran */
};

static struct now
virtual_clock(void *arg)
{
	return ((struct fixture *)arg)->now;
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e;

	assert_non_null(f);
	f->now = (struct now){ { 1000000 }, { 1795956100000000 } };
	f->l = loop_new(&e);
	assert_non_null(f->l);
	loop_set_clock(f->l, virtual_clock, f);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	loop_free(&f->l);
	assert_null(f->l);
	free(f);
	return 0;
}

struct letter {
	struct fixture *f;
	char c;
	struct loop_timer *t;
	int64_t again_us;           /* re-arm with this delay, unless 0 */
	struct loop_timer **victim; /* free this one */
};

static void
on_letter(void *arg, struct now now)
{
	struct letter *x = arg;

	assert_int_equal(now.mono.us, x->f->now.mono.us);
	assert_int_equal(loop_now(x->f->l).mono.us, now.mono.us);
	x->f->log[strlen(x->f->log)] = x->c; /* the rest is 0 */
	if (x->again_us != 0)
		loop_timer_in_us(x->t, x->again_us);
	if (x->victim != NULL)
		loop_timer_free(x->victim);
}

static void
turn_at(struct fixture *f, int64_t us)
{
	f->now.mono.us = us;
	memset(f->log, 0, sizeof(f->log));
	loop_turn(f->l, 0);
}

static void
test_timer_order(void **state)
{
	struct fixture *f = *state;
	/* armed in this order, due at these times; equal ones in order */
	static const int64_t at_us[] = { 1500, 1200, 1900, 1200, 1100, 1500 };
	struct letter x[6];

	for (int i = 0; i < 6; i++) {
		x[i] = (struct letter){ .f = f, .c = (char)('a' + i) };
		x[i].t = loop_timer_new(f->l, on_letter, &x[i]);
		assert_false(loop_timer_armed(x[i].t));
		loop_timer_at(x[i].t, (mono_t){ 1000000 + at_us[i] });
		assert_true(loop_timer_armed(x[i].t));
	}
	turn_at(f, 1001099);
	assert_string_equal(f->log, "");
	turn_at(f, 1001100);
	assert_string_equal(f->log, "e");
	assert_false(loop_timer_armed(x[4].t));
	loop_timer_off(x[2].t);
	loop_timer_at(x[3].t, (mono_t){ 1001600 }); /* moved */
	turn_at(f, 1009999);
	assert_string_equal(f->log, "bafd");
	turn_at(f, 2000000);
	assert_string_equal(f->log, "");
	for (int i = 0; i < 6; i++)
		loop_timer_free(&x[i].t);
}

/* Against a plain sort: 500 timers with random times, some taken off. */
static struct fixture *sort_fixture;
static int64_t last_us;
static int ran;

static void
on_sorted(void *arg, struct now now unused)
{
	int64_t *when_us = arg;

	assert_true(*when_us >= last_us);
	assert_true(*when_us <= sort_fixture->now.mono.us);
	last_us = *when_us;
	*when_us = -1;
	ran++;
}

static void
test_timer_many(void **state)
{
	static struct loop_timer *t[500];
	static int64_t when_us[500];
	struct fixture *f = *state;
	unsigned seed = 7;
	int off = 0;

	sort_fixture = f;
	ran = 0;
	for (size_t i = 0; i < 500; i++) {
		seed = seed * 1103515245 + 12345;
		when_us[i] = 1000001 + (seed >> 8) % 100000;
		t[i] = loop_timer_new(f->l, on_sorted, &when_us[i]);
		loop_timer_at(t[i], (mono_t){ when_us[i] });
	}
	for (size_t i = 0; i < 500; i += 7, off++)
		loop_timer_off(t[i]);
	for (int64_t us = 1000000; us <= 1100001; us += 12500) {
		last_us = 0;
		turn_at(f, us);
		for (size_t i = 0; i < 500; i++)
			assert_int_equal(loop_timer_armed(t[i]),
					 i % 7 != 0 && when_us[i] > us);
	}
	turn_at(f, 1200000);
	assert_int_equal(ran, 500 - off);
	for (size_t i = 0; i < 500; i++)
		loop_timer_free(&t[i]);
}

/* A timer may free itself and others that are due; one that always re-arms
 * itself in the past runs once a turn. */
static void
test_timer_inside(void **state)
{
	struct fixture *f = *state;
	struct letter a = { .f = f, .c = 'a' }, b = { .f = f, .c = 'b' },
		      c = { .f = f, .c = 'c' }, d = { .f = f, .c = 'd' };

	a.t = loop_timer_new(f->l, on_letter, &a);
	b.t = loop_timer_new(f->l, on_letter, &b);
	c.t = loop_timer_new(f->l, on_letter, &c);
	d.t = loop_timer_new(f->l, on_letter, &d);
	a.victim = &b.t;
	c.victim = &c.t;
	d.again_us = -1000;
	loop_timer_at(a.t, (mono_t){ 1000001 });
	loop_timer_at(b.t, (mono_t){ 1000002 });
	loop_timer_at(c.t, (mono_t){ 1000003 });
	loop_timer_at(d.t, (mono_t){ 1000004 });
	turn_at(f, 1000100);
	assert_string_equal(f->log, "acd");
	assert_null(b.t);
	assert_null(c.t);
	turn_at(f, 1000200);
	assert_string_equal(f->log, "d");
	d.again_us = 0;
	turn_at(f, 1000300);
	assert_string_equal(f->log, "d");
	assert_false(loop_timer_armed(d.t));
	loop_timer_free(&a.t);
	loop_timer_free(&d.t);
	loop_timer_free(&d.t); /* NULL by now */
}

/* ---- the real clock from here ------------------------------------------- */

static int64_t
elapsed_ms(mono_t since)
{
	return mono_diff_us(clock_sample().mono, since) / US_PER_MS;
}

static void
stop_loop(void *arg, struct now now unused)
{
	loop_stop(arg);
}

/* The wait lasts until the timer, not shorter: no turns in between. */
static void
test_wait(void **state)
{
	struct fixture *f = *state;
	struct loop_timer *t = loop_timer_new(f->l, stop_loop, f->l);
	mono_t start = clock_sample().mono;
	uint64_t turns;

	loop_set_clock(f->l, NULL, NULL);
	turns = loop_stats(f->l).turns;
	loop_timer_in_us(t, 60000);
	loop_run(f->l);
	assert_in_range(elapsed_ms(start), 60, 2000);
	assert_in_range(loop_stats(f->l).turns - turns, 1, 3);
	loop_timer_free(&t);

	start = clock_sample().mono;
	loop_turn(f->l, 20);
	assert_in_range(elapsed_ms(start), 20, 2000);
}

struct reader {
	struct loop_fd *fd, **victim;
	int calls, ready;
	char got[16];
	ssize_t n;
};

static void
on_reader(void *arg, int fd, int ready, struct now now unused)
{
	struct reader *r = arg;

	r->calls++;
	r->ready = ready;
	if (ready & LOOP_IN)
		r->n = read(fd, r->got, sizeof(r->got));
	if (r->victim != NULL)
		loop_fd_del(r->victim);
}

static void
test_fds(void **state)
{
	struct fixture *f = *state;
	struct reader a = { .n = -1 }, b = { .n = -1 }, w = { .n = -1 };
	int p[2], q[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(pipe2(q, O_CLOEXEC), 0);
	a.fd = loop_fd_add(f->l, p[0], LOOP_IN, on_reader, &a);
	b.fd = loop_fd_add(f->l, q[0], LOOP_IN, on_reader, &b);
	loop_turn(f->l, 0);
	assert_int_equal(a.calls + b.calls, 0);

	assert_int_equal(write(q[1], "hi", 2), 2);
	loop_turn(f->l, 1000);
	assert_int_equal(a.calls, 0);
	assert_int_equal(b.calls, 1);
	assert_int_equal(b.n, 2);

	/* nothing wanted: not called, and no turn wasted on it */
	assert_int_equal(write(q[1], "yo", 2), 2);
	loop_fd_want(b.fd, 0);
	loop_turn(f->l, 0);
	assert_int_equal(b.calls, 1);
	loop_fd_want(b.fd, LOOP_IN);

	/* both ready, the first deletes the second */
	assert_int_equal(write(p[1], "x", 1), 1);
	a.victim = &b.fd;
	loop_turn(f->l, 1000);
	assert_int_equal(a.calls, 1);
	assert_int_equal(b.calls, 1);
	assert_null(b.fd);

	w.fd = loop_fd_add(f->l, q[1], LOOP_OUT, on_reader, &w);
	loop_turn(f->l, 1000);
	assert_int_equal(w.calls, 1);
	assert_int_equal(w.ready, LOOP_OUT);
	loop_fd_del(&w.fd);

	/* a hang-up without data is told, not spun on */
	close(p[1]);
	loop_turn(f->l, 1000);
	assert_int_equal(a.calls, 2);
	assert_int_equal(a.ready, LOOP_IN);
	assert_int_equal(a.n, 0);

	a.victim = &a.fd; /* itself */
	loop_turn(f->l, 1000);
	assert_int_equal(a.calls, 3);
	assert_null(a.fd);
	loop_turn(f->l, 0);
	assert_int_equal(a.calls, 3);
	close(p[0]);
	close(q[0]);
	close(q[1]);
}

/* More descriptors than the first allocation, added from inside. */
struct adder {
	struct fixture *f;
	struct loop_fd *fds[40];
	size_t n;
	int p[2], calls;
};

static void
on_adder(void *arg, int fd unused, int ready unused, struct now now unused)
{
	struct adder *x = arg;

	x->calls++;
	if (x->n < ARRAY_SIZE(x->fds))
		x->fds[x->n++] =
			loop_fd_add(x->f->l, x->p[0], LOOP_IN, on_adder, x);
}

static void
test_fds_grow(void **state)
{
	struct adder x = { .f = *state };

	assert_int_equal(pipe2(x.p, O_CLOEXEC), 0);
	assert_int_equal(write(x.p[1], "x", 1), 1);
	x.fds[x.n++] = loop_fd_add(x.f->l, x.p[0], LOOP_IN, on_adder, &x);
	/* each turn calls those it began with: 1 + 2 + 4 + 8 + 16 + 32 */
	for (int i = 0; i < 6; i++)
		loop_turn(x.f->l, 1000);
	assert_int_equal(x.calls, 63);
	assert_int_equal(x.n, 40);
	for (size_t i = 0; i < x.n; i++)
		loop_fd_del(&x.fds[i]);
	close(x.p[0]);
	close(x.p[1]);
}

static void *
wake_main(void *arg)
{
	nap_ms(30);
	loop_wakeup(arg);
	return NULL;
}

static void
test_wakeup(void **state)
{
	struct fixture *f = *state;
	mono_t start = clock_sample().mono;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wake_main, f->l), 0);
	loop_turn(f->l, 10000);
	assert_in_range(elapsed_ms(start), 20, 5000);
	pthread_join(thread, NULL);
}

static int
prepare_20(void *arg, struct now now unused)
{
	++*(int *)arg;
	return 20;
}

static void
test_prepare(void **state)
{
	struct fixture *f = *state;
	int calls = 0;
	mono_t start = clock_sample().mono;

	loop_set_prepare(f->l, prepare_20, &calls);
	loop_turn(f->l, 10000);
	assert_int_equal(calls, 1);
	assert_in_range(elapsed_ms(start), 20, 5000);
}

static void
nap(void *arg unused, struct now now unused)
{
	nap_ms(500);
}

static int
nap_prepare(void *arg unused, struct now now unused)
{
	nap_ms(900);
	return 0;
}

/* On a busy machine every turn may last a little; the naps last longer. */
static void
test_stalls(void **state)
{
	struct fixture *f = *state;
	struct loop_timer *t = loop_timer_new(f->l, nap, NULL);
	struct loop_stats s, before;

	loop_turn(f->l, 400); /* waiting is no stall */
	before = loop_stats(f->l);
	assert_int_equal(before.turns, 1);
	assert_true(before.stall_max_us < 400000);
	loop_timer_at(t, (mono_t){ 0 });
	loop_turn(f->l, 0);
	s = loop_stats(f->l);
	assert_int_equal(s.stalls, before.stalls + 1);
	assert_in_range(s.stall_max_us, 500000, 5000000);
	assert_string_equal(s.stall_where, "timers");
	loop_set_prepare(f->l, nap_prepare, NULL);
	loop_turn(f->l, 0);
	s = loop_stats(f->l);
	assert_int_equal(s.stalls, before.stalls + 2);
	assert_in_range(s.stall_max_us, 900000, 5000000);
	assert_string_equal(s.stall_where, "web");
	loop_timer_free(&t);
}

static void
on_hup(void *arg)
{
	++*(int *)arg;
}

static void
kill_me(void *arg, struct now now unused)
{
	kill(getpid(), *(int *)arg);
}

/* Signals that arrive before the wait and during it; SIGPIPE does nothing. */
static void
test_signals(void **state)
{
	static int sigs[] = { SIGTERM, SIGINT };
	struct fixture *f = *state;
	int hups = 0;
	struct err e;
	struct sigaction sa;
	struct loop_timer *t;

	loop_set_clock(f->l, NULL, NULL);
	assert_int_equal(loop_signals(f->l, on_hup, &hups, &e), 0);
	kill(getpid(), SIGPIPE);
	kill(getpid(), SIGHUP);
	loop_turn(f->l, 1000);
	assert_int_equal(hups, 1);
	for (size_t i = 0; i < ARRAY_SIZE(sigs); i++) {
		t = loop_timer_new(f->l, kill_me, &sigs[i]);
		loop_timer_in_us(t, 1000);
		loop_run(f->l); /* comes back */
		loop_timer_free(&t);
	}
	assert_int_equal(hups, 1);
	/* and given back at the end */
	loop_free(&f->l);
	sigaction(SIGTERM, NULL, &sa);
	assert_ptr_equal(sa.sa_handler, SIG_DFL);
	f->l = loop_new(&e);
	assert_int_equal(loop_signals(f->l, NULL, NULL, &e), 0);
	kill(getpid(), SIGHUP); /* no hook: ignored */
	loop_turn(f->l, 1000);
}

static void *
term_main(void *arg)
{
	nap_ms(30);
	kill(*(pid_t *)arg, SIGTERM);
	return NULL;
}

/* A signal in the middle of the wait ends it. */
static void
test_signal_in_wait(void **state)
{
	struct fixture *f = *state;
	mono_t start = clock_sample().mono;
	pthread_t thread;
	pid_t self = getpid();
	struct err e;

	assert_int_equal(loop_signals(f->l, NULL, NULL, &e), 0);
	assert_int_equal(pthread_create(&thread, NULL, term_main, &self), 0);
	loop_run(f->l);
	assert_in_range(elapsed_ms(start), 20, 5000);
	pthread_join(thread, NULL);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_timer_order),
		CASE(test_timer_many),
		CASE(test_timer_inside),
		CASE(test_wait),
		CASE(test_fds),
		CASE(test_fds_grow),
		CASE(test_wakeup),
		CASE(test_prepare),
		CASE(test_stalls),
		CASE(test_signals),
		CASE(test_signal_in_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
