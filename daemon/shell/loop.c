#include "dslat/loop.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "dslat/mem.h"
#include "loop_parts.h"

#define STALL_US (50 * US_PER_MS)
/* curl_multi_poll() has no "for ever"; a turn a minute costs nothing. */
#define MAX_WAIT_MS 60000

struct loop_fd {
	struct loop *loop;
	int fd, want;
	loop_fd_fn fn;
	void *arg;
	size_t pos; /* in loop->fds */
};

struct loop {
	bool stop, in_turn;
	struct now now;
	loop_clock_fn clock;
	void *clock_arg;
	struct timers timers;
	struct transfers transfers;
	struct loop_fd **fds; /* owned; NULL: deleted in this turn */
	size_t n_fds, fds_room;
	struct pollfd *pollfds; /* both with fds_room */
	struct curl_waitfd *waitfds;
	loop_prepare_fn prepare;
	void *prepare_arg;
	struct loop_stats stats;
	mono_t step_start;
	int64_t turn_us, longest_step_us;
	const char *longest_step;
};

static struct now
real_clock(void *arg unused)
{
	return clock_sample();
}

struct loop *
loop_new(struct err *e)
{
	struct loop *l;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		err_set(e, ERR_IO, "libcurl cannot be initialised");
		return NULL;
	}
	if ((curl_version_info(CURLVERSION_NOW)->features &
	     CURL_VERSION_ASYNCHDNS) == 0) {
		err_set(e, ERR_IO,
			"this libcurl was built without a threaded"
			" resolver: looking up a name would stop everything");
		curl_global_cleanup();
		return NULL;
	}
	signal(SIGPIPE, SIG_IGN); /* OpenSSL's write() raises it */
	l = xcalloc(1, sizeof(*l));
	transfers_init(&l->transfers);
	loop_set_clock(l, NULL, NULL);
	l->stats.stall_where = "";
	return l;
}

void
loop_free(struct loop **lp)
{
	struct loop *l = *lp;

	if (l == NULL)
		return;
	*lp = NULL;
	assert(!l->in_turn);
	loop_signals_end(l);
	timers_fini(&l->timers);
	for (size_t i = 0; i < l->n_fds; i++)
		assert(l->fds[i] == NULL);
	transfers_fini(&l->transfers);
	curl_global_cleanup();
	free(l->fds);
	free(l->pollfds);
	free(l->waitfds);
	free(l);
}

void
loop_set_clock(struct loop *l, loop_clock_fn fn, void *arg)
{
	l->clock = fn != NULL ? fn : real_clock;
	l->clock_arg = arg;
	l->now = l->clock(arg);
	l->timers.now = l->now.mono;
}

struct timers *
loop_timers(struct loop *l)
{
	return &l->timers;
}

struct transfers *
loop_transfers(struct loop *l)
{
	return &l->transfers;
}

struct now
loop_now(const struct loop *l)
{
	return l->now;
}

void
loop_stop(struct loop *l)
{
	l->stop = true;
}

void
loop_wakeup(struct loop *l)
{
	curl_multi_wakeup(l->transfers.multi);
}

void
loop_set_prepare(struct loop *l, loop_prepare_fn fn, void *arg)
{
	l->prepare = fn;
	l->prepare_arg = arg;
}

struct loop_stats
loop_stats(const struct loop *l)
{
	struct loop_stats s = l->stats;

	s.transfers = l->transfers.n;
	return s;
}

/* ---- descriptors -------------------------------------------------------- */

struct loop_fd *
loop_fd_add(struct loop *l, int fd, int want, loop_fd_fn fn, void *arg)
{
	struct loop_fd *f = xcalloc(1, sizeof(*f));

	f->loop = l;
	f->fd = fd;
	f->want = want;
	f->fn = fn;
	f->arg = arg;
	f->pos = l->n_fds;
	if (l->n_fds == l->fds_room) {
		size_t room = l->fds_room != 0 ? l->fds_room * 2 : 8;

		l->fds = xreallocarray(l->fds, room, sizeof(*l->fds));
		l->pollfds =
			xreallocarray(l->pollfds, room, sizeof(*l->pollfds));
		l->waitfds =
			xreallocarray(l->waitfds, room, sizeof(*l->waitfds));
		l->fds_room = room;
	}
	l->fds[l->n_fds++] = f;
	return f;
}

void
loop_fd_want(struct loop_fd *f, int want)
{
	f->want = want;
}

void
loop_fd_del(struct loop_fd **fp)
{
	struct loop_fd *f = *fp;

	if (f == NULL)
		return;
	*fp = NULL;
	f->loop->fds[f->pos] = NULL; /* fds_sweep() closes the gap */
	free(f);
}

