#include "incident_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/ingest.h"
#include "dslat/mem.h"
#include "unit.h"

/* "O0 " opened in slot 0, "A2 " announced, "+5 " critical, "-8 " no longer, "U6 "
 * updated, "E17c " ended as of slot 17, cleared.  Of another kind than latency
 * "no_data:O0 "; of writes "write:O0 ". */
static void
on_changed(void *arg, const struct incident *in, enum incident_change what)
{
	struct stage *s = arg;
	char letter[] = "OA+UKE";
	char c = letter[what];
	size_t len = strlen(s->log);
	real_t t = what == INCIDENT_OPENED ? in->started
		: what == INCIDENT_CLOSED  ? in->ended
					   : slot_end(s->slot);
	const char *prefix = in->kind != INCIDENT_SLOW
		? in->key
		: (in->op == OP_WRITE ? "write" : NULL);

	if ((what == INCIDENT_UPDATED && !s->all) ||
	    (in->kind != INCIDENT_SLOW && s->slow_only))
		return;
	if (what == INCIDENT_SEVERITY && in->severity == SEVERITY_WARNING)
		c = '-';
	snprintf(s->log + len, sizeof(s->log) - len, "%s%s%c%lld%.1s ",
		 prefix != NULL ? prefix : "", prefix != NULL ? ":" : "", c,
		 (long long)(slot_of(t) - STAGE_BASE),
		 what == INCIDENT_CLOSED ? in->end_reason : "");
}

static const struct incident_ops ops = { .changed = on_changed };

static void
on_samples(void *arg, struct target *t)
{
	incidents_samples(((struct stage *)arg)->i, t);
}

static const struct bus_ops bus_ops = { .samples = on_samples };

static void
set_clock(struct stage *s)
{
	int64_t us = slot_end(s->slot).us + 5 * US_PER_S;

	s->site->now.real.us = us;
	s->site->now.mono.us = us - slot_end(STAGE_BASE).us + 1000 * US_PER_S;
}

static void
fill_inventory(struct stage *s)
{
	char text[32];

	s->inv = inventory_new();
	for (size_t i = 0; i < s->n_hosts; i++) {
		struct inv_host *h;

		snprintf(text, sizeof(text), "host-%zu", i + 1);
		h = inventory_add_host(s->inv, text);
		snprintf(text, sizeof(text), "esx%zu", i + 1);
		h->name = xstrdup(text);
		h->connected = true;
	}
	for (size_t i = 0; i < s->n_ds; i++) {
		struct inv_datastore *ds;

		snprintf(text, sizeof(text), "datastore-%zu", i + 1);
		ds = inventory_add_datastore(s->inv, text);
		snprintf(text, sizeof(text), "u%zu", i + 1);
		ds->uuid = xstrdup(text);
		snprintf(text, sizeof(text), "nfs0%zu", i + 1);
		ds->name = xstrdup(text);
		ds->protocol = PROTO_NFS3;
		ds->protocol_known = ds->accessible = true;
		for (size_t j = 0; j < s->n_hosts; j++) {
			struct inv_mount *m = inventory_add_mount(ds, j);

			m->mounted = m->accessible = true;
		}
	}
}

struct inv_host *
stage_inv_host(struct stage *s, size_t host)
{
	return &s->inv->hosts[host];
}

struct inv_mount *
stage_inv_mount(struct stage *s, size_t host, size_t ds)
{
	return &s->inv->datastores[ds].mounts[host];
}

void
stage_apply(struct stage *s)
{
	model_apply(s->t, s->inv);
}

void
stage_new_engine(struct stage *s)
{
	incidents_free(&s->i);
	s->i = incidents_new(s->site, &ops, s);
}

void
stage_restart(struct stage *s)
{
	json_t *all = json_array();
	const struct incident *in;
	size_t j;

	for (j = 0; (in = incidents_at(s->i, j)) != NULL; j++)
		json_array_insert_new(all, 0, incident_json(in));
	stage_new_engine(s);
	for (j = 0; j < json_array_size(all); j++)
		assert_true(incidents_restore(s->i, json_array_get(all, j)));
	json_decref(all);
}

