/*
 * teller CONFIG STATE_DIR - notifiers and a store over a real loop, and incidents by hand.
 *
 * For check_notify.py: what dslatd does behind its rules, without waiting for
 * samples.  Reads one command per line from stdin:
 *
 *	inc ID SEVERITY STATE NAME [quiet]	an incident as it is now; before
 *			"start" it is only there, as after a restart; "quiet": as
 *			if silenced
 *	start		the configuration is in force from here on
 *	status		answers with one line of JSON, a list
 *	test NAME	answers "test ok" or "test WHY", later
 *	quit		as SIGTERM
 *
 * The watch (watch.h) is this program's own: a list of incidents, no rules.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dslat/conf.h"
#include "dslat/mem.h"
#include "dslat/notifiers.h"

/* ---- a watch without rules ---------------------------------------------------- */

struct watch {
	struct incidents *list;
	const struct watch_ops *ops;
	void *arg;
};

void
watch_subscribe(struct watch *w, const struct watch_ops *ops, void *arg)
{
	w->ops = ops;
	w->arg = arg;
}

void
watch_unsubscribe(struct watch *w, void *arg unused)
{
	w->ops = NULL;
}

const struct incidents *
watch_incidents(const struct watch *w)
{
	return w->list;
}

/* ---- the program ----------------------------------------------------------------- */

struct teller {
	struct loop *loop;
	struct site *site;
	struct store *store;
	struct watch watch;
	struct notifiers *notifiers;
	struct conf *conf;
	json_t *incidents; /* by number: the newest state of each */
	struct buf line;
	bool started;
};

static void
on_changed(void *arg unused, const struct incident *in unused,
	   enum incident_change what unused)
{
}

static const struct incident_ops incident_ops = { .changed = on_changed };

/* The list, as a watch has read it back. */
static void
fill(struct teller *t)
{
	const char *key;
	json_t *v;

	t->watch.list = incidents_new(t->site, &incident_ops, t);
	json_object_foreach(t->incidents, key,
			    v) if (!incidents_restore(t->watch.list, v))
		abort();
}

/* What a latency incident of the engine has, as JSON. */
static json_t *
describe(const struct teller *t, long long id, const char *severity,
	 const char *state, const char *name)
{
	real_t now = loop_now(t->loop).real;
	bool critical = strcmp(severity, "critical") == 0;
	bool over = strcmp(state, "ended") == 0;
	char *key = xasprintf("latency:lab:u%lld:write", id);
	char *ds = xasprintf("lab:u%lld", id);
	char *summary = xasprintf("lab/%s write %d ms on esx3 (>= %d)", name,
				  critical ? 83 : 61, critical ? 75 : 50);
	json_t *v = json_pack(
		"{sI ss ss ss ss ss sb so so so ss ss ss ss ss sn ss ss ss so "
		"sf si si s{si si si si si si si si} so so s[{ss ss sf}] si}",
		"id", (json_int_t)id, "key", key, "kind", "slow", "state",
		state, "severity", severity, "worst_severity", severity,
		"was_announced", 1, "started",
		json_time(real_add_us(now, -60 * US_PER_S)), "announced",
		json_time(now), "ended", over ? json_time(now) : json_null(),
		"end_reason", over ? "cleared" : "", "target", "lab",
		"datastore", ds, "datastore_name", name, "protocol", "nfs3",
		"backing", "op", "write", "worst_host", "esx3", "where",
		"only esx3: its path", "worst_t", json_time(now), "worst_ms",
		critical ? 83.0 : 61.0, "worst_ios", 1000, "breach_samples", 3,
		"threshold", "warning_ms", 50, "critical_ms", 75, "clear_ms",
		40, "sparse_ms", 1000, "min_ios", 20, "window_samples", 5,
		"for_samples", 3, "clear_samples", 15, "window_t",
		json_time(now), "judged_t", json_time(now), "hosts", "id",
		"lab:host-3", "name", "esx3", "worst_ms",
		critical ? 83.0 : 61.0, "hosts_n", 1);

	if (v == NULL)
		abort();
	json_object_set_new(v, "summary", json_text(summary));
	free(key);
	free(ds);
	free(summary);
	return v;
}

