/*
 * retrieve.h - views, the property collector and attribute access.
 *
 * Methods of the dispatch table (methods.c); each fills the call's answer or
 * its fault.
 */
#ifndef SIM_RETRIEVE_H
#define SIM_RETRIEVE_H

#include "sim.h"

int retrieve_create_view(struct call *c);
int retrieve_destroy_view(struct call *c);
int retrieve_ex(struct call *c);
int retrieve_continue(struct call *c);
int retrieve_cancel(struct call *c);
int retrieve_old(struct call *c);
int retrieve_fetch(struct call *c);

#endif
