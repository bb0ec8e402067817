/*
 * One round of a target, once its session is open and its time is known:
 *
 *	(inventory) -> live poll -> publish -> back-fill -> inventory when due
 */
#include <stdlib.h>

#include "dslat/bus.h"
#include "dslat/ingest.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "schedule.h"
#include "vsphere_private.h"

#define INVENTORY_US (300 * US_PER_S)
#define INVENTORY_MIN_US (60 * US_PER_S) /* on demand, no more often */
#define STORAGE_US (3600 * US_PER_S)
#define EMPTY_POLLS_MAX 5 /* then the session itself is suspect */

static void live(struct vsphere *v);
static void behind_the_poll(struct vsphere *v);

static struct now
now_of(const struct vsphere *v)
{
	return loop_now(v->loop);
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
		vsphere_set_state(v, TARGET_DEGRADED, e->text);
		behind_the_poll(v);
		return;
	}
	if (e != NULL) {
		vsphere_failed(v, e);
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
	vsphere_set_state(v, text != NULL ? TARGET_DEGRADED : TARGET_OK, text);
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
		vsphere_failed(v, e);
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
		vsphere_failed(v, e);
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

void
vsphere_round(struct vsphere *v)
{
	if (!v->have_inventory)
		read_inventory(v);
	else
		live(v);
}
