/*
 * select.h - which objects a PropertyFilterSpec chooses.
 *
 * Walks TraversalSpecs from the objectSet's objects; a ContainerView's `view`
 * is the common case.  Each object comes once, in the order found.
 */
#ifndef SIM_SELECT_H
#define SIM_SELECT_H

#include "sim.h"

struct selection {
	const struct mo **v;
	size_t n;
};

/* All objects of one specSet; -1 with the call's fault set. */
int select_objects(struct call *c, const xmlNode *spec_set,
		   struct selection *out);
void select_fini(struct selection *s);

/* The objects a view shows now. */
void select_view(const struct call *c, const struct view *v,
		 struct selection *out);
int select_not_found(struct call *c, const char *type, const char *id);

#endif
