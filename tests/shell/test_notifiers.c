/*
 * All notifiers over a real loop whose clock is ours: what a start, a reload and
 * an end do, and the state that is shown.  The watch is a list made by hand.
 *
 * OpenSSL's headers first: they use the word "unused".
 */
#include "server.h"

#include "dslat/notifiers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../unit/unit.h"
#include "dslat/conf.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "outcome.h"

/* ---- a watch without rules ------------------------------------------------- */

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

/* ---- the stage ------------------------------------------------------------- */

struct stage {
	struct loop *loop;
	struct now offset; /* added to the real clock */
	struct site *site;
	struct watch watch;
	struct notifiers *notifiers;
};

static struct now
tick(void *arg)
{
	const struct stage *s = arg;
	struct now now = clock_sample();

	now.mono.us += s->offset.mono.us;
	now.real.us += s->offset.real.us;
	return now;
}

static void
jump(struct stage *s, int64_t us)
{
	s->offset.mono.us += us;
	s->offset.real.us += us;
	loop_turn(s->loop, 0);
}

static void
on_changed(void *arg unused, const struct incident *in unused,
	   enum incident_change what unused)
{
}

static const struct incident_ops incident_ops = { .changed = on_changed };

static void
stage_init(struct stage *s)
{
	struct err e;

	*s = (struct stage){ .loop = loop_new(&e) };
	loop_set_clock(s->loop, tick, s);
	s->site = site_new(loop_now(s->loop));
	s->watch.list = incidents_new(s->site, &incident_ops, s);
	s->notifiers = notifiers_new(s->loop, &s->watch, NULL);
}

static void
stage_fini(struct stage *s)
{
	notifiers_free(&s->notifiers);
	incidents_free(&s->watch.list);
	site_free(&s->site);
	loop_free(&s->loop);
}

/* notify: of the configuration, as a flow sequence. */
static void __attribute__((format(printf, 2, 3)))
apply(struct stage *s, const char *fmt, ...)
{
	struct buf problems;
	struct conf *c;
	struct err e;
	char *list, *yaml;
	va_list ap;

	va_start(ap, fmt);
	list = xvasprintf(fmt, ap);
	va_end(ap);
	yaml = xasprintf(
		"targets: [{ name: a, url: https://h, username: u, "
		"password_env: P }]\nnotify: [%s]\n",
		list);
	buf_init(&problems, 65536);
	c = conf_parse(yaml, strlen(yaml), "f", &problems, &e);
	assert_string_equal(buf_str(&problems), "");
	loop_turn(s->loop, 0);
	notifiers_apply(s->notifiers, c);
	conf_free(&c); /* nothing of it is used any more */
	buf_fini(&problems);
	free(list);
	free(yaml);
}

static void
announce(struct stage *s, int64_t id)
{
	char *key = xasprintf("unreachable:t%d", (int)id);
	char *target = xasprintf("t%d", (int)id);
	const struct incident in = {
		.id = id,
		.key = key,
		.kind = INCIDENT_UNREACHABLE,
		.state = INCIDENT_ANNOUNCED,
		.was_announced = true,
		.target = target,
		.started = loop_now(s->loop).real,
		.worst_us = -1,
		.worst_ios = -1,
	};
	json_t *v = incident_json(&in);

	assert_true(incidents_restore(s->watch.list, v));
	json_decref(v);
	s->watch.ops->incident(s->watch.arg, incidents_find(s->watch.list, id),
			       INCIDENT_TOLD);
	free(key);
	free(target);
}

/* ---- a receiver ------------------------------------------------------------- */

struct receiver {
	pthread_mutex_t lock;
	const char *status;
	int n_posts;
	size_t n_alerts; /* of the last post */
	bool hangs;
	struct server *server;
	int port;
};

static bool
on_post(struct conn *c, const char *head unused, const char *body, size_t len,
	void *arg)
{
	struct receiver *r = arg;
	json_t *v = json_loadb(body, len, 0, NULL);
	const char *status;
	bool hangs;

	pthread_mutex_lock(&r->lock);
	r->n_posts++;
	r->n_alerts = json_array_size(json_object_get(v, "alerts"));
	status = r->status;
	hangs = r->hangs;
	pthread_mutex_unlock(&r->lock);
	json_decref(v);
	if (hangs)
		return conn_wait_ms(c, 20000);
	return conn_answer(c, status, "text/plain", "");
}

