/*
 * conns.h - the open connections, and the end of those that only hold a place.
 *
 * The HTTP library's own time-out starts anew with every byte, so a client
 * that sends one now and then would stay for ever.  Here a request must be
 * there in full 31 s after the connection was accepted or became idle, and 5 s
 * after it when half of a listener's places may be taken; the socket of one
 * that is late is shut down, which the library sees as the client's end.  While
 * a request waits for another thread the library does not look at its socket at
 * all: here somebody notices that the client left.  The loop thread.
 */
#ifndef DSLAT_CONNS_H
#define DSLAT_CONNS_H

#include <sys/queue.h>

#include "dslat/loop.h"

#define CONNS_TIMEOUT_S 30 /* for the library; ours is a second later */

struct conn {
	LIST_ENTRY(conn) link;
	int fd;
	bool busy;     /* a request is being answered */
	mono_t since;  /* accepted, or idle since */
	void *waiting; /* tell when the client leaves; NULL: not wanted */
};

struct conns {
	struct loop *loop;
	struct loop_timer *timer;
	LIST_HEAD(conn_list, conn) open;
	size_t n;
	size_t n_crowded; /* with more than these, clients must hurry */
	size_t n_waiting;
	uint64_t n_late; /* shut down so far */
	void (*on_left)(void *waiting);
};

void conns_init(struct conns *conns, struct loop *l,
		void (*on_left)(void *waiting));
/* All must be closed. */
void conns_fini(struct conns *conns);

struct conn *conns_open(struct conns *conns, int fd) must_check;
void conns_close(struct conns *conns, struct conn *c);
/* A request is there in full; and its answer is sent. */
void conns_begin(struct conn *c);
void conns_end(struct conns *conns, struct conn *c);
/* Look out for the client's leaving, half a second late at most: on_left is
 * called, once.  A client that only closes its own side has left too.  NULL:
 * no longer. */
void conns_wait(struct conns *conns, struct conn *c, void *waiting);

#endif
