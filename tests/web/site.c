#include "site.h"

#include <stdio.h>
#include <string.h>

#include "dslat/bus.h"
#include "dslat/depth.h"
#include "dslat/ingest.h"
#include "dslat/mem.h"

static const struct {
	const char *moref, *name, *cluster;
} hosts[] = {
	{ "host-1", "esx1.example", "prod" },
	{ "host-2", "esx2.example", "prod" },
	{ "host-3", "esx3 \"left\" \\ \xc3\xbc", "test" },
};
#define N_HOSTS ARRAY_SIZE(hosts)

static const struct {
	const char *uuid, *name, *fs, *backing;
	enum protocol protocol;
	size_t n_hosts; /* the first so many mount it */
} datastores[] = {
	{ "10.0.0.5:/export/gold%2f", "nfs-gold", "NFS",
	  "10.0.0.5:/export/gold", PROTO_NFS3, 3 },
	{ "61a-b", "iscsi-01", "VMFS", "naa.6000 via 10.0.0.6:3260",
	  PROTO_ISCSI, 2 },
	{ "e2", "odd \"name\"\nwith \\ <\xc3\xa9> & %2f", "NFS41", NULL,
	  PROTO_NFS41, 3 },
	{ "vsan-1", "vsanDatastore", "vsan", NULL, PROTO_VSAN, 2 },
};
#define N_DATASTORES ARRAY_SIZE(datastores)

/*
 * The formulas; expect.py repeats them.  Reads have slots with rate 0: idle
 * ones (even k) and sparse ones (odd k).  Host 2 misses every latency of some
 * slots, and on datastore 2 the read rate of others.
 */
static int64_t
value(size_t h, size_t d, int64_t k, unsigned field)
{
	int64_t ph = (int64_t)h, pd = (int64_t)d;
	int64_t read_ps = (ph + 1) * (k % 5);
	bool idle = read_ps == 0 && k % 2 == 0;

	switch (field) {
	case FIELD_US + OP_READ:
		if (h == 2 && k % 11 == 3)
			return -1;
		return idle ? 0 : (7 * ph + 13 * pd + 3 * k) % 97;
	case FIELD_US + OP_WRITE:
		if (h == 2 && k % 11 == 3)
			return -1;
		return (11 * ph + 5 * pd + 7 * k) % 131;
	case FIELD_IOS + OP_READ:
		return d == 2 && h == 2 && k % 13 == 5 ? -1 : read_ps;
	case FIELD_IOS + OP_WRITE:
		return 1 + (k + pd) % 7;
	case FIELD_KIB_PER_S + OP_READ:
		return read_ps * 4;
	default:
		return (1 + (k + pd) % 7) * 8;
	}
}

/* The two LUNs behind iscsi-01, likewise. */
static const char *const luns[] = { "naa.6000", "naa.6001" };

static int64_t
lun_value(size_t h, size_t x, int64_t k, unsigned field)
{
	int64_t op = field % N_OPS, l = (field - FIELD_LUN) / N_OPS;

	if (field >= FIELD_LUN_IOS)
		return x == 1 && k % 4 == 0
			? 0
			: ((int64_t)x + 1) * (1 + (k + op) % 3);
	if (h == 1 && l == LAYER_QUEUE && k % 7 == 2)
		return -1;
	return (5 * (int64_t)h + 11 * (int64_t)x + 3 * l + 2 * op + k) % 23;
}

static const struct ingest_counter lun_counters[] = {
	{ FIELD_LUN, UNIT_MILLISECOND },
	{ FIELD_LUN + 1, UNIT_MILLISECOND },
	{ FIELD_LUN + 2, UNIT_MILLISECOND },
	{ FIELD_LUN + 3, UNIT_MILLISECOND },
	{ FIELD_LUN + 4, UNIT_MILLISECOND },
	{ FIELD_LUN + 5, UNIT_MILLISECOND },
	{ FIELD_LUN_IOS, UNIT_NUMBER },
	{ FIELD_LUN_IOS + 1, UNIT_NUMBER },
};

