/*
 * The watch over a store of this file's own, which keeps documents in memory:
 * what is written, what is read back after a restart, who hears of it.
 */
#include "dslat/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "dslat/conf.h"
#include "dslat/map.h"
#include "dslat/mem.h"

/* ---- the store ----------------------------------------------------------- */

struct store {
	struct map *docs; /* "kind 000...id" -> text */
	size_t puts;
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
		CASE(test_events),      CASE(test_long_text),
		CASE(test_events_kept), CASE(test_silences),
		CASE(test_store_ready), CASE(test_no_store),
		CASE(test_maintenance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
