/*
 * The vSphere collector: one target's life, from the first try to the logout.
 *
 *	poll timer -> (open session) -> CurrentTime -> vsphere_round() -> ...
 *
 * Whatever fails ends in failed(), which says what state the target is in and
 * when the next try is.
 */
#include <stdlib.h>

#include "dslat/bus.h"
#include "dslat/collector.h"
#include "dslat/ingest.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "schedule.h"
#include "vsphere_private.h"

void
vsphere_set_state(struct vsphere *v, enum target_state s, const char *text)
{
	target_set_error(v->target, s, text);
	bus_status(v->target->site->bus, v->target);
}

/* ---- beginning ---- */

static void
on_time(void *arg, struct answer *r, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (e != NULL) {
		vsphere_failed(v, e);
		return;
	}
	target_set_time(v->target, service_time_get(r), loop_now(v->loop).mono);
	vsphere_round(v);
}

static void
ask_time(struct vsphere *v)
{
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_time(&b);
	session_call(v->session, &b, service_time_answer(), &session_small,
		     on_time, v);
}

static void
on_open(void *arg, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);
	const struct service_content *sc;
	struct target *t = v->target;

	if (e != NULL) {
		vsphere_failed(v, e);
		return;
	}
	sc = session_content(v->session);
	xstrset(&t->api_type, sc->api_type);
	xstrset(&t->version, sc->version);
	t->field_mask =
		session_counters(v->session)->field_mask & FIELD_MASK_ALL;
	t->stats.logins++;
	ask_time(v);
}

static void
open_session(struct vsphere *v)
{
	session_open(v->session, on_open, v);
}

/* ---- failing ---- */

static enum target_state
state_of(enum err_code code)
{
	return code == ERR_AUTH ? TARGET_AUTH_FAILED : TARGET_UNREACHABLE;
}

static void
failed(struct vsphere *v, const struct err *e)
{
	struct target *t = v->target;
	enum target_state s = state_of(e->code);
	int64_t wait_us;
	bool news = t->state != s;
	char *text;

	poller_cancel(v->poller);
	refresh_cancel(v->refresh);
	v->busy = v->due = false;
	v->failures++;
	if (!v->live_done)
		t->stats.poll_failures++;
	wait_us = schedule_backoff_us(e->code, v->failures,
				      (unsigned)schedule_offset_us(t->name) +
					      v->failures * 277);
	text = xasprintf("%s; next try in %d s", e->text,
			 (int)(wait_us / US_PER_S));
	if (news || v->failures == 1)
		log_warn("vsphere", "target=%s %s: %s", t->name,
			 target_state_name(s), text);
	vsphere_set_state(v, s, text);
	free(text);
	ingest_tick(t);
	loop_timer_in_us(v->timer, wait_us);
}

void
vsphere_failed(struct vsphere *v, const struct err *e)
{
	if (e->code != ERR_SESSION || v->relogged) {
		if (e->code == ERR_SESSION)
			session_drop(v->session);
		failed(v, e);
		return;
	}
	v->relogged = true;
	poller_cancel(v->poller);
	refresh_cancel(v->refresh);
	session_drop(v->session);
	log_info("vsphere", "target=%s the session is gone, logging in again",
		 v->target->name);
	open_session(v);
}

/* ---- timers ---- */

static void
on_timer(void *arg, struct now now)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (v->busy) {
		v->due = true;
		return;
	}
	v->busy = true;
	v->poll_started = now.mono;
	v->relogged = v->live_done = false;
	if (session_is_open(v->session))
		ask_time(v);
	else
		open_session(v);
}

/* Gaps become final although no answer comes. */
static void
on_tick(void *arg, struct now now unused)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (v->failures != 0)
		ingest_tick(v->target);
	loop_timer_in_us(v->tick, SLOT_US);
}

/* ---- the collector's table ---- */

static void
vsphere_free(void *arg)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	poller_free(&v->poller);
	refresh_free(&v->refresh);
	session_free(&v->session);
	loop_timer_free(&v->timer);
	loop_timer_free(&v->tick);
	free(v);
}

static void *
vsphere_start(struct loop *l, struct target *t, const struct conf_target *conf,
	      struct err *e)
{
	struct session *s = session_new(l, conf, e);
	struct vsphere *v;

	if (s == NULL)
		return NULL;
	v = xcalloc(1, sizeof(*v));
	v->magic = VSPHERE_MAGIC;
	v->loop = l;
	v->target = t;
	v->conf = conf;
	v->session = s;
	v->refresh = refresh_new(s);
	v->poller = poller_new(s, t);
	v->timer = loop_timer_new(l, on_timer, v);
	v->tick = loop_timer_new(l, on_tick, v);
	t->insecure = conf->insecure;
	if (conf->insecure)
		log_warn("vsphere",
			 "target=%s tls.insecure: the certificate "
			 "is not verified",
			 t->name);
	t->poll_interval_us = conf->poll_interval_s != 0
		? conf->poll_interval_s * US_PER_S
		: SLOT_US;
	loop_timer_in_us(v->timer, 0);
	loop_timer_in_us(v->tick, SLOT_US);
	return v;
}

static void
vsphere_reconf(void *arg, const struct conf_target *conf)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	v->conf = conf;
	session_reconf(v->session, conf);
	/* Somebody may have mended what made it wait: a password, a network. */
	if (v->failures != 0 && !v->busy)
		loop_timer_in_us(v->timer, 0);
}

static void
on_logged_out(void *arg, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (e != NULL)
		log_warn("vsphere", "target=%s logout failed: %s",
			 v->target->name, e->text);
	v->on_stopped(v->stopped_arg);
}

static void
on_nothing_to_do(void *arg, struct now now unused)
{
	on_logged_out(arg, NULL);
}

static void
vsphere_stop(void *arg, void (*on_stopped)(void *arg), void *stopped_arg)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	poller_cancel(v->poller);
	refresh_cancel(v->refresh);
	loop_timer_free(&v->timer);
	loop_timer_free(&v->tick);
	v->on_stopped = on_stopped;
	v->stopped_arg = stopped_arg;
	if (session_is_logged_in(v->session)) {
		session_close(v->session, on_logged_out, v);
		return;
	}
	session_drop(v->session);
	v->timer = loop_timer_new(v->loop, on_nothing_to_do, v);
	loop_timer_in_us(v->timer, 0);
}

const struct collector_ops vsphere_collector = {
	.name = "vsphere",
	.start = vsphere_start,
	.reconf = vsphere_reconf,
	.stop = vsphere_stop,
	.free = vsphere_free,
};
