/*
 * bench_history - what reading the history costs, as a client sees it.
 *
 * 32 hosts with 40 datastores (1,280 pairs).  The database has all rows that
 * such a site leaves: chunks of 7 days, bins of five minutes of 31 days, bins of
 * an hour of 366 days; 1.5 million rows.  To be there in seconds it is not
 * written sample by sample: a day of four datastores is made by the writer's
 * own code (chunk_encode(), rolls_put()), and its rows are copied to the other
 * datastores and days.  So each row is as long, and lies where, it would.
 *
 * A child process asks the real server over TCP; nothing is polled meanwhile.
 * The first answer comes with a cold cache of SQLite (the page cache of the
 * kernel is warm: the file was just written); limits are held against the
 * quickest of several, since the machine may be shared.
 */
#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sim/rng.h"
#include "daemon/shell/store_roll.h"
#include "dslat/loop.h"
#include "dslat/mem.h"
#include "dslat/store.h"
#include "dslat/web.h"

#define HOSTS 32
#define STORES 40
#define KINDS 4 /* datastores that are made; the others are copies */
#define RAW_DAYS 7
#define FIVE_DAYS 31
#define HOUR_DAYS 366
#define FIRST_HOST 1000 /* object ids; datastores begin with 1 */

static char dir[] = "/var/tmp/dslat-bench-XXXXXX";
static int64_t end_day; /* its first hour is the first that is not there */

static const struct threshold threshold = {
	.warning_us = 50000,
	.critical_us = 75000,
	.min_ios = 20,
	.sparse_us = 1000000,
};

static void
check(int rc, const struct err *e)
{
	if (rc == 0)
		return;
	fprintf(stderr, "bench_history: %s\n", e->text);
	exit(1);
}

/* ---- the database ------------------------------------------------------- */

static uint32_t
pair_of(size_t d, size_t h)
{
	return (uint32_t)(1 + d * HOSTS + h);
}

/* A load that wanders, whole ms and rates of whole I/Os, a tail of slow ones. */
static void
make_cells(size_t d, size_t h, int64_t hour, struct cell cells[CHUNK_SLOTS])
{
	for (int64_t i = 0; i < CHUNK_SLOTS; i++) {
		uint64_t key = rng_mix((uint64_t)(d * 100 + h) << 32 ^
				       (uint64_t)(hour * CHUNK_SLOTS + i));
		double day = 1 + 0.5 * sin((double)(hour % 24) / 24 * 6.283);

		for (unsigned op = 0; op < N_OPS; op++) {
			double u = rng_unit(rng_mix(key + op * 3));
			double ms = (1 + (double)d * 2) * day *
				exp(1.2 * (u - 0.5));
			double ios = (60 + 200 * (double)d) * day *
				(0.7 + 0.6 * rng_unit(rng_mix(key + op + 7)));

			if (rng_unit(rng_mix(key + op + 11)) < 0.001)
				ms *= 20;
			cells[i].v[FIELD_US + op] = (int32_t)ms * 1000;
			cells[i].v[FIELD_IOS + op] = (int32_t)ios * SLOT_S;
			cells[i].v[FIELD_KIB_PER_S + op] =
				(int32_t)(ios * (8 + 4 * u));
		}
	}
}

static void
put_chunk(struct db *db, int64_t hour, uint32_t pair, const struct cell *cells)
{
	struct db_stmt *st;
	struct buf plain;
	struct err e;

	buf_init(&plain, 1 << 16);
	chunk_encode(cells, &plain);
	st = db_prepare(db, "INSERT OR REPLACE INTO chunk VALUES (?1, ?2)", &e);
	check(st == NULL, &e);
	check(put_body(st, store_key(hour, pair), &plain, &e), &e);
	buf_fini(&plain);
}

/* The last day of the first datastores, by the writer's code. */
static void
make_day(struct db *db)
{
	static struct cell cells[HOSTS][CHUNK_SLOTS];
	struct rolls *rolls = rolls_new();
	uint32_t pairs[HOSTS];
	struct err e;

	for (int64_t hour = (end_day - 1) * 24; hour < end_day * 24; hour++)
		for (size_t d = 0; d < KINDS; d++) {
			struct rolls_from from = { hour, cells, pairs, HOSTS,
						   &threshold };

			for (size_t h = 0; h < HOSTS; h++) {
				struct rolls_from one = { hour, &cells[h],
							  &pairs[h], 1,
							  &threshold };

				pairs[h] = pair_of(d, h);
				make_cells(d, h, hour, cells[h]);
				put_chunk(db, hour, pairs[h], cells[h]);
				check(rolls_put(rolls, db,
						store_pair_series(pairs[h]),
						&one, &e),
				      &e);
			}
			check(rolls_put(rolls, db,
					store_datastore_series((uint32_t)d + 1),
					&from, &e),
			      &e);
		}
	rolls_free(&rolls);
}

