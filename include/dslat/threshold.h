/*
 * threshold.h - what counts as too slow, for one datastore.
 *
 * Rules merge per key: default < protocol < first matching datastore row
 * (shell pattern on "target/name").  A row that sets warning_ms without
 * clear_ms / critical_ms implies 0.8 and 1.5 times.  Pure; the configuration
 * owns the rules, a datastore holds its resolved copy.
 */
#ifndef DSLAT_THRESHOLD_H
#define DSLAT_THRESHOLD_H

#include "dslat/protocol.h"
#include "dslat/sample.h"

struct threshold {
	int64_t warning_us;
	int64_t critical_us;
	int64_t clear_us;
	int64_t min_ios;   /* I/Os in a sample below which it cannot breach */
	int64_t sparse_us; /* a sparse sample breaches from here */
	int window_samples;
	int for_samples;
	int clear_samples;
};

/* One row of the configuration; INT64_MIN = key not set. */
#define THRESHOLD_UNSET INT64_MIN
enum threshold_key {
	THRESHOLD_WARNING_US,
	THRESHOLD_CRITICAL_US,
	THRESHOLD_CLEAR_US,
	THRESHOLD_MIN_IOS,
	THRESHOLD_SPARSE_US,
	THRESHOLD_WINDOW_SAMPLES,
	THRESHOLD_FOR_SAMPLES,
	THRESHOLD_CLEAR_SAMPLES,
};
#define N_THRESHOLD_KEYS 8

struct threshold_row {
	int64_t v[N_THRESHOLD_KEYS];
	char *match; /* owned; datastore rows only */
};

struct threshold_rules {
	struct threshold_row fallback; /* "default": every key set */
	struct threshold_row protocols[N_PROTOCOLS];
	struct threshold_row *datastores; /* owned array, first match wins */
	size_t n_datastores;
};

/* Every key of the default row at its built-in value, all else unset. */
void threshold_rules_init(struct threshold_rules *rules);
void threshold_rules_fini(struct threshold_rules *rules);
/* A new last datastore row, nothing set; valid until the next one is added. */
struct threshold_row *threshold_rules_add(struct threshold_rules *rules);

/* No key is set. */
bool threshold_row_is_unset(const struct threshold_row *row);
/* What a row with warning_ms alone implies: 0.8 and 1.5 times (critical at
 * most SAMPLE_MAX_US).  Changes nothing that is set. */
void threshold_row_imply(struct threshold_row *row);
/* Every key that row sets or implies replaces the one of onto. */
void threshold_row_merge(struct threshold_row *onto,
			 const struct threshold_row *row);
/* path is "target/name".  origin_r (may be NULL) says which kind of row gave
 * warning_us: "default", "protocol", or the matching pattern.  Borrowed. */
void threshold_resolve(const struct threshold_rules *rules, enum protocol p,
		       const char *path, struct threshold *t_r,
		       const char **origin_r);

enum breach { BREACH_NONE, BREACH_WARNING, BREACH_CRITICAL };

/*
 * A point breaches when latency >= threshold and it carries at least min_ios
 * I/Os; a sparse one from sparse_us; one of unknown rate counts as loaded.
 */
enum breach threshold_check(const struct threshold *t, const struct point *p);

#endif
