/*
 * The queue of a notifier in virtual time: what is told when, to whom, and what
 * is left after a crash.  The receiver is an oracle that only knows what it was
 * told.
 */
#include "../../daemon/notify/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../daemon/notify/render.h"
#include "dslat/map.h"
#include "dslat/mem.h"
#include "unit.h"

#define S US_PER_S
#define T0 (INT64_C(1796065940) * S) /* 2026-11-30T19:12:20Z */

struct world {
	struct conf *conf;
	struct queue *queue;
	struct now now;
	struct map *docs; /* what keep() got; values owned */
	struct message m; /* the last one taken */
};

static void
on_keep(void *arg, int64_t id, real_t t unused, const char *text)
{
	struct world *w = arg;
	char key[24];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	free(map_del(w->docs, key));
	if (text != NULL)
		map_set(w->docs, key, xstrdup(text));
}

static const struct queue_ops ops = { .keep = on_keep };

static struct conf *
conf_of(const char *keys)
{
	char *yaml = xasprintf(
		"targets: [{ name: a, url: https://h, username: "
		"u, password_env: P }]\n"
		"notify: [ { name: n, %s } ]\n",
		keys);
	struct buf problems;
	struct conf *c;
	struct err e;

	buf_init(&problems, 65536);
	c = conf_parse(yaml, strlen(yaml), "f", &problems, &e);
	assert_string_equal(buf_str(&problems), "");
	buf_fini(&problems);
	free(yaml);
	return c;
}

#define HOOK "type: webhook, url: http://h"

static void
world_init(struct world *w, const char *keys)
{
	*w = (struct world){ .now = { { 1000 * S }, { T0 } } };
	w->conf = conf_of(keys);
	w->docs = map_new();
	w->queue = queue_new(&w->conf->notify[0], &ops, w);
	queue_settle(w->queue, w->now);
}

static void
world_fini(struct world *w)
{
	void *v;

	queue_free(&w->queue);
	for (size_t i = 0; map_next(w->docs, &i, NULL, &v);)
		free(v);
	map_free(&w->docs);
	conf_free(&w->conf);
}

static void
pass(struct world *w, int64_t us)
{
	w->now.mono.us += us;
	w->now.real.us += us;
}

/* ---- incidents -------------------------------------------------------------- */

struct what {
	int64_t id;
	enum severity severity;
	enum incident_state state;
	const char *name, *nested_in, *silenced_by;
	enum incident_kind kind;
};

static void
see(struct world *w, struct what x)
{
	char *key = xasprintf("latency:lab:%lld:write", (long long)x.id);
	char *name = x.name != NULL ? xstrdup(x.name)
				    : xasprintf("ds%lld", (long long)x.id);
	char target[] = "lab", id[] = "lab:x";
	struct incident in = {
		.id = x.id,
		.key = key,
		.kind = x.kind,
		.state = x.state,
		.severity = x.severity,
		.worst_severity = x.severity,
		.was_announced = true,
		.target = target,
		.datastore_id = id,
		.datastore = name,
		.op = OP_WRITE,
		.started = { T0 - 60 * S + x.id },
		.announced = { T0 },
		.ended = { x.state == INCIDENT_ENDED ? w->now.real.us : 0 },
		.worst_us = 83000,
		.worst_ios = 100,
		.window_slot = 1000,
		.judged_slot = 1000,
		.nested_in = (char *)(uintptr_t)x.nested_in,
		.silenced_by = (char *)(uintptr_t)x.silenced_by,
	};

	queue_see(w->queue, &in, w->now);
	free(key);
	free(name);
}

#define WARN(n) ((struct what){ .id = (n), .state = INCIDENT_ANNOUNCED })
#define CRIT(n)                                                                \
	((struct what){ .id = (n),                                             \
			.severity = SEVERITY_CRITICAL,                         \
			.state = INCIDENT_ANNOUNCED })
#define OVER(n) ((struct what){ .id = (n), .state = INCIDENT_ENDED })

/* ---- the receiver ----------------------------------------------------------- */

/* Seconds until the next message; -1: none. */
static double
due_s(const struct world *w)
{
	mono_t when;

	if (!queue_due(w->queue, &when))
		return -1;
	return (double)MAX(mono_diff_us(when, w->now.mono), 0) / 1e6;
}

