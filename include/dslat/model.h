/*
 * model.h - the live state: site > targets > hosts, datastores and pairs.
 *
 * One site per daemon, owned by main and touched by the loop thread only.  A
 * target owns its hosts, datastores and pairs; a pair joins one host and one
 * datastore that the host mounts.  Pointers into the model are valid until the
 * next model_apply() or model_expire(): keep ids, not pointers, across turns.
 * Objects that left the inventory are marked gone, hidden from lists, and
 * freed an hour later, so that a hiccup of permissions costs no history.
 *
 * Times of samples are the server's (real_t); ages use the server's clock too
 * (target_now()).  Latency _us, see sample.h.
 */
#ifndef DSLAT_MODEL_H
#define DSLAT_MODEL_H

#include "dslat/hist.h"
#include "dslat/inventory.h"
#include "dslat/map.h"
#include "dslat/ring.h"
#include "dslat/threshold.h"

enum target_state {
	TARGET_STARTING,    /* nothing heard yet */
	TARGET_OK,          /* the last poll was good */
	TARGET_DEGRADED,    /* polls work, some hosts or properties do not */
	TARGET_UNREACHABLE, /* network, TLS, 5xx: retrying with back-off */
	TARGET_AUTH_FAILED, /* login refused: long back-off */
};
const char *target_state_name(enum target_state s);

/* What a poll costs and yields; counters start at 0 with the process. */
struct target_stats {
	uint64_t polls, poll_failures, logins;
	uint64_t samples;   /* field values stored */
	uint64_t rejected;  /* below -1, or above any sense */
	uint64_t late;      /* arrived after their slot was final */
	uint64_t unclaimed; /* of an instance no datastore claims */
	uint64_t gaps;      /* (pair, slot)s final without a latency */
};

struct target {
	struct site *site;
	char *name; /* [A-Za-z0-9_-]+ */
	char *url;  /* without user or password */
	enum target_state state;
	char *error;      /* last error, for people; NULL when fine */
	char *api_type;   /* "VirtualCenter", "HostAgent" */
	char *version;    /* "8.0.3" */
	bool insecure;    /* certificate not verified, by request */
	real_t last_poll; /* our clock; us = 0 before the first good one */
	int64_t poll_us;  /* how long it took */
	int64_t poll_interval_us; /* in force */
	real_t server_time;       /* CurrentTime as last heard... */
	mono_t server_seen;       /* ...and when; us = 0 before */
	int64_t clock_skew_us;    /* server minus ours */
	unsigned field_mask;      /* fields this server has counters for */
	struct target_stats stats;
	struct map *hosts;      /* moref -> struct host */
	struct map *datastores; /* uuid -> struct datastore */
};

struct host {
	struct target *target;
	char *id; /* "target:moref" */
	char *moref, *name, *system_uuid, *cluster, *datacenter, *version;
	bool connected, maintenance;
	bool gone, seen; /* seen: used inside model_apply() */
	mono_t gone_since;
	char *error;         /* the target refuses this host; NULL when fine */
	int64_t shift_slots; /* added to its stamps; not 0: clock_off */
	int64_t newest_stamp_us; /* newest announced, raw; 0 before */
	int64_t skew_us;         /* newest valid t minus CurrentTime */
	int64_t suspect_shift; /* a shift seen once; adopted when seen twice */
	int64_t suspect_stamp_us; /* the stamp it was seen with; 0: none */
	bool backfilling;    /* holds back final slots until the hour is here */
	struct pair **pairs; /* borrowed from target */
	size_t n_pairs;
	struct map *instances; /* instance -> struct pair */
	struct map *luns;      /* canonical name -> struct lun, see depth.h */
	uint32_t store_id;     /* number in the history; 0: none yet */
	uint64_t store_print;  /* of the name it has there */
};

/* Per direction, added once per final slot; a sparse sample counts as 1 I/O. */
struct tally {
	uint64_t ios;
	int64_t sum_us; /* latency x I/Os */
};

struct pair {
	struct host *host;
	struct datastore *datastore;
	struct ring *ring;          /* NULL until the first value; owned */
	struct extent_rings *depth; /* depth.h; NULL until the first; owned */
	bool mounted, accessible, gone, seen;
	char *reason;         /* why not accessible, or NULL */
	int64_t newest_valid; /* newest slot with a latency; INT64_MIN */
	int64_t final_slot;   /* every slot up to here is final; INT64_MIN */
	int64_t dirty_slot;   /* lowest slot changed since the last publish,
			      * INT64_MAX: none */
	struct tally tally[N_OPS];
	uint32_t store_id; /* number in the history; 0: none yet */
};

