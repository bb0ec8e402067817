/*
 * loop_curl.h - what fetch.c needs of the loop: its CURLM.
 *
 * libcurl forbids adding and removing handles from inside its callbacks, so
 * both go through here and are put off until it is allowed.  The transfer is
 * owned by the caller and embedded in an object of its own.  Loop thread only.
 */
#ifndef DSLAT_LOOP_CURL_H
#define DSLAT_LOOP_CURL_H

#include <curl/curl.h>

#include "dslat/loop.h"

/* What the write callbacks of one turn get together, or a little more: a
 * server that is faster than a decoder must not hold up the loop. */
#define LOOP_TURN_BYTES ((size_t)1 << 20)

#define LOOP_TRANSFER_MAGIC OBJ_MAGIC('l', 't', 'r', 'n')

enum transfer_state {
	TRANSFER_IDLE,    /* the loop does not know it */
	TRANSFER_QUEUED,  /* to be added before the next perform */
	TRANSFER_RUNNING, /* in the CURLM */
	TRANSFER_DROPPED, /* to be removed behind this perform */
};

struct loop_transfer {
	uint32_t magic;
	CURL *easy;
	/* Finished; the CURLM no longer has it.  May free the transfer. */
	void (*done)(struct loop_transfer *t, CURLcode result);
	/* Dropped, and the CURLM no longer has it.  May free the transfer. */
	void (*dropped)(struct loop_transfer *t);
	enum transfer_state state; /* the rest is the loop's */
	struct loop_transfer *next, *next_paused;
};

/* Uses CURLOPT_PRIVATE of the easy handle. */
void loop_transfer_start(struct loop *l, struct loop_transfer *t);
/* `done` will not be called any more; `dropped` will, perhaps right now. */
void loop_transfer_drop(struct loop *l, struct loop_transfer *t);
/* For a write callback: false when this turn has had enough.  It returns
 * CURL_WRITEFUNC_PAUSE then, and gets the same bytes in the next turn. */
bool loop_transfer_may(struct loop *l, struct loop_transfer *t, size_t n_bytes)
	must_check;

#endif