/* Wait for the message, and take it. */
static size_t
take(struct world *w)
{
	mono_t when;

	if (!queue_due(w->queue, &when))
		return 0;
	pass(w, MAX(mono_diff_us(when, w->now.mono), 0));
	queue_take(w->queue, &w->m);
	return w->m.n_changed;
}

static void
done(struct world *w, bool ok)
{
	queue_done(w->queue, &(struct queue_result){ .ok = ok }, w->now);
}

/* "critical 3, over 1": of the message taken last. */
static const char *
said(const struct world *w)
{
	static char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < w->m.n_changed; i++) {
		const struct incident *in = w->m.items[i].in;

		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%s %lld", i != 0 ? ", " : "",
					in->state == INCIDENT_ENDED
						? "over"
						: severity_name(in->severity),
					(long long)in->id);
	}
	return text;
}

/* The whole of it: the next message is this, and arrives. */
static void
assert_told(struct world *w, const char *text)
{
	assert_int_not_equal(take(w), 0);
	assert_string_equal(said(w), text);
	done(w, true);
}

static void
assert_quiet(const struct world *w)
{
	assert_int_equal(queue_counts(w->queue).queued, 0);
	assert_true(due_s(w) < 0);
}

/* kill -9: only the documents are left; then the incidents of `alive`. */
static void
crash(struct world *w, const struct what *alive, size_t n)
{
	const char *key;
	void *text;

	queue_free(&w->queue);
	w->queue = queue_new(&w->conf->notify[0], &ops, w);
	for (size_t i = 0; map_next(w->docs, &i, &key, &text);)
		queue_restore(w->queue, strtoll(key, NULL, 10), text);
	for (size_t i = 0; i < n; i++)
		see(w, alive[i]);
	queue_settle(w->queue, w->now);
}

/* ---- tests -------------------------------------------------------------------- */

static void
test_grouping(void **state unused)
{
	struct world w;

	world_init(&w, HOOK);
	assert_quiet(&w);
	for (int i = 1; i <= 100; i++) {
		see(&w, i == 70 ? CRIT(i) : WARN(i));
		pass(&w, S / 25); /* 4 s in all */
	}
	assert_int_equal(queue_counts(w.queue).queued, 100);
	assert_true(due_s(&w) == 1.0);
	assert_int_equal(take(&w), 100);
	/* the worst first, then by start */
	assert_int_equal(w.m.items[0].in->id, 70);
	assert_int_equal(w.m.items[1].in->id, 1);
	assert_int_equal(w.m.items[99].in->id, 100);
	assert_true(due_s(&w) < 0); /* while it is under way */
	assert_int_equal(queue_counts(w.queue).queued, 100);
	done(&w, true);
	assert_quiet(&w);
	world_fini(&w);

	world_init(&w, HOOK ", group_s: 0");
	see(&w, WARN(1));
	assert_true(due_s(&w) == 0.0);
	world_fini(&w);
}

static void
test_newest_wins(void **state unused)
{
	struct world w;

	world_init(&w, HOOK);
	see(&w, WARN(1));
	pass(&w, 2 * S);
	see(&w, CRIT(1));
	see(&w, CRIT(1));
	assert_true(due_s(&w) == 3.0); /* a change does not put it off */
	assert_told(&w, "critical 1");
	see(&w, CRIT(1)); /* a new worst value, say */
	assert_quiet(&w);
	see(&w, WARN(1));
	assert_told(&w, "warning 1");
	see(&w, CRIT(1));
	see(&w, WARN(1)); /* there and back: nothing to say */
	assert_quiet(&w);
	see(&w, OVER(1));
	assert_told(&w, "over 1");
	assert_quiet(&w);
	assert_int_equal(map_count(w.docs), 0);
	/* over before it could be told: still told, as over */
	see(&w, WARN(2));
	pass(&w, S);
	see(&w, OVER(2));
	assert_told(&w, "over 2");
	assert_int_equal(queue_counts(w.queue).dropped, 0);
	world_fini(&w);
}

