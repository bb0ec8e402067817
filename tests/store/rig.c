#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/shell/store_private.h"
#include "dslat/bus.h"
#include "dslat/ingest.h"
#include "dslat/mem.h"

#define BEHIND_US (2 * US_PER_S)
#define SETTLE_US (20 * US_PER_S)
#define MAX_REPLY 192

int64_t
rig_value(size_t host, size_t datastore, int64_t slot, unsigned field)
{
	int64_t h = (int64_t)host, d = (int64_t)datastore;
	int64_t x = (slot * 7 + h * 31 + d * 101) % 1009;

	if (x % 50 == 7)
		return SAMPLE_NONE; /* the host said nothing of this slot */
	if (x % 50 == 8 && field % N_OPS == OP_READ)
		return 0; /* no reads */
	switch (field) {
	case FIELD_US + OP_READ:
		return x % 13;
	case FIELD_US + OP_WRITE:
		return x % 97 == 5 ? 60 + x % 41 : x % 29;
	case FIELD_IOS + OP_READ:
		return 20 + x % 301;
	case FIELD_IOS + OP_WRITE:
		return 5 + x % 57;
	case FIELD_KIB_PER_S + OP_READ:
		return (20 + x % 301) * (8 + x % 3);
	default:
		return x % 50 == 9 ? SAMPLE_NONE : (5 + x % 57) * 11;
	}
}

static const struct {
	enum unit unit;
	int32_t factor; /* from the wire to a cell, by hand */
} kinds[] = {
	{ UNIT_MILLISECOND, 1000 },
	{ UNIT_NUMBER, 20 },
	{ UNIT_KIB_PER_S, 1 },
};

bool
rig_cell(size_t host, size_t datastore, int64_t slot, struct cell *c)
{
	bool any = false;

	for (unsigned f = 0; f < N_FIELDS; f++) {
		int64_t v = rig_value(host, datastore, slot, f);

		c->v[f] = v < 0 ? SAMPLE_NONE
				: (int32_t)v * kinds[f / N_OPS].factor;
		any |= v >= 0;
	}
	return any;
}

static struct now
clock_of(void *arg)
{
	return ((struct rig *)arg)->now;
}

static void
set_clock(struct rig *r, int64_t slot)
{
	int64_t us = slot_end(slot).us + BEHIND_US;

	r->now.mono.us += us - r->now.real.us;
	r->now.real.us = us;
	r->site->now = r->now;
	target_set_time(r->target, r->now.real, r->now.mono);
}

static void
fill_inventory(struct rig *r, const char *first_name)
{
	struct inventory *inv = inventory_new();
	char text[32];

	for (size_t h = 0; h < r->n_hosts; h++) {
		struct inv_host *ih;

		snprintf(text, sizeof(text), "host-%zu", h + 1);
		ih = inventory_add_host(inv, text);
		ih->name = xasprintf("esx%zu.example", h + 1);
		if (r->with_ids)
			ih->system_uuid = xasprintf("uuid-%zu", h + 1);
		ih->connected = true;
	}
	for (size_t d = 0; d < r->n_datastores; d++) {
		struct inv_datastore *id;

		snprintf(text, sizeof(text), "ds-%zu", d + 1);
		id = inventory_add_datastore(inv, text);
		id->uuid = xasprintf("u-%zu", d + 1);
		id->name = xstrdup(d == 0 && first_name != NULL ? first_name
								: text);
		id->protocol = d % 2 == 0 ? PROTO_NFS3 : PROTO_ISCSI;
		id->protocols = 1u << id->protocol;
		id->protocol_known = id->accessible = true;
		for (size_t h = 0; h < r->n_hosts; h++) {
			struct inv_mount *m = inventory_add_mount(id, h);

			m->mounted = m->accessible = true;
		}
	}
	model_apply(r->target, inv);
	inventory_free(&inv);
	bus_status(r->site->bus, r->target);
}

