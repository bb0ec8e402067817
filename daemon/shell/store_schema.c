#include "store_schema.h"

#include <inttypes.h>
#include <stdio.h>

/* "dslt", in the file's header: file(1) and we know it by that. */
#define APPLICATION_ID 0x64736c74

/* Step n leads from user_version n to n + 1.  A step that was released is never
 * changed: a new one is added. */
static const char *const steps[] = {
	"CREATE TABLE object ("
	"	id INTEGER PRIMARY KEY,"
	"	kind INTEGER NOT NULL," /* enum store_kind */
	"	target TEXT NOT NULL,"
	"	key TEXT NOT NULL,"
	"	UNIQUE (kind, target, key));"
	"CREATE TABLE object_name ("
	"	object INTEGER NOT NULL,"
	"	since_slot INTEGER NOT NULL,"
	"	json TEXT NOT NULL,"
	"	PRIMARY KEY (object, since_slot)) WITHOUT ROWID;"
	"CREATE TABLE pair ("
	"	id INTEGER PRIMARY KEY,"
	"	datastore INTEGER NOT NULL," /* object.id */
	"	host INTEGER NOT NULL,"      /* object.id */
	"	last_hour INTEGER,"          /* of a chunk; NULL: none yet */
	"	UNIQUE (datastore, host));"
	"CREATE TABLE live ("
	"	seq INTEGER PRIMARY KEY,"
	"	target TEXT NOT NULL,"
	"	first_slot INTEGER NOT NULL,"
	"	last_slot INTEGER NOT NULL,"
	"	body BLOB NOT NULL);"
	"CREATE INDEX live_slots ON live (last_slot, first_slot);"
	"CREATE TABLE chunk (id INTEGER PRIMARY KEY, body BLOB NOT NULL);"
	"CREATE TABLE bin5 (id INTEGER PRIMARY KEY, body BLOB NOT NULL);"
	"CREATE TABLE bin60 (id INTEGER PRIMARY KEY, body BLOB NOT NULL);"
	"CREATE TABLE gap ("
	"	id INTEGER PRIMARY KEY,"
	"	target TEXT NOT NULL,"
	"	first_slot INTEGER NOT NULL,"
	"	last_slot INTEGER NOT NULL,"
	"	reason TEXT NOT NULL);"
	"CREATE TABLE doc ("
	"	kind TEXT NOT NULL,"
	"	id INTEGER NOT NULL,"
	"	t_us INTEGER NOT NULL,"
	"	body TEXT NOT NULL,"
	"	PRIMARY KEY (kind, id)) WITHOUT ROWID;"
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;",
};

static int
check_owner(struct db *db, int64_t version, struct err *e)
{
	int64_t id, tables;

	if (db_number(db, "PRAGMA application_id", &id, e) != 0 ||
	    db_number(db, "SELECT count(*) FROM sqlite_master", &tables, e) !=
		    0)
		return -1;
	if (tables != 0 && id != APPLICATION_ID)
		return err_set(e, ERR_CONF,
			       "the file is a database of another program: "
			       "choose another state_dir");
	if (version > (int64_t)ARRAY_SIZE(steps))
		return err_set(e, ERR_CONF,
			       "the file was written by a newer dslat (its "
			       "version of the tables is %" PRId64
			       ", this dslat knows %zu): install the newer "
			       "dslat again, or choose another state_dir",
			       version, ARRAY_SIZE(steps));
	return 0;
}

static int
migrate(struct db *db, int64_t version, struct err *e)
{
	char sql[96];

	if (db_begin(db, e) != 0)
		return -1;
	for (size_t i = (size_t)version; i < ARRAY_SIZE(steps); i++)
		if (db_exec(db, steps[i], e) != 0)
			goto fail;
	snprintf(sql, sizeof(sql),
		 "PRAGMA application_id = %d; PRAGMA user_version = %zu",
		 APPLICATION_ID, ARRAY_SIZE(steps));
	if (db_exec(db, sql, e) == 0)
		return db_commit(db, e);
fail:
	db_rollback(db);
	return -1;
}

int
schema_apply(struct db *db, struct err *e)
{
	int64_t version;

	if (db_number(db, "PRAGMA user_version", &version, e) != 0 ||
	    check_owner(db, version, e) != 0)
		return -1;
	if (version == (int64_t)ARRAY_SIZE(steps))
		return 0;
	if (version < 0)
		return err_set(e, ERR_DAMAGED, "the file is damaged");
	return migrate(db, version, e);
}
