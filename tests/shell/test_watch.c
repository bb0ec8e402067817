/*
 * The watch over a store of this file's own, which keeps documents in memory:
 * what is written, what is read back after a restart, who hears of it.
 */
#include "dslat/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "dslat/bus.h"
#include "dslat/conf.h"
#include "dslat/map.h"
#include "dslat/mem.h"

/* ---- the store ----------------------------------------------------------- */

struct store {
	struct map *docs; /* "kind id" -> text */
	size_t puts;
	enum store_state state;
	void (*on_ready)(void *arg);
	void *arg;
};

static char *
doc_key(const char *kind, int64_t id)
{
	return xasprintf("%s %lld", kind, (long long)id);
}

void
store_doc_put(struct store *s, const char *kind, int64_t id, real_t t unused,
	      const char *text)
{
	char *key = doc_key(kind, id);

	s->puts++;
	free(map_find_str(s->docs, key));
	map_set(s->docs, key, xstrdup(text));
	free(key);
}

void
store_doc_delete(struct store *s, const char *kind, int64_t id)
{
	char *key = doc_key(kind, id);

	free(map_del(s->docs, key));
	free(key);
}

void
store_doc_each(struct store *s, const char *kind,
	       void (*fn)(void *arg, int64_t id, real_t t, const char *text),
	       void *arg)
{
	size_t len = strlen(kind);
	const char *key;
	void *text;

	for (size_t i = 0; map_next(s->docs, &i, &key, &text);)
		if (strncmp(key, kind, len) == 0 && key[len] == ' ')
			fn(arg, strtoll(key + len, NULL, 10), (real_t){ 0 },
			   text);
}

void
store_on_ready(struct store *s, void (*fn)(void *arg), void *arg)
{
	s->on_ready = fn;
	s->arg = arg;
}

struct store_status
store_status(const struct store *s)
{
	return (struct store_status){ .state = s->state };
}

static size_t
docs_of(const struct store *s, const char *kind)
{
	size_t len = strlen(kind), n = 0;
	const char *key;
	void *text;

	for (size_t i = 0; map_next(s->docs, &i, &key, &text);)
		n += strncmp(key, kind, len) == 0 && key[len] == ' ';
	return n;
}

static void
wipe(struct store *s)
{
	void *text;

	for (size_t i = 0; map_next(s->docs, &i, NULL, &text);)
		free(text);
	map_free(&s->docs);
	s->docs = map_new();
}

/* ---- the stage ----------------------------------------------------------- */

static struct store store;
static struct loop *loop;
static struct site *site;
static struct watch *watch;
static char heard[256]; /* kinds of the events heard */

static struct now
virtual_clock(void *arg unused)
{
	return site->now;
}

static void
hear_event(void *arg unused, const struct event *e)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s ", e->kind);
}

static const struct watch_ops ops = { .event = hear_event };

static void
start(struct store *s)
{
	watch = watch_new(loop, site, s);
	watch_restore(watch);
	watch_subscribe(watch, &ops, &heard);
}

static void
restart(void)
{
	watch_free(&watch);
	start(&store);
}

static int
setup(void **state unused)
{
	struct err e;

	site = site_new((struct now){
		{ 1000000 },
		{ INT64_C(1796040300) * US_PER_S } }); /* a Monday, 12:05 */
	loop = loop_new(&e);
	assert_non_null(loop);
	loop_set_clock(loop, virtual_clock, NULL);
	store.docs = map_new();
	store.puts = 0;
	store.state = STORE_OK;
	heard[0] = '\0';
	start(&store);
	return 0;
}

static int
teardown(void **state unused)
{
	watch_free(&watch);
	wipe(&store);
	map_free(&store.docs);
	loop_free(&loop);
	site_free(&site);
	return 0;
}

static void
pass(int64_t seconds)
{
	site->now.mono.us += seconds * US_PER_S;
	site->now.real.us += seconds * US_PER_S;
	loop_turn(loop, 0);
}

/* ---- cases --------------------------------------------------------------- */

