/*
 * sim.h - the simulated server as a whole, and one call to it.
 *
 * One mutex guards everything below struct sim; HTTP threads hold it while an
 * answer is made, never while they wait or send.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <pthread.h>

#include "faults.h"
#include "inventory.h"
#include "model.h"
#include "session.h"
#include "simclock.h"
#include "soap.h"
#include "stats.h"

struct sim {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* CLOCK_MONOTONIC; stopping was set */
	bool stopping;
	bool tls;

	struct scene scene;
	struct simclock clock;
	struct model model;
	struct inventory inv;
	struct sessions sessions;
	struct faults faults;
	struct stats stats;
	int id_offset; /* of counter ids for the next login */
};

/* One SOAP call while it is answered. */
struct call {
	struct sim *sim;
	struct soap_request req;
	const char *method;
	struct session *session; /* NULL: not logged in */
	uint32_t version;        /* what the client knows, capped at ours */
	real_t now;              /* the server's clock */
	const char *agent, *address;

	struct buf *out; /* inside the envelope */
	struct soap_fault fault;
	char *set_cookie; /* a Set-Cookie value or NULL; the caller frees */
	bool kill_sessions_after;
	bool busy; /* 503 with a page instead of an answer */
};

#define VERSION(a, b, c, d)                                                    \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 |      \
	 (uint32_t)(d))

#endif
