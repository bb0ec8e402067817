#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "dslat/log.h"
#include "dslat/mem.h"

#define POLL_TIMEOUT_S 300 /* of real time: something hangs */

static int64_t
used_us(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * US_PER_S +
		u->ru_utime.tv_usec + u->ru_stime.tv_usec;
}

int64_t
cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return used_us(&u);
}

static struct now
tick(void *arg)
{
	struct rig *r = arg;

	r->now.mono.us++;
	r->now.real.us++;
	r->site->now = r->now;
	return r->now;
}

static struct conf *
make_conf(const struct sim *sim, int64_t interval_s)
{
	char *text = xasprintf(
		"targets:\n"
		"  - name: bench\n"
		"    url: %s\n"
		"    username: " SIM_USER
		"\n"
		"    password_env: DSLAT_BENCH_PASSWORD\n"
		"    poll_interval_s: %d\n",
		sim->url, (int)interval_s);
	struct buf problems;
	struct conf *c;
	struct err e;

	setenv("DSLAT_BENCH_PASSWORD", SIM_PASSWORD, 1);
	buf_init(&problems, 1 << 16);
	c = conf_parse(text, strlen(text), "bench", &problems, &e);
	if (c == NULL)
		die("%s", buf_str(&problems));
	buf_fini(&problems);
	free(text);
	return c;
}

void
rig_start(struct rig *r, const struct sim *sim, int64_t interval_s)
{
	struct err e;

	*r = (struct rig){ .sim = sim, .interval_us = interval_s * US_PER_S };
	r->now = clock_sample();
	if (real_parse(SIM_START, strlen(SIM_START), &r->now.real) != 0)
		die("%s is no time", SIM_START);
	log_set_level(LOG_LVL_WARN);
	r->loop = loop_new(&e);
	if (r->loop == NULL)
		die("%s", e.text);
	r->site = site_new(r->now);
	loop_set_clock(r->loop, tick, r);
	r->targets = targets_new(r->loop, r->site, &vsphere_collector);
	r->web = web_new(r->loop, &(struct web_parts){ .site = r->site });
	if (web_listen(r->web, "127.0.0.1:0", &e) != 0)
		die("%s", e.text);
	targets_apply(r->targets, make_conf(sim, interval_s));
	r->target = site_find_target(r->site, "bench");
}

void
rig_stop(struct rig *r)
{
	web_free(&r->web);
	targets_free(&r->targets);
	site_free(&r->site);
	loop_free(&r->loop);
}

const char *
rig_base(const struct rig *r)
{
	return web_address(r->web, 0);
}

/*
 * The loop times its turns by the clock; on a machine with other work a turn
 * also lasts while another process has the CPU.  One that was interrupted is
 * judged by its CPU time.
 */
void
rig_turn(struct rig *r)
{
	uint64_t stalls = loop_stats(r->loop).stalls;
	struct rusage before, after;
	int64_t us;

	getrusage(RUSAGE_THREAD, &before);
	loop_turn(r->loop, 100);
	getrusage(RUSAGE_THREAD, &after);
	us = used_us(&after) - used_us(&before);
	r->turn_cpu_max_us = MAX(r->turn_cpu_max_us, us);
	if (loop_stats(r->loop).stalls == stalls)
		return;
	if (us <= 50 * US_PER_MS && after.ru_nivcsw != before.ru_nivcsw)
		r->preempted++;
	else
		r->stalls++;
}

static void
check_time(mono_t start)
{
	if (mono_diff_us(clock_sample().mono, start) >
	    POLL_TIMEOUT_S * US_PER_S)
		die("nothing has come for %d s", POLL_TIMEOUT_S);
}

void
rig_settle(struct rig *r)
{
	mono_t start = clock_sample().mono;

	do {
		rig_turn(r);
		check_time(start);
	} while (loop_stats(r->loop).transfers != 0);
	if (r->target->state != TARGET_OK)
		die("the target is %s: %s", target_state_name(r->target->state),
		    r->target->error != NULL ? r->target->error : "");
}

void
rig_advance(struct rig *r)
{
	char *path = xasprintf("/sim/clock?advance_s=%d",
			       (int)(r->interval_us / US_PER_S));

	free(sim_control(r->sim, "POST", path));
	free(path);
	r->now.mono.us += r->interval_us;
	r->now.real.us += r->interval_us;
}

void
rig_poll(struct rig *r)
{
	uint64_t polls = r->target->stats.polls;

	rig_turn(r); /* the timer */
	rig_settle(r);
	if (r->target->stats.polls != polls + 1)
		die("%d polls where one was due",
		    (int)(r->target->stats.polls - polls));
}

void
rig_serve(struct rig *r, struct client *c, size_t n_marks)
{
	mono_t start = clock_sample().mono;

	while (client_read(c) < n_marks && !c->ended) {
		rig_turn(r);
		check_time(start);
	}
	if (c->n_marks < n_marks)
		die("a page was not served");
}
