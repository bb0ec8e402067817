/*
 * options.h - OptionManager: the few settings clients ask for.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "sim.h"
#include "tree.h"

int options_query(struct call *c);
void options_props(struct call *c, struct tree *t, struct node *root);

#endif
