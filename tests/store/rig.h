/*
 * rig.h - a store on a real folder, behind a small site in virtual time.
 *
 * One target "lab" with hosts host-1.. and datastores ds-1.., all mounted
 * everywhere.  What a host says of a slot is rig_value(), in the units of the
 * wire; oracle.py has the same formula.  The clock stands two seconds behind
 * the newest slot polled.
 */
#ifndef DSLAT_RIG_H
#define DSLAT_RIG_H

#include "daemon/shell/db.h"
#include "dslat/loop.h"
#include "dslat/store.h"

/* A slot at which an hour and a day begin: 2026-11-30T00:00:20Z. */
#define RIG_FIRST_SLOT (INT64_C(20787) * 24 * 180 + 1)

struct rig {
	struct loop *loop;
	struct site *site;
	struct store *store;
	struct target *target;
	struct threshold_rules rules;
	struct now now;
	struct store_conf conf;
	size_t n_hosts, n_datastores;
	/* What hosts say; NULL: rig_value(). */
	int64_t (*value)(size_t host, size_t datastore, int64_t slot,
			 unsigned field);
	bool with_ids; /* hosts have a system uuid */
	/* Hosts say nothing of these; first 0: none. */
	int64_t hole_first, hole_last;
};

/* SAMPLE_NONE: missing. */
int64_t rig_value(size_t host, size_t datastore, int64_t slot, unsigned field);
/* The same as a cell; false: nothing of it is there. */
bool rig_cell(size_t host, size_t datastore, int64_t slot, struct cell *c);

/* dir is copied; the clock stands two seconds behind that slot's end.  -1: the
 * store refuses the file. */
int rig_start(struct rig *r, const char *dir, size_t n_hosts,
	      size_t n_datastores, int64_t slot, struct err *e);
void rig_stop(struct rig *r);
/* The inventory again, where the first datastore is called that. */
void rig_rename(struct rig *r, const char *name);
/* All hosts say slots first..last; then the clock stands behind last. */
void rig_poll(struct rig *r, int64_t first, int64_t last);
/* The two halves of it: into the rings, and to who listens. */
void rig_ingest(struct rig *r, int64_t first, int64_t last);
void rig_publish(struct rig *r);
/* One host alone, the clock stays. */
void rig_poll_host(struct rig *r, size_t host, int64_t first, int64_t last);
/* The time goes on without a poll. */
void rig_pass(struct rig *r, int64_t slots);
/* Turns of the loop until the threads have nothing to do; false: not within
 * 20 s of real time. */
bool rig_settle(struct rig *r);

struct pair *rig_pair(struct rig *r, size_t host, size_t datastore);

#endif
