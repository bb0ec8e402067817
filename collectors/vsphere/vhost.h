/*
 * vhost.h - what polls remember of a host from one time to the next.
 *
 * How far it was answered for, whether it is behind, whether it is in trouble
 * and when it is asked again.  Kept by moref beside the model, which knows
 * nothing of polls, and let go with the model's host.  Slots are the model's,
 * so behind a shift of the host's clock.  Pure; one thread at a time.
 */
#ifndef DSLAT_VHOST_H
#define DSLAT_VHOST_H

#include "dslat/ingest.h"

#include "luns.h"

struct vhost {
	char *moref;
	int64_t fetched_slot; /* newest slot answered for; INT64_MIN: none */
	bool behind;          /* needs a back-fill */
	bool heard;           /* this answer has stamps of it */
	unsigned empty;       /* answers without a stamp in a row */
	unsigned faults;      /* in a row; not 0: asked alone */
	mono_t retry_at;      /* when it is asked alone again */
	bool answered;        /* the last live poll gave a sample */
	struct luns_host luns;
};

/* The one in a map of them, made if there is none. */
struct vhost *vhosts_get(struct map *vhosts, const char *moref);
/* Free those whose host the model has freed. */
void vhosts_forget(struct map *vhosts, const struct target *t);
void vhosts_free(struct map **vhosts);

/*
 * Its part of a request for n_samples.  A live poll asks for the newest slots
 * by the server's clock, moved to the host's own.  A host that answers nothing
 * there may have another clock than we think: it is asked without a window, as
 * is one whose whole hour is wanted.
 */
struct perf_query vhost_query(const struct vhost *v, const struct target *t,
			      unsigned n_samples, bool backfill);
/* Do slots lie between what was answered before and this answer?  For a new
 * host that is its whole hour. */
bool vhost_leaves_gap(const struct vhost *v, const struct ingest *in);

/* It refused, alone: asked again ever later. */
void vhost_failed(struct vhost *v, mono_t now);
bool vhost_is_due(const struct vhost *v, mono_t now);

#endif
