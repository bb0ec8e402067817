/*
 * faults.h - what goes wrong, switched on and off by name.
 *
 * Every name is a row of the table in faults.c with one line of help (GET
 * /sim/faults lists them).  A fault may be bound to one method, carry an
 * argument and last for a number of uses.  The caller guards it.
 */
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include "dslat/buf.h"
#include "dslat/err.h"

struct fault {
	const char *name; /* the table's */
	char *arg;        /* NULL: none */
	char *method;     /* NULL: any */
	int64_t left;     /* uses; -1 until switched off */
	struct fault *next;
};

struct faults {
	struct fault *first;
	char *taken_arg; /* of the newest take; borrowed by its caller */
};

/* count 0 switches off every fault of that name (and arg, when given). */
int faults_set(struct faults *f, const char *name, const char *arg,
	       const char *method, int64_t count, struct err *e) must_check;
void faults_clear(struct faults *f);
void faults_fini(struct faults *f);

/* Is the fault on for this method?  Uses it up by one.  *arg_r ("" = none)
 * is valid until the next take; arg_r may be NULL. */
bool faults_take(struct faults *f, const char *name, const char *method,
		 const char **arg_r);
/* The same, only if its argument is this. */
bool faults_take_for(struct faults *f, const char *name, const char *arg);
/* Is it on at all?  Uses nothing. */
bool faults_on(const struct faults *f, const char *name);

/* The argument as a number; `otherwise` when empty. */
int64_t fault_arg_int(const char *arg, int64_t otherwise);

/* One line per known fault: name, tab, help. */
void faults_help(struct buf *out);

#endif
