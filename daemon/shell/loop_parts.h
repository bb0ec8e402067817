/*
 * loop_parts.h - between loop.c and the files it is made of: the heap of
 * timers, the transfers, and the pipe that signals come through.
 *
 * Loop thread only.
 */
#ifndef DSLAT_LOOP_PARTS_H
#define DSLAT_LOOP_PARTS_H

#include "loop_curl.h"

struct timers {
	struct loop_timer **heap; /* a binary heap, least first; borrowed */
	size_t n_heap, room;
	uint64_t seq;
	mono_t now; /* of this turn */
	bool running;
};

/* Of this loop; for loop_timer_new(). */
struct timers *loop_timers(struct loop *l);
/* All timers must have been freed or be off. */
void timers_fini(struct timers *s);
/* Until the first is due, at least 0; -1 when none is armed. */
int64_t timers_wait_us(const struct timers *s, mono_t now);
void timers_run(struct timers *s, struct now now);

struct transfers {
	CURLM *multi;
	size_t n;
	bool in_perform; /* nothing may be added, removed or freed */
	struct loop_transfer *queued, *dropped;
	struct loop_transfer *paused; /* until the next turn, in order */
	size_t turn_bytes;            /* that the callbacks of this turn got */
};

/* Of this loop. */
struct transfers *loop_transfers(struct loop *l);
void transfers_init(struct transfers *s);
/* None may be left. */
void transfers_fini(struct transfers *s);
/* Before the wait. */
void transfers_prepare(struct transfers *s);
void transfers_run(struct transfers *s);

/* If this loop catches the signals: give them back. */
void loop_signals_end(struct loop *l);

#endif