static void printf_like(2, 3) exec(struct db *db, const char *fmt, ...)
{
	char sql[2048];
	struct err e;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sql, sizeof(sql), fmt, ap);
	va_end(ap);
	check(db_exec(db, sql, &e), &e);
}

/* Which of the made series a series is a copy of; and the same of pairs. */
static void
make_maps(struct db *db)
{
	exec(db,
	     "CREATE TEMP TABLE copy (made INT, id INT);"
	     "CREATE TEMP TABLE copy_pair (made INT, id INT)");
	for (size_t d = 0; d < STORES; d++) {
		exec(db, "INSERT INTO copy VALUES (%u, %u)",
		     store_datastore_series((uint32_t)(d % KINDS) + 1),
		     store_datastore_series((uint32_t)d + 1));
		for (size_t h = 0; h < HOSTS; h++) {
			uint32_t made = pair_of(d % KINDS, h);
			uint32_t id = pair_of(d, h);

			exec(db,
			     "INSERT INTO copy VALUES (%u, %u);"
			     "INSERT INTO copy_pair VALUES (%u, %u)",
			     store_pair_series(made), store_pair_series(id),
			     made, id);
		}
	}
	exec(db,
	     "CREATE INDEX temp.i ON copy (made);"
	     "CREATE INDEX temp.j ON copy_pair (made);");
}

/* From the made day into a table of its own, and from there to all days, in
 * the order of time. */
static void
copy_rows(struct db *db, const char *table, const char *map, int64_t days,
	  int64_t per_day)
{
	exec(db,
	     "CREATE TEMP TABLE made AS SELECT id >> 24 AS time, "
	     "id & 0xffffff AS series, body FROM %s; DELETE FROM %s;",
	     table, table);
	for (int64_t back = (days - 1) * per_day; back >= 0; back -= per_day)
		exec(db,
		     "INSERT INTO %s SELECT ((m.time - %lld) << 24) | c.id, "
		     "m.body FROM made m JOIN %s c ON c.made = m.series "
		     "ORDER BY 1",
		     table, (long long)back, map);
	exec(db, "DROP TABLE made");
}

static void
make_objects(struct db *db)
{
	for (int d = 0; d < STORES; d++)
		exec(db,
		     "INSERT INTO object VALUES (%d, 0, 'lab', 'u%d');"
		     "INSERT INTO object_name VALUES (%d, 0, '{\"id\":"
		     "\"lab:u%d\",\"name\":\"ds%d\",\"protocol\":\"%s\"}')",
		     d + 1, d, d + 1, d, d, d % 2 != 0 ? "iscsi" : "nfs3");
	for (int h = 0; h < HOSTS; h++)
		exec(db,
		     "INSERT INTO object VALUES (%d, 1, 'lab', 'h%d');"
		     "INSERT INTO object_name VALUES (%d, 0, '{\"id\":"
		     "\"lab:host-%d\",\"name\":\"esx%d\",\"cluster\":\"c%d\"}')",
		     FIRST_HOST + h, h, FIRST_HOST + h, h, h, h / 8);
	for (int d = 0; d < STORES; d++)
		for (int h = 0; h < HOSTS; h++)
			exec(db, "INSERT INTO pair VALUES (%u, %d, %d, %lld)",
			     pair_of((size_t)d, (size_t)h), d + 1,
			     FIRST_HOST + h, (long long)end_day * 24 - 1);
}

