/*
 * sample.h - one 20 s sample of one (host, datastore) pair, and what it means.
 *
 * vSphere's realtime counters are means over 20 s intervals.  slot = floor(t /
 * 20 s), where t is the end of the interval as the host stamped it; a slot's
 * end is slot * 20 s.  A cell holds the six fields, each valid or SAMPLE_NONE
 * (vSphere's -1: not there, which is never the same as 0).
 *
 * Latency is whole milliseconds on the wire, microseconds here; I/O counts are
 * the wire's whole I/Os per second times 20 (so +-20).  Pure values; any
 * thread.
 */
#ifndef DSLAT_SAMPLE_H
#define DSLAT_SAMPLE_H

#include "dslat/base.h"
#include "dslat/clock.h"

#define SLOT_S 20
#define SLOT_US (SLOT_S * US_PER_S)
#define SLOT_FINAL_US (180 * US_PER_S) /* a slot this old is final as it is */
#define SAMPLE_NONE (-1)
#define SAMPLE_MAX_US (600 * US_PER_S) /* longer is nonsense: rejected */

enum op { OP_READ, OP_WRITE };
#define N_OPS 2

/* Index into a cell; each kind has its read at +0 and its write at +1. */
enum field {
	FIELD_US = 0,
	FIELD_IOS = 2,
	FIELD_KIB_PER_S = 4,
};
#define N_FIELDS 6
#define FIELD_MASK_ALL 0x3fu

struct cell {
	int32_t v[N_FIELDS];
};

static inline int64_t
slot_of(real_t t)
{
	int64_t s = t.us / SLOT_US;

	return t.us < 0 && t.us % SLOT_US != 0 ? s - 1 : s;
}

static inline real_t
slot_end(int64_t slot)
{
	return (real_t){ slot * SLOT_US };
}

/* How busy one direction of a sample was. */
enum load {
	LOAD_MISSING, /* no latency value */
	LOAD_IDLE,    /* rate 0, latency 0, 0 kB/s: draws a gap */
	LOAD_SPARSE,  /* rate 0 but latency or kB/s: 1..19 I/Os; weight 1 */
	LOAD_NORMAL,  /* latency 0 here means "< 1 ms" */
	LOAD_UNKNOWN, /* latency without a rate: loaded, weight 0 */
};

/* One direction of one cell, as rules and roll-ups see it. */
struct point {
	enum load load;
	int64_t us;     /* 0 when idle; SAMPLE_NONE when missing */
	int64_t ios;    /* in 20 s; 0 when idle or sparse; SAMPLE_NONE */
	int64_t weight; /* in weighted means */
	int64_t bytes;  /* in 20 s; SAMPLE_NONE when missing */
};

/* Here because walks over all rings do nothing else. */
static inline struct point
cell_point(const struct cell *c, enum op op)
{
	int32_t us = c->v[FIELD_US + op], ios = c->v[FIELD_IOS + op];
	int32_t kib_per_s = c->v[FIELD_KIB_PER_S + op];
	struct point p = { LOAD_MISSING, us, ios, 0, SAMPLE_NONE };

	if (kib_per_s >= 0)
		p.bytes = (int64_t)kib_per_s * 1024 * SLOT_S;
	if (us < 0)
		return p;
	if (ios < 0) {
		p.load = LOAD_UNKNOWN;
	} else if (ios > 0) {
		p.load = LOAD_NORMAL;
		p.weight = ios;
	} else if (us > 0 || kib_per_s > 0) {
		p.load = LOAD_SPARSE;
		p.weight = 1;
	} else {
		p.load = LOAD_IDLE;
	}
	return p;
}

/* Carries I/O in this direction: sparse, normal or unknown. */
static inline bool
load_is_busy(enum load l)
{
	return l >= LOAD_SPARSE;
}

/* Every field of the mask (bit = field) has a value. */
bool cell_complete(const struct cell *c, unsigned mask);
/* At least one latency has a value. */
bool cell_has_latency(const struct cell *c);

const char *op_name(enum op op); /* "read", "write" */

#endif
