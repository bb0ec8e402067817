/*
 * dslatd: options, the ordered start, the loop, the mirrored end.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "dslat/notifiers.h"
#include "dslat/notify.h"
#include "dslat/store.h"
#include "dslat/targets.h"
#include "dslat/watch.h"
#include "dslat/web.h"

enum { EXIT_OK = 0, EXIT_OTHER = 1, EXIT_USAGE = 2, EXIT_CONF = 3 };

#define STOP_US (4 * US_PER_S) /* systemd is promised 5 s */

struct options {
	const char *path;
	bool check, dump, debug;
};

struct app {
	struct options opt;
	struct loop *loop;
	struct site *site;
	struct store *store;
	struct targets *targets;
	struct watch *watch;
	struct notifiers *notifiers;
	struct web *web;
	struct notify *notify;
	bool stopped;
};

static const char usage_text[] =
	"usage: dslatd [-c FILE] [-f] [-d]\n"
	"       dslatd -t [-c FILE]\n"
	"       dslatd --dump-config [-c FILE]\n"
	"\n"
	"Watches VMware datastore latency and serves it as pages, JSON and\n"
	"metrics.  Runs in the foreground and logs to stderr.\n"
	"\n"
	"  -c, --config FILE  configuration (" CONF_DEFAULT_PATH
	")\n"
	"  -f, --foreground   stay in the foreground (it always does)\n"
	"  -d, --debug        log more\n"
	"  -t, --test         check the configuration and end: 0 or 3\n"
	"      --dump-config  print the values in force and where they are set\n"
	"  -h, --help         print this text\n"
	"  -V, --version      print the version\n"
	"\n"
	"Signals: HUP reads the configuration again, TERM and INT end it.\n"
	"Exit status: 0, 2 wrong usage, 3 wrong configuration, 1 else.\n"
	"See dslatd(8) and dslatd.yaml(5).\n";

typedef void (*say_fn)(bool is_error, const char *line);