static const struct event *
note(const char *text, int64_t before_s)
{
	struct event e = { .kind = (char[]){ "note" } };
	char *mine = xstrdup(text);
	const struct event *added;

	e.text = mine;
	e.by = (char[]){ "ops" };
	e.datastore_id = (char[]){ "lab:u1" };
	if (before_s != 0)
		e.t = real_add_us(site->now.real, -before_s * US_PER_S);
	added = watch_add_event(watch, &e);
	free(mine);
	return added;
}

static void
test_events(void **state unused)
{
	const struct event *e;
	json_t *v, *again;
	int64_t id;

	note("first", 0);
	pass(10);
	e = note("raised \"queue depth\"", 0);
	id = e->id;
	note("yesterday", 86400);
	assert_string_equal(heard, "note note note ");
	assert_string_equal(watch_event_at(watch, 0)->text,
			    "raised \"queue depth\"");
	assert_string_equal(watch_event_at(watch, 2)->text, "yesterday");
	assert_null(watch_event_at(watch, 3));
	v = event_json(watch_event_at(watch, 0));
	assert_string_equal(json_string_value(json_object_get(v, "t")),
			    "2026-11-30T12:05:10Z");
	restart();
	assert_int_equal(watch_event_at(watch, 0)->id, id);
	again = event_json(watch_event_at(watch, 0));
	assert_true(json_equal(v, again));
	json_decref(v);
	json_decref(again);
	assert_int_equal(note("later", 0)->id, id + 2);
	assert_string_equal(watch_event_at(watch, 3)->text, "yesterday");
}

static void
test_long_text(void **state unused)
{
	char text[EVENT_MAX_TEXT + 2];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text + EVENT_MAX_TEXT - 1, "\303\244", 2); /* one character */
	assert_int_equal(strlen(note(text, 0)->text), EVENT_MAX_TEXT - 1);
}

static void
test_events_kept(void **state unused)
{
	for (int i = 0; i < EVENTS_KEPT + 5; i++)
		note("x", 0);
	assert_int_equal(docs_of(&store, "event"), EVENTS_KEPT);
	assert_int_equal(watch_event_at(watch, EVENTS_KEPT - 1)->id, 6);
	assert_null(watch_event_at(watch, EVENTS_KEPT));
}

static int64_t
add_silence(int64_t seconds)
{
	struct silence s = {
		.match = xstrdup("lab/*"),
		.by = xstrdup("ops"),
		.note = xstrdup("firmware"),
		.until = real_add_us(site->now.real, seconds * US_PER_S),
	};

	return watch_silence(watch, &s)->id;
}

static void
test_silences(void **state unused)
{
	int64_t id = add_silence(3600);

	assert_string_equal(heard, "audit ");
	assert_string_equal(watch_event_at(watch, 0)->text,
			    "silence 1 of \"lab/*\" until "
			    "2026-11-30T13:05:00Z: firmware");
	assert_string_equal(watch_event_at(watch, 0)->by, "ops");
	restart();
	assert_int_equal(watch_silences(watch)->n, 1);
	assert_int_equal(watch_silences(watch)->rows[0].from.us,
			 site->now.real.us);
	assert_false(watch_unsilence(watch, id + 1, "ops"));
	assert_true(watch_unsilence(watch, id, "eve"));
	assert_string_equal(watch_event_at(watch, 0)->by, "eve");
	assert_int_equal(docs_of(&store, "silence"), 0);
	/* One that ended stays to be seen for a week. */
	add_silence(60);
	pass(7 * 86400);
	assert_int_equal(watch_silences(watch)->n, 1);
	pass(120);
	assert_int_equal(watch_silences(watch)->n, 0);
	assert_int_equal(docs_of(&store, "silence"), 0);
}

/* What a store that was set aside lost is put again. */
static void
test_store_ready(void **state unused)
{
	note("x", 0);
	add_silence(3600);
	wipe(&store);
	store.on_ready(store.arg);
	assert_int_equal(docs_of(&store, "event"), 2);
	assert_int_equal(docs_of(&store, "silence"), 1);
}

