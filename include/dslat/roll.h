/*
 * roll.h - samples rolled up: what is kept of many when the single ones go.
 *
 * A roll covers the slots (t - step, t] of one series: a pair, or a datastore
 * over all of its hosts.  It keeps what design section 4 asks of every bin: n,
 * I/Os, min, I/O-weighted mean, max with its time and host, the time over the
 * threshold, and a histogram.  Rolls merge: of neighbouring times, of several
 * series.  Latency _us, rates as whole I/Os and bytes per 20 s slot.  Pure.
 *
 * A roll of a datastore is made from the cells of all its hosts, slot by slot,
 * since the most and the least of a rate are those of the sum over hosts.
 */
#ifndef DSLAT_ROLL_H
#define DSLAT_ROLL_H

#include "dslat/buf.h"
#include "dslat/hist.h"
#include "dslat/threshold.h"

#define ROLL_5MIN_SLOTS 15
#define ROLL_HOUR_SLOTS 180

/* A rate over time; each slot counts once, summed over the hosts. */
struct roll_rate {
	uint64_t n;            /* slots with a value */
	int64_t sum, min, max; /* min and max -1 without one */
};

struct roll_op {
	uint64_t n;             /* host samples with a value, idle ones too */
	uint64_t busy_n;        /* of them with I/O */
	uint64_t over_n;        /* of them breaching, each SLOT_S of one host */
	int64_t weight;         /* of the mean: I/Os; a sparse sample is 1 */
	int64_t sum_us;         /* latency x weight */
	int64_t min_us, max_us; /* over the busy ones; -1 without */
	int64_t max_slot, max_ios; /* of the max; the later of equals; -1 */
	uint32_t max_pair;         /* whose it was (store id) */
	struct roll_rate ios, bytes;
	struct hist *hist; /* of the busy ones; NULL: not kept; borrowed */
};

struct roll {
	struct roll_op op[N_OPS];
};

/* One host's cell of a slot. */
struct roll_cell {
	const struct cell *cell;
	uint32_t pair;
};

/* hists: N_OPS of them (emptied), or NULL. */
void roll_init(struct roll *r, struct hist *hists);
void roll_add_slot(struct roll *r, int64_t slot, const struct roll_cell *cells,
		   size_t n, const struct threshold *t);
/* Of other times, or of another series (then rates mean nothing).  Sums stop
 * at the largest number instead of overflowing. */
void roll_merge(struct roll *into, const struct roll *from);
bool roll_is_empty(const struct roll *r);
/* I/O-weighted; idle: 0.  -1 without a sample, or when no busy one has a known
 * rate to weigh by (unless all have the same value, which is their mean). */
int64_t roll_mean_us(const struct roll_op *r);

/* Appends; base is the first slot of what it covers. */
void roll_encode(const struct roll *r, int64_t base, struct buf *out);
/* Reads one roll at *p and moves *p behind it; false: not one.  Replaces what
 * is in r; its histograms, if it has some, are emptied and read. */
bool roll_decode(const uint8_t **p, const uint8_t *end, int64_t base,
		 struct roll *r) must_check;
/* The same, merged into what is in r (untouched when false): quicker. */
bool roll_decode_merge(const uint8_t **p, const uint8_t *end, int64_t base,
		       struct roll *r) must_check;

#endif
