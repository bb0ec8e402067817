/*
 * store_parts.h - between the files of the writer thread.
 *
 *	store_write.c	tasks, failures, what a poll writes
 *	store_open.c	opening, setting aside, reading back
 *	store_hour.c	hours: live rows to chunks and rolls
 *	store_retain.c	what is thrown away
 */
#ifndef DSLAT_STORE_PARTS_H
#define DSLAT_STORE_PARTS_H

#include "store_write.h"

struct hour_job; /* store_hour.c */

struct writer {
	char *dir, *path;
	struct db *db;    /* NULL: closed */
	int lock_fd;      /* -1: none */
	uint64_t opening; /* counts the good ones */
	struct err error; /* why it is closed, or fails */
	bool failed;
	bool damaged;          /* to be set aside when it is opened next */
	char *aside;           /* since the last report; owned */
	struct hour_job *hour; /* begun; NULL: none */
	struct store_since since;
	bool forgot; /* numbers were given back: since the last report */
};

/* Creates the folder, takes the lock, opens, migrates; a damaged file is set
 * aside and a new one begun. */
int store_open(struct writer *w, real_t now, struct store_contents *c,
	       struct err *e) must_check;
void store_close(struct writer *w);

/* One slice; *more_r: there is another. */
int hour_slice(struct writer *w, const struct upkeep_task *u, bool *more_r,
	       struct err *e) must_check;
void hour_forget(struct writer *w);
int retain_slice(struct writer *w, const struct upkeep_task *u, bool *more_r,
		 struct err *e) must_check;

/* Where each table begins, for reports. */
int retain_since(struct writer *w, struct err *e) must_check;

/* zip_unpack() and the decoder in one: cells of a chunk or a live row; false:
 * damaged, nothing of it may be used. */
bool chunk_unpack(const uint8_t *body, size_t len,
		  struct cell cells[CHUNK_SLOTS]) must_check;
bool live_unpack(const uint8_t *body, size_t len,
		 void (*fn)(void *arg, const struct live_cell *c), void *arg)
	must_check;

#endif
