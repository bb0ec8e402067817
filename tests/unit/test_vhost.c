#include "../../collectors/vsphere/vhost.h"

#include <stdio.h>

#include "unit.h"

/* A slot's end, divisible by 20. */
#define T0_S INT64_C(1700000000)
#define T0_SLOT (T0_S / 20)

static struct site *site;
static struct target *target;
static struct map *vhosts;

/* Hosts host-1 to host-n are in the inventory. */
static void
apply(int n)
{
	struct inventory *inv = inventory_new();
	char moref[24];

	for (int i = 1; i <= n; i++) {
		snprintf(moref, sizeof(moref), "host-%d", i);
		inventory_add_host(inv, moref)->connected = true;
	}
	model_apply(target, inv);
	inventory_free(&inv);
}

static int
setup(void **state unused)
{
	struct now now = { { 1000000 }, { T0_S * US_PER_S } };

	site = site_new(now);
	target = site_add_target(site, "lab", "http://vc/sdk");
	target_set_time(target, now.real, now.mono);
	vhosts = map_new();
	apply(2);
	return 0;
}

static int
teardown(void **state unused)
{
	vhosts_free(&vhosts);
	site_free(&site);
	return 0;
}

/* Kept as long as the model keeps the host, an hour, and no longer. */
static void
test_forget(void **state unused)
{
	struct vhost *v = vhosts_get(vhosts, "host-2");

	assert_ptr_equal(vhosts_get(vhosts, "host-2"), v);
	assert_int_not_equal(vhosts_get(vhosts, "host-1")->fetched_slot, 0);
	v->fetched_slot = T0_SLOT;
	apply(1);
	site->now.mono.us += 3599 * US_PER_S;
	model_expire(site);
	vhosts_forget(vhosts, target);
	assert_ptr_equal(map_find_str(vhosts, "host-2"), v);
	site->now.mono.us += US_PER_S;
	model_expire(site);
	vhosts_forget(vhosts, target);
	assert_null(map_find_str(vhosts, "host-2"));
	assert_int_equal(map_count(vhosts), 1);
	/* back after all: as a new one */
	apply(2);
	v = vhosts_get(vhosts, "host-2");
	assert_int_equal(v->fetched_slot, INT64_MIN);
	assert_int_equal(map_count(vhosts), 2);
	/* hundreds that come and go leave nothing */
	for (int i = 1; i <= 500; i++) {
		char moref[24];

		snprintf(moref, sizeof(moref), "host-x%d", i);
		vhosts_get(vhosts, moref);
	}
	assert_int_equal(map_count(vhosts), 502);
	vhosts_forget(vhosts, target);
	assert_int_equal(map_count(vhosts), 2);
	assert_ptr_equal(map_find_str(vhosts, "host-2"), v);
}

/* The newest n slots by the server's clock, moved to the host's own; or no
 * window. */
static void
test_query(void **state unused)
{
	struct vhost *v = vhosts_get(vhosts, "host-1");
	struct host *h = target_find_host(target, "host-1");
	struct perf_query q = vhost_query(v, target, 7, false);

	assert_string_equal(q.host, "host-1");
	assert_int_equal(q.max_sample, 7);
	assert_int_equal(q.start.us, (T0_S - 7 * 20) * US_PER_S);
	h->shift_slots = 100; /* its stamps are 2,000 s behind */
	q = vhost_query(v, target, 7, false);
	assert_int_equal(q.start.us, (T0_S - 2000 - 7 * 20) * US_PER_S);
	q = vhost_query(v, target, 180, true);
	assert_int_equal(q.start.us, 0);
	assert_int_equal(q.max_sample, 180);
	v->empty = 3;
	assert_int_equal(vhost_query(v, target, 7, false).start.us, 0);
	v->empty = 2;
	assert_int_not_equal(vhost_query(v, target, 7, false).start.us, 0);
	h->suspect_stamp_us = 1;
	assert_int_equal(vhost_query(v, target, 7, false).start.us, 0);
}

static void
test_gap(void **state unused)
{
	struct vhost *v = vhosts_get(vhosts, "host-1");
	struct ingest in = { .n_stamps = 3, .slots = { 12, 11, 13 } };

	assert_true(vhost_leaves_gap(v, &in)); /* new */
	v->fetched_slot = 9;
	assert_true(vhost_leaves_gap(v, &in)); /* 10 is missing */
	v->fetched_slot = 10;
	assert_false(vhost_leaves_gap(v, &in));
	v->fetched_slot = 12;
	assert_false(vhost_leaves_gap(v, &in));
}

/* Waits grow, from 7.5 to 10 s up to 5 min less a quarter at most. */
static void
test_failed(void **state unused)
{
	struct vhost *v = vhosts_get(vhosts, "host-1");
	mono_t now = { 1 }, later;

	assert_true(vhost_is_due(v, now));
	vhost_failed(v, now);
	assert_false(vhost_is_due(v, now));
	later.us = now.us + 7 * US_PER_S;
	assert_false(vhost_is_due(v, later));
	later.us = now.us + 10 * US_PER_S;
	assert_true(vhost_is_due(v, later));
	for (int i = 0; i < 20; i++)
		vhost_failed(v, now);
	later.us = now.us + 224 * US_PER_S;
	assert_false(vhost_is_due(v, later));
	later.us = now.us + 300 * US_PER_S;
	assert_true(vhost_is_due(v, later));
}

#define WITH_SITE(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH_SITE(test_forget),
		WITH_SITE(test_query),
		WITH_SITE(test_gap),
		WITH_SITE(test_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