static void
test_while_under_way(void **state unused)
{
	struct world w;

	world_init(&w, HOOK);
	see(&w, WARN(1));
	see(&w, WARN(2));
	assert_int_equal(take(&w), 2);
	see(&w, CRIT(1));
	see(&w, OVER(2));
	see(&w, WARN(3));
	assert_true(due_s(&w) < 0);
	done(&w, true);
	assert_told(&w, "critical 1, warning 3, over 2");
	/* the same, but it did not arrive */
	see(&w, WARN(4));
	assert_int_equal(take(&w), 1);
	see(&w, OVER(4));
	done(&w, false);
	assert_told(&w, "over 4");
	/* not told yet, and over when it is known that it did not arrive */
	see(&w, WARN(5));
	assert_int_equal(take(&w), 1);
	done(&w, false);
	see(&w, OVER(5));
	assert_told(&w, "over 5");
	see(&w, OVER(1));
	see(&w, OVER(3));
	assert_told(&w, "over 1, over 3");
	assert_quiet(&w);
	assert_int_equal(map_count(w.docs), 0);
	world_fini(&w);
}

/* What was told keeps the labels that it was told with. */
static void
test_renamed(void **state unused)
{
	struct what was = WARN(1), is = CRIT(1), end = OVER(1);
	struct world w;

	was.name = "old";
	is.name = end.name = "new";
	world_init(&w, HOOK);
	see(&w, was);
	see(&w,
	    (struct what){ .id = 1,
			   .state = INCIDENT_ANNOUNCED,
			   .name = "newer" }); /* not told yet */
	take(&w);
	assert_string_equal(w.m.items[0].in->datastore, "newer");
	see(&w, is); /* under way */
	done(&w, true);
	take(&w);
	assert_string_equal(said(&w), "critical 1");
	assert_string_equal(w.m.items[0].in->datastore, "newer");
	done(&w, true);
	crash(&w, &is, 1);
	see(&w, end);
	take(&w);
	assert_string_equal(said(&w), "over 1");
	assert_string_equal(w.m.items[0].in->datastore, "newer");
	done(&w, true);
	assert_quiet(&w);
	world_fini(&w);
}

static void
test_backoff(void **state unused)
{
	/* seconds, before jitter of a fifth */
	static const double expected_s[] = { 5, 10, 20, 40, 80, 160, 300, 300 };
	struct world w;

	world_init(&w, HOOK);
	see(&w, WARN(1));
	for (size_t i = 0; i < ARRAY_SIZE(expected_s); i++) {
		assert_int_equal(take(&w), 1);
		done(&w, false);
		print_message("%g: %g\n", expected_s[i], due_s(&w));
		assert_true(due_s(&w) >= 0.8 * expected_s[i]);
		assert_true(due_s(&w) <= MIN(1.2 * expected_s[i], 300));
	}
	/* a change meanwhile does not hurry it */
	see(&w, WARN(2));
	assert_true(due_s(&w) > 200);
	assert_told(&w, "warning 1, warning 2");
	/* and after a success it begins anew */
	see(&w, OVER(1));
	assert_true(due_s(&w) == 5.0);
	assert_int_equal(take(&w), 1);
	done(&w, false);
	assert_true(due_s(&w) <= 6);
	assert_told(&w, "over 1");
	world_fini(&w);
}

