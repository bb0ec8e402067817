/*
 * tries.h - how often somebody showed a wrong token lately.
 *
 * Counted by address (of IPv6 the network of 64 bits), a minute each, for the
 * TRIES_ADDRESSES that tried last.  The loop thread.
 */
#ifndef DSLAT_TRIES_H
#define DSLAT_TRIES_H

#include "dslat/clock.h"

#define TRIES_ADDRESSES 64
#define TRIES_FREE 10 /* in a minute */
#define TRIES_WINDOW_S 60

struct tries {
	struct tries_row {
		char peer[64];
		mono_t since;
		unsigned n;
	} rows[TRIES_ADDRESSES];
};

/* One more: 0, or how many seconds he should wait. */
int tries_count_s(struct tries *t, const char *peer, mono_t now);

#endif
