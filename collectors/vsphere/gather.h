/*
 * gather.h - the inventory of a target, gathered from property answers.
 *
 *	g = gather_new(is_vcenter);
 *	GATHER_BASIC    all pages, first: names, states, datastores
 *	GATHER_STORAGE  all pages: hosts' adapters, LUNs and paths
 *	GATHER_NVME     all pages: NVMe controllers; needs vSphere 7.0
 *	inv = gather_take(g);
 *
 * BASIC must come first: of each host's storage only what backs a datastore is
 * kept.  STORAGE and NVME may fail or be left out; protocols are then less
 * well known.  A fault InvalidProperty names a path the server does not know:
 * gather_drop_path(), then ask again.  Pure; one thread at a time.
 */
#ifndef DSLAT_GATHER_H
#define DSLAT_GATHER_H

#include "dslat/inventory.h"

#include "service.h"

enum gather_pass {
	GATHER_BASIC = 1,
	GATHER_STORAGE = 2,
	GATHER_NVME = 4,
};

struct gather;

struct gather *gather_new(bool is_vcenter) must_check;
void gather_free(struct gather **g);

/* Create the container view all passes go over (service_view_answer()). */
void gather_write_view(const struct gather *g, struct buf *b,
		       const struct service_content *sc);
/* The first page of a pass; max_objects 0: as many as the server likes. */
void gather_write_request(const struct gather *g, struct buf *b,
			  const struct service_content *sc, const char *view,
			  enum gather_pass pass, unsigned max_objects);
/* Any page behind the first: props_write_next() with props_token(r). */
struct answer *gather_answer(struct gather *g, bool next) must_check;

/* Leave the path out of later requests; false when it is not one of ours. */
bool gather_drop_path(struct gather *g, const char *path);

/* The first property the server could not give for a reason other than a
 * missing privilege, with that reason; NULL: none. */
const char *gather_problem(const struct gather *g);

/* Forget what was gathered (a refresh that broke off), not what was dropped. */
void gather_reset(struct gather *g);
/* What has been gathered, classified; the gather is empty then. */
struct inventory *gather_take(struct gather *g) must_check;

#endif
