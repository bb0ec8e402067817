/*
 * poller.h - the samples of a target's hosts: live polls and back-fill.
 *
 * Every connected host is asked for its newest samples in batches, at most two
 * requests in flight.  A batch that faults is halved until the host that does
 * it is found; that one is asked alone, ever less often, until it behaves, and
 * costs the others nothing.  A host that is new, or further behind than a live
 * poll reaches, is back-filled from its own hour.  Loop thread.
 */
#ifndef DSLAT_POLLER_H
#define DSLAT_POLLER_H

#include "dslat/model.h"

#include "session.h"

struct poller;

/* Both are borrowed. */
struct poller *poller_new(struct session *s, struct target *t) must_check;
void poller_free(struct poller **p);

/* One of these at a time; done may come from inside when there is nothing to
 * ask.  e is NULL unless the session or the connection is
 * gone; what single hosts refuse is their state, not an error. */
void poller_live(struct poller *p, int64_t interval_us, session_fn done,
		 void *arg);
/* All hosts that need it, a few per request, one request in flight. */
void poller_backfill(struct poller *p, session_fn done, void *arg);
bool poller_is_running(const struct poller *p);
bool poller_wants_backfill(const struct poller *p);
/* done is not called; safe when nothing runs. */
void poller_cancel(struct poller *p);

/* Asks and clears: an instance nobody claims was seen for the first time, or a
 * host is said to be gone. */
bool poller_wants_inventory(struct poller *p);

struct poller_result {
	size_t hosts;    /* connected */
	size_t answered; /* gave at least one sample in the last live poll */
	size_t refused;  /* fault, and are asked alone */
};
struct poller_result poller_result(const struct poller *p);

#endif
