#include "send.h"

#include <stdlib.h>

#include "dslat/mem.h"

static const struct send_type *const types[N_NOTIFY_TYPES] = {
	[NOTIFY_WEBHOOK] = &send_http,  [NOTIFY_ALERTMANAGER] = &send_http,
	[NOTIFY_SMTP] = &send_smtp,     [NOTIFY_EXEC] = &send_exec,
	[NOTIFY_SYSLOG] = &send_syslog,
};

struct attempt {
	struct send_means by;
	const struct conf_notify *conf;
	const struct send_type *type;
	void *state; /* of the type; NULL: it could not begin */
	struct err err;
	struct loop_timer *timer;
	send_done_fn done;
	void *arg;
};

struct loop *
attempt_loop(const struct attempt *a)
{
	return a->by.loop;
}

struct resolver *
attempt_resolver(const struct attempt *a)
{
	return a->by.resolver;
}

const struct conf_notify *
attempt_conf(const struct attempt *a)
{
	return a->conf;
}

void
attempt_cancel(struct attempt **ap)
{
	struct attempt *a = *ap;

	if (a == NULL)
		return;
	*ap = NULL;
	loop_timer_free(&a->timer);
	if (a->state != NULL)
		a->type->stop(a->state);
	free(a);
}

void
attempt_finish(struct attempt *a, const struct send_result *r)
{
	struct send_result result = *r; /* it may be in what stop() frees */
	send_done_fn done = a->done;
	void *arg = a->arg;

	attempt_cancel(&a);
	done(arg, &result);
}

/* It could not begin, or it took too long. */
static void
on_timer(void *arg, struct now now unused)
{
	struct attempt *a = arg;
	struct send_result r = { .err = a->err };

	if (a->state != NULL)
		err_set(&r.err, ERR_TIMEOUT, "%s within %lld s", a->type->late,
			(long long)a->conf->timeout_s);
	attempt_finish(a, &r);
}

struct attempt *
attempt_start(const struct send_means *by, const struct conf_notify *c,
	      const struct message *m, send_done_fn done, void *arg)
{
	struct attempt *a = xcalloc(1, sizeof(*a));

	a->by = *by;
	a->conf = c;
	a->type = types[c->type];
	a->done = done;
	a->arg = arg;
	a->timer = loop_timer_new(by->loop, on_timer, a);
	a->state = a->type->start(a, m, &a->err);
	if (a->state == NULL)
		loop_timer_in_us(a->timer, 0);
	else if (a->type->late != NULL)
		loop_timer_in_us(a->timer, c->timeout_s * US_PER_S);
	return a;
}