static void
do_incident(struct teller *t, char *words)
{
	char *next = NULL, *id = strtok_r(words, " ", &next);
	const char *severity = strtok_r(NULL, " ", &next);
	const char *state = strtok_r(NULL, " ", &next);
	const char *name = strtok_r(NULL, " ", &next);
	const char *quiet = strtok_r(NULL, " ", &next);
	json_t *v = describe(t, strtoll(id, NULL, 10), severity, state, name);
	struct incident in;

	if (quiet != NULL)
		json_object_set_new(v, "silenced_by", json_string("silence 1"));
	json_object_set_new(t->incidents, id, v);
	if (!t->started)
		return;
	if (!incident_from_json(v, &in))
		abort();
	t->watch.ops->incident(t->watch.arg, &in, INCIDENT_UPDATED);
	incident_fini(&in);
}

static void
do_status(const struct teller *t)
{
	json_t *list = json_array();
	char *text;

	for (size_t i = 0; i < notifiers_count(t->notifiers); i++) {
		struct notifier_status s = notifiers_status(t->notifiers, i);

		json_array_append_new(
			list,
			json_pack("{ss ss so sI sI sI sI}", "name", s.name,
				  "state", notifier_state_name(s.state),
				  "error", json_text(s.error), "queued",
				  (json_int_t)s.queued, "sent",
				  (json_int_t)s.sent, "failures",
				  (json_int_t)s.failures, "dropped",
				  (json_int_t)s.dropped));
	}
	text = json_dumps(list, JSON_COMPACT);
	puts(text);
	free(text);
	json_decref(list);
}

static void
on_tested(void *arg unused, const char *error)
{
	printf("test %s\n", error != NULL ? error : "ok");
	fflush(stdout);
}

static void
do_line(struct teller *t, char *line)
{
	struct err e;

	if (strncmp(line, "inc ", 4) == 0) {
		do_incident(t, line + 4);
	} else if (strcmp(line, "start") == 0) {
		fill(t);
		notifiers_apply(t->notifiers, t->conf);
		t->started = true;
		puts("started");
	} else if (strcmp(line, "status") == 0) {
		do_status(t);
	} else if (strncmp(line, "test ", 5) == 0) {
		if (notifiers_test(t->notifiers, line + 5, on_tested, NULL,
				   &e) != 0)
			printf("test %s\n", e.text);
	} else {
		loop_stop(t->loop);
	}
	fflush(stdout);
}

static void
on_input(void *arg, int fd, int ready unused, struct now now unused)
{
	struct teller *t = arg;
	char room[4096];
	ssize_t n = read(fd, room, sizeof(room));

	if (n <= 0)
		loop_stop(t->loop);
	for (ssize_t i = 0; i < n; i++) {
		if (room[i] != '\n') {
			buf_addc(&t->line, room[i]);
			continue;
		}
		do_line(t, t->line.data);
		buf_reset(&t->line);
	}
}

static struct conf *
load(const char *path)
{
	struct buf problems;
	struct conf *c;
	struct err e;

	buf_init(&problems, 65536);
	c = conf_load(path, &problems, &e);
	fputs(buf_str(&problems), stderr);
	buf_fini(&problems);
	return c;
}

int
main(int argc, char **argv)
{
	struct teller t = { .conf = argc == 3 ? load(argv[1]) : NULL };
	const struct store_conf store = { argv[2], 7, 90, 730, 1 << 30 };
	struct loop_fd *input;
	struct err e;

	if (t.conf == NULL)
		return 2;
	t.loop = loop_new(&e);
	t.site = site_new(loop_now(t.loop));
	t.store = store_new(t.loop, t.site);
	if (store_apply(t.store, &store, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	t.incidents = json_object();
	t.notifiers = notifiers_new(t.loop, &t.watch, t.store);
	notifiers_set_address(t.notifiers, "http://dslat.example:9969/");
	buf_init(&t.line, 65536);
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	input = loop_fd_add(t.loop, STDIN_FILENO, LOOP_IN, on_input, &t);
	loop_run(t.loop);
	loop_fd_del(&input);
	notifiers_free(&t.notifiers);
	store_free(&t.store);
	incidents_free(&t.watch.list);
	json_decref(t.incidents);
	site_free(&t.site);
	buf_fini(&t.line);
	loop_free(&t.loop);
	conf_free(&t.conf);
	return 0;
}