/* Bounds of dslat_sample_latency_seconds, in us; the last is +Inf. */
#define N_LATENCY_BOUNDS 19
extern const int64_t latency_bounds_us[N_LATENCY_BOUNDS];

/* Per datastore and direction, from final slots in order. */
struct ds_tally {
	uint64_t buckets[N_LATENCY_BOUNDS + 1]; /* not cumulative */
	int64_t sum_us;                         /* of the samples' means */
	int64_t breach_us;                      /* time over the threshold */
	uint64_t breaches;  /* runs of breaching slots begun */
	uint64_t slow_ios;  /* I/Os of samples that breached */
	enum breach active; /* the newest final slot */
};

struct datastore {
	struct target *target;
	char *id; /* "target:uuid" */
	char *uuid, *moref, *name, *datacenter, *cluster, *fs, *backing;
	char **extents; /* canonical names of its LUNs; VMFS alone has some */
	size_t n_extents;
	enum protocol protocol;
	uint32_t protocols;
	bool accessible, maintenance;
	bool gone, seen;
	mono_t gone_since;
	int64_t capacity_bytes, free_bytes; /* -1 unknown */
	struct threshold threshold;
	char *threshold_origin;
	struct pair **pairs; /* owned */
	size_t n_pairs;
	bool ever_valid;    /* has had a sample */
	int64_t final_slot; /* least of its live pairs'; INT64_MIN */
	struct ds_tally tally[N_OPS];
	uint32_t store_id;    /* number in the history; 0: none yet */
	uint64_t store_print; /* of the name it has there */
};

struct site {
	struct target **targets;
	size_t n_targets;
	const struct threshold_rules *rules; /* borrowed from the conf */
	real_t started;      /* counters take no slot that ended before */
	mono_t started_mono; /* the same moment */
	struct now now;      /* this turn's clock, set by the loop */
	uint64_t freed;      /* counts what left its place: scans restart */
	struct bus *bus;     /* owned */
};

struct site *site_new(struct now now) must_check;
void site_free(struct site **site);
struct target *site_add_target(struct site *site, const char *name,
			       const char *url);
/* Removes and frees the target with all it owns. */
void site_remove_target(struct site *site, const char *name);
struct target *site_find_target(const struct site *site, const char *name);
/* By id "target:rest", split at the first colon; NULL when absent or gone. */
struct datastore *site_find_datastore(const struct site *site, const char *id);
struct host *site_find_host(const struct site *site, const char *id);
/* New rules (reload): every datastore resolves its threshold again. */
void site_set_rules(struct site *site, const struct threshold_rules *rules);

struct host *target_find_host(const struct target *t, const char *moref);
struct datastore *target_find_datastore(const struct target *t,
					const char *uuid);
/* The server's clock now, from CurrentTime and our monotonic clock. */
real_t target_now(const struct target *t);
void target_set_time(struct target *t, real_t server, mono_t seen);
void target_set_error(struct target *t, enum target_state s, const char *text);

/* Merge a snapshot: add, rename, mark gone.  Returns how many things changed. */
size_t model_apply(struct target *t, const struct inventory *inv);
/* Free what has been gone for an hour. */
void model_expire(struct site *site);

/* Counts towards hosts_expected: connected, mounted, accessible, not gone, and
 * of a kind that has counters. */
bool pair_is_expected(const struct pair *p);

/* On some host at least, as far as the inventory tells. */
bool datastore_is_accessible(const struct datastore *ds);

/* The API's datastore state, first that applies. */
enum ds_state {
	DS_MAINTENANCE,
	DS_INACCESSIBLE,
	DS_NOT_MEASURED,
	DS_CRITICAL,
	DS_WARNING,
	DS_NO_DATA,
	DS_IDLE,
	DS_OK,
};
enum ds_state datastore_state(const struct datastore *ds);
const char *ds_state_name(enum ds_state s);
/* Why, for people; NULL when there is nothing to say.  Static text. */
const char *ds_state_reason(enum ds_state s);

#endif
