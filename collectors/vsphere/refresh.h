/*
 * refresh.h - one reading of a target's inventory.
 *
 * Creates a container view, reads all pages of the passes wanted, destroys the
 * view and hands over the classified snapshot.  A property path the server
 * does not know is left out from then on; storage passes that fail cost only
 * knowledge of protocols.  One reading at a time; loop thread.
 */
#ifndef DSLAT_REFRESH_H
#define DSLAT_REFRESH_H

#include "dslat/inventory.h"

#include "session.h"

struct refresh;

/* The session is borrowed. */
struct refresh *refresh_new(struct session *s) must_check;
void refresh_free(struct refresh **r);

/* inv is NULL on an error, else the callee's to free. */
typedef void (*refresh_fn)(void *arg, struct inventory *inv,
			   const struct err *e);
/* storage: adapters, LUNs and paths too. */
void refresh_start(struct refresh *r, bool storage, refresh_fn done, void *arg);
bool refresh_is_running(const struct refresh *r);
/* done is not called; safe when nothing runs. */
void refresh_cancel(struct refresh *r);

#endif
