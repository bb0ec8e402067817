/*
 * serve.c - the real server over the site of site.c, for the tests in Python.
 *
 * serve --routes prints the table of routes.
 * serve [--empty] [--big HOSTS DATASTORES] [--store DIR] [--tokens FILE]
 * [--closed] [--tls CERT KEY] [--hook URL] ADDRESS...: prints the addresses it
 * really listens on, one per line, then "ready".  --closed: no reading without
 * a token.  --hook: there is a notifier "hook".  Its clock starts at T0 and
 * runs; commands on standard input are answered with "ok":
 *	poll           20 s later, one more slot of every host
 *	polls N        so many of them
 *	skip N         as much time without a poll
 *	advance N      N seconds later
 *	error TEXT     the target cannot be reached
 *	drop           the target "big" is removed
 *	forget         the target "lab" is removed
 *	settle         once the store (--store DIR) has nothing to do
 *	stats          one line of JSON: the loop's and the server's figures
 *	reload         what a SIGHUP does to the web part
 *	incident JSON  one more of them, as if read from the store
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dslat/bus.h"
#include "dslat/conf.h"
#include "dslat/json.h"
#include "dslat/loop.h"
#include "dslat/notifiers.h"
#include "dslat/store.h"
#include "dslat/web.h"
#include "site.h"
#include "web/handlers.h"

struct serve {
	struct loop *loop;
	struct site *site;
	struct watch *watch;
	struct notifiers *notifiers;
	struct web *web;
	struct conf_web conf;
	const char *hook;
	struct loop_fd *input;
	struct now base, offset; /* real clocks at the start; T0 and jumps */
	int64_t k;
	struct store *store; /* NULL: none */
	struct loop_timer *settle;
	uint64_t commits;
	int quiet; /* turns of the timer without a commit */
	char line[4096];
	size_t len;
};

#define SETTLE_US (5 * US_PER_MS)
#define SETTLE_TURNS 40

static struct now
test_clock(void *arg)
{
	struct serve *s = arg;
	struct now now = clock_sample();

	now.mono.us += s->offset.mono.us - s->base.mono.us;
	now.real.us = now.mono.us - US_PER_S + SITE_T0_S * US_PER_S;
	if (s->site != NULL)
		s->site->now = now; /* as main.c does */
	return now;
}

static void
advance_s(struct serve *s, int64_t by_s)
{
	s->offset.mono.us += by_s * US_PER_S;
	test_clock(s);
}

static void
cmd_poll(struct serve *s, const char *arg)
{
	(void)arg;
	advance_s(s, SLOT_S);
	test_site_poll(s->site, s->k++);
}

static void
cmd_polls(struct serve *s, const char *arg)
{
	for (long n = strtol(arg, NULL, 10); n > 0; n--)
		cmd_poll(s, NULL);
}

static void
cmd_skip(struct serve *s, const char *arg)
{
	long n = strtol(arg, NULL, 10);

	s->k += n;
	advance_s(s, n * SLOT_S);
}

static void
cmd_advance(struct serve *s, const char *arg)
{
	advance_s(s, strtol(arg, NULL, 10));
}

static void
cmd_error(struct serve *s, const char *arg)
{
	struct target *t = s->site->targets[0];

	target_set_error(t, TARGET_UNREACHABLE, arg);
	bus_status(s->site->bus, t);
}

static void
cmd_drop(struct serve *s, const char *arg)
{
	(void)arg;
	site_remove_target(s->site, "big");
}

static void
cmd_forget(struct serve *s, const char *arg)
{
	(void)arg;
	site_remove_target(s->site, "lab");
}

/* Answers when it is so: on_settle(). */
static void
cmd_settle(struct serve *s, const char *arg)
{
	(void)arg;
	s->quiet = 0;
	loop_timer_in_us(s->settle, SETTLE_US);
}

static void
on_settle(void *arg, struct now now)
{
	struct serve *s = arg;
	uint64_t commits = store_status(s->store).commits;

	(void)now;
	s->quiet = commits == s->commits ? s->quiet + 1 : 0;
	s->commits = commits;
	if (s->quiet < SETTLE_TURNS) {
		loop_timer_in_us(s->settle, SETTLE_US);
		return;
	}
	puts("ok");
	fflush(stdout);
}