int
rig_start(struct rig *r, const char *dir, size_t n_hosts, size_t n_datastores,
	  int64_t slot, struct err *e)
{
	r->n_hosts = n_hosts;
	r->n_datastores = n_datastores;
	r->now.mono.us = US_PER_S;
	r->now.real.us = slot_end(slot).us + BEHIND_US;
	r->loop = loop_new(e);
	if (r->loop == NULL)
		return -1;
	loop_set_clock(r->loop, clock_of, r);
	r->site = site_new(r->now);
	threshold_rules_init(&r->rules);
	site_set_rules(r->site, &r->rules);
	r->store = store_new(r->loop, r->site);
	if (r->conf.raw_days == 0)
		r->conf = (struct store_conf){
			.raw_days = 7,
			.five_minute_days = 90,
			.hour_days = 730,
			.max_bytes = INT64_C(20) << 30,
		};
	r->conf.state_dir = xstrdup(dir);
	if (store_apply(r->store, &r->conf, e) != 0)
		return -1;
	r->target = site_add_target(r->site, "lab", "https://lab.example/sdk");
	r->target->field_mask = FIELD_MASK_ALL;
	set_clock(r, slot);
	fill_inventory(r, NULL);
	return 0;
}

void
rig_stop(struct rig *r)
{
	store_free(&r->store);
	site_free(&r->site);
	threshold_rules_fini(&r->rules);
	loop_free(&r->loop);
	free(r->conf.state_dir);
	r->conf.state_dir = NULL;
	r->target = NULL;
}

void
rig_rename(struct rig *r, const char *name)
{
	fill_inventory(r, name);
}

static int64_t
say(const struct rig *r, size_t host, size_t datastore, int64_t slot,
    unsigned field)
{
	if (r->hole_first != 0 && slot >= r->hole_first && slot <= r->hole_last)
		return SAMPLE_NONE;
	if (r->value != NULL)
		return r->value(host, datastore, slot, field);
	return rig_value(host, datastore, slot, field);
}

static void
poll_host(struct rig *r, size_t host, int64_t first, int64_t last)
{
	struct ingest in;
	real_t stamps[MAX_REPLY];
	int64_t values[MAX_REPLY];
	size_t n = (size_t)(last - first + 1);
	char text[32];

	assert(n <= MAX_REPLY);
	for (size_t i = 0; i < n; i++)
		stamps[i] = slot_end(first + (int64_t)i);
	snprintf(text, sizeof(text), "host-%zu", host + 1);
	if (!ingest_open(&in, target_find_host(r->target, text), stamps, n))
		return;
	for (size_t d = 0; d < r->n_datastores; d++) {
		snprintf(text, sizeof(text), "u-%zu", d + 1);
		for (unsigned f = 0; f < N_FIELDS; f++) {
			const struct ingest_counter c = {
				f, kinds[f / N_OPS].unit
			};

			for (size_t i = 0; i < n; i++)
				values[i] =
					say(r, host, d, first + (int64_t)i, f);
			ingest_series(&in, &c, text, strlen(text), values, n);
		}
	}
	ingest_close(&in);
}

void
rig_poll_host(struct rig *r, size_t host, int64_t first, int64_t last)
{
	poll_host(r, host, first, last);
	rig_publish(r);
}

void
rig_ingest(struct rig *r, int64_t first, int64_t last)
{
	set_clock(r, last);
	for (size_t h = 0; h < r->n_hosts; h++)
		poll_host(r, h, first, last);
}

void
rig_publish(struct rig *r)
{
	ingest_tick(r->target);
	bus_samples(r->site->bus, r->target);
}

void
rig_poll(struct rig *r, int64_t first, int64_t last)
{
	rig_ingest(r, first, last);
	rig_publish(r);
}

void
rig_pass(struct rig *r, int64_t slots)
{
	set_clock(r, slot_of(r->now.real) + slots);
}

static bool
is_idle(const struct rig *r)
{
	const struct store *s = r->store;

	return s->cells_queued == 0 && !s->keeping_up && !s->docs_flying &&
		store_status(s).jobs == 0 && !s->opening_now;
}

bool
rig_settle(struct rig *r)
{
	mono_t until = mono_add_us(clock_sample().mono, SETTLE_US);
	int idle = 0;

	/* Twice idle, so that a timer set to now has run. */
	while (idle < 3) {
		loop_turn(r->loop, is_idle(r) ? 0 : 5);
		idle = is_idle(r) ? idle + 1 : 0;
		if (mono_diff_us(until, clock_sample().mono) < 0)
			return false;
	}
	return true;
}

struct pair *
rig_pair(struct rig *r, size_t host, size_t datastore)
{
	char text[32];
	struct datastore *ds;

	snprintf(text, sizeof(text), "u-%zu", datastore + 1);
	ds = target_find_datastore(r->target, text);
	snprintf(text, sizeof(text), "host-%zu", host + 1);
	for (size_t i = 0; ds != NULL && i < ds->n_pairs; i++)
		if (strcmp(ds->pairs[i]->host->moref, text) == 0)
			return ds->pairs[i];
	return NULL;
}
