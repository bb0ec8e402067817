/*
 * POST /api/v1/notifiers/{name}/test: send a message, and wait for how it went.
 */
#include <stdlib.h>

#include "dslat/mem.h"
#include "dslat/notifiers.h"
#include "web/handlers.h"

#define WAIT_US (30 * US_PER_S)

/* A request that waits, and a message under way: either may end first. */
struct trial {
	uint32_t magic;
	struct request *rq; /* NULL: nobody waits any more */
	struct loop_timer *timer;
	char *name;
	char *error; /* NULL: it arrived */
	bool is_done, is_late;
	unsigned refs;
};
#define TRIAL_MAGIC OBJ_MAGIC('t', 'r', 'i', 'a')

static void
unref(struct trial *t)
{
	if (--t->refs != 0)
		return;
	free(t->name);
	free(t->error);
	free(t);
}

static void
on_done(void *arg, const char *error)
{
	struct trial *t = OBJ_CAST(struct trial, TRIAL_MAGIC, arg);

	t->is_done = true;
	if (error != NULL)
		t->error = xstrdup(error);
	if (t->rq != NULL)
		request_wake(t->rq);
	unref(t);
}

static void
on_late(void *arg, struct now now)
{
	struct trial *t = OBJ_CAST(struct trial, TRIAL_MAGIC, arg);

	(void)now;
	t->is_late = true;
	request_wake(t->rq);
}

static bool
step(void *arg, struct request *rq)
{
	struct trial *t = OBJ_CAST(struct trial, TRIAL_MAGIC, arg);

	if (!t->is_done && !t->is_late) {
		request_park(rq);
		return false;
	}
	if (!t->is_done)
		reply_problem(&rq->reply, PROBLEM_NO_ANSWER, NULL,
			      "notifier \"%s\" had no answer within %d s; its "
			      "timeout_s may be longer, /api/v1/status says "
			      "how it goes on",
			      t->name, (int)(WAIT_US / US_PER_S));
	else if (t->error != NULL)
		reply_problem(&rq->reply, PROBLEM_NOT_DELIVERED, NULL, "%s",
			      t->error);
	else
		reply_json(&rq->reply,
			   json_pack("{s:o, s:b}", "name", json_text(t->name),
				     "delivered", 1));
	rq->reply.cache_control = "no-store";
	return true;
}

static void
job_free(void *arg)
{
	struct trial *t = OBJ_CAST(struct trial, TRIAL_MAGIC, arg);

	t->rq = NULL;
	loop_timer_free(&t->timer);
	unref(t);
}

static void
audit(struct web *w, const struct request *rq)
{
	struct event e = { .kind = (char[]){ "audit" } };
	char peer[PEER_SIZE];

	web_wrote(rq, "tested notifier \"%s\"", rq->id);
	if (w->watch == NULL)
		return;
	request_peer(rq, peer);
	e.text = xasprintf("notifier \"%s\" tested (from %s)", rq->id, peer);
	xstrset(&e.by, rq->caller.name);
	watch_add_event(w->watch, &e);
	free(e.text);
	free(e.by);
}

void
api_notifier_test(void *arg, struct request *rq)
{
	struct web *w = arg;
	struct trial *t;
	struct err e;

	if (w->notifiers == NULL) {
		reply_problem(&rq->reply, PROBLEM_NOT_READY, NULL,
			      "this dslatd has no notifiers");
		return;
	}
	t = xcalloc(1, sizeof(*t));
	t->magic = TRIAL_MAGIC;
	t->name = xstrdup(rq->id);
	t->refs = 1;
	if (notifiers_test(w->notifiers, rq->id, on_done, t, &e) != 0) {
		unref(t);
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_NOTIFIER, NULL, "%s",
			      e.text);
		return;
	}
	audit(w, rq);
	t->refs++;
	t->rq = rq;
	t->timer = loop_timer_new(w->loop, on_late, t);
	loop_timer_in_us(t->timer, WAIT_US);
	rq->reply.job = (struct job){ step, job_free, t };
	request_park(rq);
}