static void
cmd_stats(struct serve *s, const char *arg)
{
	struct loop_stats st = loop_stats(s->loop);

	(void)arg;
	printf("{\"turns\": %llu, \"stall_max_us\": %lld, \"where\": \"%s\"}\n",
	       (unsigned long long)st.turns, (long long)st.stall_max_us,
	       st.stall_where);
}

static void
cmd_reload(struct serve *s, const char *arg)
{
	struct err e;

	(void)arg;
	if (web_apply(s->web, &s->conf, &e) != 0)
		printf("%s\n", e.text);
}

static void
cmd_incident(struct serve *s, const char *arg)
{
	json_t *v = json_loads(arg, 0, NULL);
	const struct incidents *all = watch_incidents(s->watch);

	if (!incidents_restore((struct incidents *)(uintptr_t)all, v))
		puts("not an incident");
	json_decref(v);
}

static const struct {
	const char *name;
	void (*fn)(struct serve *s, const char *arg);
} commands[] = {
	{ "poll", cmd_poll },         { "advance", cmd_advance },
	{ "drop", cmd_drop },         { "error", cmd_error },
	{ "reload", cmd_reload },     { "stats", cmd_stats },
	{ "polls", cmd_polls },       { "skip", cmd_skip },
	{ "forget", cmd_forget },     { "settle", cmd_settle },
	{ "incident", cmd_incident },
};

static void
run_command(struct serve *s, char *line)
{
	char *arg = strchr(line, ' ');

	if (arg != NULL)
		*arg++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, line) != 0)
			continue;
		commands[i].fn(s, arg != NULL ? arg : "");
		if (commands[i].fn == cmd_settle)
			return;
		puts("ok");
		fflush(stdout);
		return;
	}
	puts("unknown command");
	fflush(stdout);
}

static void
on_input(void *arg, int fd, int ready, struct now now)
{
	struct serve *s = arg;
	char piece[256];
	ssize_t n = read(fd, piece, sizeof(piece));

	(void)ready, (void)now;
	if (n <= 0)
		loop_stop(s->loop);
	for (ssize_t i = 0; i < n; i++) {
		if (piece[i] != '\n' && s->len < sizeof(s->line) - 1) {
			s->line[s->len++] = piece[i];
			continue;
		}
		s->line[s->len] = '\0';
		s->len = 0;
		run_command(s, s->line);
	}
}

/* What is left of the arguments: addresses. */
static char **
read_options(struct serve *s, char **argv)
{
	char **big = NULL;
	bool empty = false;

	s->conf.allow_anonymous_read = true;
	for (; *argv != NULL && strncmp(*argv, "--", 2) == 0; argv++) {
		if (strcmp(*argv, "--empty") == 0) {
			empty = true;
		} else if (strcmp(*argv, "--store") == 0) {
			argv++; /* see open_store() */
		} else if (strcmp(*argv, "--closed") == 0) {
			s->conf.allow_anonymous_read = false;
		} else if (strcmp(*argv, "--tokens") == 0) {
			s->conf.tokens_file = *++argv;
		} else if (strcmp(*argv, "--tls") == 0) {
			s->conf.tls_cert = *++argv;
			s->conf.tls_key = *++argv;
		} else if (strcmp(*argv, "--hook") == 0) {
			s->hook = *++argv;
		} else if (strcmp(*argv, "--big") == 0) {
			big = argv + 1;
			argv += 2;
		}
	}
	if (!empty)
		test_site_fill(s->site);
	if (big != NULL)
		test_site_big(s->site, strtoul(big[0], NULL, 10),
			      strtoul(big[1], NULL, 10));
	return argv;
}

