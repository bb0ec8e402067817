/*
 * incident_private.h - shared by the files that make up the engine.
 *
 * incident.c holds the list; incident_slow.c and incident_state.c decide what
 * begins and ends, incident_where.c finds the words.  Loop thread.
 */
#ifndef DSLAT_INCIDENT_PRIVATE_H
#define DSLAT_INCIDENT_PRIVATE_H

#include "dslat/incident.h"

/* An incident and what only the engine needs of it. */
struct record {
	struct incident in; /* first: incidents_at() hands it out */
	struct map
		*places;  /* id of a listed host -> its place from 1, or NULL */
	struct map *more; /* ids of hosts beyond INCIDENT_MAX_HOSTS, or NULL */
	bool seen;        /* its condition holds, in a walk */
	bool is_new, is_changed; /* to be told at the end of a walk */
	mono_t nest_lost; /* since when what it is nested in is over; us 0 */
};

/* The last slots of a (datastore, direction) that breached lately. */
struct track {
	int64_t slot;              /* of bit 0; bit n: n slots before */
	uint32_t breach, critical; /* values that came in time */
	int64_t ended_slot;        /* of its last incident; INT64_MIN */
	struct record *open;       /* or NULL */
};
#define TRACK_SLOTS 32

/* Since when a target answers, did for the first time, or is no longer there;
 * us 0: it does not, never did, is there. */
struct outlook {
	mono_t good_since, first_good, missing_since;
	uint64_t polls; /* of the target when last seen */
};

struct incidents {
	struct site *site;
	const struct incident_ops *ops;
	void *arg;
	const struct silences *silences;
	struct record **rows; /* by start, then id: the newest last; owned */
	size_t n, n_open;
	int64_t last_id;
	struct map *open;     /* key -> struct record */
	struct map *tracks;   /* key -> struct track; owned */
	struct map *outlooks; /* target -> struct outlook; owned */
};

/* incident.c */
/* A new open incident; takes the key. */
struct record *incidents_add(struct incidents *i, enum incident_kind kind,
			     char *key, real_t started);
struct record *incidents_find_open(const struct incidents *i, const char *key);
/* Its start moved: back to its place in the order. */
void incidents_replace(struct incidents *i, struct record *r);
void incidents_tell(struct incidents *i, struct record *r,
		    enum incident_change what);
/* It ended; reason is one of incident_end_reasons.  Tells. */
void incidents_end(struct incidents *i, struct record *r, real_t t,
		   const char *reason);
/* Who silences it now: true when that changed. */
bool incidents_silence(struct incidents *i, struct record *r);

/* incident_track.c */
struct track *track_find(const struct incidents *i, const char *key);
struct track *track_get(struct incidents *i, const char *key);
/* From the newest incident of the key. */
void track_restore(struct incidents *i, struct record *r);
/* Note a breaching slot; true: this slot did not breach before. */
bool track_note(struct track *k, int64_t slot, enum severity s) must_check;
/* How many of the n slots up to `slot` breach: counted in one of the masks. */
int track_count(const struct track *k, uint32_t mask, int64_t slot, int n);
/* The clock was set back: what lies ahead of `now` never was. */
void track_forget_future(struct track *k, int64_t now);
/* Forget those that no window reaches any more. */
void tracks_prune(struct incidents *i);

/* incident_judge.c: what final slots say of an incident that is open. */
void incidents_judge(struct incidents *i, struct record *r);
/* Is the pair's host one of the incident's, and which of the listed (NULL: not
 * listed)? */
bool record_has_pair(const struct record *r, const struct pair *p,
		     struct incident_host **h_r) must_check;

/* incident_state.c: all but latency, of one target. */
void incidents_check_states(struct incidents *i, struct target *t);
/* It has answered, and that was seen. */
bool incidents_has_answered(const struct incidents *i, const struct target *t);
/* End what belongs to targets that are no more. */
void incidents_end_orphans(struct incidents *i);
/* The target is not there, and for so long that no restart explains it. */
bool incidents_target_is_gone(struct incidents *i, const char *target);
/* The target's inventory has been known for long enough to say that what is not
 * in it is gone: as long as the model keeps what left. */
bool incidents_has_settled(const struct incidents *i, const struct target *t);

/* incident_words.c: copies of names and ids; host or ds may be NULL. */
void record_name(struct record *r, const struct target *t,
		 const struct datastore *ds, const struct host *h);
/* The summary and where to look, of latency; true when one changed. */
bool record_describe_slow(struct record *r, const struct datastore *ds)
	must_check;
/* The same of all others.  n_all: hosts that have the datastore; detail: what
 * the target said, or NULL. */
void record_describe(struct record *r, size_t n_all, const char *detail);
char *incident_text_ms(int64_t us) must_check;

/* incident_where.c: one host in the window of a slow datastore. */
struct where_host {
	const char *name;
	bool is_slow; /* in the incident */
	bool is_fine; /* enough I/O to tell, and it was not slow */
	bool has_io;
	/* At its worst, of block storage; -1 unknown. */
	int64_t device_us, kernel_us, queue_us;
};
/* The sentence that says where to look, or NULL; the caller's.  The first slow
 * host is the worst. */
char *incident_where(const struct where_host *hosts, size_t n) must_check;

/* incident_hosts.c: a host of the incident had this value (worst_us -1: not a
 * matter of latency).  true: it is new here, or worse than before. */
struct host_value {
	int64_t us, ios;
	real_t t;
	enum severity severity;
};
bool record_note_host(struct record *r, const struct host *h,
		      const struct host_value *v) must_check;
/* The listed hosts were put there by other means. */
void record_place_hosts(struct record *r);
/* Among those listed; NULL when not. */
struct incident_host *record_find_host(const struct record *r, const char *id);
void record_drop_host(struct record *r, const char *id);

#endif