static void
test_no_store(void **state unused)
{
	watch_free(&watch);
	store.puts = 0;
	start(NULL);
	note("x", 0);
	assert_true(watch_unsilence(watch, add_silence(60), "ops"));
	pass(60);
	assert_int_equal(store.puts, 0);
	assert_false(watch_ack(watch, 1, "ops", NULL));
}

/* ---- incidents ------------------------------------------------------------- */

static struct target *
add_target(void)
{
	struct target *t = site_add_target(site, "lab", "https://vc/sdk");

	t->poll_interval_us = SLOT_US;
	return t;
}

static void
set_state(struct target *t, enum target_state state, const char *error)
{
	target_set_error(t, state, error);
	if (state == TARGET_OK)
		t->last_poll = site->now.real;
	bus_status(site->bus, t);
}

static const char *
doc(const char *kind, int64_t id)
{
	char *key = doc_key(kind, id);
	const char *text = map_find_str(store.docs, key);

	free(key);
	return text != NULL ? text : "";
}

static bool
doc_says(int64_t id, const char *member, const char *text)
{
	json_t *v = json_loads(doc("incident", id), 0, NULL);
	const char *s = json_string_value(json_object_get(v, member));
	bool is = s != NULL && strcmp(s, text) == 0;

	json_decref(v);
	return is;
}

/* Beginning, telling and end are written at once; what only changes, once a
 * tick. */
static void
test_written(void **state unused)
{
	struct target *t = add_target();

	set_state(t, TARGET_UNREACHABLE, "first");
	assert_true(doc_says(1, "state", "open"));
	assert_true(doc_says(1, "where", "first"));
	pass(100); /* the tick sees that it lasts */
	assert_true(doc_says(1, "state", "announced"));
	assert_int_equal(watch_announced(watch, INCIDENT_UNREACHABLE), 1);
	store.puts = 0;
	add_silence(3600); /* which matches lab/ only */
	assert_int_equal(docs_of(&store, "incident"), 1);
	assert_true(watch_ack(watch, 1, "ops", "called the net team"));
	assert_true(doc_says(1, "ack_note", "called the net team"));
	assert_string_equal(watch_event_at(watch, 0)->text,
			    "incident 1 acknowledged: called the net team");
	assert_string_equal(watch_event_at(watch, 0)->target, "lab");
	assert_false(watch_ack(watch, 2, "ops", NULL));
	pass(20);
	assert_int_equal(store.puts,
			 4); /* silence, its audit, ack, its audit */
	set_state(t, TARGET_OK, NULL);
	assert_true(doc_says(1, "end_reason", "back"));
	assert_false(watch_ack(watch, 1, "ops", NULL));
}

/* A silence changes what is told: an update, written with the next tick. */
static void
test_update_is_written_later(void **state unused)
{
	struct silence row = {
		.match = xstrdup("lab"),
		.until = real_add_us(site->now.real, 3600 * US_PER_S),
	};

	set_state(add_target(), TARGET_AUTH_FAILED, "wrong password");
	assert_true(doc_says(1, "state", "announced"));
	watch_silence(watch, &row);
	assert_string_equal(
		incidents_at(watch_incidents(watch), 0)->silenced_by,
		"silence 1");
	assert_false(doc_says(1, "silenced_by", "silence 1"));
	pass(20);
	assert_true(doc_says(1, "silenced_by", "silence 1"));
}

/* An open one goes on after a restart and is not told again. */
static void
test_incident_restored(void **state unused)
{
	struct target *t = add_target();
	const struct incident *in;

	set_state(t, TARGET_AUTH_FAILED, "wrong password");
	restart();
	in = incidents_at(watch_incidents(watch), 0);
	assert_string_equal(in->key, "login:lab");
	assert_int_equal(in->state, INCIDENT_ANNOUNCED);
	t->state = TARGET_STARTING;
	pass(20);
	set_state(t, TARGET_AUTH_FAILED, "wrong password");
	assert_int_equal(watch_announced(watch, INCIDENT_LOGIN), 0);
	assert_int_equal(incidents_count(watch_incidents(watch)), 1);
	set_state(t, TARGET_OK, NULL);
	set_state(t, TARGET_AUTH_FAILED, "wrong again");
	assert_int_equal(incidents_at(watch_incidents(watch), 0)->id, 2);
}

