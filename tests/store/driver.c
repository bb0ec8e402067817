/*
 * driver.c - a store that can be killed, and what is in its file.
 *
 * driver run DIR SLOT [N]: polls slot after slot from SLOT on, N of them or for
 * ever, and prints "stored SLOT" when one is on the disk.
 * driver go DIR SLOT: a line "N" on standard input makes N polls, whatever the
 * state of the store; then it prints "SLOT STATE FAILURES".
 * driver dump DIR: prints what history.db holds, of hosts h and datastores d:
 *	cell h d SLOT READ_US WRITE_US READ_IOS WRITE_IOS READ_KIB WRITE_KIB
 *	hour h d HOUR OP N IOS MAX_US	(of bin60; h is -1 for all hosts)
 *	gap FIRST LAST
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/shell/store_parts.h"
#include "dslat/mem.h"
#include "dslat/roll.h"
#include "dslat/zip.h"
#include "rig.h"

#define HOSTS 2
#define DATASTORES 3

static int
fail(const char *text)
{
	fprintf(stderr, "driver: %s\n", text);
	return 1;
}

static int
run(const char *dir, int64_t slot, int64_t n)
{
	struct rig r = { 0 };
	struct err e;
	int rc = 0;

	if (rig_start(&r, dir, HOSTS, DATASTORES, slot - 1, &e) != 0)
		return fail(e.text);
	for (int64_t i = 0; n == 0 || i < n; i++, slot++) {
		rig_poll(&r, slot, slot);
		if (!rig_settle(&r)) {
			rc = fail("it does not settle");
			break;
		}
		if (store_status(r.store).state != STORE_OK) {
			rc = fail(store_status(r.store).error);
			break;
		}
		printf("stored %" PRId64 "\n", slot);
		fflush(stdout);
	}
	rig_stop(&r);
	return rc;
}

static int
go(const char *dir, int64_t slot)
{
	struct rig r = { 0 };
	struct store_status st;
	char line[32];
	struct err e;

	if (rig_start(&r, dir, HOSTS, DATASTORES, slot - 1, &e) != 0)
		return fail(e.text);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		for (int64_t n = strtoll(line, NULL, 10); n > 0; n--, slot++) {
			rig_poll(&r, slot, slot);
			if (!rig_settle(&r))
				return fail("it does not settle");
		}
		st = store_status(r.store);
		printf("%" PRId64 " %s %" PRIu64 "\n", slot - 1,
		       store_state_name(st.state), st.failures);
		fflush(stdout);
	}
	rig_stop(&r);
	return 0;
}

/* ---- dump --------------------------------------------------------------- */

struct dump {
	struct db *db;
	struct err e;
	int h, d;
	uint32_t pair;
	int64_t first;
	struct cell *cells; /* of all hours, by slot - RIG_FIRST_SLOT */
	size_t n;
};

static void
add_cell(struct dump *u, int64_t slot, const struct cell *c)
{
	int64_t at = slot - RIG_FIRST_SLOT;

	if (at < 0)
		return;
	while (u->n <= (size_t)at) {
		u->cells = xgrow(u->cells, u->n, sizeof(*u->cells));
		memset(&u->cells[u->n++], 0xff, sizeof(*u->cells));
	}
	cell_fill(&u->cells[at], c);
}

static void
add_live(void *arg, const struct live_cell *c)
{
	struct dump *u = arg;

	if (c->pair == u->pair)
		add_cell(u, c->slot, &c->cell);
}

static struct db_stmt *
ask(struct dump *u, const char *sql)
{
	struct db_stmt *st = db_prepare(u->db, sql, &u->e);

	if (st == NULL)
		exit(fail(u->e.text));
	return st;
}

static bool
row(struct dump *u, struct db_stmt *st)
{
	int rc = db_step(st, &u->e);

	if (rc < 0)
		exit(fail(u->e.text));
	return rc == 1;
}

