/*
 * ingest.h - decoded performance values into the model.
 *
 * A collector opens one host's reply, hands in its series in any order, and
 * closes it.  Opening checks the host's clock against the server's: beyond 90
 * s its samples are shifted by whole slots (a shift is adopted at first sight
 * of a new host, else when two replies in a row agree; until then the reply is
 * not used and will be asked again).  The newest *announced* stamp decides,
 * since values may come late while the clock is right.  Closing advances the
 * host's final slots and tells the bus.  Pure but for the model; loop thread.
 */
#ifndef DSLAT_INGEST_H
#define DSLAT_INGEST_H

#include "dslat/model.h"
#include "dslat/units.h"

#define INGEST_MAX_STAMPS 512
#define INGEST_INSTANCE_SIZE 128

struct ingest {
	struct host *host;
	size_t n_stamps;
	size_t cut; /* values skipped at the front of each series */
	int64_t stamps_us[INGEST_MAX_STAMPS]; /* as the host said */
	int64_t slots[INGEST_MAX_STAMPS];     /* shifted */
	int64_t newest_slot, newest_valid_us;
	/* What the last series' instance led to, and where it was looked up. */
	const struct map *map; /* NULL: not kept */
	void *found;
	char instance[INGEST_INSTANCE_SIZE];
	size_t instance_len;
};

/*
 * What a counter of this server means; made from its counter table.  Field:
 * those of a pair's cell (enum field + enum op; the instance is the datastore's
 * uuid), and behind them those of a LUN (its canonical name), see depth.h.
 */
struct ingest_counter {
	unsigned field;
	enum unit unit;
};
#define FIELD_LUN 8u      /* + layer_field() */
#define FIELD_LUN_IOS 16u /* + enum op: what weighs them */

enum counter_set { COUNTERS_PAIR, COUNTERS_LUN, COUNTERS_LUN_IOS };
#define N_COUNTER_SETS 3

static inline enum counter_set
counter_set(const struct ingest_counter *c)
{
	return (enum counter_set)(c->field / FIELD_LUN);
}

/*
 * Stamps are the host's, ends of intervals, any order, duplicates allowed;
 * more than INGEST_MAX_STAMPS are cut from the oldest side.  false: do not
 * use this reply (see above).
 */
bool ingest_open(struct ingest *in, struct host *h, const real_t *stamps,
		 size_t n_stamps);

/* values[i] belongs to stamps[i]; n_values may be less (the rest is missing)
 * or more (ignored).  -1 is missing; absurd ones are counted as rejected.
 * false: no datastore of the host claims the instance; of a LUN that is
 * ordinary, of a datastore it is counted. */
bool ingest_series(struct ingest *in, const struct ingest_counter *c,
		   const char *instance, size_t instance_len,
		   const int64_t *values, size_t n_values);

void ingest_close(struct ingest *in);

/* The host's hour is here, or given up: its final slots go on. */
void ingest_backfilled(struct host *h);

/*
 * At the end of each poll, good or bad, and at least every 20 s: advance final
 * slots by time alone (silent hosts), then the datastores' own.
 */
void ingest_tick(struct target *t);

#endif
