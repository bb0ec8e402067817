/*
 * bootstrap.h - how far the median of a time series would have been off.
 *
 * A moving-block bootstrap: a resample is made of windows of BOOT_BLOCK_SLOTS
 * consecutive slots, drawn with equal chance from all that hold a point, until
 * it has as many points as there are.  Windows go by time: one beside a gap is
 * shorter, none reaches across by index, and each point is in just as many
 * windows as any other.  What depends on its neighbours within a block keeps
 * doing so in the resample, which is what makes the interval honest.
 *
 * The resample's median is found by counting, not by sorting: nearly all of it
 * is known to lie above or below the middle, so only the ranks of a band are
 * counted one by one.  The band is 8 standard deviations of the most that
 * blocks of equal points could do; a median beyond it is taken as its edge,
 * which leaves every percentile inside it as it is.
 *
 * Pure; one thread at a time.
 */
#ifndef DSLAT_BOOTSTRAP_H
#define DSLAT_BOOTSTRAP_H

#include "dslat/stats.h"

#define BOOT_BLOCK_SLOTS 15              /* 5 minutes of 20 s samples */
#define BOOT_SEED UINT64_C(0x64736c6174) /* "dslat" */

struct boot;

/* Points by ascending slot, at least one; copied. */
struct boot *boot_new(const struct stats_point *points, size_t n) must_check;
void boot_free(struct boot **b);

/* Of the points themselves; the mean of the middle two of an even number. */
double boot_median(const struct boot *b);
/* Of one resample; *random is the state of the generator. */
double boot_resample(struct boot *b, uint64_t *random);
/* Windows in a resample, on average: how many independent parts there are. */
double boot_blocks(const struct boot *b);

#endif
