/*
 * control.h - /sim/...: faults, state, clock, counters, oracle.
 *
 * README.md lists the calls.  Arguments are query arguments; answers are text
 * or JSON; a mistake is a 400 with a sentence.
 */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include <microhttpd.h>

#include "sim.h"

/* path is what follows "/sim/".  Returns the HTTP status. */
int control_answer(struct sim *s, struct MHD_Connection *c, const char *method,
		   const char *path, struct buf *out, const char **type_r);

#endif
