/*
 * model.h - what each (host, datastore) pair does in each 20 s slot.
 *
 * A pure function of the scene, its start and the slot: the same question
 * always has the same answer, so a test can compute what a client must have
 * seen (oracle.h).  Slots are counted in the host's clock: slot n ends at
 * n * 20 s since 1970 as the host stamps it.  Values are what vSphere sends:
 * whole milliseconds cut off, whole I/Os and KiB per second, -1 = missing.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "dslat/clock.h"
#include "scene.h"

#define SLOT_S 20
#define SLOTS_KEPT 180 /* one hour */

enum model_field {
	MODEL_READ_MS,
	MODEL_WRITE_MS,
	MODEL_READ_PER_S,
	MODEL_WRITE_PER_S,
	MODEL_READ_KIB_PER_S,
	MODEL_WRITE_KIB_PER_S,
	MODEL_FIELDS
};

struct model_sample {
	int64_t v[MODEL_FIELDS];
	/* exact latencies, and the part of them that is the host's queue */
	double read_ms, write_ms, kernel_ratio;
};

struct model {
	const struct scene *scene;
	real_t start; /* events count from here, server's clock */
};

/* The slot whose end the host has just stamped or passed. */
int64_t model_newest_slot(const struct model *m, const struct scene_host *h,
			  real_t server_now);
/* When that slot ends in the server's clock. */
real_t model_slot_end(const struct scene_host *h, int64_t slot);

void model_sample(const struct model *m, const struct pair *p, int64_t slot,
		  struct model_sample *out);
/* False: the host recorded nothing in that slot (a gap). */
bool model_has_slot(const struct model *m, size_t host_i, int64_t slot);
/* How long after its slot's end the series' value is posted. */
int64_t model_delay_s(const struct model *m, const struct pair *p, int64_t slot,
		      uint32_t series);
/* False during a `lost` event: the mount is gone for this host. */
bool model_mounted(const struct model *m, const struct pair *p,
		   real_t server_now);
/* A `raw` event's value for group.name.rollup; true if there is one. */
bool model_raw(const struct model *m, const struct pair *p, int64_t slot,
	       const char *counter, int64_t *value_r);
/* True if any event of a kind may touch the pair at all. */
bool model_may(const struct model *m, const struct pair *p, const char *kind);

#endif
