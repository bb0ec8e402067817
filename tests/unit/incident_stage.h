/*
 * incident_stage.h - a small site whose every sample a test chooses.
 *
 * For the tests of incidents.  Slots count from the start of the stage; in
 * slot n the clock stands 5 s behind its end.  What the engine says is written
 * into stage.log.
 */
#ifndef DSLAT_INCIDENT_STAGE_H
#define DSLAT_INCIDENT_STAGE_H

#include "dslat/incident.h"

#define STAGE_MAX_HOSTS 10
#define STAGE_MAX_DS 3
#define STAGE_BASE INT64_C(89802000) /* first slot; 2026-11-30 */

struct stage {
	struct site *site;
	struct target *t;
	struct threshold_rules rules;
	struct incidents *i;
	struct host *hosts[STAGE_MAX_HOSTS];
	struct datastore *ds[STAGE_MAX_DS];
	struct inventory *inv; /* as it is; changed and applied by the test */
	size_t n_hosts, n_ds;
	int64_t slot;   /* now */
	bool all;       /* log INCIDENT_UPDATED too */
	bool slow_only; /* log nothing but latency incidents */
	char log[4096];
};

void stage_setup(struct stage *s, size_t n_hosts, size_t n_ds);
void stage_teardown(struct stage *s);
/* A new engine that knows only what the old one's JSON said. */
void stage_restart(struct stage *s);
void stage_new_engine(struct stage *s);

/* What the inventory says now, merged into the model. */
struct inv_host *stage_inv_host(struct stage *s, size_t host);
struct inv_mount *stage_inv_mount(struct stage *s, size_t host, size_t ds);
void stage_apply(struct stage *s);

/* The clock moves on by one slot. */
void stage_next(struct stage *s);
/* One value of a host, filed as ingest does; us -1: none, and then nothing. */
struct stage_value {
	int64_t us, ios, kib_per_s;
};
void stage_put(struct stage *s, size_t host, size_t ds, int64_t slot,
	       enum op op, struct stage_value v);
/* The end of a poll: slots become final, the engine looks. */
void stage_poll(struct stage *s);
/* A poll that failed. */
void stage_fail(struct stage *s, enum target_state state, const char *error);

/* A letter of a script:
 *	- missing, . idle, l low (10 ms), e at clear_ms (40), m above it (45), w
 *	warning (60), c critical (80), f few I/Os (500 ms, 10 of them), s sparse (300 ms),
 *	S sparse and slow (1200 ms), u rate unknown (60 ms)
 */
struct stage_value stage_letter(char letter);
/* Reads of one host each, letter by letter, a poll after each slot; writes are
 * idle.  scripts are of equal length.  ds 0. */
void stage_play(struct stage *s, const char *const *scripts, size_t n);

#endif
