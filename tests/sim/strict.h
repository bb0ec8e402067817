/*
 * strict.h - what a real server refuses: elements out of order or unknown,
 * methods of objects that do not exist.
 *
 * Call with the sim's lock held.
 */
#ifndef SIM_STRICT_H
#define SIM_STRICT_H

#include "sim.h"

/* Children in the order of their types; -1 with InvalidRequest. */
int strict_order(struct call *c);
/* Is _this an object of this server?  manager_type NULL: any. */
int strict_this(struct call *c, const char *manager_type);

#endif
