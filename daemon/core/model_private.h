/*
 * model_private.h - shared by the files that make up the model.
 *
 * The destructors free the object and what it owns; unlinking is the
 * caller's.  Loop thread.
 */
#ifndef DSLAT_MODEL_PRIVATE_H
#define DSLAT_MODEL_PRIVATE_H

#include "dslat/model.h"

/* How far beyond the server's clock a slot may be: hosts run up to 90 s ahead.
 * What is further was filed before that clock was set back. */
#define SLOTS_AHEAD 6

void pair_free(struct pair *p);
void datastore_free(struct datastore *ds);
void host_free(struct host *h);
/* Copies; false: nothing changed. */
bool datastore_set_extents(struct datastore *ds, char *const *names, size_t n);
void datastore_resolve_threshold(struct datastore *ds);

/* Count a final slot of a pair; slots of a pair come in order. */
void tally_pair(struct pair *p, int64_t slot, const struct cell *c);
/* Advance the datastore's own final slot and count its breaches. */
void tally_datastore(struct datastore *ds);

#endif
