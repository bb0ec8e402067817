/*
 * history.h - what the store knows of the past: the reading side of store.h.
 *
 * A question is made on the loop thread (history_ask), handed to the reader
 * thread, and worked on by the functions below, which a store_job's run may
 * call: they touch the question, the answer and the database, nothing else.
 * The long ones are steps of some milliseconds, each in a job of its own, so
 * that others get their turn in between.
 *
 * The newest slots come from the rings: `rings_from` of a target is the first
 * slot that all of its rings hold, on an hour's border.  The store answers for
 * what is older, and for pairs that are in no ring (what left the inventory).
 * No slot is in both.
 *
 * What is read comes from the coarsest source that gives the same: bins of an
 * hour, of five minutes, or the samples.  Hours with late samples that are not
 * in their bins yet are made from the samples.
 */
#ifndef DSLAT_HISTORY_H
#define DSLAT_HISTORY_H

#include "dslat/compare.h"
#include "dslat/format.h"
#include "dslat/map.h"
#include "dslat/query.h"
#include "dslat/store.h"

/* ---- the question ---- */

struct history_part { /* of one target */
	char *target;
	int64_t first, last; /* slots asked for, by the target's clock */
	int64_t rings_from;  /* INT64_MAX: it has no rings */
};

struct history_ask {
	struct history_part *parts; /* of the targets there are */
	size_t n_parts;
	int64_t first, last;    /* of other targets */
	uint8_t *live;          /* bit n: pair n has a ring */
	size_t n_live;          /* bits */
	struct map *thresholds; /* datastore id -> struct threshold, owned */
	struct threshold threshold; /* of other datastores */
};

/* Loop thread.  first_slot, last_slot: what every target is asked for; change
 * the parts where clocks differ. */
struct history_ask *history_ask_new(const struct site *site, int64_t first_slot,
				    int64_t last_slot) must_check;
void history_ask_free(struct history_ask **ask);
/* Where the rings of a target begin to answer; INT64_MAX without any. */
int64_t history_rings_from(const struct target *t);
/* The first slot that all of its rings hold: who asks for nothing older needs no
 * store.  INT64_MAX without any. */
int64_t history_rings_hold(const struct target *t);
/* The same for one ring alone. */
int64_t history_ring_from(const struct ring *r);
/* How fine the store can answer from that slot on: 1, 15 or 180 slots. */
int64_t history_least_slots(const struct store_status *st, int64_t first_slot);

/* ---- reader thread: steps answer 1 done, 0 call again, -1 error ---- */

/* Whose a pair is, by the names it had at the time.  Borrowed until the next
 * job; NULL or "" where nobody said. */
struct history_who {
	const char *target, *datastore_id, *datastore, *datastore_datacenter;
	const char *host_id, *host, *cluster, *datacenter;
	enum protocol protocol;
};
/* false: there is no such pair. */
bool history_who(struct history *h, uint32_t pair, int64_t slot,
		 struct history_who *who_r);

/* Names of things that left the inventory; NULL: never heard of.  Copies. */
struct history_known {
	char *datastore_name, *host_name; /* NULL: unknown, or not asked for */
	bool has_datastore, has_host, has_pair;
};
int history_known(struct history *h, const char *datastore_id,
		  const char *host_id, struct history_known *k_r, struct err *e)
	must_check;

/* Pieces that were damaged and left out since the connection was opened. */
uint64_t history_damaged(const struct history *h);

struct history_series {
	struct history_ask *ask; /* borrowed, as are all of these */
	const char *datastore_id;
	const char *host_id; /* NULL: over all hosts */
	const struct span *span;
	struct roll *bins; /* added to; without histograms is quicker */
	/* Where it stands; zero before. */
	int64_t next_hour, last_hour;
	bool begun;
	struct history_live *live; /* history_series_end() frees it */
};
int history_series_step(struct history *h, struct history_series *s,
			struct err *e) must_check;
void history_series_end(struct history_series *s);