static void
fill(void)
{
	char *path = xasprintf("%s/" STORE_FILE, dir);
	mono_t begun = clock_sample().mono;
	struct err e;
	struct db *db = db_open(path, DB_WRITE, &e);
	struct stat st;

	check(db == NULL, &e);
	check(schema_apply(db, &e), &e);
	exec(db, "PRAGMA synchronous = OFF");
	check(db_begin(db, &e), &e);
	make_objects(db);
	make_day(db);
	make_maps(db);
	copy_rows(db, "chunk", "copy_pair", RAW_DAYS, 24);
	copy_rows(db, "bin5", "copy", FIVE_DAYS, 24);
	copy_rows(db, "bin60", "copy", HOUR_DAYS, 1);
	check(db_commit(db, &e), &e);
	db_close(&db);
	printf("bench_history: %d pairs, database of %.0f MB made in %.0f s\n",
	       HOSTS * STORES,
	       stat(path, &st) == 0 ? (double)st.st_size / 1e6 : NAN,
	       (double)mono_diff_us(clock_sample().mono, begun) / 1e6);
	fflush(stdout);
	free(path);
}

/* ---- the client, a process of its own ------------------------------------ */

static int port;

static int
ask(const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char text[1024];

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)(void *)&to, sizeof(to)) != 0)
		exit(1);
	snprintf(text, sizeof(text),
		 "GET %s HTTP/1.1\r\nHost: localhost\r\n"
		 "Connection: close\r\n\r\n",
		 path);
	if (write(fd, text, strlen(text)) < 0)
		exit(1);
	return fd;
}

/* All of it; the time it took, or -1: it is no 200. */
static double
time_ms(const char *path, size_t *bytes_r)
{
	static char piece[1 << 16];
	mono_t begun = clock_sample().mono;
	int fd = ask(path);
	bool ok = false;
	ssize_t n;

	*bytes_r = 0;
	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		if (*bytes_r == 0)
			ok = n > 12 && memcmp(piece + 9, "200", 3) == 0;
		*bytes_r += (size_t)n;
	}
	close(fd);
	return ok ? (double)mono_diff_us(clock_sample().mono, begun) / 1e3 : -1;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct times {
	double first, least, median;
};

#define MAX_TIMES 50
static struct times
ask_often(const char *path, int n)
{
	double ms[MAX_TIMES] = { 0 };
	struct times t;
	size_t bytes;

	assert(n > 0 && n <= MAX_TIMES);
	for (int i = 0; i < n; i++) {
		ms[i] = time_ms(path, &bytes);
		if (ms[i] < 0) {
			printf("  FAIL: no answer to %s\n", path);
			exit(1);
		}
	}
	t.first = ms[0];
	qsort(ms, (size_t)n, sizeof(ms[0]), by_value);
	t.least = ms[0];
	t.median = ms[n / 2];
	return t;
}

static int
report(const char *what, const char *path, int n, double limit_ms)
{
	struct times t = ask_often(path, n);
	bool ok = limit_ms == 0 || t.least <= limit_ms;

	printf("  %-36s first %7.1f  least %7.1f  median %7.1f ms", what,
	       t.first, t.least, t.median);
	if (limit_ms != 0)
		printf("  limit %4.0f  %s", limit_ms, ok ? "pass" : "FAIL");
	putchar('\n');
	fflush(stdout);
	return ok ? 0 : 1;
}

static long long
ago_s(int64_t days)
{
	int64_t s = (end_day - days) * 86400;

	return s;
}

/* A page while all samples of a week are exported, against one without. */
static int
report_export(const char *page)
{
	struct times alone = ask_often(page, 15), beside;
	mono_t begun = clock_sample().mono;
	char path[200];
	size_t bytes;
	pid_t pid;
	double took_s;
	int wstatus;

	snprintf(path, sizeof(path), "/api/v1/export?from=%lld&to=%lld",
		 ago_s(1), ago_s(0));
	pid = fork();
	if (pid == 0)
		_exit(time_ms(path, &bytes) >= 0 && bytes > 100000000 ? 0 : 1);
	beside = ask_often(page, 15);
	if (waitpid(pid, &wstatus, WNOHANG) != 0)
		printf("  FAIL: the export was over too soon\n");
	waitpid(pid, &wstatus, 0);
	took_s = (double)mono_diff_us(clock_sample().mono, begun) / 1e6;
	printf("  a page alone %.1f ms, beside an export %.1f ms (median of "
	       "15): %.1f times\n"
	       "  export of a day as csv, 5.5 million samples: %.1f s  %s\n",
	       alone.median, beside.median, beside.median / alone.median,
	       took_s,
	       WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == 0 ? "pass"
							       : "FAIL");
	/* An export step and its text in the reader's queue, and a core less. */
	if (beside.median > alone.median + 200)
		printf("  FAIL: a page waits for an export\n");
	return beside.median > alone.median + 200 || !WIFEXITED(wstatus) ||
		WEXITSTATUS(wstatus) != 0;
}