static void
fds_sweep(struct loop *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_fds; i++) {
		if (l->fds[i] == NULL)
			continue;
		l->fds[i]->pos = n;
		l->fds[n++] = l->fds[i];
	}
	l->n_fds = n;
}

/* pollfds[i] belongs to fds[i]; a descriptor nothing is wanted of is -1,
 * which poll() skips.  Returns how many waitfds were filled. */
static unsigned
fds_prepare(struct loop *l)
{
	unsigned n = 0;

	fds_sweep(l);
	for (size_t i = 0; i < l->n_fds; i++) {
		const struct loop_fd *f = l->fds[i];

		l->pollfds[i] = (struct pollfd){
			.fd = f->want != 0 ? f->fd : -1,
			.events = (short)((f->want & LOOP_IN ? POLLIN : 0) |
					  (f->want & LOOP_OUT ? POLLOUT : 0)),
		};
		if (f->want == 0)
			continue;
		l->waitfds[n++] = (struct curl_waitfd){
			.fd = f->fd,
			.events =
				(short)((f->want & LOOP_IN ? CURL_WAIT_POLLIN
							   : 0) |
					(f->want & LOOP_OUT ? CURL_WAIT_POLLOUT
							    : 0)),
		};
	}
	return n;
}

/*
 * curl_multi_poll() does not pass on POLLHUP and POLLERR: a pipe whose other
 * end is closed would wake it for ever without a word.  So the extra
 * descriptors are asked again, without a wait.
 */
static void
fds_run(struct loop *l, size_t n)
{
	if (n == 0 || poll(l->pollfds, n, 0) <= 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct loop_fd *f = l->fds[i];
		short r = l->pollfds[i].revents;
		int ready;

		if (f == NULL || r == 0)
			continue;
		ready = (r & POLLIN ? LOOP_IN : 0) |
			(r & POLLOUT ? LOOP_OUT : 0);
		if (r & (POLLHUP | POLLERR | POLLNVAL))
			ready |= f->want;
		f->fn(f->arg, f->fd, ready, l->now);
	}
}

/* ---- turns -------------------------------------------------------------- */

static void
step_begin(struct loop *l)
{
	l->step_start = clock_sample().mono;
}

static void
step_end(struct loop *l, const char *name)
{
	mono_t t = clock_sample().mono;
	int64_t us = mono_diff_us(t, l->step_start);

	l->turn_us += us;
	if (us >= l->longest_step_us) {
		l->longest_step_us = us;
		l->longest_step = name;
	}
	l->step_start = t;
}

static void
turn_count(struct loop *l)
{
	l->stats.turns++;
	if (l->turn_us > STALL_US)
		l->stats.stalls++;
	if (l->turn_us > l->stats.stall_max_us) {
		l->stats.stall_max_us = l->turn_us;
		l->stats.stall_where = l->longest_step;
	}
	l->turn_us = 0;
	l->longest_step_us = 0;
}

/* Milliseconds, rounded up so that the timer is due behind the wait. */
static int
wait_ms(const struct loop *l, int max_wait_ms, int prepare_ms)
{
	int64_t ms = MAX_WAIT_MS, timer_us;

	if (l->stop || l->transfers.paused != NULL)
		return 0;
	if (max_wait_ms >= 0)
		ms = MIN(ms, max_wait_ms);
	if (prepare_ms >= 0)
		ms = MIN(ms, prepare_ms);
	timer_us = timers_wait_us(&l->timers, l->clock(l->clock_arg).mono);
	if (timer_us >= 0)
		ms = MIN(ms, (timer_us + US_PER_MS - 1) / US_PER_MS);
	return (int)ms;
}

void
loop_turn(struct loop *l, int max_wait_ms)
{
	int prepare_ms = -1;
	size_t n_fds;
	unsigned n_waits;

	assert(!l->in_turn);
	l->in_turn = true;
	step_begin(l);
	if (l->prepare != NULL)
		prepare_ms = l->prepare(l->prepare_arg, l->now);
	step_end(l, "web");
	n_waits = fds_prepare(l);
	n_fds = l->n_fds;
	transfers_prepare(&l->transfers); /* new ones make the wait short */
	if (curl_multi_poll(l->transfers.multi, l->waitfds, n_waits,
			    wait_ms(l, max_wait_ms, prepare_ms),
			    NULL) != CURLM_OK)
		abort();
	l->now = l->clock(l->clock_arg);
	step_begin(l);
	timers_run(&l->timers, l->now);
	step_end(l, "timers");
	transfers_run(&l->transfers);
	step_end(l, "transfers");
	fds_run(l, n_fds);
	step_end(l, "descriptors");
	turn_count(l);
	l->in_turn = false;
}

void
loop_run(struct loop *l)
{
	while (!l->stop)
		loop_turn(l, -1);
	l->stop = false;
}
