#include "dslat/resolve.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "worker.h"

#define STOP_US (100 * US_PER_MS)

struct resolver {
	struct loop *loop;
	struct worker *worker; /* NULL before the first name */
};

/* One look-up; what the thread works on. */
struct lookup {
	struct task task; /* first */
	char *host, *port;
	int flags;
	struct resolve_result result;
	struct resolve *owner; /* NULL: nobody waits any more */
};

struct resolve {
	struct loop_timer *timer; /* the result is there */
	struct lookup *lookup;
	resolve_done_fn done;
	void *arg;
};

struct resolver *
resolver_new(struct loop *l)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	r->loop = l;
	return r;
}

void
resolver_free(struct resolver **rp)
{
	struct resolver *r = *rp;

	if (r == NULL)
		return;
	*rp = NULL;
	worker_free(&r->worker, STOP_US);
	free(r);
}

static void
lookup_free(struct lookup *u)
{
	free(u->host);
	free(u->port);
	free(u);
}

/* "[::1]:514" -> "::1" and "514". */
static struct lookup *
lookup_new(const char *place, const char *port)
{
	struct lookup *u = xcalloc(1, sizeof(*u));
	const char *end = strrchr(place, ']'), *colon = strrchr(place, ':');
	bool v6 = place[0] == '[' && end != NULL;
	size_t len = strlen(place);

	if (colon != NULL && (end == NULL || colon > end)) {
		port = colon + 1;
		len = (size_t)(colon - place);
	}
	u->host = v6 ? xstrndup(place + 1, (size_t)(end - place) - 1)
		     : xstrndup(place, len);
	u->port = xstrdup(port);
	return u;
}

/* Any thread.  Returns getaddrinfo()'s code. */
static int
ask(struct lookup *u, int flags)
{
	const struct addrinfo hints = {
		.ai_flags = flags | AI_NUMERICSERV,
		.ai_socktype = SOCK_DGRAM, /* one row per address */
	};
	struct addrinfo *found = NULL;
	int error = getaddrinfo(u->host, u->port, &hints, &found);

	if (error == 0) {
		memcpy(&u->result.address, found->ai_addr, found->ai_addrlen);
		u->result.len = found->ai_addrlen;
		u->result.err.code = ERR_NONE;
		freeaddrinfo(found);
	} else {
		err_set(&u->result.err, ERR_NET,
			"there is no address for %.100s (%s): check the name, "
			"and this machine's DNS",
			u->host, gai_strerror(error));
	}
	return error;
}

static void
run(struct task *t)
{
	ask((struct lookup *)t, AI_ADDRCONFIG);
}

static void
done(struct task *t)
{
	struct lookup *u = (struct lookup *)t;

	if (u->owner == NULL)
		lookup_free(u);
	else
		loop_timer_in_us(u->owner->timer, 0);
}

/* In the next turn: the user may free what he likes. */
static void
on_timer(void *arg, struct now now unused)
{
	struct resolve *r = arg;
	struct resolve_result result = r->lookup->result;
	resolve_done_fn fn = r->done;
	void *fn_arg = r->arg;

	lookup_free(r->lookup);
	loop_timer_free(&r->timer);
	free(r);
	fn(fn_arg, &result);
}

void
resolve_cancel(struct resolve **rp)
{
	struct resolve *r = *rp;

	if (r == NULL)
		return;
	*rp = NULL;
	if (loop_timer_armed(r->timer))
		lookup_free(r->lookup);
	else
		r->lookup->owner = NULL; /* the thread has it */
	loop_timer_free(&r->timer);
	free(r);
}

struct resolve *
resolve_start(struct resolver *rv, const char *place, const char *port,
	      resolve_done_fn fn, void *arg)
{
	struct resolve *r = xcalloc(1, sizeof(*r));
	struct lookup *u = lookup_new(place, port);

	r->done = fn;
	r->arg = arg;
	r->lookup = u;
	r->timer = loop_timer_new(rv->loop, on_timer, r);
	u->task.run = run;
	u->task.done = done;
	u->owner = r;
	if (ask(u, AI_NUMERICHOST) == EAI_NONAME) {
		if (rv->worker == NULL)
			rv->worker =
				worker_new(rv->loop, "resolve", &u->result.err);
		if (rv->worker != NULL) {
			worker_post(rv->worker, &u->task);
			return r;
		}
	}
	loop_timer_in_us(r->timer, 0);
	return r;
}
