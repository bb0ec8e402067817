/*
 * The JSON form of an incident is also what the store reads back: written,
 * read and written again it must be the same.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/incident.h"
#include "dslat/mem.h"
#include "unit.h"

static const char slow_text[] =
	"{\"id\":7,\"kind\":\"slow\",\"state\":\"announced\","
	"\"severity\":\"warning\",\"worst_severity\":\"critical\","
	"\"was_announced\":true,\"started\":\"2026-11-30T12:00:20Z\","
	"\"announced\":\"2026-11-30T12:01:00Z\","
	"\"updated\":\"2026-11-30T12:05:00Z\",\"ended\":null,"
	"\"worst_t\":\"2026-11-30T12:02:00Z\",\"acked\":null,"
	"\"key\":\"slow:lab:u1:write\",\"target\":\"lab\","
	"\"datastore\":\"lab:u1\",\"datastore_name\":\"nfs01\","
	"\"datacenter\":\"dc\",\"cluster\":null,\"host\":null,"
	"\"host_name\":null,\"protocol\":\"nfs3\",\"backing\":\"nas:/x\","
	"\"worst_host\":\"esx3\",\"where\":\"only esx3\",\"summary\":\"s\","
	"\"ack_by\":null,\"ack_note\":null,\"nested_in\":null,"
	"\"silenced_by\":\"silence 1\",\"end_reason\":null,\"op\":\"write\","
	"\"worst_ms\":83.25,\"worst_ios\":null,\"breach_samples\":5,"
	"\"threshold\":{\"warning_ms\":50,\"critical_ms\":75,\"clear_ms\":40,"
	"\"sparse_ms\":1000,\"min_ios\":20,\"window_samples\":5,"
	"\"for_samples\":3,\"clear_samples\":15},"
	"\"window\":\"..........................w..ccw\","
	"\"window_t\":\"2026-11-30T12:05:00Z\","
	"\"judged_t\":\"2026-11-30T12:04:40Z\",\"fine_samples\":2,"
	"\"hosts_n\":2,\"hosts\":[{\"id\":\"lab:host-3\",\"name\":\"esx3\","
	"\"worst_ms\":83.25,\"worst_ios\":null,"
	"\"worst_t\":\"2026-11-30T12:02:00Z\",\"severity\":\"critical\","
	"\"idle_samples\":0},{\"id\":\"lab:host-4\",\"name\":\"esx4\","
	"\"worst_ms\":51,\"worst_ios\":400,"
	"\"worst_t\":\"2026-11-30T12:02:20Z\",\"severity\":\"warning\","
	"\"idle_samples\":3}]}";

static json_t *
load(const char *text)
{
	json_t *v = json_loads(text, 0, NULL);

	assert_non_null(v);
	return v;
}

/* Replace one member, given as JSON. */
static json_t *
with(const char *key, const char *value)
{
	json_t *v = load(slow_text);

	json_object_set_new(v, key, json_loads(value, JSON_DECODE_ANY, NULL));
	return v;
}

static void
test_round_trip(void **state unused)
{
	json_t *v = load(slow_text), *again;
	struct incident in;

	assert_true(incident_from_json(v, &in));
	assert_int_equal(in.id, 7);
	assert_int_equal(in.kind, INCIDENT_SLOW);
	assert_int_equal(in.state, INCIDENT_ANNOUNCED);
	assert_int_equal(in.worst_severity, SEVERITY_CRITICAL);
	assert_int_equal(in.op, OP_WRITE);
	assert_int_equal(in.worst_us, 83250);
	assert_int_equal(in.worst_ios, -1);
	assert_int_equal(in.window_breach, 0x27);
	assert_int_equal(in.window_critical, 0x06);
	/* 2026-11-30T12:05:00Z is 1796040300 (date -u -d ... +%s). */
	assert_int_equal(in.window_slot, 1796040300 / 20);
	assert_int_equal(in.hosts[1].idle_slots, 3);
	again = incident_json(&in);
	assert_true(json_equal(v, again));
	json_decref(again);
	json_decref(v);
	incident_fini(&in);
}

/* A copy says the same, of at most so many hosts. */
static void
test_copy(void **state unused)
{
	json_t *v = load(slow_text), *again;
	struct incident_host many[INCIDENT_TOLD_HOSTS + 1], *hosts;
	struct incident in, other;
	size_t n_listed;

	assert_true(incident_from_json(v, &in));
	incident_copy(&in, &other);
	again = incident_json(&other);
	assert_true(json_equal(v, again));
	json_decref(again);
	incident_fini(&other);

	hosts = in.hosts;
	n_listed = in.n_listed;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = hosts[0];
	in.hosts = many;
	in.n_hosts = in.n_listed = ARRAY_SIZE(many);
	incident_copy(&in, &other);
	assert_int_equal(other.n_listed, 32);
	assert_int_equal(other.n_hosts, 33);
	assert_string_equal(other.hosts[31].name, hosts[0].name);
	assert_ptr_not_equal(other.hosts[31].name, hosts[0].name);
	incident_fini(&other);
	in.hosts = hosts;
	in.n_listed = n_listed;
	incident_fini(&in);
	json_decref(v);
}

