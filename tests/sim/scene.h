/*
 * scene.h - what is simulated: server, hosts, datastores, mounts, events.
 *
 * Read from a scene file (format: README.md) or generated for benches.  The
 * scene owns everything in it.  Hosts and datastores keep their place in the
 * arrays for life; one that was removed is `gone`.  The caller guards it.
 */
#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include "dslat/err.h"
#include "keys.h"
#include "protocols.h"

/* What a client sees of a pair's I/O before events change it. */
struct io_model {
	double read_ms, write_ms;     /* at mid load, truncated when sent */
	double read_iops, write_iops; /* at mid load, per host */
	double read_kib, write_kib;   /* per I/O */
	double noise;                 /* 0 none .. 1 wild */
	double day;                   /* 0 flat .. 1 quiet at night */
	double kernel_pct; /* share of the latency that is the kernel's */
};

struct scene_server {
	char *kind;                  /* vcenter | esxi */
	char *name;                  /* about.name when set */
	char *version, *build, *api; /* 8.0.3, ..., 8.0.2.0 */
	char *uuid;                  /* instanceUuid */
	char *user, *password;
	char *hidden_version; /* odd <version> like uA046D008 */
	int64_t seed;
	int64_t page_size;     /* 0: no ceiling below the client's wish */
	int64_t element_limit; /* XML elements in one request or answer */
	int64_t session_idle_s;
	int64_t max_sessions;
	int64_t clock_offset_s;
	int64_t late_pct; /* series that come after their slot is listed */
	int64_t late_min_s, late_max_s;
	int64_t max_query_metrics; /* 0: the key is absent */
	bool gzip;
};

struct scene_host {
	char *name, *moref, *uuid, *cluster;
	char *connection; /* connected | disconnected | notResponding */
	char *power;      /* poweredOn | poweredOff | standBy | unknown */
	char *version, *build, *api;
	bool maintenance;
	bool no_config; /* vCenter never learned it: config is unset */
	bool gone;
	int64_t clock_offset_s;
	double io_x; /* factor on all its I/O rates */
};

struct scene_lun {
	char *name;  /* naa. eui. t10. mpx. */
	char *array; /* target name: iqn, nqn or wwn text */
	uint64_t wwpn;
};

struct scene_ds {
	char *name, *moref, *uuid; /* uuid: last component of the url */
	char *proto_name;          /* a name of protocols.h */
	const struct protocol_row *proto;
	char *type; /* summary.type; from the protocol when not given */
	char *server, *path, *servers; /* NAS; servers = nfs41 multipath list */
	char *folder_path;             /* local: info.path */
	char *hosts;                   /* patterns of the hosts that mount it */
	char *mixed;    /* HOSTPATTERN:protocol[;...] on top of proto */
	char *topology; /* multipath | plugstore | nvme | none */
	char *datacenter, *pod, *folder;
	char *maintenance; /* normal | enteringMaintenance | inMaintenance */
	char *reason;      /* inaccessibleReason */
	char *security;    /* NAS securityType */
	int64_t extents;
	double extent_x; /* latency of an extent to that of the one before */
	int64_t lun_id;
	int64_t capacity_gib, free_gib;
	int64_t connections; /* nConnect */
	bool accessible;
	bool local;
	bool sioc;
	bool no_info; /* vmfs / nas sub-object unset */
	bool url_slash;
	bool gone;
	bool no_perf; /* never any datastore.* counter */
	bool hidden;  /* has counters but is in no inventory */
	struct io_model io;
	struct scene_lun *luns; /* n = extents */
	struct pair *pairs;     /* one per host, mounted or not */
	size_t n_pairs;
};

/* A datastore on a host. */
struct pair {
	uint32_t host, ds;
	bool mounted, accessible;
	const struct protocol_row *proto;
	const struct io_model *io;
	struct io_model *own_io; /* overrides of a `pair` line, or NULL */
	uint64_t key;            /* of its random numbers */
	uint64_t events;         /* bit i: event i may apply */
};

/* Something that happens at a time, or again and again. */
struct scene_event {
	char *kind; /* latency load idle hung missing gap late raw */
	char *host, *ds;
	double at_s, for_s,
		every_s;          /* from the scene's start; every 0 = once */
	double read_ms, write_ms; /* added to the pair's own */
	double read_x, write_x;   /* factors */
	double iops_x;
	double kernel_pct; /* share of the latency that is the kernel's queue */
	double ramp_s;
	double delay_s; /* late */
	char *counter;  /* raw: group.name.rollup */
	int64_t value;
	bool past; /* recurs before the scene's start, too */
};

#define SCENE_EVENTS_MAX 64

struct scene_fault {
	char *name, *arg, *method;
	int64_t count; /* -1 until switched off */
};

struct scene_dc {
	char *name, *folder; /* folder: one of datacenters, or NULL */
};

/* A datastore cluster. */
struct scene_pod {
	char *name, *datacenter;
};

struct scene_cluster {
	char *name, *datacenter, *folder;
	bool standalone; /* a ComputeResource for one host */
};

struct scene {
	struct scene_server server;
	struct scene_dc *dcs;
	struct scene_pod *pods;
	struct scene_cluster *clusters;
	struct scene_host *hosts;
	struct scene_ds *dss;
	struct scene_event events[SCENE_EVENTS_MAX];
	struct scene_fault *faults;
	size_t n_dcs, n_pods, n_clusters, n_hosts, n_dss, n_events, n_faults;
	bool is_esxi;
	uint32_t generation; /* moves when anything in it changed */
};

/* Read a file; errors say file:line. */
int scene_load(struct scene *s, const char *path, struct err *e) must_check;
/* A scene of that many hosts that all mount that many datastores. */
int scene_generate(struct scene *s, size_t n_hosts, size_t n_dss, struct err *e)
	must_check;
void scene_fini(struct scene *s);

/* One line of a scene, for the parser, the generator and the control. */
int scene_line(struct scene *s, char *line, struct err *e) must_check;
/* Fill in what lines left open; after the last line. */
int scene_complete(struct scene *s, struct err *e) must_check;
/* Which events may touch which pair; after an event was added. */
void scene_bind_events(struct scene *s);

int scene_set_host(struct scene *s, struct scene_host *h, const char *key,
		   const char *value, struct err *e) must_check;
int scene_set_ds(struct scene *s, struct scene_ds *d, const char *key,
		 const char *value, struct err *e) must_check;
int scene_set_server(struct scene *s, const char *key, const char *value,
		     struct err *e) must_check;
int scene_set_event(struct scene_event *ev, const char *key, const char *value,
		    struct err *e) must_check;

/* Is it part of the inventory now? */
static inline bool
scene_ds_listed(const struct scene_ds *d)
{
	return !d->gone && !d->hidden;
}

/* Make d->pairs as long as the list of hosts. */
void scene_size_pairs(const struct scene *s, struct scene_ds *d);

/* By name or moref; NULL when there is none. */
struct scene_host *scene_host(const struct scene *s, const char *name);
struct scene_ds *scene_ds(const struct scene *s, const char *name);

/* A repeatable 64-bit number from a text and a salt. */
uint64_t scene_hash(const struct scene *s, const char *text, uint64_t salt);

#endif