static void
receiver_init(struct receiver *r)
{
	*r = (struct receiver){ .status = "200 OK" };
	pthread_mutex_init(&r->lock, NULL);
	r->server = server_start(&(struct server_options){
		.family = AF_INET, .fn = on_post, .arg = r });
	r->port = server_port(r->server);
}

static void
receiver_fini(struct receiver *r)
{
	server_stop(&r->server);
	pthread_mutex_destroy(&r->lock);
}

static void
answer_with(struct receiver *r, const char *status, bool hangs)
{
	pthread_mutex_lock(&r->lock);
	r->status = status;
	r->hangs = hangs;
	pthread_mutex_unlock(&r->lock);
}

static int
posts(struct receiver *r)
{
	int n;

	pthread_mutex_lock(&r->lock);
	n = r->n_posts;
	pthread_mutex_unlock(&r->lock);
	return n;
}

static size_t
alerts(struct receiver *r)
{
	size_t n;

	pthread_mutex_lock(&r->lock);
	n = r->n_alerts;
	pthread_mutex_unlock(&r->lock);
	return n;
}

/* Turns until the receiver has n posts. */
static bool
posts_come(struct stage *s, struct receiver *r, int n)
{
	for (int i = 0; i < 500 && posts(r) < n; i++)
		loop_turn(s->loop, 10);
	return posts(r) == n;
}

/* Turns until what was sent has an answer. */
static struct notifier_status
settled(struct stage *s, size_t i)
{
	struct notifier_status n;

	do {
		loop_turn(s->loop, 10);
		n = notifiers_status(s->notifiers, i);
	} while (n.queued != 0 && n.next_try.us == 0);
	return n;
}

#define HOOK(name)                                                             \
	"{ name: " name ", type: webhook, url: \"http://127.0.0.1:%d\" }"

/* ---- tests -------------------------------------------------------------------- */

static void
test_group_and_backoff(void **state unused)
{
	struct notifier_status n;
	struct receiver r;
	struct stage s;

	stage_init(&s);
	receiver_init(&r);
	apply(&s, HOOK("a"), r.port);
	n = notifiers_status(s.notifiers, 0);
	assert_string_equal(n.name, "a");
	assert_string_equal(n.type, "webhook");
	assert_int_equal(n.state, NOTIFIER_IDLE);
	assert_null(n.error);
	assert_int_equal(n.next_try.us, 0);
	assert_int_equal(n.last_success.us, 0);

	announce(&s, 1);
	jump(&s, 3 * US_PER_S);
	announce(&s, 2);
	n = notifiers_status(s.notifiers, 0);
	assert_int_equal(n.queued, 2);
	assert_true(real_diff_us(n.next_try, loop_now(s.loop).real) <=
		    2 * US_PER_S);
	assert_int_equal(posts(&r), 0);
	answer_with(&r, "500 Oh", false);
	jump(&s, 2 * US_PER_S);
	assert_true(posts_come(&s, &r, 1));
	assert_int_equal(alerts(&r), 2);
	n = settled(&s, 0);
	assert_int_equal(n.state, NOTIFIER_FAILING);
	assert_non_null(strstr(n.error, "HTTP status 500"));
	assert_int_equal(n.queued, 2);
	assert_int_equal(n.failures, 1);
	assert_int_equal(n.sent, 0);

	jump(&s, 3 * US_PER_S); /* too early, whatever the jitter */
	assert_int_equal(posts(&r), 1);
	answer_with(&r, "204 Fine", false);
	jump(&s, 3 * US_PER_S);
	assert_true(posts_come(&s, &r, 2));
	n = settled(&s, 0);
	assert_int_equal(n.state, NOTIFIER_OK);
	assert_null(n.error);
	assert_int_equal(n.queued, 0);
	assert_int_equal(n.sent, 1);
	assert_true(n.last_success.us != 0);
	assert_int_equal(n.next_try.us, 0);
	jump(&s, 1000 * US_PER_S);
	assert_int_equal(posts(&r), 2);
	receiver_fini(&r);
	stage_fini(&s);
}

