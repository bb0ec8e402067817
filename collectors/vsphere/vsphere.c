/*
 * The vSphere collector: one target's life, from the first try to the logout.
 *
 *	poll timer -> (open session) -> CurrentTime -> (inventory) -> live poll
 *	           -> publish -> back-fill -> inventory when due -> poll timer
 *
 * Whatever fails ends in failed(), which says what state the target is in and
 * when the next try is.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/collector.h"
#include "dslat/ingest.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "poller.h"
#include "refresh.h"
#include "schedule.h"
#include "session.h"

#define VSPHERE_MAGIC OBJ_MAGIC('v', 's', 'p', 'h')
#define INVENTORY_US (300 * US_PER_S)
#define INVENTORY_MIN_US (60 * US_PER_S) /* on demand, no more often */
#define STORAGE_US (3600 * US_PER_S)
#define EMPTY_POLLS_MAX 5 /* then the session itself is suspect */

struct vsphere {
	uint32_t magic;
	struct loop *loop;
	struct target *target;
	const struct conf_target *conf;
	struct session *session;
	struct refresh *refresh;
	struct poller *poller;
	struct loop_timer *timer; /* next poll */
	struct loop_timer *tick;  /* final slots of a silent target */
	mono_t poll_started;
	bool relogged;     /* within this poll */
	bool busy;         /* from the timer until nothing is left to do */
	bool due;          /* the timer rang while busy */
	bool live_done;    /* this poll's samples are in */
	unsigned failures; /* polls in a row */
	unsigned empty_polls;
	bool have_inventory;
	bool with_storage;               /* the reading under way */
	mono_t inventory_at, storage_at; /* when last read */
	void (*on_stopped)(void *arg);
	void *stopped_arg;
};

static void ask_time(struct vsphere *v);
static void open_session(struct vsphere *v);
static void live(struct vsphere *v);
static void behind_the_poll(struct vsphere *v);

static struct now
now_of(const struct vsphere *v)
{
	return loop_now(v->loop);
}

static size_t
count_pairs(const struct target *t)
{
	size_t n = 0;
	void *h;

	for (size_t i = 0; map_next(t->hosts, &i, NULL, &h);)
		n += ((struct host *)h)->n_pairs;
	return n;
}

static void
set_state(struct vsphere *v, enum target_state s, const char *text)
{
	target_set_error(v->target, s, text);
	bus_status(v->target->site->bus, v->target);
}

static void
schedule_poll(struct vsphere *v)
{
	struct target *t = v->target;
	int64_t interval_us = v->conf->poll_interval_s * US_PER_S;

	if (interval_us == 0)
		interval_us = schedule_interval_us(t->poll_interval_us,
						   t->poll_us, count_pairs(t));
	t->poll_interval_us = interval_us;
	loop_timer_in_us(v->timer,
			 schedule_next_us(target_now(t), interval_us,
					  schedule_offset_us(t->name)));
}

/* Nothing more to do, or the next poll is due and goes first. */
static void
rest(struct vsphere *v)
{
	v->busy = false;
	if (v->due)
		loop_timer_in_us(v->timer, 0);
	v->due = false;
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
	set_state(v, s, text);
	free(text);
	ingest_tick(t);
	loop_timer_in_us(v->timer, wait_us);
}

/* The server forgot our session: log in again and start this poll over, once.
 * Anything else, or a second time, is a failure. */
static void
failed_or_again(struct vsphere *v, const struct err *e)
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

/* ---- inventory ---- */

static bool
wants_host(void *arg, const char *name)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	return conf_wants_host(v->conf, name);
}

static bool
wants_datastore(void *arg, const char *name)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	return conf_wants_datastore(v->conf, name);
}

static void
apply_inventory(struct vsphere *v, struct inventory *inv)
{
	size_t changes;

	inventory_filter(inv, wants_host, wants_datastore, v);
	changes = model_apply(v->target, inv);
	if (changes != 0)
		log_info("vsphere",
			 "target=%s inventory: %zu hosts, %zu "
			 "datastores, %zu changes",
			 v->target->name, inv->n_hosts, inv->n_datastores,
			 changes);
	if (changes != 0 && !v->with_storage)
		v->storage_at.us =
			0; /* something is new: read all of it soon */
	else if (v->with_storage)
		v->storage_at = now_of(v).mono;
	v->have_inventory = true;
	inventory_free(&inv);
}

/* Errors of what was asked; the others concern session and connection. */
static bool
is_only_inventory(enum err_code code)
{
	return code == ERR_FAULT || code == ERR_PERM || code == ERR_GONE ||
		code == ERR_LIMIT || code == ERR_PROTO;
}

