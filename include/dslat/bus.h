/*
 * bus.h - who hears about samples and changes of state.
 *
 * Subscribers register a table of functions; any may be NULL.  Calls come on
 * the loop thread, in the order the collector produced them; arguments are
 * borrowed for the call.
 */
#ifndef DSLAT_BUS_H
#define DSLAT_BUS_H

#include "dslat/model.h"

struct bus_ops {
	/* A poll (or part of one) of a target is in the rings: pairs whose
	 * dirty_slot is not INT64_MAX have new values from there on. */
	void (*samples)(void *arg, struct target *t);
	/* A slot of a pair is final; slots of one pair come in order. */
	void (*final)(void *arg, struct pair *p, int64_t slot,
		      const struct cell *c);
	/* Inventory, target state or datastore state changed. */
	void (*status)(void *arg, struct target *t);
};

struct bus;
struct bus *bus_new(void) must_check;
void bus_free(struct bus **b);
void bus_subscribe(struct bus *b, const struct bus_ops *ops, void *arg);
void bus_unsubscribe(struct bus *b, void *arg);

/* Tells all, then marks the target's pairs clean. */
void bus_samples(struct bus *b, struct target *t);
void bus_final(struct bus *b, struct pair *p, int64_t slot,
	       const struct cell *c);
void bus_status(struct bus *b, struct target *t);

#endif