static void
say_to_user(bool is_error unused, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static void
say_to_log(bool is_error, const char *line)
{
	log_msg(is_error ? LOG_LVL_ERR : LOG_LVL_WARN, "main", "%s", line);
}

/* The configuration, or NULL after every fault was said, one at a time. */
static struct conf *
load(const char *path, say_fn say)
{
	char *line, *rest;
	struct buf problems;
	struct err e;
	struct conf *c;

	buf_init(&problems, 1 << 20);
	c = conf_load(path, &problems, &e);
	if (c == NULL && problems.len == 0)
		buf_adds(&problems, e.text);
	rest = buf_take(&problems);
	for (char *next = rest; (line = strsep(&next, "\n")) != NULL;)
		if (*line != '\0')
			say(c == NULL, line);
	free(rest);
	return c;
}

static void
say_at(const struct conf *c, const char *key, const char *prefix,
       const struct err *e)
{
	struct mark at = { 0, 0 };

	conf_is_set(c, key, &at);
	fprintf(stderr, "%s:%d:%d: %s%s\n", c->path, at.line, at.column, prefix,
		e->text);
}

static int
check(const char *path)
{
	struct conf *c = load(path, say_to_user);
	struct err e;

	if (c == NULL)
		return EXIT_CONF;
	if (web_check_tokens(&c->web, &e) != 0)
		say_at(c, "web.tokens_file", "warning: ", &e);
	if (web_check_tls(&c->web, &e) != 0) {
		say_at(c, "web.tls_cert", "", &e);
		conf_free(&c);
		return EXIT_CONF;
	}
	printf("%s: ok, %zu target%s\n", path, c->n_targets,
	       c->n_targets == 1 ? "" : "s");
	conf_free(&c);
	return EXIT_OK;
}

static int
dump(const char *path)
{
	struct conf *c = load(path, say_to_user);
	struct buf out;

	if (c == NULL)
		return EXIT_CONF;
	buf_init(&out, 16 << 20);
	if (conf_dump(c, &out) == 0)
		fputs(buf_str(&out), stdout);
	buf_fini(&out);
	conf_free(&c);
	return EXIT_OK;
}

/* One reading of the clock per turn, for the loop and the model alike. */
static struct now
tick(void *arg)
{
	struct site *site = arg;

	site->now = clock_sample();
	return site->now;
}

static bool
same_listen(const struct conf *a, const struct conf *b)
{
	size_t i = 0;

	while (a->listen[i] != NULL && b->listen[i] != NULL &&
	       strcmp(a->listen[i], b->listen[i]) == 0)
		i++;
	return a->listen[i] == NULL && b->listen[i] == NULL;
}

static int
store_conf(struct app *a, const struct conf *c, struct err *e)
{
	const struct store_conf sc = {
		.state_dir = c->state_dir,
		.raw_days = c->retention.raw_days,
		.five_minute_days = c->retention.five_minute_days,
		.hour_days = c->retention.hour_days,
		.max_bytes = c->retention.max_bytes,
	};

	return store_apply(a->store, &sc, e);
}

/* Where pages are, for links in messages. */
static void
set_page_url(struct app *a, const struct conf *c)
{
	static const char *const all[] = { "://0.0.0.0:", "://[::]:" };
	const char *url = c->web.public_url;
	char host[256] = "", *text = NULL;

	for (size_t i = 0; url == NULL && web_address(a->web, i) != NULL; i++)
		if (strncmp(web_address(a->web, i), "http", 4) == 0)
			url = web_address(a->web, i);
	for (size_t i = 0; url != NULL && i < ARRAY_SIZE(all); i++) {
		const char *at = strstr(url, all[i]);

		if (at != NULL && gethostname(host, sizeof(host) - 1) == 0)
			text = xasprintf("%.*s://%s:%s", (int)(at - url), url,
					 host, at + strlen(all[i]));
	}
	if (text == NULL && url != NULL)
		text = xasprintf("%s%s", url,
				 url[strlen(url) - 1] == '/' ? "" : "/");
	notifiers_set_address(a->notifiers, text);
	free(text);
}

static void
warn_of_restart(const char *key)
{
	log_warn("main", "reload: a changed `%s` takes effect after a restart",
		 key);
}

/* What the program itself did, on the time line. */
static void
note(struct app *a, const char *kind, const char *text)
{
	char *k = xstrdup(kind), *t = xstrdup(text);

	watch_add_event(a->watch, &(struct event){ .kind = k, .text = t });
	free(k);
	free(t);
}

static void
reload(void *arg)
{
	struct app *a = arg;
	struct conf *c;
	struct err e;

	notify_reloading(a->notify);
	c = load(a->opt.path, say_to_log);
	if (c == NULL) {
		log_err("main",
			"reload: %s is wrong, the old configuration "
			"stays in force",
			a->opt.path);
	} else {
		if (!same_listen(c, targets_conf(a->targets)))
			warn_of_restart("listen");
		if (strcmp(c->state_dir, targets_conf(a->targets)->state_dir) !=
		    0)
			warn_of_restart("state_dir");
		if (store_conf(a, c, &e) != 0)
			log_err("main", "reload: %s", e.text);
		watch_apply(a->watch, c);
		set_page_url(a, c);
		notifiers_apply(a->notifiers, c);
		targets_apply(a->targets, c);
		note(a, "setting", "the configuration was read again");
		if (web_apply(a->web, &c->web, &e) != 0)
			log_err("main",
				"reload: %s; the old certificate stays in "
				"force",
				e.text);
		log_info("main", "reload: %s is in force", a->opt.path);
	}
	notify_ready(a->notify);
}

static int
listen_all(struct app *a, const struct conf *c, struct err *e)
{
	for (size_t i = 0; c->listen[i] != NULL; i++)
		if (web_listen(a->web, c->listen[i], e) != 0)
			return -1;
	for (size_t i = 0; web_address(a->web, i) != NULL; i++)
		log_info("main", "listening on %s", web_address(a->web, i));
	return 0;
}

static void
on_stopped(void *arg)
{
	struct app *a = arg;

	a->stopped = true;
	loop_stop(a->loop);
}

static void
on_late(void *arg, struct now now unused)
{
	loop_stop(arg);
}

static void
stop(struct app *a)
{
	struct loop_timer *timer = loop_timer_new(a->loop, on_late, a->loop);

	log_info("main", "stopping");
	notify_stopping(a->notify);
	loop_timer_in_us(timer, STOP_US);
	targets_stop(a->targets, on_stopped, a);
	loop_run(a->loop); /* a second signal ends it too */
	if (!a->stopped)
		log_warn("main", "not waiting any longer for the logouts");
	loop_timer_free(&timer);
}

static int
serve(struct app *a, struct conf *c)
{
	struct err e;

	a->loop = loop_new(&e);
	if (a->loop == NULL)
		goto fail;
	a->site = site_new(loop_now(a->loop));
	loop_set_clock(a->loop, tick, a->site);
	a->store = store_new(a->loop, a->site);
	a->watch = watch_new(a->loop, a->site, a->store);
	a->notifiers = notifiers_new(a->loop, a->watch, a->store);
	a->targets = targets_new(a->loop, a->site, &vsphere_collector);
	a->web = web_new(a->loop,
			 &(struct web_parts){ .site = a->site,
					      .store = a->store,
					      .watch = a->watch,
					      .notifiers = a->notifiers });
	a->notify = notify_new(a->loop);
	if (loop_signals(a->loop, reload, a, &e) != 0 ||
	    web_apply(a->web, &c->web, &e) != 0 || listen_all(a, c, &e) != 0 ||
	    store_conf(a, c, &e) != 0)
		goto fail;
	watch_apply(a->watch, c);
	watch_restore(a->watch);
	set_page_url(a, c);
	notifiers_apply(a->notifiers, c);
	note(a, "dslatd", "dslatd " PACKAGE_VERSION " started");
	targets_apply(a->targets, c);
	c = NULL;
	notify_ready(a->notify);
	loop_run(a->loop);
	stop(a);
	return EXIT_OK;
fail:
	conf_free(&c);
	log_err("main", "%s", e.text);
	return e.code == ERR_CONF ? EXIT_CONF : EXIT_OTHER;
}

static int
run(const struct options *opt)
{
	struct app a = { .opt = *opt };
	struct conf *c = load(opt->path, say_to_user);
	int rc;

	if (c == NULL)
		return EXIT_CONF;
	log_set_prefix(isatty(STDERR_FILENO) == 0);
	if (opt->debug)
		log_set_level(LOG_LVL_DEBUG);
	log_info("main", "dslatd " PACKAGE_VERSION " starting with %s",
		 opt->path);
	rc = serve(&a, c);
	notify_free(&a.notify);
	web_free(&a.web);
	targets_free(&a.targets);
	notifiers_free(&a.notifiers);
	watch_free(&a.watch);
	store_free(&a.store); /* writes what is left */
	site_free(&a.site);
	loop_free(&a.loop);
	return rc;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "debug", no_argument, NULL, 'd' },
		{ "dump-config", no_argument, NULL, 'D' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "test", no_argument, NULL, 't' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct options opt = { .path = CONF_DEFAULT_PATH };
	int c;

	while ((c = getopt_long(argc, argv, "c:dfhtV", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt.path = optarg;
			break;
		case 'd':
			opt.debug = true;
			break;
		case 'D':
			opt.dump = true;
			break;
		case 'f':
			break;
		case 'h':
			fputs(usage_text, stdout);
			return EXIT_OK;
		case 't':
			opt.check = true;
			break;
		case 'V':
			puts("dslatd " PACKAGE_VERSION);
			return EXIT_OK;
		default:
			fputs(usage_text, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "dslatd: unexpected argument: %s\n%s",
			argv[optind], usage_text);
		return EXIT_USAGE;
	}
	if (opt.check)
		return check(opt.path);
	if (opt.dump)
		return dump(opt.path);
	return run(&opt);
}
