/*
 * compare_parts.h - a comparison's inside, shared by compare.c, which is fed,
 * and compare_result.c, which calculates.
 */
#ifndef DSLAT_COMPARE_PARTS_H
#define DSLAT_COMPARE_PARTS_H

#include "dslat/compare.h"
#include "dslat/map.h"

/* I/O-weighted sums by slot (or bin), from `first` on. */
struct sum {
	int64_t sum_us, weight;
};
struct line {
	struct sum *sums;
	int64_t first;
	size_t n;
};

/* A (host, datastore) pair of a side. */
struct member {
	char *datastore, *datastore_name, *host, *host_name; /* or NULL */
	uint32_t number;     /* in members[], and roll_op.max_pair */
	bool counted[N_OPS]; /* has samples to compare */
};

/* What one pair has in a bin so far. */
struct pending {
	int64_t index;
	struct sum sum;
};

struct part { /* one side */
	struct side side;
	struct compare_span span;
	struct member **members;
	size_t n_members;
	struct map *by_ids;   /* struct member */
	int64_t threshold_us; /* least; -1 */
	/* Of the pair being fed. */
	struct member *member;
	struct threshold threshold;
	struct pending pending[N_OPS]; /* bins only */
	struct line lines[N_OPS];
	struct roll roll;
	struct hist hists[N_OPS];
};

struct compare {
	bool paired;
	int64_t step_slots;
	struct part part[N_COMPARE_SIDES];
	size_t shared_n;
	struct stats *stats[N_OPS];
	bool done[N_OPS];
	/* Of the direction being reckoned, when paired. */
	struct stats_pair *pairs;
	size_t n_pairs, n_halves; /* halves that have their difference */
	struct compare_op op[N_OPS];
};

/* The bins that a side's last cells went into are complete. */
void compare_flush(struct compare *c, enum compare_side s);

#endif
