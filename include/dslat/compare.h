/*
 * compare.h - two sides of the site, sample by sample.
 *
 * A side's sample in a slot is the I/O-weighted mean over those of its pairs
 * that carry at least min_ios I/Os in it; read and write apart.  Where both
 * sides have one, they are a pair for stats.h.  When the two sides' times
 * differ, nothing pairs, and the medians are compared.  Beside it each side's
 * own figures, over all of its samples with I/O.
 *
 * Where samples are not kept any more the means of bins (5 min, 1 h) stand for
 * them; a pair counts if it had min_ios on average over the bin.
 *
 * Fed pair by pair, with cells (rings, raw history) or rolls (bins); pairs in
 * any order and as often as one likes, but what belongs to one bin of a pair
 * without another pair in between.  Then calculated in steps of some
 * milliseconds.  Pure; one thread at a time.
 */
#ifndef DSLAT_COMPARE_H
#define DSLAT_COMPARE_H

#include "dslat/roll.h"
#include "dslat/side.h"
#include "dslat/stats.h"

struct compare;

enum compare_side { COMPARE_A, COMPARE_B };
#define N_COMPARE_SIDES 2

struct compare_span {
	real_t from, to;
};
struct compare_conf {
	struct side side[N_COMPARE_SIDES];         /* taken */
	struct compare_span span[N_COMPARE_SIDES]; /* for names only */
	bool paired;
	int64_t step_slots; /* 1; of bins ROLL_5MIN_SLOTS or ROLL_HOUR_SLOTS */
};
struct compare *compare_new(const struct compare_conf *conf) must_check;
void compare_free(struct compare **c);

/* ---- feeding ------------------------------------------------------------- */

/* Forget what a side was fed. */
void compare_reset(struct compare *c, enum compare_side s);
/* Is the pair of that side? */
bool compare_takes(struct compare *c, enum compare_side s,
		   const struct side_pair *p);
/* The same, and if it is: what follows is of this pair. */
bool compare_pair(struct compare *c, enum compare_side s,
		  const struct side_pair *p, const struct threshold *t);
void compare_cell(struct compare *c, enum compare_side s, int64_t slot,
		  const struct cell *cell);
/* The bin of step_slots that ends with this slot. */
void compare_roll(struct compare *c, enum compare_side s, int64_t last_slot,
		  const struct roll *r);

/* ---- the result ---------------------------------------------------------- */

/* Some milliseconds; true when done.  Feed no more once begun. */
bool compare_step(struct compare *c);

/* Where the largest value was.  Borrowed. */
struct compare_place {
	const char *datastore, *datastore_name, *host, *host_name;
};

/* One side, one direction. */
struct compare_figures {
	const struct roll_op *all;  /* of every sample with I/O */
	struct compare_place place; /* of its max; NULLs without */
	int64_t threshold_us;       /* least of its datastores'; -1 */
	size_t samples_n;           /* slots (or bins) with a sample */
	size_t hosts_n;             /* hosts in them */
	/* Of the slots that were compared, and of their halves by time. */
	double iops, half_iops[2];
};

/* One direction. */
struct compare_op {
	struct compare_figures side[N_COMPARE_SIDES];
	struct stats_result stats;
	double half_difference_ms[2]; /* paired; NaN when too few */
	/* How often a difference is on the same side of their median as the one
	 * 20 s before: 0.5 when they are independent; NaN when too few. */
	double same_side_ratio;
	bool whole_ms; /* every value compared is a whole millisecond */
};
/* Once compare_step() has said true.  Borrowed from c. */
const struct compare_op *compare_result(const struct compare *c, enum op op);

const struct side *compare_side(const struct compare *c, enum compare_side s);
const struct compare_span *compare_span(const struct compare *c,
					enum compare_side s);
bool compare_is_paired(const struct compare *c);
int64_t compare_step_slots(const struct compare *c);
size_t compare_pairs_n(const struct compare *c, enum compare_side s);
size_t compare_shared_n(const struct compare *c); /* pairs on both sides */

/* ---- for people (compare_text.c) ----------------------------------------- */

/* "NFS"; "NFS (before)" when only the time tells the sides apart. */
void compare_name(const struct compare *c, enum compare_side s,
		  struct buf *out);
/* "NFS writes were 3.2 ms slower than iSCSI (95 % interval ...". */
void compare_sentence(const struct compare *c, enum op op, struct buf *out);
/* What to bear in mind: calls fn for each. */
void compare_warnings(const struct compare *c, enum op op,
		      void (*fn)(void *arg, const char *text), void *arg);

#endif
