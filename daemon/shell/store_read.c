/*
 * Reading jobs, and the thread they run on.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "history_parts.h"
#include "store_private.h"

#define END_US (US_PER_S / 2)

struct job {
	struct task task;
	struct store *store;
	struct reader *reader;
	struct store_job job;
	uint64_t ticket;
	atomic_bool cancelled;
	bool good;              /* run returned 0 */
	struct err error;       /* when not */
	struct job *next, **at; /* of the reader's list; the loop thread's */
};

struct reader {
	struct worker *worker;
	char *path;
	struct db *db;           /* the reader thread's; NULL: closed */
	struct history *history; /* of db */
	struct job *jobs;        /* queued or running */
	size_t n_jobs;
	uint64_t last_ticket;
};

/* ---- the reader thread -------------------------------------------------- */

static void
reader_close(struct reader *r)
{
	history_free(&r->history);
	db_close(&r->db);
}

static int
reader_open(struct reader *r, struct err *e)
{
	if (r->db != NULL && !db_is_in_place(r->db))
		reader_close(r); /* another one is begun */
	if (r->db != NULL)
		return 0;
	r->db = db_open(r->path, DB_READ, e);
	if (r->db == NULL)
		return -1;
	r->history = history_new(r->db);
	return 0;
}

/* In one transaction, so that all a job reads is of the same moment. */
static int
run_open(struct job *j, struct err *e)
{
	struct reader *r = j->reader;

	if (db_begin(r->db, e) != 0)
		return -1;
	if (j->job.run(j->job.arg, r->history, e) != 0) {
		db_rollback(r->db);
		return -1;
	}
	return db_commit(r->db, e);
}

static void
job_run(struct task *task)
{
	struct job *j = (struct job *)task;
	struct reader *r = j->reader;

	if (atomic_load(&j->cancelled))
		return;
	j->good = reader_open(r, &j->error) == 0 && run_open(j, &j->error) == 0;
	if (!j->good && j->error.code == ERR_DAMAGED)
		reader_close(r);
}

/* ---- the loop thread ---------------------------------------------------- */

static void
job_done(struct task *task)
{
	struct job *j = (struct job *)task;
	struct reader *r = j->reader;
	const char *error = NULL;

	*j->at = j->next;
	if (j->next != NULL)
		j->next->at = j->at;
	r->n_jobs--;
	if (atomic_load(&j->cancelled))
		error = "cancelled";
	else if (!j->good)
		error = j->error.text;
	if (!j->good && j->error.code == ERR_DAMAGED)
		store_is_damaged(j->store);
	j->job.done(j->job.arg, error);
	free(j);
}

uint64_t
store_submit(struct store *s, const struct store_job *job)
{
	struct reader *r = s->reader;
	struct job *j;

	if (r == NULL || r->n_jobs >= STORE_MAX_JOBS)
		return 0;
	j = xcalloc(1, sizeof(*j));
	j->task.run = job_run;
	j->task.done = job_done;
	j->store = s;
	j->reader = r;
	j->job = *job;
	j->ticket = ++r->last_ticket;
	atomic_init(&j->cancelled, false);
	err_set(&j->error, ERR_GONE, "cancelled"); /* not run, at the end */
	j->next = r->jobs;
	j->at = &r->jobs;
	if (j->next != NULL)
		j->next->at = &j->next;
	r->jobs = j;
	r->n_jobs++;
	worker_post(r->worker, &j->task);
	return j->ticket;
}

void
store_job_cancel(struct store *s, uint64_t ticket)
{
	struct job *j = s->reader != NULL ? s->reader->jobs : NULL;

	while (j != NULL && j->ticket != ticket)
		j = j->next;
	if (j != NULL)
		atomic_store(&j->cancelled, true);
}

size_t
store_read_jobs(const struct store *s)
{
	return s->reader != NULL ? s->reader->n_jobs : 0;
}

int
store_read_start(struct store *s, struct err *e)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->path = xasprintf("%s/" STORE_FILE, s->conf.state_dir);
	r->worker = worker_new(s->loop, "store-read", e);
	if (r->worker == NULL) {
		free(r->path);
		free(r);
		return -1;
	}
	s->reader = r;
	return 0;
}

void
store_read_end(struct store *s)
{
	struct reader *r = s->reader;

	if (r == NULL)
		return;
	for (struct job *j = r->jobs; j != NULL; j = j->next)
		atomic_store(&j->cancelled, true);
	if (!worker_free(&r->worker, END_US))
		return; /* its thread hangs, and has the rest */
	s->reader = NULL;
	reader_close(r);
	free(r->path);
	free(r);
}
