#include "web/conns.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "dslat/mem.h"
#include "web/http.h"
#include "web/listen.h"

#define CHECK_US (5 * US_PER_S)
#define CROWDED_S 5
#define CHECK_WAITING_US (500 * US_PER_MS)

static bool
has_left(const struct conn *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0;
}

static void
arm(struct conns *conns)
{
	loop_timer_in_us(conns->timer,
			 conns->n_waiting != 0 ? CHECK_WAITING_US : CHECK_US);
}

static void
check(void *arg, struct now now)
{
	struct conns *conns = arg;
	int64_t limit_s =
		conns->n > conns->n_crowded ? CROWDED_S : CONNS_TIMEOUT_S + 1;

	for (struct conn *c = LIST_FIRST(&conns->open); c != NULL;
	     c = LIST_NEXT(c, link)) {
		if (c->waiting != NULL && has_left(c)) {
			void *waiting = c->waiting;

			conns_wait(conns, c, NULL);
			conns->on_left(waiting);
		}
		if (c->busy ||
		    mono_diff_us(now.mono, c->since) < limit_s * US_PER_S)
			continue;
		shutdown(c->fd, SHUT_RDWR);
		c->busy = true; /* once is enough */
		conns->n_late++;
	}
	arm(conns);
}

void
conns_init(struct conns *conns, struct loop *l, void (*on_left)(void *waiting))
{
	unsigned places = listen_max_connections(HTTP_MAX_CONNECTIONS);

	*conns = (struct conns){ .loop = l, .on_left = on_left };
	conns->n_crowded = MIN(places, HTTP_MAX_TLS_CONNECTIONS) / 2;
	LIST_INIT(&conns->open);
	conns->timer = loop_timer_new(l, check, conns);
	arm(conns);
}

void
conns_fini(struct conns *conns)
{
	assert(conns->n == 0);
	loop_timer_free(&conns->timer);
}

struct conn *
conns_open(struct conns *conns, int fd)
{
	struct conn *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->since = loop_now(conns->loop).mono;
	LIST_INSERT_HEAD(&conns->open, c, link);
	conns->n++;
	return c;
}

void
conns_close(struct conns *conns, struct conn *c)
{
	conns_wait(conns, c, NULL);
	LIST_REMOVE(c, link);
	/* at its limit the library stops to listen, until its next turn */
	if (conns->n-- > conns->n_crowded)
		loop_wakeup(conns->loop);
	free(c);
}

void
conns_begin(struct conn *c)
{
	c->busy = true;
}

void
conns_end(struct conns *conns, struct conn *c)
{
	conns_wait(conns, c, NULL);
	c->busy = false;
	c->since = loop_now(conns->loop).mono;
}

void
conns_wait(struct conns *conns, struct conn *c, void *waiting)
{
	conns->n_waiting -= c->waiting != NULL;
	c->waiting = waiting;
	conns->n_waiting += waiting != NULL;
	if (waiting != NULL && conns->n_waiting == 1)
		arm(conns);
}
