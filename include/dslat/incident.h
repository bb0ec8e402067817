/*
 * incident.h - what went wrong, from the first bad sample to the end.
 *
 * One latency incident per (datastore, direction), with its hosts inside; no
 * data, an inaccessible datastore, an unreachable target and a refused login
 * are incidents of their own.  The engine follows the model (design section
 * 8): it opens at the first breaching slot, is announced when for_samples of
 * the last window_samples slots breach, changes severity, and ends.  All times
 * are those of samples (the server's clock), so everything runs in virtual
 * time.  Missing data never opens and never ends a latency incident.
 *
 * The engine is pure: changes go to incident_ops, which the shell turns into
 * documents of the store, SSE events and messages of notifiers.  It owns its
 * incidents: those that are open, and the newest INCIDENT_KEPT that ended.
 * Pointers are valid until the next call that changes something.  The loop
 * thread.
 */
#ifndef DSLAT_INCIDENT_H
#define DSLAT_INCIDENT_H

#include "dslat/json.h"
#include "dslat/model.h"
#include "dslat/silence.h"

#define INCIDENT_KEPT 5000
#define INCIDENT_MAX_HOSTS 256 /* listed; n_hosts counts all */
#define INCIDENT_TOLD_HOSTS 32 /* of those in messages and SSE, the worst */

enum incident_kind {
	INCIDENT_SLOW,
	INCIDENT_NO_DATA,      /* of a datastore, or of one host of it */
	INCIDENT_INACCESSIBLE, /* everywhere, or on some hosts only */
	INCIDENT_UNREACHABLE,  /* a target, or one host of it */
	INCIDENT_LOGIN,        /* a target refuses the account */
};
#define N_INCIDENT_KINDS 5

enum severity { SEVERITY_WARNING, SEVERITY_CRITICAL };

enum incident_state {
	INCIDENT_OPEN,      /* seen, not (yet) worth telling */
	INCIDENT_ANNOUNCED, /* told, or would be but for a silence */
	INCIDENT_ENDED,
};

/* One host of an incident, at its worst; names are copies. */
struct incident_host {
	char *id, *name;
	int64_t worst_us, worst_ios; /* -1: not a latency incident; unknown */
	real_t worst_t;
	enum severity severity;
	int idle_slots; /* judged in a row without any I/O */
};

struct incident {
	int64_t id;
	char *key; /* "slow:lab:uuid:write": at most one open of a key */
	enum incident_kind kind;
	enum incident_state state;
	enum severity severity, worst_severity;
	bool was_announced;
	/* What it is about; ids and names are copies, NULL where not one. */
	char *target, *datastore_id, *datastore, *datacenter, *cluster;
	char *host_id, *host; /* of an incident of one host */
	char *protocol, *backing;
	enum op op;                 /* of latency */
	struct threshold threshold; /* in force, if worst_us is over it */
	real_t started, announced, updated, ended; /* us 0: not yet */
	const char *end_reason;      /* of incident_end_reasons, or NULL */
	int64_t worst_us, worst_ios; /* -1 */
	real_t worst_t;
	char *worst_host;
	uint32_t breach_slots;       /* so far */
	struct incident_host *hosts; /* worst first */
	size_t n_hosts, n_listed;
	char *where;   /* the sentence that says where to look, or NULL */
	char *summary; /* one line: "lab/nfs01 write 83 ms on esx3 (>= 75)" */
	/* How far a latency incident is.  Bit n of the two masks is slot
	 * window_slot - n; every slot up to judged_slot has been looked at for
	 * the end, the last clear_slots of those that counted were fine. */
	int64_t window_slot, judged_slot; /* INT64_MIN: of no latency */
	uint32_t window_breach, window_critical;
	int clear_slots;
	/* By hand. */
	char *ack_by, *ack_note;
	real_t acked;
	/* Why nobody is told though announced, or NULL: key of the incident it
	 * is nested in; id of a silence or name of a maintenance window. */
	char *nested_in, *silenced_by;
};

enum incident_change {
	INCIDENT_OPENED,
	INCIDENT_TOLD,     /* became announced */
	INCIDENT_SEVERITY, /* went up or down while announced */
	INCIDENT_UPDATED,  /* a new worst value, host, sentence, silence */
	INCIDENT_ACKED,
	INCIDENT_CLOSED,
};

struct incident_ops {
	void (*changed)(void *arg, const struct incident *in,
			enum incident_change what);
	/* One that ended is not kept any more. */
	void (*dropped)(void *arg, int64_t id);
};

struct incidents;
struct incidents *incidents_new(struct site *site,
				const struct incident_ops *ops, void *arg)
	must_check;
void incidents_free(struct incidents **i);

/* From the bus: new values, a state that changed... */
void incidents_samples(struct incidents *i, struct target *t);
void incidents_status(struct incidents *i, struct target *t);
/* ...and time that passed (every 20 s at least): ends, and what is missing. */
void incidents_tick(struct incidents *i);

/* Drop those that ended before t. */
void incidents_expire(struct incidents *i, real_t t);
/* New ids are above this one: others may have been given that cannot be read
 * now. */
void incidents_skip_ids(struct incidents *i, int64_t id);

/* Newest first by start; open ones too.  i runs from 0; NULL behind the last. */
const struct incident *incidents_at(const struct incidents *i, size_t n);
size_t incidents_count(const struct incidents *i);
size_t incidents_open(const struct incidents *i);
const struct incident *incidents_find(const struct incidents *i, int64_t id);
/* Of those of a datastore that go on the one that matters most: told before
 * merely seen, critical before warning.  NULL: there is none. */
const struct incident *incidents_of(const struct incidents *i,
				    const char *datastore_id);
/* false: there is none, or it ended. */
bool incidents_ack(struct incidents *i, int64_t id, const char *by,
		   const char *note) must_check;

/* Silences and maintenance windows in force; borrowed, owned by the shell.
 * Call again when one is added, changed or removed. */
void incidents_set_silences(struct incidents *i, const struct silences *s);

/* "cleared": below clear_ms long enough; "idle": no I/O for long; "back": what
 * was missing is there; "gone": it left the inventory or the configuration;
 * "maintenance": somebody sent it there.  NULL behind the last. */
extern const char *const incident_end_reasons[];

const char *incident_kind_name(enum incident_kind k);
const char *incident_state_name(enum incident_state s);
const char *severity_name(enum severity s); /* "warning", "critical" */
const char *incident_change_name(enum incident_change c);

/* The one JSON form: API, SSE, store, webhook.  Caller owns. */
json_t *incident_json(const struct incident *in);
/* The reading half: fills a zeroed struct whose strings the caller frees with
 * incident_fini().  false: not one. */
bool incident_from_json(const json_t *v, struct incident *in_r) must_check;
void incident_fini(struct incident *in);
/* To be told: with the worst INCIDENT_TOLD_HOSTS; incident_fini() frees it. */
void incident_copy(const struct incident *in, struct incident *in_r);
/* Take back what incident_json() wrote (start); false: not one. */
bool incidents_restore(struct incidents *i, const json_t *v) must_check;

#endif
