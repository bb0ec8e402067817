/*
 * query.h - what the rings say: latest, series, groups, peaks.
 *
 * The arithmetic of design section 4: means are weighted by I/Os, the worst
 * host always stands beside them, read and write are never mixed, percentiles
 * come from merged histograms.  Bins cover (t - step, t].  Latency _us; -1 is
 * "no sample".  Pure readers of the model; the loop thread.  The long ones
 * (groups, peaks) go pair by pair in steps, so that no turn of the loop is
 * held up.
 */
#ifndef DSLAT_QUERY_H
#define DSLAT_QUERY_H

#include "dslat/model.h"
#include "dslat/roll.h"

/* One direction over several hosts in one slot. */
struct merged {
	int64_t mean_us;  /* I/O-weighted; 0 when idle; -1 no sample */
	int64_t worst_us; /* over the hosts; -1 no sample */
	const struct host *worst_host; /* NULL when idle or no sample */
	int64_t min_us;     /* over the busy hosts; 0 when idle; -1 */
	int64_t ios;        /* sum in 20 s; -1 unknown */
	int64_t bytes;      /* sum in 20 s; -1 unknown */
	enum load load;     /* the busiest of the hosts */
	enum breach breach; /* the worst of the hosts */
	size_t n;           /* hosts with a value */
};

struct merged merge_hosts(const struct datastore *ds, int64_t slot, enum op op);
struct merged merge_one(const struct pair *p, int64_t slot, enum op op);

struct latest {
	int64_t slot; /* INT64_MIN: no sample yet */
	struct merged op[N_OPS];
	size_t hosts_n, hosts_expected;
};
/* Newest slot valid on all connected hosts, or the newest over 60 s old. */
struct latest datastore_latest(const struct datastore *ds);
struct latest host_latest(const struct host *h);
struct latest pair_latest(const struct pair *p);
/* Age of that slot's end on the server's clock; INT64_MAX without a sample. */
int64_t latest_age_us(const struct target *t, const struct latest *l);

enum metric {
	METRIC_READ_MS,
	METRIC_WRITE_MS,
	METRIC_READ_IOPS,
	METRIC_WRITE_IOPS,
	METRIC_READ_BYTES_PER_S,
	METRIC_WRITE_BYTES_PER_S,
	/* Of block storage, see depth.h; the third is the worse of both
	 * directions, figure by figure, since they are never averaged. */
	METRIC_READ_DEVICE_MS,
	METRIC_WRITE_DEVICE_MS,
	METRIC_DEVICE_MS,
	METRIC_READ_KERNEL_MS,
	METRIC_WRITE_KERNEL_MS,
	METRIC_KERNEL_MS,
	METRIC_READ_QUEUE_MS,
	METRIC_WRITE_QUEUE_MS,
	METRIC_QUEUE_MS,
};
#define N_METRICS 15
const char *metric_name(enum metric m);
/* One of those of block storage: depth_series() knows them, nothing else does,
 * and not beyond the rings' hour. */
static inline bool
metric_is_layer(enum metric m)
{
	return m >= METRIC_READ_DEVICE_MS;
}
bool metric_from_name(const char *name, size_t len, enum metric *m_r);

/* One value of a series bin, in the metric's own unit (ms, per s). */
struct bin {
	double mean, max, min; /* NaN: no sample */
	uint64_t n;            /* samples (host slots) in it */
};
struct bin bin_of(const struct roll *r, enum metric m);

/*
 * from/to (server time) are widened to whole bins.  step_slots is the smallest
 * round step (20 s, 40 s, 1 min, ... 45 min, 1 h, ... 12 h, 1 d, ...) of at
 * least least_slots that gives at most `points` bins, or one more where from
 * is not the beginning of one: it depends on the length only, not on `from`.
 */
struct span {
	int64_t first_slot; /* first bin covers (first-1, first-1+step] */
	int64_t step_slots;
	size_t n_bins;
};
struct span span_make(real_t from, real_t to, size_t points,
		      int64_t least_slots);
real_t span_bin_end(const struct span *s, size_t bin);
/* The last slot of the last bin. */
int64_t span_last_slot(const struct span *s);

/* Adds what the rings hold of slots first..last to the span's bins.  host NULL:
 * over all hosts of the datastore. */
void series_add_rings(const struct datastore *ds, const struct host *host,
		      const struct span *span, int64_t first, int64_t last,
		      struct roll *bins);

/* One sample in the list of the worst. */
struct peak {
	const struct pair *pair;
	enum op op;
	int64_t slot, us, ios; /* ios -1 unknown */
	enum load load;
	enum breach breach;
};

enum group_by { GROUP_PROTOCOL, GROUP_FAMILY, GROUP_CLUSTER, GROUP_HOST };
bool group_by_from_name(const char *name, enum group_by *by_r);

struct group {
	char *name;       /* owned by the query */
	struct roll roll; /* its rates mean nothing */
	struct hist hists[N_OPS];
	const struct pair *max_pair[N_OPS]; /* NULL when no busy sample */
	int64_t threshold_us[N_OPS]; /* least of its datastores' with samples;
				      * INT64_MAX */
};

/*
 * A scan over all pairs, a few at a time: scan_groups, scan_peaks or
 * scan_visit, scan_step until true, read the rows in that same turn, scan_free.
 * When the model frees something in between (site.freed), the scan starts over.
 */
struct scan;
struct scan *scan_groups(const struct site *site, enum group_by by, real_t from,
			 real_t to) must_check;
struct scan *scan_peaks(const struct site *site, real_t from, real_t to,
			size_t limit) must_check;
/* What somebody else makes of the cells. */
struct scan_visitor {
	void (*restart)(void *arg); /* forget all that was seen */
	/* What follows is of this pair; false: skip its cells. */
	bool (*pair)(void *arg, const struct pair *p);
	void (*cell)(void *arg, int64_t slot, const struct cell *c);
};
struct scan *scan_visit(const struct site *site, real_t from, real_t to,
			const struct scan_visitor *visitor, void *arg)
	must_check;
/* from, to or both were reckoned from `now`: each target's own now is meant. */
void scan_by_each_clock(struct scan *s, real_t now, bool from, bool to);
/* Only slots from first_slot(arg, target) on: the rest comes from elsewhere. */
void scan_begin_at(struct scan *s,
		   int64_t (*first_slot)(void *arg, const struct target *t),
		   void *arg);
/* Handle about `pairs` pairs; true when all are done. */
bool scan_step(struct scan *s, size_t pairs);
/* By name; borrowed from the scan. */
const struct group *const *scan_group_rows(struct scan *s, size_t *n_r);
/* Worst first; single samples, so that two of one run may both be listed. */
const struct peak *scan_peak_rows(const struct scan *s, size_t *n_r);
void scan_free(struct scan **s);

#endif
