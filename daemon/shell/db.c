#include "db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "dslat/log.h"
#include "dslat/mem.h"

#define BUSY_MS 5000   /* the other side's commits take milliseconds */
#define CACHE_KIB 8192 /* per connection */

struct db {
	sqlite3 *lite;
	char *path;
	dev_t dev;
	ino_t ino;
	struct db_stmt **stmts; /* owned; grows by xgrow() */
	size_t n_stmts;
};

struct db_stmt {
	struct db *db;
	const char *sql;
	sqlite3_stmt *lite;
};

/* What people can do about it; by the primary code. */
static const struct {
	int code;
	enum err_code kind;
	const char *text;
} causes[] = {
	{ SQLITE_FULL, ERR_LIMIT,
	  "the disk is full: free some space, or lower retention.max_bytes" },
	{ SQLITE_READONLY, ERR_IO,
	  "it is read-only: make file and folder writable for dslatd's user" },
	{ SQLITE_CANTOPEN, ERR_IO,
	  "it cannot be opened: the folder must be there and writable for "
	  "dslatd's user" },
	{ SQLITE_PERM, ERR_IO, "no permission" },
	{ SQLITE_IOERR, ERR_IO, "the disk cannot be read or written" },
	{ SQLITE_BUSY, ERR_BUSY, "another program has locked it" },
	{ SQLITE_LOCKED, ERR_BUSY, "it is locked" },
	{ SQLITE_CORRUPT, ERR_DAMAGED, "the file is damaged" },
	{ SQLITE_NOTADB, ERR_DAMAGED, "the file is not a database" },
};

static int
fail(const struct db *db, int rc, struct err *e)
{
	int no = db->lite != NULL ? sqlite3_system_errno(db->lite) : 0;
	const char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		if (causes[i].code == (rc & 0xff)) {
			text = causes[i].text;
			e->code = causes[i].kind;
		}
	if (text == NULL)
		return err_set(e, ERR_IO, "%s: %s", db->path,
			       db->lite != NULL ? sqlite3_errmsg(db->lite)
						: sqlite3_errstr(rc));
	if (no != 0 && e->code == ERR_IO)
		return err_set(e, e->code, "%s: %s (%s)", db->path, text,
			       strerror(no));
	return err_set(e, e->code, "%s: %s", db->path, text);
}

static void
remember_place(struct db *db)
{
	struct stat st;

	if (stat(db->path, &st) == 0) {
		db->dev = st.st_dev;
		db->ino = st.st_ino;
	}
}

bool
db_is_in_place(const struct db *db)
{
	struct stat st;

	return stat(db->path, &st) == 0 && st.st_dev == db->dev &&
		st.st_ino == db->ino;
}

/* Page size and vacuum mode count for a new file only, before the WAL. */
static int
set_up(struct db *db, enum db_mode mode, struct err *e)
{
	static const char write_sql[] =
		"PRAGMA page_size = 8192;"
		"PRAGMA auto_vacuum = INCREMENTAL;"
		"PRAGMA journal_mode = WAL;"
		"PRAGMA synchronous = FULL;"
		"PRAGMA wal_autocheckpoint = 512;"
		"PRAGMA journal_size_limit = 8388608;"
		"PRAGMA foreign_keys = OFF;";

	sqlite3_extended_result_codes(db->lite, 1);
	sqlite3_busy_timeout(db->lite, BUSY_MS);
	if (db_exec(db,
		    "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = 1",
		    e) != 0)
		return -1;
	if (mode == DB_WRITE)
		return db_exec(db, write_sql, e);
	return db_exec(db, "PRAGMA query_only = 1", e);
}

struct db *
db_open(const char *path, enum db_mode mode, struct err *e)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
		(mode == DB_WRITE ? SQLITE_OPEN_CREATE : 0);
	struct db *db = xcalloc(1, sizeof(*db));
	int rc;

	static_assert(CACHE_KIB == 8192, "it is in the text below");
	db->path = xstrdup(path);
	rc = sqlite3_open_v2(path, &db->lite, flags, NULL);
	if (rc != SQLITE_OK) {
		fail(db, rc, e);
	} else if (set_up(db, mode, e) == 0 &&
		   db_exec(db, "PRAGMA cache_size = -8192", e) == 0) {
		remember_place(db);
		return db;
	}
	db_close(&db);
	return NULL;
}

