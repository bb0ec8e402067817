#include "dslat/notifiers.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/conf.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "dslat/resolve.h"
#include "queue.h"
#include "send.h"

/* A test message under way. */
struct trial {
	struct notifier *notifier;
	struct attempt *attempt;
	void (*done)(void *arg, const char *error);
	void *arg;
	struct trial *next;
};

struct notifier {
	struct notifiers *all;
	struct conf_notify conf; /* a copy */
	char *kind;              /* of its documents: "notify:NAME" */
	struct queue *queue;
	struct loop_timer *timer;
	struct attempt *attempt; /* under way, or NULL */
	struct trial *trials;
	enum notifier_state state;
	char *error;
	uint64_t sent, failures;
	real_t last_success;
	bool is_wanted; /* while a configuration is applied */
};

struct notifiers {
	struct loop *loop;
	struct send_means by; /* resolver owned */
	struct watch *watch;
	struct store *store; /* or NULL */
	struct notifier **rows;
	size_t n;
	char *page_url;
};

const char *
notifier_state_name(enum notifier_state s)
{
	static const char *const names[] = {
		[NOTIFIER_IDLE] = "idle",
		[NOTIFIER_OK] = "ok",
		[NOTIFIER_FAILING] = "failing",
	};

	assert((size_t)s < ARRAY_SIZE(names));
	return names[s];
}

/* ---- sending ---------------------------------------------------------------- */

static void
arm(struct notifier *n)
{
	mono_t when;

	if (n->attempt == NULL && queue_due(n->queue, &when))
		loop_timer_at(n->timer, when);
	else
		loop_timer_off(n->timer);
}

static void
took(struct notifier *n, const struct send_result *r, const char *what_next,
     struct now now)
{
	if (r->err.code == ERR_NONE) {
		if (n->state == NOTIFIER_FAILING)
			log_info("notify", "%s: works again", n->conf.name);
		n->state = NOTIFIER_OK;
		n->sent++;
		n->last_success = now.real;
		xstrset(&n->error, NULL);
		return;
	}
	n->failures++;
	n->state = NOTIFIER_FAILING;
	/* said once, and again when it becomes another reason */
	if (xstrset(&n->error, r->err.text))
		log_warn("notify", "%s: %s; %s", n->conf.name, r->err.text,
			 what_next);
}

static void
on_sent(void *arg, const struct send_result *r)
{
	struct notifier *n = arg;
	struct now now = loop_now(n->all->loop);
	const struct queue_result result = {
		.ok = r->err.code == ERR_NONE,
		.is_refused = r->is_refused,
		.retry_after_us = r->retry_after_us,
	};

	n->attempt = NULL;
	took(n, r, "it will be tried again", now);
	queue_done(n->queue, &result, now);
	arm(n);
}

static struct message
message_for(const struct notifier *n, struct now now)
{
	return (struct message){
		.receiver = n->conf.name,
		.page_url = n->all->page_url,
		.now = now.real,
	};
}

static void
on_timer(void *arg, struct now now)
{
	struct notifier *n = arg;
	struct message m = message_for(n, now);
	mono_t when;

	if (n->attempt != NULL || !queue_due(n->queue, &when))
		return;
	if (mono_diff_us(when, now.mono) > 0) {
		arm(n);
		return;
	}
	queue_take(n->queue, &m);
	n->attempt = attempt_start(&n->all->by, &n->conf, &m, on_sent, n);
}

/* ---- what happens ------------------------------------------------------------- */

static void
on_incident(void *arg, const struct incident *in,
	    enum incident_change what unused)
{
	struct notifiers *all = arg;
	struct now now = loop_now(all->loop);

	for (size_t i = 0; i < all->n; i++) {
		queue_see(all->rows[i]->queue, in, now);
		arm(all->rows[i]);
	}
}

static const struct watch_ops watch_ops = { .incident = on_incident };

