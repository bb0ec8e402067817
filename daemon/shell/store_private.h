/*
 * store_private.h - between the files of the store's loop side.
 *
 *	store.c		start and end, state, tasks that come back
 *	store_batch.c	what polls changed; numbers, names, gaps
 *	store_name.c	what things are called
 *	store_refill.c	rings from what was read back
 *	store_docs.c	documents
 *	store_read.c	reading jobs, and their thread
 *
 * All but the run functions of store_read.c is the loop thread's.
 */
#ifndef DSLAT_STORE_PRIVATE_H
#define DSLAT_STORE_PRIVATE_H

#include "store_write.h"

/* What is known of a target's samples, by its name. */
struct store_target {
	int64_t last_slot;   /* newest that was seen; INT64_MIN */
	int64_t resend_from; /* lowest slot not stored; INT64_MAX: all is */
	bool missed;         /* because of a failure, not of its size */
	int64_t gap_from;    /* nothing is known from here on; INT64_MAX */
	mono_t gap_seen;
};

struct ready_fn {
	void (*fn)(void *arg);
	void *arg;
};

struct store {
	struct loop *loop;
	struct site *site;
	struct store_conf conf;
	bool configured;
	struct store_status status;
	char *error, *aside; /* what status points to */

	struct writer *writer;
	struct worker *write_worker;
	uint64_t opening; /* of the last open_task posted */
	bool opening_now; /* an open_task is under way */
	bool was_open;    /* tried at least once */
	mono_t opened;
	struct loop_timer *tick, *retry;
	int64_t retry_us;
	bool keeping_up; /* an upkeep_task is under way */
	bool complained; /* of a failure, and not well since */
	bool ending;     /* nothing new is begun */

	struct store_contents contents; /* numbers, and rings to give out */
	struct store_news news;         /* for the next batch */
	struct map *targets;            /* name -> struct store_target */
	size_t cells_queued;

	struct map *docs; /* "kind/id" -> struct doc_row, to be written */
	bool docs_flying;
	struct ready_fn *on_ready;
	size_t n_on_ready;

	struct reader *reader; /* store_read.c */
};

#define STORE_MAX_QUEUED_CELLS 400000 /* 16 MB */

/* ---- store.c ---- */

/* Fills in what all tasks have in common, and posts it. */
void store_post(struct store *s, struct writer_task *t,
		int (*work)(struct writer_task *t, struct err *e),
		void (*end)(struct writer_task *t));
/* A reader met a damaged place. */
void store_is_damaged(struct store *s);

/* A batch is on the disk: all is well (again). */
void store_batch_written(struct store *s, size_t n_cells);

/* ---- store_batch.c ---- */

struct store_target *store_target(struct store *s, const char *name);
void store_on_samples(void *arg, struct target *t);
void store_on_status(void *arg, struct target *t);
/* From that slot on a target's samples are not stored yet. */
void store_missed(struct store *s, const char *target, int64_t slot);
/* The same, of what is in the rings but not in a file with these newest slots
 * (target -> int64_t *). */
void store_resend_newer(struct store *s, const struct map *last_slots);
/* Sends what could not be stored, a part at a time. */
void store_resend(struct store *s);
/* Every 20 s: gaps that stay, news without samples. */
void store_settle_gaps(struct store *s);
void store_send_news(struct store *s);
/* The file was opened: its numbers are other ones now. */
void store_forget_ids(struct store *s);

/* ---- store_name.c ---- */

/* Adds a name if it is another one since the last time. */
void store_name_host(struct host *h, int64_t slot, struct store_news *news);
void store_name_datastore(struct datastore *ds, int64_t slot,
			  struct store_news *news);

/* ---- store_refill.c ---- */

/* What was read back and nobody wanted for an hour. */
void store_drop_rings(struct store *s);
/* Gives the pair the ring that was read back, once. */
void store_refill(struct store *s, struct pair *p);

/* ---- store_docs.c ---- */

void store_docs_flush(struct store *s);
void store_docs_free(struct store *s);

/* ---- store_read.c ---- */

int store_read_start(struct store *s, struct err *e) must_check;
void store_read_end(struct store *s);
size_t store_read_jobs(const struct store *s);

#endif
