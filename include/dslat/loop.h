/*
 * loop.h - one thread, one wait: transfers, descriptors, timers, signals.
 *
 * curl_multi_poll() is the event loop.  Each turn: wait for the least of all
 * timeouts, read the clock once, run due timers, perform transfers, call ready
 * descriptors.  The loop times its own turns, waiting apart (design: none over
 * 50 ms).  Everything is called on the loop thread, except loop_wakeup().
 */
#ifndef DSLAT_LOOP_H
#define DSLAT_LOOP_H

#include "dslat/clock.h"
#include "dslat/err.h"

struct loop;
struct loop_timer;
struct loop_fd;

/* From here on the process ignores SIGPIPE. */
struct loop *loop_new(struct err *e) must_check;
/* After its timers, descriptors and peers. */
void loop_free(struct loop **l);
/* Until loop_stop(). */
void loop_run(struct loop *l);
/* One turn, waiting at most max_wait_ms; for tests and command lines. */
void loop_turn(struct loop *l, int max_wait_ms);
void loop_stop(struct loop *l);
/* This turn's clock. */
struct now loop_now(const struct loop *l);
/* From any thread: end the wait. */
void loop_wakeup(struct loop *l);

/* Where the time comes from; NULL: clock_sample().  Tests pass their own and
 * let it jump: timers follow it, the wait itself is real. */
typedef struct now (*loop_clock_fn)(void *arg);
void loop_set_clock(struct loop *l, loop_clock_fn fn, void *arg);

typedef void (*loop_timer_fn)(void *arg, struct now now);
/* Timers are one-shot and re-armed by hand; freed by their owner, before the
 * loop.  Times are this turn's clock plus a delay.  Due ones run in the order
 * of their time; one armed by a timer runs in a later turn. */
struct loop_timer *loop_timer_new(struct loop *l, loop_timer_fn fn, void *arg)
	must_check;
void loop_timer_free(struct loop_timer **t);
void loop_timer_at(struct loop_timer *t, mono_t when);
void loop_timer_in_us(struct loop_timer *t, int64_t delay_us);
void loop_timer_off(struct loop_timer *t);
bool loop_timer_armed(const struct loop_timer *t);

#define LOOP_IN 1
#define LOOP_OUT 2
/* ready: what is wanted and possible; an error or a hang-up makes all that is
 * wanted ready, so that read() or write() meets it. */
typedef void (*loop_fd_fn)(void *arg, int fd, int ready, struct now now);
struct loop_fd *loop_fd_add(struct loop *l, int fd, int want, loop_fd_fn fn,
			    void *arg) must_check;
void loop_fd_want(struct loop_fd *f, int want);
void loop_fd_del(struct loop_fd **f);

/*
 * Called every turn before the wait: do what is due and return how long the
 * loop may sleep in ms (-1: as long as it likes).  libmicrohttpd's external
 * mode needs it.
 */
typedef int (*loop_prepare_fn)(void *arg, struct now now);
void loop_set_prepare(struct loop *l, loop_prepare_fn fn, void *arg);

/* SIGTERM and SIGINT stop the loop; SIGHUP calls on_hup.
 * (self-pipe, no signalfd: the ESXi build has none to count on)  One loop per
 * process; loop_free() gives the signals back. */
int loop_signals(struct loop *l, void (*on_hup)(void *arg), void *arg,
		 struct err *e) must_check;

struct loop_stats {
	uint64_t turns;
	uint64_t stalls;         /* turns over 50 ms */
	int64_t stall_max_us;    /* longest turn, waiting apart, since start */
	const char *stall_where; /* "timers", "transfers", "web", ... */
	size_t transfers;        /* HTTP requests queued or under way now */
};
struct loop_stats loop_stats(const struct loop *l);

#endif
