#include "web/conns.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "dslat/mem.h"

#define CHECK_US (5 * US_PER_S)

static void
check(void *arg, struct now now)
{
	struct conns *conns = arg;

	for (struct conn *c = LIST_FIRST(&conns->open); c != NULL;
	     c = LIST_NEXT(c, link)) {
		if (c->busy ||
		    mono_diff_us(now.mono, c->since) <
			    (CONNS_TIMEOUT_S + 1) * US_PER_S)
			continue;
		shutdown(c->fd, SHUT_RDWR);
		c->busy = true; /* once is enough */
		conns->n_late++;
	}
	loop_timer_in_us(conns->timer, CHECK_US);
}

void
conns_init(struct conns *conns, struct loop *l)
{
	*conns = (struct conns){ .loop = l };
	LIST_INIT(&conns->open);
	conns->timer = loop_timer_new(l, check, conns);
	loop_timer_in_us(conns->timer, CHECK_US);
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
	LIST_REMOVE(c, link);
	conns->n--;
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
	c->busy = false;
	c->since = loop_now(conns->loop).mono;
}