static void
test_asked_to_wait(void **state unused)
{
	static const struct {
		struct queue_result r;
		double min_s, max_s;
	} rows[] = {
		{ { .retry_after_us = 2 * S }, 4, 6 }, /* ours is longer */
		{ { .retry_after_us = 120 * S }, 120, 120 },
		{ { .retry_after_us = 90000 * S }, 3600, 3600 },
		{ { .is_refused = true }, 240, 300 },
		{ { .is_refused = true, .retry_after_us = 600 * S }, 600, 600 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct world w;

		world_init(&w, HOOK);
		see(&w, WARN(1));
		assert_int_equal(take(&w), 1);
		queue_done(w.queue, &rows[i].r, w.now);
		print_message("row %zu: %g\n", i, due_s(&w));
		assert_true(due_s(&w) >= rows[i].min_s);
		assert_true(due_s(&w) <= rows[i].max_s);
		assert_told(&w, "warning 1");
		world_fini(&w);
	}
}

static void
test_quiet_ones(void **state unused)
{
	struct what nested = WARN(1), silenced = WARN(2), open = WARN(3);
	struct world w;

	world_init(&w, HOOK);
	nested.nested_in = "target:lab";
	silenced.silenced_by = "silence 1";
	open.state = INCIDENT_OPEN;
	see(&w, nested);
	see(&w, silenced);
	see(&w, open);
	assert_quiet(&w);
	assert_int_equal(map_count(w.docs), 0);
	see(&w, OVER(1));
	assert_quiet(&w); /* never told: no end is told */
	see(&w, WARN(2)); /* the silence is over, the incident is not */
	assert_told(&w, "warning 2");
	silenced.severity = SEVERITY_CRITICAL;
	see(&w, silenced); /* told, then silenced: no more news... */
	assert_quiet(&w);
	silenced.state = INCIDENT_ENDED;
	see(&w, silenced); /* ...but its end */
	assert_told(&w, "over 2");
	/* silenced while it waits */
	see(&w, WARN(4));
	silenced = WARN(4);
	silenced.silenced_by = "maintenance night";
	see(&w, silenced);
	assert_quiet(&w);
	world_fini(&w);
}

static void
test_filters(void **state unused)
{
	struct what gold = WARN(1), silver = WARN(2), login = WARN(3);
	struct world w;

	gold.name = "gold/1";
	silver.name = "silver";
	login.kind = INCIDENT_LOGIN;
	world_init(&w, HOOK ", match: [\"lab/gold*\"]");
	see(&w, silver);
	assert_quiet(&w);
	see(&w, gold);
	assert_told(&w, "warning 1");
	world_fini(&w);

	world_init(&w, HOOK ", kinds: [login, no_data]");
	see(&w, gold);
	see(&w, login);
	assert_told(&w, "warning 3");
	world_fini(&w);

	world_init(&w, HOOK ", min_severity: critical");
	see(&w, WARN(1));
	assert_quiet(&w);
	see(&w, CRIT(1));
	assert_told(&w, "critical 1");
	see(&w, WARN(1)); /* what was told is followed */
	assert_told(&w, "warning 1");
	see(&w, OVER(1));
	assert_told(&w, "over 1");
	world_fini(&w);

	world_init(&w, HOOK ", send_resolved: false");
	see(&w, WARN(1));
	assert_told(&w, "warning 1");
	see(&w, OVER(1));
	see(&w, WARN(2));
	see(&w, OVER(2));
	assert_quiet(&w);
	assert_int_equal(queue_counts(w.queue).dropped, 1);
	assert_int_equal(map_count(w.docs), 0);
	world_fini(&w);
}

static void
test_restart(void **state unused)
{
	const struct what alive[] = { WARN(1), WARN(2), WARN(3) };
	struct what ended[] = { OVER(1), WARN(2), WARN(3) };
	struct world w;

	world_init(&w, HOOK);
	see(&w, WARN(1));
	assert_told(&w, "warning 1");
	see(&w, WARN(2));
	crash(&w, alive, 2); /* 2 waited, 1 was told */
	assert_told(&w, "warning 2");
	crash(&w, alive, 2);
	assert_quiet(&w);
	see(&w, WARN(3));
	assert_int_equal(take(&w), 1);
	crash(&w, alive, 3); /* nobody knows whether it arrived: again */
	assert_told(&w, "warning 3");
	crash(&w, ended, 3); /* over while nobody looked */
	assert_told(&w, "over 1");
	crash(&w, NULL, 0); /* the others are not known any more */
	assert_int_equal(take(&w), 2);
	assert_string_equal(w.m.items[0].in->end_reason, "gone");
	assert_string_equal(said(&w), "over 2, over 3");
	done(&w, true);
	assert_int_equal(map_count(w.docs), 0);

	/* over, not told yet, and forgotten by everybody else */
	see(&w, WARN(5));
	assert_told(&w, "warning 5");
	see(&w, OVER(5));
	crash(&w, NULL, 0);
	assert_told(&w, "over 5");
	/* never told at all, over while the message was under way */
	see(&w, WARN(6));
	assert_int_equal(take(&w), 1);
	see(&w, OVER(6));
	crash(&w, NULL, 0);
	assert_told(&w, "over 6");
	crash(&w, NULL, 0);
	assert_quiet(&w);
	world_fini(&w);
}

/* Documents that nobody wrote like that cost nothing. */
static void
test_bad_documents(void **state unused)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"told\":\"warning\"}",
		"{\"told\":1,\"incident\":{}}",
		"{\"told\":\"nothing\",\"queued\":true,\"incident\":{\"id\":1}}",
	};
	struct world w;

	world_init(&w, HOOK);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		queue_restore(w.queue, 1, texts[i]);
	queue_settle(w.queue, w.now);
	assert_quiet(&w);
	world_fini(&w);
}

