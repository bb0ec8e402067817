/*
 * The connection and the tables, on a real file.  What SQLite says of the file
 * comes from a second connection or from the file's own bytes.
 */
#include "daemon/shell/db.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "daemon/shell/store_schema.h"
#include "dslat/mem.h"

struct place {
	char dir[64], path[96];
};

static int
setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	snprintf(p->dir, sizeof(p->dir), "/tmp/dslat-db-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->path, sizeof(p->path), "%s/history.db", p->dir);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	static const char *const ends[] = { "", "-wal", "-shm", ".old" };
	struct place *p = *state;
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		snprintf(path, sizeof(path), "%s%s", p->path, ends[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(p->dir), 0);
	free(p);
	return 0;
}

static struct db *
open_ok(const struct place *p, enum db_mode mode)
{
	struct err e;
	struct db *db = db_open(p->path, mode, &e);

	if (db == NULL)
		fail_msg("%s", e.text);
	return db;
}

static void
ok(int rc, const struct err *e)
{
	if (rc < 0)
		fail_msg("%s", e->text);
}

static void
test_values(void **state)
{
	struct db *db = open_ok(*state, DB_WRITE), *reader;
	static const char sql[] = "SELECT a, b, c FROM t ORDER BY a";
	struct db_stmt *st;
	const uint8_t *blob;
	struct err e;
	size_t len;
	int64_t n;

	ok(db_exec(db, "CREATE TABLE t (a INTEGER, b TEXT, c BLOB)", &e), &e);
	st = db_prepare(db, "INSERT INTO t VALUES (?, ?, ?)", &e);
	ok(db_begin(db, &e), &e);
	db_bind_int(st, 1, INT64_MIN);
	db_bind_text(st, 2, "Zürich");
	db_bind_blob(st, 3, "a\0b", 3);
	ok(db_run(st, &e), &e);
	db_bind_int(st, 1, 7);
	db_bind_text(st, 2, NULL);
	ok(db_run(st, &e), &e);
	ok(db_commit(db, &e), &e);

	reader = open_ok(*state, DB_READ);
	st = db_prepare(reader, sql, &e);
	assert_ptr_equal(st, db_prepare(reader, sql, &e));
	assert_int_equal(db_step(st, &e), 1);
	assert_true(db_int(st, 0) == INT64_MIN);
	assert_string_equal(db_text(st, 1), "Zürich");
	blob = db_blob(st, 2, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(blob, "a\0b", 3);
	assert_int_equal(db_step(st, &e), 1);
	assert_int_equal(db_int(st, 0), 7);
	assert_true(db_is_null(st, 1));
	assert_string_equal(db_text(st, 1), "");
	assert_int_equal(db_step(st, &e), 0);
	ok(db_number(reader, "SELECT count(*) FROM t", &n, &e), &e);
	assert_int_equal(n, 2);
	ok(db_number(reader, "SELECT a FROM t WHERE a = 1", &n, &e), &e);
	assert_int_equal(n, 0);
	/* It reads only. */
	assert_int_equal(db_exec(reader, "DELETE FROM t", &e), -1);
	db_close(&reader);
	db_close(&db);
}

static void
test_rollback(void **state)
{
	struct db *db = open_ok(*state, DB_WRITE);
	struct err e;
	int64_t n;

	ok(db_exec(db, "CREATE TABLE t (a INTEGER PRIMARY KEY)", &e), &e);
	ok(db_begin(db, &e), &e);
	ok(db_exec(db, "INSERT INTO t VALUES (1)", &e), &e);
	assert_int_equal(db_exec(db, "INSERT INTO t VALUES (1)", &e), -1);
	db_rollback(db);
	db_rollback(db); /* none open: nothing */
	ok(db_number(db, "SELECT count(*) FROM t", &n, &e), &e);
	assert_int_equal(n, 0);
	db_close(&db);
}

static void
test_place(void **state)
{
	const struct place *p = *state;
	struct db *db = open_ok(p, DB_WRITE);
	char old[128];

	assert_true(db_is_in_place(db));
	snprintf(old, sizeof(old), "%s.old", p->path);
	assert_int_equal(rename(p->path, old), 0);
	assert_false(db_is_in_place(db));
	db_close(&db);
}

static void
write_bytes(const struct place *p, off_t at, const char *text)
{
	int fd = open(p->path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
	close(fd);
}

static void
test_damaged(void **state)
{
	struct err e;

	write_bytes(*state, 0,
		    "This is a letter, not a database, and long"
		    " enough to be taken for one by its size only.");
	assert_null(db_open(((struct place *)*state)->path, DB_WRITE, &e));
	assert_int_equal(e.code, ERR_DAMAGED);
	assert_non_null(strstr(e.text, "not a database"));
}

static void
test_no_folder(void **state unused)
{
	struct err e;

	assert_null(db_open("/nonexistent/history.db", DB_WRITE, &e));
	assert_int_equal(e.code, ERR_IO);
	assert_non_null(strstr(e.text, "/nonexistent/history.db"));
	assert_non_null(strstr(e.text, "No such file"));
}

/* The four bytes at an offset of the file's header, as the format says. */
static uint32_t
header_number(const struct place *p, off_t at)
{
	int fd = open(p->path, O_RDONLY);
	uint8_t b[4];

	assert_int_equal(pread(fd, b, 4, at), 4);
	close(fd);
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
		(uint32_t)b[2] << 8 | b[3];
}

static void
test_schema(void **state)
{
	struct db *db = open_ok(*state, DB_WRITE);
	struct err e;
	int64_t n;

	ok(schema_apply(db, &e), &e);
	ok(schema_apply(db, &e), &e);
	ok(db_number(db,
		     "SELECT count(*) FROM sqlite_master WHERE type = 'table'",
		     &n, &e),
	   &e);
	assert_int_equal(n, 10);
	db_close(&db);
	assert_int_equal(header_number(*state, 68), 0x64736c74);
	assert_int_equal(header_number(*state, 60), 1); /* user_version */
	assert_true(header_number(*state, 52) != 0);    /* auto_vacuum... */
	assert_int_equal(header_number(*state, 64), 1); /* ...incremental */
	assert_int_equal(header_number(*state, 16) >> 16, 8192);
}

static void
test_newer(void **state)
{
	struct db *db = open_ok(*state, DB_WRITE);
	struct err e;

	ok(schema_apply(db, &e), &e);
	ok(db_exec(db, "PRAGMA user_version = 7", &e), &e);
	assert_int_equal(schema_apply(db, &e), -1);
	assert_int_equal(e.code, ERR_CONF);
	assert_non_null(strstr(e.text, "newer dslat"));
	assert_non_null(strstr(e.text, "is 7"));
	db_close(&db);
}

static void
test_foreign(void **state)
{
	struct db *db = open_ok(*state, DB_WRITE);
	struct err e;

	ok(db_exec(db, "CREATE TABLE bookmarks (url TEXT)", &e), &e);
	assert_int_equal(schema_apply(db, &e), -1);
	assert_int_equal(e.code, ERR_CONF);
	assert_non_null(strstr(e.text, "another program"));
	db_close(&db);
}

static void
test_keys(void **state unused)
{
	assert_true(store_key(1, 0) == 16777216);
	assert_true(store_key(498899, 5) == INT64_C(8370136285189));
	assert_true(store_key(-1, 0xffffff) == -1);
	assert_int_equal(store_day(47), 1);
	assert_int_equal(store_day(48), 2);
	assert_int_equal(store_day(0), 0);
	assert_int_equal(store_day(-1), -1);
	assert_int_equal(store_day(-24), -1);
	assert_int_equal(store_day(-25), -2);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rollback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test_setup_teardown(test_schema, setup, teardown),
		cmocka_unit_test_setup_teardown(test_newer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign, setup, teardown),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
