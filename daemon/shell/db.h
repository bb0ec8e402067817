/*
 * db.h - one connection to one SQLite file; the only door to the library.
 *
 * Statements are prepared once and kept: ask db_prepare() with the same literal
 * each time, bind all parameters (from 1), step until 0.  What a column gives
 * is valid until the next step.  Errors say the file, what is wrong and the
 * cure; ERR_DAMAGED is a file that is no database (any more), ERR_LIMIT a full
 * disk; all else is the world's (read-only, gone) and may be tried again.
 *
 * A connection belongs to one thread at a time.
 */
#ifndef DSLAT_DB_H
#define DSLAT_DB_H

#include "dslat/err.h"

struct db;
struct db_stmt;

enum db_mode {
	DB_WRITE, /* creates the file; the folder must be there */
	DB_READ,  /* the file must be there */
};

/* WAL; each commit is on the disk (synchronous=FULL). */
struct db *db_open(const char *path, enum db_mode mode, struct err *e)
	must_check;
void db_close(struct db **db);
/* False when the path is another file now, or none. */
bool db_is_in_place(const struct db *db);

/* Several statements, without parameters and without results. */
int db_exec(struct db *db, const char *sql, struct err *e) must_check;
/* The one number that sql (a literal) gives; 0 when it gives none or NULL. */
int db_number(struct db *db, const char *sql, int64_t *v_r, struct err *e)
	must_check;

/* sql is a literal: the pointer is the key.  Borrowed; NULL on error. */
struct db_stmt *db_prepare(struct db *db, const char *sql, struct err *e)
	must_check;
/* Bound bytes and texts (NULL allowed) must stay until the last step. */
void db_bind_int(struct db_stmt *st, int i, int64_t v);
void db_bind_text(struct db_stmt *st, int i, const char *s);
void db_bind_blob(struct db_stmt *st, int i, const void *data, size_t len);
/* 1: there is a row; 0: done, and ready for new bindings; -1: error, too. */
int db_step(struct db_stmt *st, struct err *e) must_check;
/* Steps until it is done; rows are ignored.  0 or -1. */
int db_run(struct db_stmt *st, struct err *e) must_check;
/* Rows that the last INSERT, UPDATE or DELETE changed. */
int64_t db_changes(const struct db *db);
/* Before the rows are all read. */
void db_reset(struct db_stmt *st);

/* Columns count from 0. */
bool db_is_null(struct db_stmt *st, int column);
int64_t db_int(struct db_stmt *st, int column);
const char *db_text(struct db_stmt *st, int column); /* "" for NULL */
const uint8_t *db_blob(struct db_stmt *st, int column, size_t *len_r);

/* Ended by one of the two others; db_commit() rolls back when it fails. */
int db_begin(struct db *db, struct err *e) must_check;
int db_commit(struct db *db, struct err *e) must_check;
void db_rollback(struct db *db);

#endif
