/*
 * store_write.h - the writer: the one writing connection, on its own thread.
 *
 * The loop thread makes tasks (struct writer_task at the front of each),
 * writer_run() does them and fills the report.  A task that fails leaves the
 * writer closed (with a full disk: open), and every task after it fails at
 * once, until a task that opens it succeeds: what was queued meanwhile is lost
 * here, and comes again from the rings.
 */
#ifndef DSLAT_STORE_WRITE_H
#define DSLAT_STORE_WRITE_H

#include "dslat/ring.h"
#include "dslat/store.h"
#include "store_catalogue.h"
#include "worker.h"

/* What has no row says INT64_MIN. */
struct store_since {
	int64_t raw_hour, bin5_hour, bin60_day;
};

/* How things stand after a task. */
struct store_report {
	bool ok;          /* done, and committed */
	struct err error; /* when not */
	char *aside;      /* a damaged file was moved there; owned */
	bool forgot;      /* numbers were given back: read them anew */
	int64_t bytes, free_bytes;
	struct store_since since; /* of the last maintenance */
};

struct writer;
struct writer_task {
	struct task task;
	struct store *store;   /* the loop thread's */
	struct writer *writer; /* the writer thread's */
	/* The opening it was made for; another one means it is stale. */
	uint64_t opening;
	bool opens;
	/* On the writer thread, inside no transaction. */
	int (*work)(struct writer_task *t, struct err *e);
	/* On the loop thread, after the report was taken; frees the task. */
	void (*end)(struct writer_task *t);
	struct store_report report;
};

struct writer *writer_new(const char *dir) must_check;
void writer_free(struct writer **w); /* closes the file */
void writer_run(struct task *t);

/* ---- opening ---- */

/* What was in the file, for the loop thread. */
struct store_contents {
	struct catalogue *catalogue;
	struct map *last_slots; /* target -> its newest slot, as int64_t * */
	struct ring **rings;    /* by pair; the newest 64 minutes */
	size_t n_rings;
};
void contents_fini(struct store_contents *c);

struct open_task {
	struct writer_task t;
	real_t now;
	struct store_contents contents; /* when it went well */
};
int open_work(struct writer_task *t, struct err *e) must_check;

/* ---- the cells of a poll, with the news they need ---- */

struct batch_task {
	struct writer_task t;
	char *target; /* owned; NULL: news only */
	int64_t first_slot, last_slot;
	struct live_cell *cells; /* owned */
	size_t n_cells;
	struct store_news news;
};
int batch_work(struct writer_task *t, struct err *e) must_check;

/* ---- documents ---- */

struct doc_row {
	char *kind, *body; /* owned; body NULL: delete it */
	int64_t id, t_us;
};
struct docs_task {
	struct writer_task t;
	struct doc_row *rows; /* owned */
	size_t n_rows;
};
int docs_work(struct writer_task *t, struct err *e) must_check;

/* ---- hours, retention: a slice of what there is to do ---- */

struct ds_threshold {
	uint32_t object;
	struct threshold threshold;
};

struct upkeep_task {
	struct writer_task t;
	int64_t now_slot;
	int64_t due_hour; /* is over and final, and so are those before */
	int64_t raw_days, five_minute_days, hour_days, max_bytes;
	struct threshold fallback;
	struct ds_threshold *thresholds; /* owned; by object */
	size_t n_thresholds;
	bool more; /* there is more to do now */
};
int upkeep_work(struct writer_task *t, struct err *e) must_check;

#endif
