/*
 * side.h - one side of a comparison: which (host, datastore) pairs it is.
 *
 * "family:nfs", "protocol:iscsi", "datastore:ID", "host:ID", "cluster:NAME",
 * "target:NAME", or several of them with commas, all of which must hold.  A
 * comma only divides when one of these words and a colon follow, so that IDs
 * may hold commas.  Pure; any thread.
 */
#ifndef DSLAT_SIDE_H
#define DSLAT_SIDE_H

#include "dslat/buf.h"
#include "dslat/err.h"
#include "dslat/protocol.h"

enum side_key {
	SIDE_FAMILY,
	SIDE_PROTOCOL,
	SIDE_DATASTORE,
	SIDE_HOST,
	SIDE_CLUSTER,
	SIDE_TARGET,
};
#define N_SIDE_KEYS 6
const char *side_key_name(enum side_key k); /* "family" */

/* A pair, by its names; any may be NULL. */
struct side_pair {
	const char *target, *cluster;
	const char *datastore, *datastore_name; /* ID, name */
	const char *host, *host_name;
	enum protocol protocol;
};

struct side {
	char *text;               /* as it was given */
	char *value[N_SIDE_KEYS]; /* NULL: whatever */
	/* Of datastore and host, from the first pair that matched. */
	char *label[N_SIDE_KEYS];
};

/* Does a term begin with a key?  *value_r: behind its colon. */
bool side_key_of(const char *term, enum side_key *key_r, const char **value_r);
bool side_is_family(const char *name); /* "nfs"; "fc" is a protocol too */
/* The end of the first term of s: at a comma that divides, or the end. */
size_t side_term_len(const char *s);

/* side_fini() in either case. */
int side_parse(const char *text, struct side *s, struct err *e) must_check;
void side_fini(struct side *s);
/* Not const: it remembers the names of what it sees. */
bool side_matches(struct side *s, const struct side_pair *p);
/* For people: "NFS", "iSCSI on esx1.example", "cluster prod". */
void side_name(const struct side *s, struct buf *out);

#endif