/* Names of the host and the datastore of something; owned. */
struct history_names {
	char *datastore_id, *datastore, *host_id, *host;
	enum protocol protocol;
};
void history_names_fini(struct history_names *n);

struct history_group {
	char *name;
	struct roll roll; /* its rates mean nothing */
	struct hist hists[N_OPS];
	struct history_names max[N_OPS]; /* of max_pair; filled at the end */
	int64_t threshold_us[N_OPS];     /* INT64_MAX: no sample */
};

struct history_groups {
	struct history_ask *ask;
	enum group_by by;
	struct map *groups; /* name -> struct history_group; owned */
	/* Where it stands; zero before. */
	bool begun;
	int64_t next_day, last_day, last_hour;
	size_t next_series;
	struct history_live *live;
};
int history_groups_step(struct history *h, struct history_groups *g,
			struct err *e) must_check;
/* Frees all of it, the question apart. */
void history_groups_end(struct history_groups *g);

struct history_peak {
	int64_t us, slot, ios; /* ios -1: unknown */
	int64_t bin_s; /* 0: a sample, and none beside it is left out; else the
			* worst of its pair in a bin of that length */
	enum op op;
	enum load load;
	enum breach breach;
	uint32_t pair;
	int64_t threshold_us;
	struct history_names names; /* filled at the end */
};

struct history_peaks {
	struct history_ask *ask;
	struct history_peak *rows; /* worst first; owned */
	size_t n, limit;
	/* Where it stands; zero before. */
	struct history_candidate *candidates;
	size_t n_candidates, prune_at, next;
	int64_t next_day, last_day;
	size_t next_series;
	int stage;
	struct history_live *live;
};
int history_peaks_step(struct history *h, struct history_peaks *p,
		       struct err *e) must_check;
void history_peaks_end(struct history_peaks *p);

/* Feeds a side of a comparison. */
struct history_compare {
	struct history_ask *ask; /* borrowed, as is the next */
	struct compare *compare;
	enum compare_side side;
	int64_t step_slots; /* compare_step_slots() */
	/* Where it stands; zero before. */
	bool begun;
	int64_t next_time, last_time; /* hours, or days */
	size_t next_pair;
	struct history_live *live;
};
int history_compare_step(struct history *h, struct history_compare *q,
			 struct err *e) must_check;
void history_compare_end(struct history_compare *q);

/* ---- export: every sample as text, pieces of some 256 KiB ---------------- */

struct history_export_row { /* a pair */
	uint32_t pair;      /* 0: the store does not know it (yet) */
	char *target, *datastore_id, *host_id; /* ids as of now */
};

/*
 * All pairs hour by hour until hours_end, and then each by itself: the store's
 * part of one row (`row`, until before_slot), to which the caller adds what its
 * ring holds.  A format that wants a pair's samples together has no first part.
 * The caller sets what a step is to do, and takes `out` after it.
 */
struct history_export {
	struct history_ask *ask; /* its rings_from do not matter */
	enum format format;
	char **datastores, **hosts; /* ids, none: all; owned */
	size_t n_datastores, n_hosts;
	int64_t hours_end; /* the first hour that is not everybody's */

	bool listed; /* the first step has added what only the store knows */
	bool *datastore_found, *host_found; /* by that step, of each id */
	struct history_export_row *rows;    /* owned */
	size_t n_rows;

	bool hours_done; /* the first part is through */
	size_t row, family;
	/* The row's part of the store; INT64_MAX: there is no ring. */
	int64_t from_slot, before_slot;
	const char *prefix; /* of OpenMetrics: of all of the row; borrowed */
	bool row_done;

	struct buf out;
	/* Where it stands; zero before. */
	int64_t next_hour;
	size_t next_row;
	int64_t row_hour, row_last_hour;
	bool row_begun;
	struct history_live *live;
};
/* 1: `out` has a piece, or the part (hours, or row) is done; 0: call again. */
int history_export_step(struct history *h, struct history_export *x,
			struct err *e) must_check;
/* Frees all of it, the question apart. */
void history_export_end(struct history_export *x);

#endif
