/*
 * incident_visit.h - one target, while what is missing of it is looked for.
 *
 * Shared by incident_state.c, which walks over targets and hosts, and
 * incident_access.c, which looks at datastores.  Loop thread.
 */
#ifndef DSLAT_INCIDENT_VISIT_H
#define DSLAT_INCIDENT_VISIT_H

#include "incident_private.h"

struct visit {
	struct incidents *i;
	struct target *t;
	struct outlook *outlook;
	bool answers;          /* the inventory is of now */
	bool heard;            /* samples of some host are known */
	const char *outermost; /* key of the target's own incident, or NULL */
	int64_t silent_us;     /* without a sample for longer is silent */
	real_t now;
};

/* A condition holds: opens its incident or finds it; takes the key.  NULL: not
 * open yet, and too early to say. */
struct record *visit_hold(struct visit *v, enum incident_kind kind, char *key,
			  real_t since) must_check;
/* Inside the incident of this key, or of none (NULL). */
void visit_nest(struct visit *v, struct record *r, const char *key);
/* The incident is described; is_due: it may be told.  Tells what changed. */
void visit_settle(struct visit *v, struct record *r, enum severity s,
		  bool is_due);
/* "what:id" if such an incident is open and goes on; borrowed. */
const char *visit_key(const struct visit *v, const char *what, const char *id);
bool visit_is_silent(const struct visit *v, const struct pair *p);

/* incident_access.c */
void visit_access(struct visit *v, const struct datastore *ds);
void visit_data(struct visit *v, const struct datastore *ds);
/* NULL: that host has no such pair. */
const struct pair *visit_pair(const struct datastore *ds, const char *host_id);

#endif
