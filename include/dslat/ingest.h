/*
 * ingest.h - decoded performance values into the model.
 *
 * A collector opens one host's reply, hands in its series in any order, and
 * closes it.  Opening checks the host's clock against the server's: beyond 90
 * s its samples are shifted by whole slots (a shift is adopted at first sight
 * of a new host, else when two replies in a row agree; until then the reply is
 * not used and will be asked again).  The newest *announced* stamp decides,
 * since values may come late while the clock is right.  Closing advances final
 * slots and tells the bus.  Pure but for the model; the loop thread.
 */
#ifndef DSLAT_INGEST_H
#define DSLAT_INGEST_H

#include "dslat/model.h"
#include "dslat/units.h"

#define INGEST_MAX_STAMPS 512

struct ingest {
	struct host *host;
	size_t n_stamps;
	int64_t slots[INGEST_MAX_STAMPS]; /* shifted; INT64_MIN: unusable */
	bool unknown_instance; /* something no datastore claims was seen */
};

/* What a counter of this server means; made from its counter table. */
struct ingest_counter {
	unsigned field; /* enum field + enum op */
	enum unit unit;
};

/*
 * Stamps are the host's, ends of intervals, any order, duplicates allowed;
 * more than INGEST_MAX_STAMPS are cut from the oldest side.  false: do not
 * use this reply (see above).
 */
bool ingest_open(struct ingest *in, struct host *h, const real_t *stamps,
		 size_t n_stamps);

/* values[i] belongs to stamps[i]; n_values may be less (the rest is missing)
 * or more (ignored).  -1 is missing; absurd ones are counted as rejected. */
void ingest_series(struct ingest *in, const struct ingest_counter *c,
		   const char *instance, size_t instance_len,
		   const int64_t *values, size_t n_values);

void ingest_close(struct ingest *in);

/* Advance final slots by time alone (a host that is silent). */
void ingest_tick(struct target *t);

#endif
