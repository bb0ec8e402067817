#include "dslat/model.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "unit.h"

static struct site *site;
static struct target *target;

static int
setup(void **state unused)
{
	struct now now = { { 1000000 }, { INT64_C(1700000000) * US_PER_S } };

	site = site_new(now);
	target = site_add_target(site, "lab", "http://vc/sdk");
	return 0;
}

static int
teardown(void **state unused)
{
	site_free(&site);
	return 0;
}

static struct inv_datastore *
add_ds(struct inventory *inv, const char *moref, const char *uuid,
       const char *name)
{
	struct inv_datastore *ds = inventory_add_datastore(inv, moref);

	ds->uuid = uuid != NULL ? xstrdup(uuid) : NULL;
	ds->name = name != NULL ? xstrdup(name) : NULL;
	ds->accessible = true;
	return ds;
}

static void
mount(struct inv_datastore *ds, size_t host)
{
	struct inv_mount *m = inventory_add_mount(ds, host);

	m->mounted = m->accessible = true;
}

static size_t
apply(struct inventory *inv)
{
	size_t n = model_apply(target, inv);

	inventory_free(&inv);
	return n;
}

static struct inventory *
two_by_two(void)
{
	struct inventory *inv = inventory_new();

	inventory_add_host(inv, "host-1")->connected = true;
	inventory_add_host(inv, "host-2")->connected = true;
	for (size_t i = 0; i < 2; i++) {
		struct inv_datastore *ds =
			add_ds(inv, i == 0 ? "datastore-1" : "datastore-2",
			       i == 0 ? "u1" : "vvol:u2", "one name");

		ds->protocol = i == 0 ? PROTO_NFS3 : PROTO_VVOL;
		ds->protocol_known = true;
		mount(ds, 0);
		mount(ds, 1);
	}
	return inv;
}

static void
test_add_find_and_no_change(void **state unused)
{
	struct datastore *ds;
	struct host *h;

	assert_true(apply(two_by_two()) > 0);
	assert_int_equal(apply(two_by_two()), 0);
	ds = site_find_datastore(site, "lab:u1");
	assert_non_null(ds);
	assert_string_equal(ds->name, "one name");
	assert_int_equal(ds->n_pairs, 2);
	/* The id is split at the first colon only. */
	assert_non_null(site_find_datastore(site, "lab:vvol:u2"));
	assert_null(site_find_datastore(site, "lab:"));
	assert_null(site_find_datastore(site, "other:u1"));
	assert_null(site_find_datastore(site, "u1"));
	h = site_find_host(site, "lab:host-2");
	assert_non_null(h);
	assert_int_equal(h->n_pairs, 2);
	/* A counter's instance with and without the prefix. */
	assert_ptr_equal(map_find_str(h->instances, "vvol:u2"),
			 map_find_str(h->instances, "u2"));
	assert_non_null(map_find_str(h->instances, "u2"));
}

/* A rename keeps the datastore; a property that is missing keeps the value. */
static void
test_rename_and_missing(void **state unused)
{
	struct inventory *inv;
	struct datastore *ds;

	apply(two_by_two());
	ds = site_find_datastore(site, "lab:u1");
	inv = inventory_new();
	inventory_add_host(inv, "host-1")->connected = true;
	mount(add_ds(inv, "datastore-1", "u1", "new \"name\"\n"), 0);
	assert_true(apply(inv) > 0);
	assert_ptr_equal(site_find_datastore(site, "lab:u1"), ds);
	assert_string_equal(ds->name, "new \"name\"\n");
	assert_int_equal(ds->protocol, PROTO_NFS3);
	inv = inventory_new();
	inventory_add_host(inv, "host-1")->connected = true;
	mount(add_ds(inv, "datastore-1", NULL, NULL), 0);
	apply(inv);
	assert_ptr_equal(site_find_datastore(site, "lab:u1"), ds);
	assert_string_equal(ds->name, "new \"name\"\n");
}

