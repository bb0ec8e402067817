/*
 * nearest.h - "did you mean": which of many names is most like a wrong one.
 *
 * Feed the candidates one by one.  Pure; any thread.
 */
#ifndef DSLAT_NEAREST_H
#define DSLAT_NEAREST_H

#include "dslat/base.h"

struct nearest {
	const char *wrong; /* borrowed */
	const char *best;  /* borrowed; NULL: none is like it */
	size_t best_distance;
};

void nearest_init(struct nearest *n, const char *wrong);
/* Compares name; keeps `value` if it is the best so far.  Names that differ
 * in case only come first; more than a third of changes is unlike. */
void nearest_try(struct nearest *n, const char *name, const char *value);

#endif
