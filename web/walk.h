/*
 * walk.h - an answer made of every pair: what the rings hold, a few pairs per
 * turn, and then what the store knows of the time before.
 *
 * A walk is the first member of what a handler keeps.  The rings come first, so
 * that they do not move on while the disk is read; if the store does not answer
 * they are walked again, in full, and `trouble` says why the rest is missing.
 * The loop thread.
 */
#ifndef DSLAT_WALK_H
#define DSLAT_WALK_H

#include "web/api.h"
#include "web/lookup.h"
#include "web/param.h"

struct walk;

struct walk_ops {
	/* A walk over the rings, from nothing. */
	struct scan *(*scan)(struct walk *w);
	/* It is through: keep what its rows say. */
	void (*take_rings)(struct walk *w, struct scan *s);
	/* What the reader thread works on; owned by the lookup.  The question is
	 * taken. */
	void *(*past_new)(struct walk *w, struct history_ask *ask);
	struct lookup_ops past;
	/* The store has answered. */
	void (*take_past)(struct walk *w, void *past);
	/* It has not: take out of past what is still needed; or NULL. */
	void (*past_failed)(struct walk *w, void *past);
	/* Both are here. */
	void (*reply)(struct walk *w, struct request *rq);
	void (*free)(struct walk *w);
};

struct walk {
	uint32_t magic;
	struct web *web;
	const struct walk_ops *ops;
	struct time_range range;
	char *trouble; /* why it is not whole, or NULL */
	/* Private. */
	struct scan *scan;
	struct history_ask *ask;
	void *past;
	struct lookup *lookup;
};

/* From the handler: range and ops are set. */
void walk_start(struct walk *w, struct web *web, struct request *rq);

/* The same as a part of another job, which calls the step until it is true,
 * when both are here; ops.reply and ops.free are not used. */
void walk_begin(struct walk *w, struct web *web);
bool walk_step(struct walk *w, struct request *rq) must_check;
void walk_end(struct walk *w);

/* Copies. */
struct history_names walk_names(const struct pair *p);

#endif