static void
on_keep(void *arg, int64_t id, real_t t, const char *text)
{
	const struct notifier *n = arg;
	struct store *store = n->all->store;

	if (store == NULL)
		return;
	if (text != NULL)
		store_doc_put(store, n->kind, id, t, text);
	else
		store_doc_delete(store, n->kind, id);
}

static const struct queue_ops queue_ops = { .keep = on_keep };

static void
on_store_ready(void *arg)
{
	const struct notifiers *all = arg;

	for (size_t i = 0; i < all->n; i++)
		queue_keep_all(all->rows[i]->queue, loop_now(all->loop));
}

/* ---- one notifier --------------------------------------------------------------- */

static void
on_document(void *arg, int64_t id, real_t t unused, const char *text)
{
	const struct notifier *n = arg;

	queue_restore(n->queue, id, text);
}

static struct notifier *
notifier_new(struct notifiers *all, const struct conf_notify *c)
{
	struct notifier *n = xcalloc(1, sizeof(*n));

	n->all = all;
	conf_notify_copy(c, &n->conf);
	n->kind = xasprintf("notify:%s", c->name);
	n->queue = queue_new(&n->conf, &queue_ops, n);
	n->timer = loop_timer_new(all->loop, on_timer, n);
	if (all->store != NULL)
		store_doc_each(all->store, n->kind, on_document, n);
	return n;
}

static void
end_trial(struct notifier *n, struct trial *t, const char *error)
{
	struct trial **p = &n->trials;

	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	attempt_cancel(&t->attempt);
	t->done(t->arg, error);
	free(t);
}

static void
notifier_free(struct notifier *n)
{
	while (n->trials != NULL)
		end_trial(n, n->trials, "stopped before an answer came");
	attempt_cancel(&n->attempt);
	loop_timer_free(&n->timer);
	queue_free(&n->queue);
	conf_notify_fini(&n->conf);
	free(n->kind);
	free(n->error);
	free(n);
}

/* Every incident there is, after a start or with new filters. */
static void
see_all(struct notifier *n, struct now now)
{
	const struct incidents *all = watch_incidents(n->all->watch);
	const struct incident *in;

	for (size_t i = 0; (in = incidents_at(all, i)) != NULL; i++)
		queue_see(n->queue, in, now);
}

/* ---- all of them ------------------------------------------------------------------ */

struct notifiers *
notifiers_new(struct loop *l, struct watch *w, struct store *store)
{
	struct notifiers *all = xcalloc(1, sizeof(*all));

	all->loop = l;
	all->by = (struct send_means){ l, resolver_new(l) };
	all->watch = w;
	all->store = store;
	watch_subscribe(w, &watch_ops, all);
	if (store != NULL)
		store_on_ready(store, on_store_ready, all);
	return all;
}

void
notifiers_free(struct notifiers **ap)
{
	struct notifiers *all = *ap;

	if (all == NULL)
		return;
	*ap = NULL;
	watch_unsubscribe(all->watch, all);
	for (size_t i = 0; i < all->n; i++)
		notifier_free(all->rows[i]);
	resolver_free(&all->by.resolver);
	free(all->rows);
	free(all->page_url);
	free(all);
}

static struct notifier *
find(const struct notifiers *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->rows[i]->conf.name, name) == 0)
			return all->rows[i];
	return NULL;
}

/* What is under way was for the old settings, which go. */
static void
change(struct notifier *n, const struct conf_notify *c, struct now now)
{
	if (n->attempt != NULL) {
		attempt_cancel(&n->attempt);
		queue_done(n->queue, &(struct queue_result){ .ok = false },
			   now);
	}
	while (n->trials != NULL)
		end_trial(n, n->trials, "the configuration changed meanwhile");
	conf_notify_fini(&n->conf);
	conf_notify_copy(c, &n->conf);
	queue_apply(n->queue, &n->conf);
}

static void
drop_unwanted(struct notifiers *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (all->rows[i]->is_wanted)
			all->rows[kept++] = all->rows[i];
		else
			notifier_free(all->rows[i]);
	}
	all->n = kept;
}

