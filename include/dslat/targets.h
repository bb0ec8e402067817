/*
 * targets.h - the collectors that run, kept in step with the configuration.
 *
 * Owns the configurations in use.  Applying a new one starts what is new,
 * logs out of and removes what is gone, restarts what changed and leaves the
 * rest alone with its session and its samples.  Loop thread.
 */
#ifndef DSLAT_TARGETS_H
#define DSLAT_TARGETS_H

#include "dslat/collector.h"

struct targets;

/* All borrowed. */
struct targets *targets_new(struct loop *l, struct site *site,
			    const struct collector_ops *ops) must_check;
/* Drops whatever still runs. */
void targets_free(struct targets **t);

/* Takes the configuration. */
void targets_apply(struct targets *t, struct conf *conf);
const struct conf *targets_conf(const struct targets *t);

/* Log out of everything; done once, never from inside. */
void targets_stop(struct targets *t, void (*done)(void *arg), void *arg);

#endif
