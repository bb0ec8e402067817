/*
 * counters.h - which counter ids this server has for what we want.
 *
 * Read from PerformanceManager.perfCounter at every connection: ids differ
 * between versions and between vCenter and ESXi, need 32 bits, and change.
 * A counter is known by group.name.rollup (keys, never labels: those are
 * translated), its unit by unitInfo.key.  Pure; one thread at a time.
 */
#ifndef DSLAT_COUNTERS_H
#define DSLAT_COUNTERS_H

#include "dslat/ingest.h"

#include "service.h"

#define COUNTERS_MAX 64

struct counter {
	int32_t id;
	bool asked; /* false: another id of a name that is already there */
	struct ingest_counter meaning;
};

struct counters {
	struct counter list[COUNTERS_MAX];
	size_t n;
	unsigned field_mask; /* bit = field that has a counter */
	char *problem;       /* why some are not there; NULL: none */
};

void counters_write_request(struct buf *b, const struct service_content *sc);
struct answer *counters_answer(void) must_check;
struct counters *counters_take(struct answer *r) must_check;
void counters_free(struct counters **c);

/* How many are asked for. */
size_t counters_count(const struct counters *c, enum counter_set set);
/* NULL when the id is none of ours. */
const struct ingest_counter *counters_find(const struct counters *c,
					   int32_t id);

#endif