static void
test_list(void **state unused)
{
	struct now now = { { 1 }, { 1 } };
	struct site *site = site_new(now);
	struct incidents *i = incidents_new(site, NULL, NULL);
	json_t *v = load(slow_text);
	static const struct {
		const char *id, *key, *started, *state;
		bool is_taken;
	} rows[] = {
		{ "8", "\"slow:lab:u1:write\"", "\"2026-11-30T12:00:00Z\"",
		  "\"open\"", false }, /* one open of a key */
		{ "8", "\"slow:lab:u1:write\"", "\"2026-11-30T12:00:00Z\"",
		  "\"ended\"", true },
		{ "7", "\"slow:lab:u2:write\"", "\"2026-11-30T12:00:00Z\"",
		  "\"ended\"", false }, /* one of an id */
		{ "3", "\"slow:lab:u2:write\"", "\"2026-11-30T13:00:00Z\"",
		  "\"ended\"", true },
	};

	assert_true(incidents_restore(i, v));
	json_decref(v);
	for (size_t j = 0; j < ARRAY_SIZE(rows); j++) {
		v = with("id", rows[j].id);
		json_object_set_new(
			v, "key",
			json_loads(rows[j].key, JSON_DECODE_ANY, NULL));
		json_object_set_new(
			v, "started",
			json_loads(rows[j].started, JSON_DECODE_ANY, NULL));
		json_object_set_new(
			v, "state",
			json_loads(rows[j].state, JSON_DECODE_ANY, NULL));
		assert_int_equal(incidents_restore(i, v), rows[j].is_taken);
		json_decref(v);
	}
	assert_int_equal(incidents_count(i), 3);
	assert_int_equal(incidents_open(i), 1);
	/* Newest first by start. */
	assert_int_equal(incidents_at(i, 0)->id, 3);
	assert_int_equal(incidents_at(i, 1)->id, 7);
	assert_int_equal(incidents_at(i, 2)->id, 8);
	assert_null(incidents_at(i, 3));
	assert_string_equal(incidents_find(i, 7)->worst_host, "esx3");
	assert_null(incidents_find(i, 9));
	assert_true(incidents_ack(i, 7, "ops", "looking"));
	assert_string_equal(incidents_find(i, 7)->ack_note, "looking");
	assert_false(incidents_ack(i, 8, "ops", "too late"));
	assert_false(incidents_ack(i, 99, "ops", "none"));
	incidents_free(&i);
	site_free(&site);
}

/* The oldest that nobody was told of makes room first. */
static void
test_kept(void **state unused)
{
	struct now now = { { 1 }, { 1 } };
	struct site *site = site_new(now);
	struct incidents *i = incidents_new(site, NULL, NULL);
	json_t *v = load(slow_text);

	json_object_set_new(v, "state", json_string("ended"));
	for (json_int_t id = 1; id <= INCIDENT_KEPT + 2; id++) {
		json_object_set_new(v, "id", json_integer(id));
		json_object_set_new(v, "was_announced", json_boolean(id != 4));
		assert_true(incidents_restore(i, v));
	}
	json_decref(v);
	assert_int_equal(incidents_count(i), INCIDENT_KEPT);
	assert_null(incidents_find(i, 4));
	assert_null(incidents_find(i, 1));
	assert_non_null(incidents_find(i, 2));
	incidents_free(&i);
	site_free(&site);
}

static void
test_not_one(void **state unused)
{
	static const struct {
		const char *key, *value;
	} cases[] = {
		{ "id", "0" },
		{ "id", "\"7\"" },
		{ "kind", "\"fast\"" },
		{ "state", "null" },
		{ "severity", "1" },
		{ "key", "null" },
		{ "target", "[]" },
		{ "op", "\"both\"" },
		{ "started", "\"yesterday\"" },
		{ "window_t", "null" },
		{ "datastore", "null" },
	};
	struct incident in;
	json_t *v;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("%s %s\n", cases[i].key, cases[i].value);
		v = with(cases[i].key, cases[i].value);
		assert_false(incident_from_json(v, &in));
		json_decref(v);
	}
	v = json_array();
	assert_false(incident_from_json(v, &in));
	json_decref(v);
	/* What is only strange is read as nothing. */
	v = with("hosts", "{\"a\":[1,{\"id\":5}]}");
	assert_true(incident_from_json(v, &in));
	assert_int_equal(in.n_listed, 0);
	incident_fini(&in);
	json_decref(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_list),       cmocka_unit_test(test_kept),
		cmocka_unit_test(test_not_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