void
notifiers_apply(struct notifiers *all, const struct conf *c)
{
	struct now now = loop_now(all->loop);
	struct notifier **rows =
		xcalloc(c->n_notify + 1, sizeof(struct notifier *));

	for (size_t i = 0; i < all->n; i++)
		all->rows[i]->is_wanted = false;
	for (size_t i = 0; i < c->n_notify; i++) {
		struct notifier *n = find(all, c->notify[i].name);
		bool is_new = n == NULL;

		if (is_new)
			n = notifier_new(all, &c->notify[i]);
		else
			change(n, &c->notify[i], now);
		n->is_wanted = true;
		see_all(n, now);
		if (is_new)
			queue_settle(n->queue, now);
		rows[i] = n;
	}
	drop_unwanted(all);
	free(all->rows);
	all->rows = rows;
	all->n = c->n_notify;
	for (size_t i = 0; i < all->n; i++)
		arm(all->rows[i]);
}

void
notifiers_set_address(struct notifiers *all, const char *url)
{
	xstrset(&all->page_url, url);
}

size_t
notifiers_count(const struct notifiers *all)
{
	return all->n;
}

struct notifier_status
notifiers_status(const struct notifiers *all, size_t i)
{
	const struct notifier *n = all->rows[i];
	struct queue_counts counts = queue_counts(n->queue);
	struct now now = loop_now(all->loop);
	struct notifier_status s = {
		.name = n->conf.name,
		.type = n->conf.type_name,
		.state = n->state,
		.error = n->error,
		.queued = counts.queued,
		.sent = n->sent,
		.failures = n->failures,
		.dropped = counts.dropped,
		.last_success = n->last_success,
	};
	mono_t when;

	if (n->attempt == NULL && queue_due(n->queue, &when))
		s.next_try = real_add_us(now.real,
					 MAX(mono_diff_us(when, now.mono), 0));
	return s;
}

/* ---- the test message ---------------------------------------------------------------- */

static void
on_tried(void *arg, const struct send_result *r)
{
	struct trial *t = arg;
	struct notifier *n = t->notifier;

	t->attempt = NULL;
	took(n, r, "that was a test message", loop_now(n->all->loop));
	end_trial(n, t, r->err.code != ERR_NONE ? r->err.text : NULL);
}

static int
no_such(const struct notifiers *all, const char *name, struct err *e)
{
	struct buf names;

	buf_init(&names, 512);
	for (size_t i = 0; i < all->n; i++)
		buf_addf(&names, "%s%s", i != 0 ? ", " : "",
			 all->rows[i]->conf.name);
	if (all->n == 0)
		err_set(e, ERR_GONE,
			"no notifiers are configured; add "
			"\"notify\", see dslatd.yaml(5)");
	else
		err_set(e, ERR_GONE,
			"there is no notifier \"%s\"; there are %s", name,
			buf_str(&names));
	buf_fini(&names);
	return -1;
}

int
notifiers_test(struct notifiers *all, const char *name,
	       void (*done)(void *arg, const char *error), void *arg,
	       struct err *e)
{
	struct notifier *n = find(all, name);
	struct now now = loop_now(all->loop);
	char key[] = "test", target[] = "dslat";
	char summary[] = "a test message of dslat; nothing is wrong";
	const struct incident in = {
		.key = key,
		.kind = INCIDENT_SLOW,
		.state = INCIDENT_ANNOUNCED,
		.target = target,
		.summary = summary,
		.started = now.real,
		.worst_us = -1,
		.worst_ios = -1,
	};
	const struct message_item item = { .in = &in };
	struct message m;
	struct trial *t;

	if (n == NULL)
		return no_such(all, name, e);
	t = xcalloc(1, sizeof(*t));
	t->notifier = n;
	t->done = done;
	t->arg = arg;
	t->next = n->trials;
	n->trials = t;
	m = message_for(n, now);
	m.items = &item;
	m.n = m.n_changed = 1;
	m.is_test = true;
	t->attempt = attempt_start(&all->by, &n->conf, &m, on_tried, t);
	return 0;
}