/* The store came back empty: it gets everything again. */
static void
test_keep_all(void **state unused)
{
	const struct what alive[] = { WARN(1), WARN(2) };
	struct world w;

	world_init(&w, HOOK);
	see(&w, WARN(1));
	assert_told(&w, "warning 1");
	see(&w, WARN(2));
	free(map_del(w.docs, "1"));
	free(map_del(w.docs, "2"));
	queue_keep_all(w.queue, w.now);
	assert_int_equal(map_count(w.docs), 2);
	crash(&w, alive, 2);
	assert_told(&w, "warning 2");
	world_fini(&w);
}

static void
test_bounds(void **state unused)
{
	struct world w;

	world_init(&w, HOOK);
	for (int i = 1; i <= QUEUE_MAX_CHANGES + 2; i++)
		see(&w, WARN(i));
	assert_int_equal(take(&w), QUEUE_MAX_CHANGES);
	done(&w, true);
	assert_int_equal(take(&w), 2);
	assert_int_equal(w.m.n, QUEUE_MAX_CHANGES + 2); /* with the old ones */
	done(&w, true);
	assert_quiet(&w);
	world_fini(&w);
}

#define MANAGER "type: alertmanager, url: http://h"

static void
test_resend(void **state unused)
{
	const struct what alive[] = { CRIT(1), WARN(2) };
	struct world w;

	world_init(&w, MANAGER);
	assert_true(due_s(&w) < 0);
	see(&w, WARN(1));
	assert_told(&w, "warning 1");
	assert_true(due_s(&w) == 60.0);
	take(&w); /* nothing new, all that goes on */
	assert_int_equal(w.m.n_changed, 0);
	assert_int_equal(w.m.n, 1);
	done(&w, true);
	assert_true(due_s(&w) == 60.0);
	pass(&w, 30 * S);
	see(&w, WARN(2));
	assert_told(&w, "warning 2");
	assert_int_equal(queue_counts(w.queue).queued, 0);
	/* with another severity: the old one must be known, to end it */
	see(&w, CRIT(1));
	assert_int_equal(take(&w), 1);
	assert_true(w.m.items[0].was_other);
	assert_int_equal(w.m.items[0].other, SEVERITY_WARNING);
	assert_false(w.m.items[1].was_other);
	done(&w, true);
	/* over with less than it was told with: the receiver knows that one */
	see(&w, CRIT(9));
	assert_told(&w, "critical 9");
	see(&w, OVER(9));
	assert_int_equal(take(&w), 1);
	assert_int_equal(w.m.items[0].in->severity, SEVERITY_WARNING);
	assert_int_equal(w.m.items[0].severity, SEVERITY_CRITICAL);
	assert_false(w.m.items[0].was_other);
	done(&w, true);
	/* a failure is tried again before the minute is over */
	take(&w);
	done(&w, false);
	assert_true(due_s(&w) >= 4 && due_s(&w) <= 6);
	/* and after a restart at once */
	crash(&w, alive, 2);
	assert_true(due_s(&w) == 0.0);
	take(&w);
	assert_int_equal(w.m.n_changed, 0);
	assert_int_equal(w.m.n, 2);
	done(&w, true);
	see(&w, OVER(1));
	see(&w, OVER(2));
	assert_told(&w, "over 1, over 2");
	assert_quiet(&w);
	world_fini(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grouping),
		cmocka_unit_test(test_newest_wins),
		cmocka_unit_test(test_while_under_way),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_backoff),
		cmocka_unit_test(test_asked_to_wait),
		cmocka_unit_test(test_quiet_ones),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_bad_documents),
		cmocka_unit_test(test_keep_all),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_resend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