static void
on_inventory(void *arg, struct inventory *inv, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (e != NULL && v->live_done && is_only_inventory(e->code)) {
		log_warn("vsphere",
			 "target=%s reading the inventory failed, "
			 "the old one stays: %s",
			 v->target->name, e->text);
		set_state(v, TARGET_DEGRADED, e->text);
		behind_the_poll(v);
		return;
	}
	if (e != NULL) {
		failed_or_again(v, e);
		return;
	}
	apply_inventory(v, inv);
	if (!v->live_done)
		live(v);
	else
		behind_the_poll(v);
}

static void
read_inventory(struct vsphere *v)
{
	mono_t now = now_of(v).mono;
	bool storage = v->storage_at.us == 0 ||
		mono_diff_us(now, v->storage_at) >= STORAGE_US;

	v->inventory_at = now;
	v->with_storage = storage;
	refresh_start(v->refresh, storage, on_inventory, v);
}

static bool
inventory_is_due(struct vsphere *v)
{
	int64_t age_us = mono_diff_us(now_of(v).mono, v->inventory_at);

	if (age_us >= INVENTORY_US)
		return true;
	return age_us >= INVENTORY_MIN_US && poller_wants_inventory(v->poller);
}

/* ---- the poll ---- */

/* What a good poll leaves to say: nothing, or the cure. */
static void
judge(struct vsphere *v)
{
	struct target *t = v->target;
	struct poller_result r = poller_result(v->poller);
	bool news = t->state != TARGET_OK && t->state != TARGET_DEGRADED;
	char *text = NULL;

	if (map_count(t->datastores) == 0)
		text =
			xstrdup("the inventory shows no datastore: give the "
				"user the role Read-only at the top of the "
				"inventory, with 'Propagate to children'");
	else if (r.hosts == 0)
		text = xstrdup("no host is connected");
	else if (r.refused != 0)
		text = xasprintf("%zu of %zu hosts refuse performance queries",
				 r.refused, r.hosts);
	else if (session_counters(v->session)->problem != NULL)
		text = xstrdup(session_counters(v->session)->problem);
	if (news)
		log_info("vsphere",
			 "target=%s %s %s, %zu hosts, %zu "
			 "datastores",
			 t->name, t->api_type, t->version, map_count(t->hosts),
			 map_count(t->datastores));
	v->empty_polls =
		r.hosts != 0 && r.answered == 0 ? v->empty_polls + 1 : 0;
	set_state(v, text != NULL ? TARGET_DEGRADED : TARGET_OK, text);
	free(text);
}

static void
publish(struct vsphere *v)
{
	ingest_tick(v->target);
	bus_samples(v->target->site->bus, v->target);
}

static void
on_backfill(void *arg, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (e != NULL) {
		failed_or_again(v, e);
		return;
	}
	publish(v);
	behind_the_poll(v);
}

static void
on_closed_for_doubt(void *arg, const struct err *e unused)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	rest(v);
}

/*
 * What can wait until the live samples are in.  If the next poll is due in
 * between, it goes first.
 */
static void
behind_the_poll(struct vsphere *v)
{
	if (v->due) {
		rest(v);
		return;
	}
	if (poller_wants_backfill(v->poller)) {
		poller_backfill(v->poller, on_backfill, v);
		return;
	}
	if (inventory_is_due(v)) {
		read_inventory(v);
		return;
	}
	if (v->empty_polls >= EMPTY_POLLS_MAX) {
		log_warn("vsphere",
			 "target=%s nothing but empty answers: "
			 "starting a new session",
			 v->target->name);
		v->empty_polls = 0;
		session_close(v->session, on_closed_for_doubt, v);
		return;
	}
	rest(v);
}

static void
on_live(void *arg, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);
	struct target *t = v->target;

	if (e != NULL) {
		failed_or_again(v, e);
		return;
	}
	v->live_done = true;
	v->failures = 0;
	t->stats.polls++;
	t->last_poll = now_of(v).real;
	t->poll_us = mono_diff_us(now_of(v).mono, v->poll_started);
	publish(v);
	judge(v);
	schedule_poll(v);
	behind_the_poll(v);
}

static void
live(struct vsphere *v)
{
	int64_t interval_us = v->target->poll_interval_us;

	poller_live(v->poller, MAX(interval_us, SLOT_US), on_live, v);
}

static void
on_time(void *arg, struct answer *r, const struct err *e)
{
	struct vsphere *v = OBJ_CAST(struct vsphere, VSPHERE_MAGIC, arg);

	if (e != NULL) {
		failed_or_again(v, e);
		return;
	}
	target_set_time(v->target, service_time_get(r), now_of(v).mono);
	if (!v->have_inventory)
		read_inventory(v);
	else
		live(v);
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
		failed_or_again(v, e);
		return;
	}
	sc = session_content(v->session);
	xstrset(&t->api_type, sc->api_type);
	xstrset(&t->version, sc->version);
	t->field_mask = session_counters(v->session)->field_mask & FIELD_MASK_ALL;
	t->stats.logins++;
	ask_time(v);
}

static void
open_session(struct vsphere *v)
{
	session_open(v->session, on_open, v);
}

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
