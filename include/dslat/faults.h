/*
 * faults.h - what is wrong with a file, all of it, each with its place.
 *
 * A reader adds faults in any order; they come out sorted by place, one per
 * line: "file:line:column: what; what to do".  Lines and columns count from
 * 1; line 0 stands for the file as a whole.  A text holds no value that may
 * be a password.  Pure; the owner calls faults_fini().  One thread at a time.
 */
#ifndef DSLAT_FAULTS_H
#define DSLAT_FAULTS_H

#include "dslat/buf.h"
#include "dslat/err.h"

struct mark {
	int line, column;
};

struct fault {
	struct mark at;
	bool is_warning;
	char *text; /* owned */
};

struct faults {
	const char *path; /* borrowed */
	struct fault *v;  /* owned array */
	size_t n;
	size_t n_errors;  /* all of them, also those not kept */
	size_t n_dropped; /* beyond FAULTS_MAX */
};

#define FAULTS_MAX 200

void faults_init(struct faults *f, const char *path);
void faults_fini(struct faults *f);

void fault_add(struct faults *f, struct mark at, const char *fmt, ...)
	printf_like(3, 4);
/* Worth a line, but the file is good. */
void fault_warn(struct faults *f, struct mark at, const char *fmt, ...)
	printf_like(3, 4);

/* Sorts, and appends one line for each. */
void faults_print(struct faults *f, struct buf *out);
/* -1 and *e (ERR_CONF) when there are errors: the only one's text, or how many
 * there are and the first. */
int faults_result(struct faults *f, struct err *e) must_check;

#endif
