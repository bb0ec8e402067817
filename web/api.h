/*
 * api.h - the pieces that several answers of /api/v1 are made of.
 *
 * Shapes and names are design section 7 and openapi.json; every latency goes
 * through json_ms(), null is "no sample".  The loop thread.
 */
#ifndef DSLAT_API_H
#define DSLAT_API_H

#include "dslat/query.h"
#include "web/handlers.h"

/* The clock that a target's samples carry; without one target (NULL), the only
 * one's if there is one, else ours. */
real_t api_now(const struct web *w, const struct target *t);

/* There is a store, working or not. */
bool api_has_store(const struct web *w);

/* {read_ms, write_ms, read_iops, ...}: both directions into v. */
void api_set_values(json_t *v, const struct merged op[N_OPS]);
/* What a roll says of its samples with I/O: n, ios, mean_ms, p50_ms ... max_t,
 * over_s.  It has a histogram. */
void api_set_roll(json_t *v, const struct roll_op *r);
/* The end of a slot as RFC 3339; null before the first. */
json_t *api_slot_time(int64_t slot);
/* Age of the newest sample in whole seconds; null without one. */
json_t *api_stale_s(const struct target *t, const struct latest *l);
/* One pair's newest sample as seen from its datastore (the host's id and name)
 * or from its host (the datastore's). */
json_t *api_pair(const struct pair *p, bool from_datastore);

/* One row of a list, with what expand= adds. */
json_t *api_datastore(const struct web *w, const struct datastore *ds,
		      bool expand);
json_t *api_host(const struct host *h, bool expand);
json_t *api_target(const struct target *t);

/* By id; else 404 with the nearest one, and NULL.  parameter: the one it came
 * from, or NULL for the path. */
struct datastore *api_find_datastore(const struct web *w, struct request *rq,
				     const char *parameter, const char *id);
struct host *api_find_host(const struct web *w, struct request *rq,
			   const char *parameter, const char *id);

#endif