void
db_close(struct db **dbp)
{
	struct db *db = *dbp;
	int rc;

	if (db == NULL)
		return;
	*dbp = NULL;
	for (size_t i = 0; i < db->n_stmts; i++) {
		sqlite3_finalize(db->stmts[i]->lite);
		free(db->stmts[i]);
	}
	rc = sqlite3_close(db->lite);
	assert(rc == SQLITE_OK); /* else a statement is left */
	free(db->stmts);
	free(db->path);
	free(db);
}

int
db_exec(struct db *db, const char *sql, struct err *e)
{
	int rc = sqlite3_exec(db->lite, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : fail(db, rc, e);
}

int
db_number(struct db *db, const char *sql, int64_t *v_r, struct err *e)
{
	struct db_stmt *st = db_prepare(db, sql, e);
	int rc;

	*v_r = 0;
	if (st == NULL)
		return -1;
	rc = db_step(st, e);
	if (rc == 1) {
		*v_r = db_int(st, 0);
		db_reset(st);
	}
	return rc < 0 ? -1 : 0;
}

struct db_stmt *
db_prepare(struct db *db, const char *sql, struct err *e)
{
	struct db_stmt *st;
	sqlite3_stmt *lite;
	int rc;

	for (size_t i = 0; i < db->n_stmts; i++)
		if (db->stmts[i]->sql == sql)
			return db->stmts[i];
	rc = sqlite3_prepare_v3(db->lite, sql, -1, SQLITE_PREPARE_PERSISTENT,
				&lite, NULL);
	if (rc != SQLITE_OK) {
		fail(db, rc, e);
		return NULL;
	}
	st = xcalloc(1, sizeof(*st));
	st->db = db;
	st->sql = sql;
	st->lite = lite;
	db->stmts = xgrow(db->stmts, db->n_stmts, sizeof(*db->stmts));
	db->stmts[db->n_stmts++] = st;
	return st;
}

/* Binding fails only for a wrong number or without memory: bugs here. */
static void
bound(int rc)
{
	assert(rc == SQLITE_OK);
}

void
db_bind_int(struct db_stmt *st, int i, int64_t v)
{
	bound(sqlite3_bind_int64(st->lite, i, v));
}

void
db_bind_text(struct db_stmt *st, int i, const char *s)
{
	bound(sqlite3_bind_text(st->lite, i, s, -1, SQLITE_STATIC));
}

void
db_bind_blob(struct db_stmt *st, int i, const void *data, size_t len)
{
	bound(sqlite3_bind_blob64(st->lite, i, data, len, SQLITE_STATIC));
}

int
db_step(struct db_stmt *st, struct err *e)
{
	int rc = sqlite3_step(st->lite);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		fail(st->db, rc, e);
	sqlite3_reset(st->lite);
	return rc == SQLITE_DONE ? 0 : -1;
}

int
db_run(struct db_stmt *st, struct err *e)
{
	int rc;

	do
		rc = db_step(st, e);
	while (rc == 1);
	return rc;
}

int64_t
db_changes(const struct db *db)
{
	return sqlite3_changes64(db->lite);
}

void
db_reset(struct db_stmt *st)
{
	sqlite3_reset(st->lite);
}

bool
db_is_null(struct db_stmt *st, int column)
{
	return sqlite3_column_type(st->lite, column) == SQLITE_NULL;
}

int64_t
db_int(struct db_stmt *st, int column)
{
	return sqlite3_column_int64(st->lite, column);
}

const char *
db_text(struct db_stmt *st, int column)
{
	const unsigned char *s = sqlite3_column_text(st->lite, column);

	return s != NULL ? (const char *)s : "";
}

const uint8_t *
db_blob(struct db_stmt *st, int column, size_t *len_r)
{
	const uint8_t *p = sqlite3_column_blob(st->lite, column);

	*len_r = (size_t)sqlite3_column_bytes(st->lite, column);
	return p;
}

int
db_begin(struct db *db, struct err *e)
{
	struct db_stmt *st = db_prepare(db, "BEGIN", e);

	return st != NULL ? db_run(st, e) : -1;
}

int
db_commit(struct db *db, struct err *e)
{
	struct db_stmt *st = db_prepare(db, "COMMIT", e);

	if (st != NULL && db_run(st, e) == 0)
		return 0;
	db_rollback(db);
	return -1;
}

void
db_rollback(struct db *db)
{
	for (size_t i = 0; i < db->n_stmts; i++)
		sqlite3_reset(db->stmts[i]->lite);
	if (sqlite3_get_autocommit(db->lite) == 0)
		sqlite3_exec(db->lite, "ROLLBACK", NULL, NULL, NULL);
}