static const struct ingest_counter counters[N_FIELDS] = {
	{ FIELD_US + OP_READ, UNIT_MILLISECOND },
	{ FIELD_US + OP_WRITE, UNIT_MILLISECOND },
	{ FIELD_IOS + OP_READ, UNIT_NUMBER },
	{ FIELD_IOS + OP_WRITE, UNIT_NUMBER },
	{ FIELD_KIB_PER_S + OP_READ, UNIT_KIB_PER_S },
	{ FIELD_KIB_PER_S + OP_WRITE, UNIT_KIB_PER_S },
};

struct site *
test_site_new(struct threshold_rules *rules)
{
	struct now now = { { US_PER_S }, { SITE_T0_S * US_PER_S } };
	struct site *site = site_new(now);

	threshold_rules_init(rules);
	site_set_rules(site, rules);
	return site;
}

static void
fill_inventory(struct target *t)
{
	struct inventory *inv = inventory_new();

	for (size_t h = 0; h < N_HOSTS; h++) {
		struct inv_host *ih = inventory_add_host(inv, hosts[h].moref);

		ih->name = xstrdup(hosts[h].name);
		ih->cluster = xstrdup(hosts[h].cluster);
		ih->datacenter = xstrdup("dc1");
		ih->version = xstrdup("8.0.3");
		ih->connected = true;
	}
	for (size_t d = 0; d < N_DATASTORES; d++) {
		struct inv_datastore *id =
			inventory_add_datastore(inv, datastores[d].uuid);

		id->uuid = xstrdup(datastores[d].uuid);
		id->name = xstrdup(datastores[d].name);
		id->fs = xstrdup(datastores[d].fs);
		xstrset(&id->backing, datastores[d].backing);
		id->datacenter = xstrdup("dc1");
		id->protocol = datastores[d].protocol;
		id->protocols = 1u << datastores[d].protocol;
		id->protocol_known = id->accessible = true;
		if (datastores[d].protocol == PROTO_ISCSI)
			for (size_t x = 0; x < ARRAY_SIZE(luns); x++)
				inventory_add_extent(id, luns[x]);
		id->capacity_bytes = INT64_C(1) << 40;
		id->free_bytes = INT64_C(1) << 39;
		for (size_t h = 0; h < datastores[d].n_hosts; h++) {
			struct inv_mount *m = inventory_add_mount(id, h);

			m->mounted = m->accessible = true;
		}
	}
	model_apply(t, inv);
	inventory_free(&inv);
}

static void
poll_luns(struct ingest *in, size_t h, int64_t first, size_t n)
{
	int64_t values[SITE_SLOTS];

	for (size_t x = 0; x < ARRAY_SIZE(luns); x++)
		for (size_t f = 0; f < ARRAY_SIZE(lun_counters); f++) {
			for (size_t i = 0; i < n; i++)
				values[i] = lun_value(h, x, first + (int64_t)i,
						      lun_counters[f].field);
			ingest_series(in, &lun_counters[f], luns[x],
				      strlen(luns[x]), values, n);
		}
}

/* Slots first..last of one host, as one reply. */
static void
poll_host(struct target *t, size_t h, int64_t first, int64_t last)
{
	struct ingest in;
	real_t stamps[SITE_SLOTS];
	int64_t values[SITE_SLOTS];
	size_t n = (size_t)(last - first + 1);

	for (size_t i = 0; i < n; i++)
		stamps[i].us =
			(SITE_T0_S + SLOT_S * (first + (int64_t)i - 179)) *
			US_PER_S;
	if (!ingest_open(&in, target_find_host(t, hosts[h].moref), stamps, n))
		return;
	for (size_t d = 0; d < N_DATASTORES - 1; d++) {
		if (h >= datastores[d].n_hosts)
			continue;
		for (size_t f = 0; f < N_FIELDS; f++) {
			for (size_t i = 0; i < n; i++)
				values[i] = value(h, d, first + (int64_t)i,
						  counters[f].field);
			ingest_series(&in, &counters[f], datastores[d].uuid,
				      strlen(datastores[d].uuid), values, n);
		}
	}
	poll_luns(&in, h, first, n);
	ingest_close(&in);
}