/* Before the site has anything, as in dslatd. */
static int
open_store(struct serve *s, char **argv)
{
	struct store_conf c = { .raw_days = 7,
				.five_minute_days = 90,
				.hour_days = 730,
				.max_bytes = INT64_C(1) << 30 };
	struct err e;

	while (*argv != NULL && strcmp(*argv, "--store") != 0)
		argv++;
	if (*argv == NULL)
		return 0;
	c.state_dir = argv[1];
	s->store = store_new(s->loop, s->site);
	s->settle = loop_timer_new(s->loop, on_settle, s);
	if (store_apply(s->store, &c, &e) == 0)
		return 0;
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

static void
start_notifiers(struct serve *s)
{
	char text[1000];
	struct buf problems;
	struct conf *c;
	struct err e;

	if (s->hook == NULL)
		return;
	snprintf(text, sizeof(text),
		 "targets: [{ name: a, url: https://h, username: u, "
		 "password_env: P }]\n"
		 "notify: [{ name: hook, type: webhook, timeout_s: 60, "
		 "url: \"%s\" }]\n",
		 s->hook);
	buf_init(&problems, 10000);
	c = conf_parse(text, strlen(text), "serve", &problems, &e);
	fputs(buf_str(&problems), stderr);
	buf_fini(&problems);
	assert(c != NULL);
	notifiers_apply(s->notifiers, c);
	conf_free(&c);
}

static int
listen_all(struct serve *s, char **words)
{
	struct err e;

	if (web_apply(s->web, &s->conf, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		return -1;
	}
	for (; *words != NULL; words++) {
		if (web_listen(s->web, *words, &e) != 0) {
			fprintf(stderr, "%s\n", e.text);
			return -1;
		}
	}
	for (size_t i = 0; web_address(s->web, i) != NULL; i++)
		puts(web_address(s->web, i));
	puts("ready");
	fflush(stdout);
	return 0;
}

/* Each route as "method|path|params" for the comparison with openapi.json. */
static void
print_routes(void)
{
	static const struct {
		enum http_method method;
		const char *name;
	} methods[] = {
		{ HTTP_GET, "get" },
		{ HTTP_POST, "post" },
		{ HTTP_DELETE, "delete" },
	};

	for (size_t i = 0; i < web_n_routes * ARRAY_SIZE(methods); i++) {
		const struct route *r = &web_routes[i / ARRAY_SIZE(methods)];
		size_t m = i % ARRAY_SIZE(methods);

		if ((r->methods & methods[m].method) != 0)
			printf("%s|%s|%s\n", methods[m].name, r->path,
			       r->params != NULL ? r->params : "");
	}
}

int
main(int argc, char **argv)
{
	struct threshold_rules rules;
	struct serve s = { .k = SITE_SLOTS };
	struct err e;
	int rc;

	if (argc == 2 && strcmp(argv[1], "--routes") == 0) {
		print_routes();
		return 0;
	}
	s.base = clock_sample();
	s.offset.mono.us = US_PER_S;
	s.loop = loop_new(&e);
	if (s.loop == NULL || loop_signals(s.loop, NULL, NULL, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	loop_set_clock(s.loop, test_clock, &s);
	s.site = test_site_new(&rules);
	rc = open_store(&s, argv + 1);
	s.watch = watch_new(s.loop, s.site, s.store);
	s.notifiers = notifiers_new(s.loop, s.watch, s.store);
	s.web = web_new(s.loop,
			&(struct web_parts){
				.site = s.site,
				.store = s.store,
				.watch = s.watch,
				.notifiers = s.notifiers,
			});
	argv = read_options(&s, argv + 1);
	start_notifiers(&s);
	if (rc == 0)
		rc = listen_all(&s, argv);
	if (rc == 0) {
		s.input = loop_fd_add(s.loop, STDIN_FILENO, LOOP_IN, on_input,
				      &s);
		loop_run(s.loop);
		loop_fd_del(&s.input);
	}
	web_free(&s.web);
	notifiers_free(&s.notifiers);
	watch_free(&s.watch);
	store_free(&s.store);
	loop_timer_free(&s.settle);
	site_free(&s.site);
	threshold_rules_fini(&rules);
	loop_free(&s.loop);
	return rc == 0 ? 0 : 1;
}
