/*
 * poller_private.h - what poller.c and poller_batch.c share: requests that wait
 * or fly, and what is known of each host.
 *
 * The poller owns all of it.  Loop thread.
 */
#ifndef DSLAT_POLLER_PRIVATE_H
#define DSLAT_POLLER_PRIVATE_H

#include "poller.h"
#include "schedule.h"
#include "vhost.h"

#define POLLER_MAGIC OBJ_MAGIC('p', 'o', 'l', 'l')
#define JOB_MAGIC OBJ_MAGIC('p', 'j', 'o', 'b')
#define MAX_IN_FLIGHT 2
#define MAX_UNCLAIMED 4096

/* One QueryPerf, waiting or in flight. */
struct job {
	uint32_t magic;
	struct poller *poller;
	struct job *next;
	struct session_call *call;
	bool backfill;
	bool asks_luns; /* of at least one of the hosts */
	bool no_luns;   /* to see whether they are what is refused */
	struct vhost **hosts;
	size_t n;
	struct vhost *current; /* whose series come in */
	struct ingest in;
};

struct poller {
	uint32_t magic;
	struct session *session;
	struct target *target;
	struct map *vhosts;    /* moref -> struct vhost */
	struct map *unclaimed; /* instances no datastore claims */
	struct job *waiting, *flying;
	size_t n_flying, max_flying;
	unsigned live_samples;
	bool wants_inventory;
	struct luns luns;
	session_fn done;
	void *arg;
};

/* A request of these hosts, in no list yet. */
struct job *job_new(struct poller *p, struct vhost *const *hosts, size_t n,
		    bool backfill) must_check;
void job_push_front(struct job **list, struct job *j);
/* Samples that each host is asked for. */
unsigned poller_samples(const struct poller *p, bool backfill);
/* All hosts that are due, into p->waiting. */
void poller_make_batches(struct poller *p, bool backfill);

#endif
