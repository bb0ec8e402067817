/*
 * watch.h - incidents, events and silences of the running daemon.
 *
 * The shell around incident.h: hears the site's bus, ticks, keeps everything
 * as documents of the store, reads it back at the start, tells subscribers
 * (SSE, notifiers).  Events are what people and programs noted on the one time
 * line: notes by hand, silences and acknowledgements (the audit), changes of
 * the configuration; later vSphere's own.  The loop thread.
 */
#ifndef DSLAT_WATCH_H
#define DSLAT_WATCH_H

#include "dslat/incident.h"
#include "dslat/loop.h"
#include "dslat/store.h"

#define EVENTS_KEPT 10000
#define EVENT_MAX_TEXT 1000 /* bytes of a note */

struct event {
	int64_t id;
	real_t t;
	char *kind; /* "note", "audit", "setting", "vsphere", "dslatd" */
	char *text;
	char *by;                              /* name of the token, or NULL */
	char *target, *datastore_id, *host_id; /* what it is about, or NULL */
};

struct watch_ops {
	void (*incident)(void *arg, const struct incident *in,
			 enum incident_change what);
	void (*event)(void *arg, const struct event *e);
};

struct conf;
struct watch;
/* store may be NULL. */
struct watch *watch_new(struct loop *l, struct site *site, struct store *store)
	must_check;
void watch_free(struct watch **w);
/* Maintenance windows; at the start and before a reload takes effect: the conf is
 * borrowed until the next call. */
void watch_apply(struct watch *w, const struct conf *c);
/* Read back open incidents, events, silences; after store_apply(). */
void watch_restore(struct watch *w);
void watch_subscribe(struct watch *w, const struct watch_ops *ops, void *arg);
void watch_unsubscribe(struct watch *w, void *arg);

const struct incidents *watch_incidents(const struct watch *w);
/* Announced since the start of the process. */
uint64_t watch_announced(const struct watch *w, enum incident_kind k);
/* by: name of the token; each leaves an "audit" event. */
bool watch_ack(struct watch *w, int64_t id, const char *by, const char *note)
	must_check;
/* Whence the calls that follow come ("192.0.2.7"), for their audit events; NULL:
 * not known. */
void watch_set_source(struct watch *w, const char *from);
const struct silences *watch_silences(const struct watch *w);
const struct silence *watch_silence(struct watch *w, struct silence *take);
bool watch_unsilence(struct watch *w, int64_t id, const char *by) must_check;
/* Those that ended that long ago, before their time if there are too many. */
void watch_expire_silences(struct watch *w, int64_t keep_us);

/* Newest first; borrowed. */
const struct event *watch_event_at(const struct watch *w, size_t i);
/* Strings are copied; id is given here; t.us 0 is now. */
const struct event *watch_add_event(struct watch *w, const struct event *e);
json_t *event_json(const struct event *e);

#endif
