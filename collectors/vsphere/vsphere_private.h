/*
 * vsphere_private.h - what vsphere.c and vsphere_round.c share: one target.
 *
 * vsphere.c holds its life: start and stop, session, failures.
 * vsphere_round.c holds what a poll does when the session is open.  Loop
 * thread.
 */
#ifndef DSLAT_VSPHERE_PRIVATE_H
#define DSLAT_VSPHERE_PRIVATE_H

#include "dslat/conf.h"
#include "dslat/model.h"

#include "poller.h"
#include "refresh.h"
#include "session.h"

#define VSPHERE_MAGIC OBJ_MAGIC('v', 's', 'p', 'h')

struct vsphere {
	uint32_t magic;
	struct loop *loop;
	struct target *target;
	const struct conf_target *conf;
	struct session *session;
	struct refresh *refresh;
	struct poller *poller;
	struct loop_timer *timer; /* next poll */
	struct loop_timer *tick;  /* final slots of a silent target */
	mono_t poll_started;
	bool relogged;     /* within this poll */
	bool busy;         /* from the timer until nothing is left to do */
	bool due;          /* the timer rang while busy */
	bool live_done;    /* this poll's samples are in */
	unsigned failures; /* polls in a row */
	unsigned empty_polls;
	bool have_inventory;
	bool with_storage;               /* the reading under way */
	mono_t inventory_at, storage_at; /* when last read */
	void (*on_stopped)(void *arg);
	void *stopped_arg;
};

/* Tells the bus too. */
void vsphere_set_state(struct vsphere *v, enum target_state s,
		       const char *text);
/* The server forgot our session: log in again and start this poll over, once.
 * Anything else, or a second time, is a failure. */
void vsphere_failed(struct vsphere *v, const struct err *e);

/* The session is open and the time is known: inventory if there is none, live
 * poll, then what can wait; arms v->timer. */
void vsphere_round(struct vsphere *v);

#endif