void
stage_setup(struct stage *s, size_t n_hosts, size_t n_ds)
{
	char text[32];

	*s = (struct stage){ .n_hosts = n_hosts, .n_ds = n_ds };
	s->slot = STAGE_BASE - 1;
	s->site = site_new((struct now){ { 1 }, { 1 } });
	set_clock(s);
	threshold_rules_init(&s->rules);
	site_set_rules(s->site, &s->rules);
	s->t = site_add_target(s->site, "lab", "http://vc/sdk");
	s->t->poll_interval_us = SLOT_US;
	fill_inventory(s);
	stage_apply(s);
	for (size_t i = 0; i < n_hosts; i++) {
		snprintf(text, sizeof(text), "host-%zu", i + 1);
		s->hosts[i] = target_find_host(s->t, text);
	}
	for (size_t i = 0; i < n_ds; i++) {
		snprintf(text, sizeof(text), "u%zu", i + 1);
		s->ds[i] = target_find_datastore(s->t, text);
	}
	stage_new_engine(s);
	bus_subscribe(s->site->bus, &bus_ops, s);
}

void
stage_teardown(struct stage *s)
{
	incidents_free(&s->i);
	site_free(&s->site);
	threshold_rules_fini(&s->rules);
	inventory_free(&s->inv);
}

void
stage_next(struct stage *s)
{
	s->slot++;
	set_clock(s);
}

static struct pair *
pair_of(const struct stage *s, size_t host, size_t ds)
{
	for (size_t i = 0; i < s->ds[ds]->n_pairs; i++)
		if (s->ds[ds]->pairs[i]->host == s->hosts[host])
			return s->ds[ds]->pairs[i];
	fail();
	return NULL;
}

void
stage_put(struct stage *s, size_t host, size_t ds, int64_t slot, enum op op,
	  struct stage_value v)
{
	struct pair *p = pair_of(s, host, ds);

	s->hosts[host]->newest_stamp_us = slot_end(slot).us;
	if (v.us < 0)
		return;
	if (p->ring == NULL) {
		p->ring = xmalloc(sizeof(*p->ring));
		ring_init(p->ring);
	}
	ring_put(p->ring, slot, FIELD_US + op, (int32_t)v.us);
	if (v.ios >= 0)
		ring_put(p->ring, slot, FIELD_IOS + op, (int32_t)v.ios);
	ring_put(p->ring, slot, FIELD_KIB_PER_S + op, (int32_t)v.kib_per_s);
	p->newest_valid = MAX(p->newest_valid, slot);
	p->dirty_slot = MIN(p->dirty_slot, slot);
	s->ds[ds]->ever_valid = true;
}

void
stage_poll(struct stage *s)
{
	struct ingest in;

	s->t->state = TARGET_OK;
	xstrset(&s->t->error, NULL);
	s->t->last_poll = s->site->now.real;
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (!ingest_open(&in, s->hosts[i], NULL, 0))
			fail();
		ingest_close(&in);
	}
	ingest_tick(s->t);
	bus_samples(s->site->bus, s->t);
	incidents_tick(s->i);
}

void
stage_fail(struct stage *s, enum target_state state, const char *error)
{
	target_set_error(s->t, state, error);
	ingest_tick(s->t);
	incidents_status(s->i, s->t);
	incidents_tick(s->i);
}

struct stage_value
stage_letter(char letter)
{
	static const struct {
		char letter;
		struct stage_value v;
	} values[] = {
		{ '-', { -1, -1, 0 } },       { '.', { 0, 0, 0 } },
		{ 'l', { 10000, 400, 100 } }, { 'm', { 45000, 400, 100 } },
		{ 'e', { 40000, 400, 100 } }, { 'w', { 60000, 400, 100 } },
		{ 'c', { 80000, 400, 100 } }, { 'f', { 500000, 10, 100 } },
		{ 's', { 300000, 0, 1 } },    { 'S', { 1200000, 0, 1 } },
		{ 'u', { 60000, -1, 100 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i].letter == letter)
			return values[i].v;
	fail_msg("no such letter: %c", letter);
	return values[0].v;
}

void
stage_play(struct stage *s, const char *const *scripts, size_t n)
{
	for (size_t at = 0; scripts[0][at] != '\0'; at++) {
		stage_next(s);
		for (size_t h = 0; h < n; h++) {
			if (scripts[h][at] == '-')
				continue;
			stage_put(s, h, 0, s->slot, OP_READ,
				  stage_letter(scripts[h][at]));
			stage_put(s, h, 0, s->slot, OP_WRITE,
				  stage_letter('.'));
		}
		stage_poll(s);
	}
}
