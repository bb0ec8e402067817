/*
 * collector.h - a source of samples; vsphere is the first.
 *
 * A collector owns its connections and schedule, writes into its target of
 * the model through inventory.h and ingest.h, and never holds up the loop or
 * another target.  Loop thread only.
 */
#ifndef DSLAT_COLLECTOR_H
#define DSLAT_COLLECTOR_H

#include "dslat/conf.h"
#include "dslat/loop.h"
#include "dslat/model.h"

struct collector_ops {
	const char *name;
	/* Starts at once; conf is borrowed until stop.  Errors of the network
	 * are states of the target, not errors of this call. */
	void *(*start)(struct loop *l, struct target *t,
		       const struct conf_target *conf, struct err *e);
	/* A reload changed nothing but the conf's address. */
	void (*reconf)(void *c, const struct conf_target *conf);
	/* Log out, then on_stopped(arg) once (never from inside this call);
	 * gives up on the network after 3 s by itself. */
	void (*stop)(void *c, void (*on_stopped)(void *arg), void *arg);
	/* Free; after on_stopped, or at any time to drop everything. */
	void (*free)(void *c);
};

extern const struct collector_ops vsphere_collector;

#endif
