/*
 * store.h - history on disk: what outlives the process.
 *
 * One SQLite database (WAL) in state_dir.  A writer thread owns its one
 * writing connection, a reader thread a reading one; the loop thread hands them
 * work through bounded queues, is woken with the answers, and never waits.
 * Everything here is called on the loop thread, but for store_job.run.
 *
 * The store hears of samples on the site's bus.  After each poll the cells it
 * changed become one "live" row: that is durable at once.  When an hour is
 * over and final, its live rows are turned into one chunk per pair, and into
 * the rolls (5 min, 1 h) of pairs and datastores: rolls are always made from
 * the chunk, so that a late sample only makes them anew.
 *
 * A disk that is full, read-only, gone or broken stops nothing: the store says
 * so (status, one line of log), tries again, and when it works again writes
 * what the rings still hold.  Nothing is queued without bound.
 */
#ifndef DSLAT_STORE_H
#define DSLAT_STORE_H

#include "dslat/loop.h"
#include "dslat/model.h"

struct store;
struct history; /* history.h: a reading view, inside store_job.run */

struct store_conf {
	char *state_dir; /* owned by the conf; NULL: no store */
	int64_t raw_days, five_minute_days, hour_days;
	int64_t max_bytes;
};

enum store_state {
	STORE_OFF,     /* no state_dir */
	STORE_OPENING, /* not open yet */
	STORE_OK,
	STORE_FAILED, /* see error; it is tried again */
};
const char *store_state_name(enum store_state s);

struct store_status {
	enum store_state state;
	const char *error;  /* for people; NULL when fine; borrowed */
	int64_t bytes;      /* on disk, WAL too */
	int64_t free_bytes; /* of the file system; -1 unknown */
	real_t raw_since, five_minute_since, hour_since; /* us 0: nothing yet */
	real_t written; /* newest commit, our clock */
	uint64_t commits, failures;
	uint64_t cells;    /* stored since the start of the process */
	size_t jobs;       /* reads queued or running */
	const char *aside; /* path of a damaged file set aside, or NULL */
};

/* Subscribes to the site's bus; the site must outlive it. */
struct store *store_new(struct loop *l, struct site *site) must_check;
/*
 * At the start, before the loop runs, and after a reload.  Opens (creating,
 * migrating forward, setting a damaged file aside) within this call, so that
 * rings and documents can be read back before the first poll.  -1 only for
 * what the administrator must decide: a file of a newer dslat.  A disk that
 * does not work is not an error here: it is tried again.
 */
int store_apply(struct store *s, const struct store_conf *c, struct err *e)
	must_check;
/* Writes what is queued (at most about 2 s), then closes. */
void store_free(struct store **s);
struct store_status store_status(const struct store *s);

/* The number of a pair in the store; 0 before it has one. */
uint32_t store_pair_id(const struct pair *p);

/* Is something from that slot on stored that may be in no ring: of targets that
 * are no more, or from before the start? */
bool store_has_strays(const struct store *s, int64_t first_slot);

/* ---- reading -------------------------------------------------------------
 * A job runs on the reader thread, one after the other: keep each short (some
 * 20 ms) and submit the next from done, so that a long export lets pages pass.
 * done is always called once, on the loop thread, and may free arg; after
 * store_job_cancel() it is called with error "cancelled" whether run was
 * called or not.
 */
struct store_job {
	/* Reader thread: touch nothing but arg and h.  -1 with the error. */
	int (*run)(void *arg, struct history *h, struct err *e);
	void (*done)(void *arg, const char *error); /* NULL: run returned 0 */
	void *arg;
};
#define STORE_MAX_JOBS 256
/* A ticket for cancelling, or 0: no store, or too many are waiting (done is not
 * called then). */
uint64_t store_submit(struct store *s, const struct store_job *job) must_check;
void store_job_cancel(struct store *s, uint64_t ticket);

/* ---- documents -----------------------------------------------------------
 * Small JSON texts by kind and number: incidents, events, silences, queues of
 * notifiers.  Writes go through the writer's queue, in order.  While the store
 * does not work they are dropped; when it works again every owner is asked to
 * put what it has (on_ready).
 */
void store_doc_put(struct store *s, const char *kind, int64_t id, real_t t,
		   const char *text);
void store_doc_delete(struct store *s, const char *kind, int64_t id);
/* Those of a kind, by number, read within this call (start only). */
void store_doc_each(struct store *s, const char *kind,
		    void (*fn)(void *arg, int64_t id, real_t t,
			       const char *text),
		    void *arg);
/* Called each time the store begins to work after it did not. */
void store_on_ready(struct store *s, void (*fn)(void *arg), void *arg);

#endif