static void
poll_all(struct target *t, int64_t first, int64_t last)
{
	target_set_time(t, t->site->now.real, t->site->now.mono);
	for (size_t h = 0; h < N_HOSTS; h++)
		poll_host(t, h, first, last);
	t->state = TARGET_OK;
	t->last_poll = t->site->now.real;
	t->poll_us = 123456;
	t->stats.polls++;
	ingest_tick(t);
	bus_samples(t->site->bus, t);
}

void
test_site_fill(struct site *site)
{
	struct target *t =
		site_add_target(site, "lab", "https://vcenter.example/sdk");

	xstrset(&t->api_type, "VirtualCenter");
	xstrset(&t->version, "8.0.3");
	t->poll_interval_us = SLOT_US;
	t->field_mask = FIELD_MASK_ALL;
	fill_inventory(t);
	bus_status(site->bus, t);
	poll_all(t, 0, SITE_SLOTS - 1);
}

void
test_site_poll(struct site *site, int64_t k)
{
	poll_all(site_find_target(site, "lab"), k, k);
}

static void
big_host(struct target *t, const char *moref, size_t n_datastores)
{
	struct ingest in;
	real_t stamps[SITE_SLOTS];
	int64_t values[SITE_SLOTS];
	char uuid[32];

	for (size_t i = 0; i < SITE_SLOTS; i++)
		stamps[i].us =
			(SITE_T0_S + SLOT_S * ((int64_t)i - 179)) * US_PER_S;
	if (!ingest_open(&in, target_find_host(t, moref), stamps, SITE_SLOTS))
		return;
	for (size_t d = 0; d < n_datastores; d++) {
		snprintf(uuid, sizeof(uuid), "u-%zu", d);
		for (size_t f = 0; f < N_FIELDS; f++) {
			for (size_t i = 0; i < SITE_SLOTS; i++)
				values[i] = (int64_t)((i * 7 + d * 3 + f) % 40);
			ingest_series(&in, &counters[f], uuid, strlen(uuid),
				      values, SITE_SLOTS);
		}
	}
	ingest_close(&in);
}

void
test_site_big(struct site *site, size_t n_hosts, size_t n_datastores)
{
	struct target *t = site_add_target(site, "big", "https://big/sdk");
	struct inventory *inv = inventory_new();
	char text[32];

	for (size_t h = 0; h < n_hosts; h++) {
		snprintf(text, sizeof(text), "host-%zu", h);
		inventory_add_host(inv, text)->connected = true;
		inv->hosts[h].name = xasprintf("big-esx%zu.example", h);
	}
	for (size_t d = 0; d < n_datastores; d++) {
		struct inv_datastore *id;

		snprintf(text, sizeof(text), "u-%zu", d);
		id = inventory_add_datastore(inv, text);
		id->uuid = xstrdup(text);
		id->name = xasprintf("big-ds%zu", d);
		id->protocol = d % 2 == 0 ? PROTO_NFS3 : PROTO_ISCSI;
		id->protocol_known = id->accessible = true;
		for (size_t h = 0; h < n_hosts; h++) {
			struct inv_mount *m = inventory_add_mount(id, h);

			m->mounted = m->accessible = true;
		}
	}
	model_apply(t, inv);
	inventory_free(&inv);
	target_set_time(t, site->now.real, site->now.mono);
	for (size_t h = 0; h < n_hosts; h++) {
		snprintf(text, sizeof(text), "host-%zu", h);
		big_host(t, text, n_datastores);
	}
	t->state = TARGET_OK;
	t->last_poll = site->now.real;
	ingest_tick(t);
	bus_samples(site->bus, t);
}