/* A reading without the storage passes takes nothing back. */
static void
test_backing_of_a_short_reading(void **state unused)
{
	struct inventory *inv = two_by_two();
	const struct datastore *ds;

	inv->datastores[0].backing = xstrdup("naa.1 via 10.0.0.5:3260");
	apply(inv);
	inv = two_by_two();
	inv->datastores[0].protocol_known = false;
	inv->datastores[0].backing = xstrdup("naa.1");
	assert_int_equal(apply(inv), 0);
	ds = site_find_datastore(site, "lab:u1");
	assert_string_equal(ds->backing, "naa.1 via 10.0.0.5:3260");
	assert_int_equal(ds->protocol, PROTO_NFS3);
}

/* A guess is better than nothing, and worse than knowledge. */
static void
test_guessed_protocol(void **state unused)
{
	static const struct {
		enum protocol protocol;
		bool known;
		enum protocol want;
	} steps[] = {
		{ PROTO_UNKNOWN, false, PROTO_UNKNOWN },
		{ PROTO_LOCAL, false, PROTO_LOCAL },
		{ PROTO_SAS, true, PROTO_SAS },
		{ PROTO_LOCAL, false, PROTO_SAS },
		{ PROTO_UNKNOWN, false, PROTO_SAS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct inventory *inv = two_by_two();
		size_t changes;

		inv->datastores[0].protocol = steps[i].protocol;
		inv->datastores[0].protocol_known = steps[i].known;
		changes = apply(inv);
		assert_int_equal(site_find_datastore(site, "lab:u1")->protocol,
				 steps[i].want);
		if (i >= 3)
			assert_int_equal(changes, 0);
	}
}

/* Without a URL a datastore is filed under its moref until it has one. */
static void
test_uuid_heard_later(void **state unused)
{
	struct inventory *inv = inventory_new();
	struct datastore *ds;

	inventory_add_host(inv, "host-1")->connected = true;
	mount(add_ds(inv, "192.168.1.10:/c/data", NULL, "nfs"), 0);
	apply(inv);
	ds = site_find_datastore(site, "lab:192.168.1.10:/c/data");
	assert_non_null(ds);
	inv = inventory_new();
	inventory_add_host(inv, "host-1")->connected = true;
	mount(add_ds(inv, "192.168.1.10:/c/data", "d10c389e-c75b7dc4", "nfs"),
	      0);
	assert_true(apply(inv) > 0);
	assert_ptr_equal(site_find_datastore(site, "lab:d10c389e-c75b7dc4"),
			 ds);
	assert_null(site_find_datastore(site, "lab:192.168.1.10:/c/data"));
	assert_int_equal(map_count(target->datastores), 1);
	assert_non_null(
		map_find_str(site_find_host(site, "lab:host-1")->instances,
			     "d10c389e-c75b7dc4"));
}

/* Gone is hidden at once, back if it comes back, freed after an hour. */
static void
test_gone_back_and_expired(void **state unused)
{
	struct datastore *ds;
	uint64_t freed;

	apply(two_by_two());
	ds = site_find_datastore(site, "lab:u1");
	assert_true(apply(inventory_new()) > 0);
	assert_null(site_find_datastore(site, "lab:u1"));
	assert_null(site_find_host(site, "lab:host-1"));
	assert_true(apply(two_by_two()) > 0);
	assert_ptr_equal(site_find_datastore(site, "lab:u1"), ds);
	assert_int_equal(site_find_host(site, "lab:host-1")->n_pairs, 2);
	apply(inventory_new());
	site->now.mono.us += 3599 * US_PER_S;
	model_expire(site);
	assert_int_equal(map_count(target->datastores), 2);
	freed = site->freed;
	site->now.mono.us += US_PER_S;
	model_expire(site);
	assert_int_equal(map_count(target->datastores), 0);
	assert_int_equal(map_count(target->hosts), 0);
	assert_true(site->freed > freed);
	assert_true(apply(two_by_two()) > 0);
	assert_non_null(site_find_datastore(site, "lab:u1"));
}

/* One host leaves for good: the datastore lives on without its pair. */
static void
test_host_expires_alone(void **state unused)
{
	struct inventory *inv;

	apply(two_by_two());
	for (int i = 0; i < 2; i++) {
		inv = inventory_new();
		inventory_add_host(inv, "host-2")->connected = true;
		mount(add_ds(inv, "datastore-1", "u1", "one name"), 0);
		apply(inv);
		site->now.mono.us += 3600 * US_PER_S;
	}
	model_expire(site);
	assert_int_equal(map_count(target->hosts), 1);
	assert_int_equal(site_find_datastore(site, "lab:u1")->n_pairs, 1);
	assert_int_equal(site_find_host(site, "lab:host-2")->n_pairs, 1);
}

/* Two entries with one uuid are one datastore with the mounts of both. */
static void
test_two_entries_one_uuid(void **state unused)
{
	struct inventory *inv = inventory_new();

	inventory_add_host(inv, "host-1")->connected = true;
	inventory_add_host(inv, "host-2")->connected = true;
	mount(add_ds(inv, "datastore-1", "u1", "first"), 0);
	mount(add_ds(inv, "datastore-9", "u1", "second"), 1);
	apply(inv);
	assert_int_equal(map_count(target->datastores), 1);
	assert_int_equal(site_find_datastore(site, "lab:u1")->n_pairs, 2);
	assert_string_equal(site_find_datastore(site, "lab:u1")->name, "first");
}

static void
test_states(void **state unused)
{
	struct datastore *ds;
	struct inventory *inv;

	apply(two_by_two());
	ds = site_find_datastore(site, "lab:u1");
	assert_int_equal(datastore_state(ds), DS_NO_DATA);
	ds->protocol = PROTO_VSAN;
	assert_int_equal(datastore_state(ds), DS_NOT_MEASURED);
	inv = two_by_two();
	inv->datastores[0].mounts[0].accessible = false;
	apply(inv);
	assert_int_equal(datastore_state(ds), DS_NO_DATA); /* one host can */
	inv = two_by_two();
	inv->datastores[0].mounts[0].accessible = false;
	inv->datastores[0].mounts[1].accessible = false;
	apply(inv);
	assert_int_equal(datastore_state(ds), DS_INACCESSIBLE);
	inv = two_by_two();
	inv->datastores[0].accessible = false;
	apply(inv);
	assert_int_equal(datastore_state(ds), DS_INACCESSIBLE);
	inv = two_by_two();
	inv->datastores[0].maintenance = true;
	inv->datastores[0].accessible = false;
	apply(inv);
	assert_int_equal(datastore_state(ds), DS_MAINTENANCE);
}

static bool
wants_all_but(void *arg, const char *name)
{
	return strcmp(arg, name) != 0;
}

static void
test_filter(void **state unused)
{
	static char unwanted[] = "skip";
	struct inventory *inv = inventory_new();
	struct inv_datastore *ds;

	inventory_add_host(inv, "host-1")->name = xstrdup("skip");
	inventory_add_host(inv, "host-2")->name = xstrdup("keep");
	(void)add_ds(inv, "datastore-1", "u1", "skip");
	ds = add_ds(inv, "datastore-2", "u2", NULL);
	mount(ds, 0);
	mount(ds, 1);
	inventory_filter(inv, wants_all_but, wants_all_but, unwanted);
	assert_int_equal(inv->n_hosts, 1);
	assert_string_equal(inv->hosts[0].moref, "host-2");
	assert_int_equal(inv->n_datastores, 1);
	assert_string_equal(inv->datastores[0].moref, "datastore-2");
	assert_int_equal(inv->datastores[0].n_mounts, 1);
	assert_int_equal(inv->datastores[0].mounts[0].host, 0);
	inventory_free(&inv);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_add_find_and_no_change,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_rename_and_missing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_backing_of_a_short_reading,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_guessed_protocol, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_uuid_heard_later, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_gone_back_and_expired,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_host_expires_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_two_entries_one_uuid,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_states, setup, teardown),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