static int
client(void)
{
	static const struct {
		const char *what, *query;
		int64_t days;
		int n;
		double limit_ms;
	} rows[] = {
		{ "a datastore, 30 days, 1,000 points",
		  "series?datastore=lab:u5&points=1000&", 30, 15, 50 },
		{ "a datastore, a year, 1,000 points",
		  "series?datastore=lab:u6&points=1000&", 365, 15, 200 },
		{ "a host of it, 30 days",
		  "series?datastore=lab:u7&"
		  "host=lab:host-3&points=1000&",
		  30, 9, 0 },
		{ "a datastore, a day from samples",
		  "series?datastore=lab:u8&points=3000&", 1, 9, 0 },
		{ "groups by protocol, 7 days", "groups?by=protocol&", 7, 9,
		  0 },
		{ "groups by host, 7 days", "groups?by=host&", 7, 5, 0 },
		{ "20 worst samples of 30 days", "peaks?limit=20&", 30, 9, 0 },
		{ "1,000 worst samples of 30 days", "peaks?limit=1000&", 30, 5,
		  0 },
	};
	char path[256];
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(path, sizeof(path), "/api/v1/%sfrom=%lld&to=%lld",
			 rows[i].query, ago_s(rows[i].days), ago_s(0));
		failed |=
			report(rows[i].what, path, rows[i].n, rows[i].limit_ms);
	}
	snprintf(path, sizeof(path),
		 "/api/v1/series?datastore=lab:u9&points=1000&from=%lld&"
		 "to=%lld",
		 ago_s(30), ago_s(0));
	return failed | report_export(path);
}

/* ---- the server ---------------------------------------------------------- */

struct server {
	struct loop *loop;
	pid_t pid;
	struct loop_timer *timer;
	int wstatus;
};

static void
look_for_client(void *arg, struct now now)
{
	struct server *s = arg;

	(void)now;
	if (waitpid(s->pid, &s->wstatus, WNOHANG) == s->pid)
		loop_stop(s->loop);
	else
		loop_timer_in_us(s->timer, 20 * US_PER_MS);
}

/* The threads come after the fork. */
static int
serve(pid_t pid, int tell_port)
{
	struct store_conf conf = { dir, RAW_DAYS + 2, 90, 730,
				   INT64_C(20) << 30 };
	struct server s = { .pid = pid };
	struct threshold_rules rules;
	struct site *site;
	struct store *store;
	struct web *web;
	struct err e;

	s.loop = loop_new(&e);
	check(s.loop == NULL, &e);
	site = site_new(loop_now(s.loop));
	threshold_rules_init(&rules);
	site_set_rules(site, &rules);
	store = store_new(s.loop, site);
	check(store_apply(store, &conf, &e), &e);
	web = web_new(s.loop,
		      &(struct web_parts){ .site = site, .store = store });
	check(web_listen(web, "127.0.0.1:0", &e), &e);
	port = (int)strtol(strrchr(web_address(web, 0), ':') + 1, NULL, 10);
	if (write(tell_port, &port, sizeof(port)) != sizeof(port))
		exit(1);
	s.timer = loop_timer_new(s.loop, look_for_client, &s);
	loop_timer_in_us(s.timer, 0);
	loop_run(s.loop);
	loop_timer_free(&s.timer);
	web_free(&web);
	store_free(&store);
	site_free(&site);
	threshold_rules_fini(&rules);
	loop_free(&s.loop);
	return WIFEXITED(s.wstatus) ? WEXITSTATUS(s.wstatus) : 1;
}

static void
remove_folder(void)
{
	static const char *const names[] = { STORE_FILE, STORE_FILE "-wal",
					     STORE_FILE "-shm", "lock" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

int
main(void)
{
	int tell[2], rc;
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	if (mkdtemp(dir) == NULL || pipe(tell) != 0)
		return 1;
	end_day = store_day(chunk_hour(slot_of(clock_sample().real)));
	fill();
	pid = fork();
	if (pid == 0) {
		if (read(tell[0], &port, sizeof(port)) != sizeof(port))
			_exit(1);
		rc = client();
		fflush(stdout);
		_exit(rc);
	}
	rc = serve(pid, tell[1]);
	remove_folder();
	return rc;
}