static void
dump_cells(struct dump *u)
{
	struct cell cells[CHUNK_SLOTS];
	struct db_stmt *st = ask(u,
				 "SELECT id >> 24, body FROM chunk"
				 " WHERE id & 0xffffff = ?");
	const uint8_t *body;
	size_t len;

	u->n = 0;
	db_bind_int(st, 1, u->pair);
	while (row(u, st)) {
		body = db_blob(st, 1, &len);
		if (!chunk_unpack(body, len, cells))
			exit(fail("a damaged chunk"));
		for (int64_t i = 0; i < CHUNK_SLOTS; i++)
			add_cell(u, chunk_first_slot(db_int(st, 0)) + i,
				 &cells[i]);
	}
	st = ask(u, "SELECT body FROM live ORDER BY seq");
	while (row(u, st)) {
		body = db_blob(st, 0, &len);
		if (!live_unpack(body, len, add_live, u))
			exit(fail("a damaged live row"));
	}
	for (size_t i = 0; i < u->n; i++) {
		const int32_t *v = u->cells[i].v;

		printf("cell %d %d %" PRId64, u->h, u->d,
		       RIG_FIRST_SLOT + (int64_t)i);
		for (unsigned f = 0; f < N_FIELDS; f++)
			printf(" %" PRId32, v[f]);
		putchar('\n');
	}
}

static void
dump_day(struct dump *u, int64_t day, const struct buf *b)
{
	static struct hist hists[N_OPS];
	const uint8_t *p = (const uint8_t *)b->data, *end = p + b->len;
	struct roll r;

	for (int64_t h = day * 24; h < day * 24 + 24; h++) {
		roll_init(&r, hists);
		if (!roll_decode(&p, end, chunk_first_slot(h), &r))
			exit(fail("a damaged roll"));
		for (enum op op = 0; op < N_OPS && !roll_is_empty(&r); op++)
			printf("hour %d %d %" PRId64 " %s %" PRIu64 " %" PRId64
			       " %" PRId64 "\n",
			       u->h, u->d, h, op_name(op), r.op[op].n,
			       r.op[op].ios.sum, r.op[op].max_us);
	}
	if (p != end)
		exit(fail("more than a day"));
}

static void
dump_hours(struct dump *u, uint32_t series)
{
	struct db_stmt *st = ask(u,
				 "SELECT id >> 24, body FROM bin60"
				 " WHERE id & 0xffffff = ?");
	const uint8_t *body;
	struct buf b;
	size_t len;

	buf_init(&b, 1 << 24);
	db_bind_int(st, 1, series);
	while (row(u, st)) {
		body = db_blob(st, 1, &len);
		buf_reset(&b);
		if (zip_unpack(body, len, &b, &u->e) != 0)
			exit(fail(u->e.text));
		dump_day(u, db_int(st, 0), &b);
	}
	buf_fini(&b);
}

static int
dump(const char *dir)
{
	struct dump u = { 0 };
	char *path = xasprintf("%s/" STORE_FILE, dir);
	struct db_stmt *st;

	u.db = db_open(path, DB_READ, &u.e);
	free(path);
	if (u.db == NULL)
		return fail(u.e.text);
	st = ask(&u,
		 "SELECT pair.id, substr(h.key, 6) - 1, substr(d.key, 3) - 1"
		 " FROM pair JOIN object AS h ON h.id = host"
		 " JOIN object AS d ON d.id = datastore");
	while (row(&u, st)) {
		u.pair = (uint32_t)db_int(st, 0);
		u.h = (int)db_int(st, 1);
		u.d = (int)db_int(st, 2);
		dump_cells(&u);
		dump_hours(&u, store_pair_series(u.pair));
	}
	st = ask(&u,
		 "SELECT id, substr(key, 3) - 1 FROM object"
		 " WHERE kind = 0");
	while (row(&u, st)) {
		u.h = -1;
		u.d = (int)db_int(st, 1);
		dump_hours(&u, store_datastore_series((uint32_t)db_int(st, 0)));
	}
	st = ask(&u, "SELECT first_slot, last_slot FROM gap");
	while (row(&u, st))
		printf("gap %" PRId64 " %" PRId64 "\n", db_int(st, 0),
		       db_int(st, 1));
	db_close(&u.db);
	free(u.cells);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "run") == 0)
		return run(argv[2], strtoll(argv[3], NULL, 10),
			   argc > 4 ? strtoll(argv[4], NULL, 10) : 0);
	if (argc == 4 && strcmp(argv[1], "go") == 0)
		return go(argv[2], strtoll(argv[3], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "dump") == 0)
		return dump(argv[2]);
	return fail("run DIR SLOT [N], go DIR SLOT, or dump DIR");
}
