/*
 * metrics.h - GET /metrics: every family, a piece at a time.
 *
 * Prometheus text 0.0.4 or OpenMetrics 1.0.0, by Accept.  Names and labels are
 * design section 7.  The loop thread.
 */
#ifndef DSLAT_METRICS_H
#define DSLAT_METRICS_H

#include "web/expo.h"
#include "web/handlers.h"

/* What one scrape walks over: the pointers stay valid while site->freed does,
 * which the walk checks. */
struct metrics_scope {
	const struct web *web;
	struct expo *out;
	const struct target *target; /* the item at hand, as the family's */
	const struct datastore *ds;  /* kind says; the others are NULL */
	const struct pair *pair;
};

enum metrics_per { PER_DAEMON, PER_TARGET, PER_DATASTORE, PER_PAIR };

/* One family: a row of the table. */
struct metrics_family {
	const char *name; /* without _total */
	enum expo_type type;
	const char *unit; /* "seconds", when the name ends so; or NULL */
	const char *help;
	enum metrics_per per;
	/* Append the lines of one item. */
	void (*add)(const struct metrics_scope *s);
};

/* metrics_notifiers.c */
void metrics_add_notifier_up(const struct metrics_scope *s);
void metrics_add_notifier_queued(const struct metrics_scope *s);
void metrics_add_notifier_sent(const struct metrics_scope *s);
void metrics_add_notifier_failures(const struct metrics_scope *s);
void metrics_add_notifier_dropped(const struct metrics_scope *s);
void metrics_add_notifier_success(const struct metrics_scope *s);
/* metrics_store.c; nothing where there is no store. */
void metrics_add_store_up(const struct metrics_scope *s);
void metrics_add_store_bytes(const struct metrics_scope *s);
void metrics_add_store_commits(const struct metrics_scope *s);
void metrics_add_store_failures(const struct metrics_scope *s);
void metrics_add_store_jobs(const struct metrics_scope *s);
void metrics_add_store_written(const struct metrics_scope *s);

extern const struct metrics_family metrics_families[];
extern const size_t metrics_n_families;

#endif
