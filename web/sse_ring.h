/*
 * sse_ring.h - the newest events, rendered, each with its number.
 *
 *	oldest            newest
 *	  | e e e e e e e e |          newest + 1 is the next one's number
 *
 * Bounded in number and bytes: the oldest make room.  An event lives while the
 * ring or a reader refers to it.  One thread at a time.
 */
#ifndef DSLAT_SSE_RING_H
#define DSLAT_SSE_RING_H

#include "dslat/buf.h"
#include "dslat/clock.h"

#define SSE_RING_EVENTS 256
#define SSE_RING_BYTES ((size_t)8 << 20)

struct sse_event {
	unsigned refs;
	size_t len;
	mono_t made;
	char data[];
};

struct sse_ring {
	char boot[24];   /* the part of an id before the dash */
	uint64_t newest; /* number of the newest event; 0 before the first */
	size_t n;        /* how many the ring holds */
	size_t bytes;
	struct sse_event *events[SSE_RING_EVENTS]; /* by number modulo */
};

/* An event outside the ring, with one reference.  type NULL: a comment or a
 * mere id.  id 0: without one. */
struct sse_event *event_new(const struct sse_ring *r, const char *type,
			    uint64_t id, const char *data) must_check;
void event_unref(struct sse_event **e);

void sse_ring_init(struct sse_ring *r, real_t started);
void sse_ring_fini(struct sse_ring *r);
/* The next event.  data: one line. */
void sse_ring_add(struct sse_ring *r, const char *type, const char *data,
		  mono_t now);
/* Something happened that nobody rendered: who comes back must know. */
void sse_ring_skip(struct sse_ring *r);
/* Number of the oldest one held; newest + 1 when none is. */
uint64_t sse_ring_oldest(const struct sse_ring *r);
/* One of oldest..newest, with a new reference. */
struct sse_event *sse_ring_get(const struct sse_ring *r, uint64_t number)
	must_check;
/* The first one made at or after t. */
uint64_t sse_ring_since(const struct sse_ring *r, mono_t t);
/* The number in "boot-number" if a reader can go on behind it. */
bool sse_ring_resume(const struct sse_ring *r, const char *id,
		     uint64_t *number_r);

#endif
