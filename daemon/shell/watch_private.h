/*
 * watch_private.h - shared by the files of the watch.
 *
 * watch.c owns incidents and silences and hears of time and samples;
 * watch_events.c owns the time line.  Loop thread.
 */
#ifndef DSLAT_WATCH_PRIVATE_H
#define DSLAT_WATCH_PRIVATE_H

#include "dslat/watch.h"

struct map;

struct subscription {
	const struct watch_ops *ops;
	void *arg;
};

struct watch {
	struct loop *loop;
	struct site *site;
	struct store *store; /* or NULL */
	struct loop_timer *timer;
	int64_t kept_us; /* ended incidents, and events; 0: all */
	struct incidents *incidents;
	struct silences silences;
	struct maintenance *windows;          /* their strings are the conf's */
	uint64_t announced[N_INCIDENT_KINDS]; /* since the start */
	struct map *unwritten;                /* ids of incidents, as text */
	struct event **events; /* by time, then id: the newest last; owned */
	size_t n_events;
	int64_t last_event;
	char *source; /* of what is written now, or NULL */
	struct subscription *subs;
	size_t n_subs;
};

/* watch_events.c */
void watch_put_events(struct watch *w);
void watch_restore_events(struct watch *w);
/* Those before t are dropped. */
void watch_expire_events(struct watch *w, real_t t);
void watch_free_events(struct watch *w);
void watch_audit(struct watch *w, const struct event *about, const char *fmt,
		 ...) printf_like(3, 4);
/* The text as a document, where there is a store; takes v. */
void watch_put(struct watch *w, const char *kind, int64_t id, real_t t,
	       json_t *v);
void watch_drop(struct watch *w, const char *kind, int64_t id);

#endif