static void
test_reload(void **state unused)
{
	struct receiver old, new;
	struct stage s;

	stage_init(&s);
	receiver_init(&old);
	receiver_init(&new);
	answer_with(&old, "200 OK", true);
	apply(&s, HOOK("a") ", " HOOK("b"), old.port, old.port);
	assert_int_equal(notifiers_count(s.notifiers), 2);
	announce(&s, 1);
	jump(&s, 6 * US_PER_S);
	assert_true(posts_come(&s, &old, 2)); /* and hang */
	/* a goes elsewhere, b goes, c is new; what hung is sent to the new a,
	 * and c hears of what goes on */
	apply(&s, HOOK("c") ", " HOOK("a"), new.port, new.port);
	assert_int_equal(notifiers_count(s.notifiers), 2);
	assert_string_equal(notifiers_status(s.notifiers, 0).name, "c");
	assert_string_equal(notifiers_status(s.notifiers, 1).name, "a");
	jump(&s, 7 * US_PER_S);
	assert_true(posts_come(&s, &new, 2));
	assert_int_equal(settled(&s, 0).sent, 1);
	assert_int_equal(settled(&s, 1).sent, 1);
	/* the same again changes nothing */
	apply(&s, HOOK("c") ", " HOOK("a"), new.port, new.port);
	jump(&s, 7 * US_PER_S);
	assert_int_equal(notifiers_status(s.notifiers, 0).queued, 0);
	assert_int_equal(notifiers_status(s.notifiers, 1).sent, 1);
	apply(&s, " ");
	assert_int_equal(notifiers_count(s.notifiers), 0);
	announce(&s, 2);
	receiver_fini(&old);
	receiver_fini(&new);
	stage_fini(&s);
}

struct tested {
	int n;
	char text[256];
};

static void
on_tested(void *arg, const char *error)
{
	struct tested *t = arg;

	t->n++;
	snprintf(t->text, sizeof(t->text), "%s", error != NULL ? error : "ok");
}

static void
test_test(void **state unused)
{
	struct tested t = { 0 }, second = { 0 };
	struct receiver r;
	struct stage s;
	struct err e;

	stage_init(&s);
	receiver_init(&r);
	assert_int_equal(notifiers_test(s.notifiers, "a", on_tested, &t, &e),
			 -1);
	assert_non_null(strstr(e.text, "no notifiers are configured"));
	apply(&s, HOOK("a") ", " HOOK("b"), r.port, r.port);
	assert_int_equal(notifiers_test(s.notifiers, "x", on_tested, &t, &e),
			 -1);
	assert_string_equal(e.text,
			    "there is no notifier \"x\"; there are a, b");
	announce(&s, 1); /* does not hold it up, nor go with it */
	assert_int_equal(notifiers_test(s.notifiers, "b", on_tested, &t, &e),
			 0);
	assert_int_equal(t.n, 0);
	assert_true(turns_until(s.loop, &t.n, 1));
	assert_string_equal(t.text, "ok");
	assert_int_equal(alerts(&r), 1);
	assert_int_equal(notifiers_status(s.notifiers, 1).queued, 1);
	answer_with(&r, "404 No", false);
	assert_int_equal(notifiers_test(s.notifiers, "b", on_tested, &t, &e),
			 0);
	assert_true(turns_until(s.loop, &t.n, 2));
	assert_non_null(strstr(t.text, "HTTP status 404"));
	/* a reload and an end come before the answer: said, once */
	answer_with(&r, "200 OK", true);
	assert_int_equal(notifiers_test(s.notifiers, "b", on_tested, &t, &e),
			 0);
	assert_int_equal(
		notifiers_test(s.notifiers, "a", on_tested, &second, &e), 0);
	assert_true(posts_come(&s, &r, 4));
	apply(&s, HOOK("a"), r.port);
	assert_int_equal(t.n, 3);
	assert_int_equal(second.n, 1);
	assert_non_null(strstr(second.text, "configuration changed"));
	assert_int_equal(
		notifiers_test(s.notifiers, "a", on_tested, &second, &e), 0);
	stage_fini(&s);
	assert_int_equal(second.n, 2);
	assert_non_null(strstr(second.text, "stopped"));
	receiver_fini(&r);
}

static void
no_log(void *arg unused, enum log_level level unused, const char *sub unused,
       const char *text unused)
{
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group_and_backoff),
		cmocka_unit_test(test_reload),
		cmocka_unit_test(test_test),
	};

	log_set_sink(no_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