static void
apply(const char *more)
{
	char *text = xasprintf(
		"targets: [{ name: lab, url: https://h, "
		"username: u, password_env: P }]\n%s",
		more);
	struct buf problems;
	struct conf *c;
	struct err e;

	buf_init(&problems, 65536);
	c = conf_parse(text, strlen(text), "f", &problems, &e);
	assert_non_null(c);
	watch_apply(watch, c);
	conf_free(&c);
	buf_fini(&problems);
	free(text);
}

/* As long as the bins of an hour, and no longer. */
static void
test_retention(void **state unused)
{
	struct target *t = add_target();

	set_state(t, TARGET_AUTH_FAILED, "wrong password");
	note("x", 0);
	set_state(t, TARGET_OK, NULL);
	set_state(t, TARGET_AUTH_FAILED, "wrong again"); /* stays */
	apply("retention: { raw_days: 1, five_minute_days: 1, hour_days: 2 }\n");
	pass(2 * 86400 - 20);
	assert_int_equal(docs_of(&store, "incident"), 2);
	assert_int_equal(docs_of(&store, "event"), 1);
	pass(40);
	assert_int_equal(docs_of(&store, "incident"), 1);
	assert_int_equal(docs_of(&store, "event"), 0);
	assert_int_equal(incidents_count(watch_incidents(watch)), 1);
	assert_int_equal(incidents_open(watch_incidents(watch)), 1);
}

/* What cannot be read must not be overwritten when it can be again. */
static void
test_unreadable_at_start(void **state unused)
{
	char *old;

	note("old", 0);
	old = xstrdup(doc("event", 1));
	watch_free(&watch);
	store.state = STORE_FAILED;
	watch = watch_new(loop, site, &store);
	watch_restore(watch); /* the fake reads, as if it came back meanwhile */
	assert_true(note("new", 0)->id > 1796040300);
	assert_string_equal(doc("event", 1), old);
	free(old);
}

static char *
silenced_by(void)
{
	const struct silence_subject lab = { .target = "lab", .kind = "login" };

	return silences_match(watch_silences(watch), &lab, site->now.real);
}

/* The zone of the machine against UTC: 12:05 UTC is 17:35 in India. */
static void
test_maintenance(void **state unused)
{
	static const char text[] =
		"targets: [{ name: lab, url: https://h, username: u, "
		"password_env: P }]\n"
		"maintenance:\n"
		"  - { name: utc, weekdays: mon, from: 12:05, to: 12:06, "
		"timezone: utc }\n"
		"  - { name: here, weekdays: mon, from: 17:37, to: 17:38 }\n";
	struct buf problems;
	struct err e;
	struct conf *c;
	char *by;

	setenv("TZ", "IST-5:30", 1);
	buf_init(&problems, 65536);
	c = conf_parse(text, strlen(text), "f", &problems, &e);
	assert_non_null(c);
	watch_apply(watch, c);
	by = silenced_by();
	assert_string_equal(by, "maintenance utc");
	free(by);
	pass(60);
	assert_null(silenced_by());
	pass(60);
	by = silenced_by();
	assert_string_equal(by, "maintenance here");
	free(by);
	watch_free(&watch);
	conf_free(&c);
	buf_fini(&problems);
	unsetenv("TZ");
	start(&store);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(test_events),
		CASE(test_long_text),
		CASE(test_events_kept),
		CASE(test_silences),
		CASE(test_store_ready),
		CASE(test_no_store),
		CASE(test_maintenance),
		CASE(test_written),
		CASE(test_update_is_written_later),
		CASE(test_incident_restored),
		CASE(test_retention),
		CASE(test_unreadable_at_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
