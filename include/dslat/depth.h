/*
 * depth.h - how deep the time of block I/O was spent, beside the ring.
 *
 * Of the LUNs (extents) behind a VMFS datastore a host also tells what of the
 * latency was the device's (adapter, fabric and array: DAVG), the kernel's
 * (KAVG) and, as part of the kernel's, the queue's (QAVG); their sum device +
 * kernel is the whole.  NFS has none of it.  Each extent of a pair has a ring
 * of its own with the slots of the pair's, in which the first valid value of
 * each field stays; read and write are never mixed.  vSphere counts whole
 * milliseconds; latencies here are _us, -1 is "no value".
 *
 * A pair without values has no depth.  One extent takes sizeof(struct ring),
 * 4.6 KiB; where a datastore has several, each takes that twice, for the I/Os
 * that weigh them, and no more than DEPTH_MAX_EXTENTS are kept: 289 KiB at the
 * very worst.  The pair owns its depth.  Readers are pure; the loop thread.
 */
#ifndef DSLAT_DEPTH_H
#define DSLAT_DEPTH_H

#include "dslat/model.h"
#include "dslat/query.h"

enum layer {
	LAYER_DEVICE,
	LAYER_KERNEL,
	LAYER_QUEUE, /* part of the kernel's */
};
#define N_LAYERS 3
const char *layer_name(enum layer l); /* "device", "kernel", "queue" */

/* What VMFS allows. */
#define DEPTH_MAX_EXTENTS 32

/* Where in a cell of the extent's ring: the read, the write behind it. */
static inline unsigned
layer_field(enum layer l, enum op op)
{
	static_assert(N_LAYERS * N_OPS == N_FIELDS, "a cell has that room");
	return (unsigned)l * N_OPS + (unsigned)op;
}

/* ---- reading ---- */

/* One layer of one pair over its extents, in one slot. */
struct depth {
	int64_t mean_us;  /* I/O-weighted; -1: no value, or nothing to weigh
			   * several different values by */
	int64_t worst_us; /* of the extents; -1: no value */
};
/* As the host said: 0 is idle or below 1 ms. */
struct depth depth_of(const struct pair *p, int64_t slot, enum layer l,
		      enum op op);

/*
 * The same over all hosts of a datastore, weighted by each pair's I/Os as
 * merge_hosts() does, or of one pair: 0 where the pair is idle.  worst_us is of
 * the worst host's worst extent; ios, bytes, load and n are those of the pairs
 * that have a value; breach is not set.
 */
struct merged depth_merge_hosts(const struct datastore *ds, int64_t slot,
				enum layer l, enum op op);
struct merged depth_merge_one(const struct pair *p, int64_t slot, enum layer l,
			      enum op op);

/*
 * A metric of depth (metric_is_layer()) over time; bins has span->n_bins.  max
 * is of the worst host's worst extent, n counts samples of hosts.  Slots that
 * have left the rings are no samples.
 */
void depth_series(const struct datastore *ds, const struct host *host,
		  enum metric m, const struct span *span, struct bin *bins);

/* ---- filling ---- */

/* A LUN of a host: which extent it is of which of the host's datastores (one,
 * but for partitions). */
struct lun_use {
	struct pair *pair;
	size_t extent;
};
struct lun {
	struct lun_use *uses;
	size_t n;
};

/* host.luns anew, from the pairs it has. */
void depth_link(struct host *h);
void depth_unlink(struct host *h);
/* NULL: no datastore of the host claims the device. */
struct lun *depth_find(const struct host *h, const char *name, size_t len);
/* Forget the values: extents changed places, or a clock was wrong. */
void depth_forget(struct pair *p);

/* One valid value (>= 0) of an extent.  field: layer_field(), of the ring of
 * latencies; or, with is_ios, FIELD_IOS + op. */
enum ring_put depth_put(const struct lun_use *u, int64_t slot, unsigned field,
			bool is_ios, int32_t value);

#endif
