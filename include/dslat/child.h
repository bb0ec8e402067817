/*
 * child.h - run a program: input, a time limit, and what became of it.
 *
 * The program gets a process group and a small environment of its own (PATH,
 * HOME, USER, LANG, LC_ALL, TZ, TMPDIR; no passwords that dslatd's has), its
 * input on stdin, nothing on stdout; the first line of its stderr is kept for
 * the error.  At its time limit the whole group is killed.  done comes exactly
 * once, never from inside child_start(), unless it was cancelled.  Nothing
 * blocks.  Loop thread only.
 */
#ifndef DSLAT_CHILD_H
#define DSLAT_CHILD_H

#include "dslat/err.h"
#include "dslat/loop.h"

struct child_spec {
	char *const *argv; /* NULL-terminated; [0] is an absolute path */
	const void *input; /* copied */
	size_t input_len;
	int64_t timeout_us;
};

struct child;
/* e code ERR_NONE: it ended with status 0. */
typedef void (*child_done_fn)(void *arg, const struct err *e);
struct child *child_start(struct loop *l, const struct child_spec *spec,
			  child_done_fn done, void *arg, struct err *e)
	must_check;
/* Kills the group; done does not come. */
void child_cancel(struct child **c);

#endif
