/*
 * kind.h - datastores and hosts, the two things people name.
 *
 * A name on the command line is an ID, "target/name", or a name that only one
 * of them has, if need be only up to its first dot: esx1 of esx1.example.
 */
#ifndef DSLAT_KIND_H
#define DSLAT_KIND_H

#include "cli.h"

struct kind {
	const char *word, *words; /* "datastore", "datastores" */
	const char *path;         /* "/api/v1/datastores" */
	const char *head;         /* "DATASTORE" */
	bool has_protocol;        /* and thresholds */
	/* the other side of it, inside */
	const char *part_head, *parts_head; /* "HOST", "HOSTS" */
	const char *worst_head;             /* "WORST HOST" */
	const char *parts;                  /* "hosts" */
	const char *read_worst, *write_worst;
	const char *parts_n, *parts_expected;
};

extern const struct kind kind_datastore, kind_host;

struct kind_name {
	const char *text;
	const char *target; /* only there; NULL: anywhere */
	/* An ID that is in no list is taken as it is, for it may have left the
	 * inventory: the row has nothing but id, target and name. */
	bool or_past;
};

/* The row of the list that is meant; the caller's.  NULL: standard error has
 * the reason and the candidates, *status_r the exit status. */
json_t *kind_find(const struct kind *k, const struct cli *c,
		  const struct kind_name *name, int *status_r) must_check;

#endif
