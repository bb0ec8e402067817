/*
 * bench_store - what the history costs: bytes of a sample, a poll's write, the
 * making of an hour, memory.
 *
 * A day of 8 hosts with 160 datastores (1,280 pairs).  What is realistic about
 * it: the 13 kinds of datastore are those of the simulator's demo scene (from
 * 2 to 2,400 I/Os per second, 0.3 to 14 ms), and their load is its model: by
 * daylight, wandering, with noise and a tail of slow samples.  Unlike there
 * the size of I/Os is no constant, but wanders by 15 % and has 10 % of noise,
 * and writes are not in step with reads: constants would cost next to nothing.
 * One datastore in 16 is idle.  Latency in whole milliseconds, rates in whole
 * I/Os and KiB per second, as hosts send them.
 *
 * The last hour comes slot by slot as in life, the rest in parts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../sim/rng.h"
#include "../store/rig.h"
#include "daemon/shell/store_private.h"
#include "dslat/mem.h"

#define HOSTS 8
#define DATASTORES 160
#define PAIRS (HOSTS * DATASTORES)
#define HOURS 24
#define PART 60 /* slots of a back-fill's answer */

#define RAW_MAX_BYTES 7.0
#define LOOP_MAX_MS 5.0
#define POLL_MAX_MS 50.0
#define HOUR_MAX_MS 4000.0

static bool failed;

static void
row(const char *what, double value, double limit, const char *unit)
{
	bool ok = limit == 0 || value <= limit;

	failed |= !ok;
	printf("  %-44s %9.2f %-5s", what, value, unit);
	if (limit != 0)
		printf(" limit %7.2f  %s", limit, ok ? "pass" : "FAIL");
	putchar('\n');
	fflush(stdout);
}

/* ---- the site ----------------------------------------------------------- */

static const struct kind {
	double ms[N_OPS], per_s[N_OPS], kib[N_OPS], day, noise;
} kinds[] = {
	{ { 1.3, 1.9 }, { 420, 610 }, { 18, 11 }, 0.6, 0.3 },
	{ { 1.6, 2.4 }, { 310, 380 }, { 22, 14 }, 0.5, 0.3 },
	{ { 3.2, 6.5 }, { 240, 700 }, { 9, 8 }, 0.9, 0.5 },
	{ { 7, 14 }, { 30, 160 }, { 64, 128 }, 0.2, 0.6 },
	{ { 2, 3 }, { 2, 0.3 }, { 64, 16 }, 0.9, 0.3 },
	{ { 1.1, 1.4 }, { 900, 650 }, { 10, 9 }, 0.7, 0.3 },
	{ { 1.2, 1.7 }, { 600, 500 }, { 10, 9 }, 0.7, 0.3 },
	{ { 4.5, 3.8 }, { 350, 420 }, { 16, 12 }, 0.8, 0.4 },
	{ { 6, 5.2 }, { 180, 120 }, { 32, 24 }, 0.7, 0.3 },
	{ { 9, 11 }, { 60, 50 }, { 16, 16 }, 0.5, 0.8 },
	{ { 0.6, 0.8 }, { 1500, 900 }, { 8, 8 }, 0.6, 0.3 },
	{ { 0.3, 0.4 }, { 2400, 1300 }, { 8, 8 }, 0.4, 0.3 },
	{ { 8, 10 }, { 5, 12 }, { 16, 16 }, 0.1, 0.3 },
};

/* -1..1, of a slot alone; and wandering, straight between corners. */
static double
noise(uint64_t key, int64_t slot)
{
	return 2 * rng_unit(rng_mix(key ^ (uint64_t)slot)) - 1;
}

static double
wander(uint64_t key, int64_t slot)
{
	double a = noise(key, slot / 16), b = noise(key, slot / 16 + 1);

	return a + (b - a) * (double)(slot % 16) / 16;
}

static double
load(const struct kind *k, uint64_t key, enum op op, int64_t slot)
{
	double hour = (double)(slot % 4320) / 180;
	double day = 1 - k->day + k->day * (0.7 - 0.7 * cos(hour * M_PI / 12));

	return day * (0.6 + 0.8 * rng_unit(key)) *
		(1 + k->noise * wander(key + op, slot)) *
		(1 + k->noise / 2 * noise(key + 10 + op, slot));
}

static int64_t
value(size_t host, size_t datastore, int64_t slot, unsigned field)
{
	const struct kind *k = &kinds[datastore % ARRAY_SIZE(kinds)];
	uint64_t key = rng_mix(rng_mix(datastore) + host);
	enum op op = field % N_OPS;
	double l = load(k, key, op, slot), per_s = floor(k->per_s[op] * l);
	double tail = rng_unit(rng_mix(key + 20 + (uint64_t)slot)), ms;

	if (datastore % 16 == 15 || per_s < 1)
		return 0;
	if (field >= FIELD_KIB_PER_S)
		return (int64_t)(per_s * k->kib[op] *
				 (1 + 0.15 * wander(key + 30 + op, slot)) *
				 (1 + 0.10 * noise(key + 40 + op, slot)));
	if (field >= FIELD_IOS)
		return (int64_t)per_s;
	ms = k->ms[op] * (0.75 + 0.25 * l) *
		(1 + k->noise / 2 * noise(key + 50 + op, slot));
	if (tail < 0.01 * k->noise)
		ms *= 2 + 200 * tail;
	return (int64_t)ms;
}

/* ---- figures ------------------------------------------------------------ */

static double
cpu_ms(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static double
rss_mib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char line[128], *at = line;
	long pages;

	if (f == NULL || fgets(line, sizeof(line), f) == NULL)
		abort();
	fclose(f);
	strtol(line, &at, 10);
	pages = strtol(at, NULL, 10);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static int64_t
number(const char *dir, const char *sql)
{
	char *path = xasprintf("%s/" STORE_FILE, dir);
	struct err e;
	struct db *db = db_open(path, DB_READ, &e);
	int64_t n = 0;

	free(path);
	if (db == NULL || db_number(db, sql, &n, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	db_close(&db);
	return n;
}

static void
settle(struct rig *r)
{
	if (!rig_settle(r)) {
		fprintf(stderr, "the store does not settle\n");
		exit(1);
	}
}

/* The last hour, slot by slot. */
static int64_t
live_hour(struct rig *r, int64_t slot)
{
	double loop_ms = 0, all_ms = 0, before, worst_ms = 0;

	for (int i = 0; i < CHUNK_SLOTS; i++, slot++) {
		double begin;

		rig_ingest(r, slot, slot);
		begin = cpu_ms(RUSAGE_SELF);
		before = cpu_ms(RUSAGE_THREAD);
		rig_publish(r);
		before = cpu_ms(RUSAGE_THREAD) - before;
		settle(r);
		all_ms += cpu_ms(RUSAGE_SELF) - begin;
		loop_ms += before;
		worst_ms = MAX(worst_ms, before);
	}
	row("a poll on the loop thread, CPU", loop_ms / CHUNK_SLOTS,
	    LOOP_MAX_MS, "ms");
	row("the longest of them", worst_ms, 0, "ms");
	row("a poll on all threads, CPU", all_ms / CHUNK_SLOTS, POLL_MAX_MS,
	    "ms");
	return slot;
}

static void
sizes(const char *dir, double samples)
{
	double raw =
		(double)number(dir,
			       "SELECT sum(pgsize) FROM dbstat WHERE name IN"
			       " ('chunk', 'live', 'live_slots')");
	double five = (double)number(
		dir, "SELECT sum(pgsize) FROM dbstat WHERE name = 'bin5'");
	double hours = (double)number(
		dir, "SELECT sum(pgsize) FROM dbstat WHERE name = 'bin60'");
	double pages = (double)number(dir, "PRAGMA page_count") * 8192;
	double per_day = samples / HOURS * 24;

	row("a six-field sample, raw all told", raw / samples, RAW_MAX_BYTES,
	    "bytes");
	row("  of it the pieces themselves",
	    (double)number(dir, "SELECT sum(length(body)) FROM chunk") /
		    samples,
	    0, "bytes");
	row("a sample with its rolls, the whole file", pages / samples, 0,
	    "bytes");
	row("5 minutes of a pair, and its share of datastores",
	    five / (PAIRS * HOURS * 12.0), 0, "bytes");
	row("an hour of a pair, likewise", hours / (PAIRS * HOURS), 0, "bytes");
	row("7 days raw, 90 of 5 minutes, 730 of hours",
	    (raw / samples * per_day * 7 + five / HOURS * 24 * 90 +
	     hours / HOURS * 24 * 730) /
		    (1 << 30),
	    0, "GiB");
}

static void
remove_folder(const char *dir)
{
	static const char *const files[] = { STORE_FILE, STORE_FILE "-wal",
					     STORE_FILE "-shm", "lock" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = xasprintf("%s/%s", dir, files[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

int
main(void)
{
	char dir[] = "/tmp/dslat-store-XXXXXX";
	struct rig r = { .value = value };
	int64_t slot = RIG_FIRST_SLOT;
	double made_ms = 0, before;
	struct err e;

	if (mkdtemp(dir) == NULL ||
	    rig_start(&r, dir, HOSTS, DATASTORES, slot - 1, &e) != 0)
		return 1;
	for (; slot < RIG_FIRST_SLOT + (HOURS - 1) * CHUNK_SLOTS;
	     slot += PART) {
		rig_poll(&r, slot, slot + PART - 1);
		settle(&r);
	}
	slot = live_hour(&r, slot);
	before = cpu_ms(RUSAGE_SELF);
	rig_pass(&r, 12);
	settle(&r);
	made_ms = cpu_ms(RUSAGE_SELF) - before;
	row("making an hour of 1,280 pairs, CPU", made_ms, HOUR_MAX_MS, "ms");
	row("RSS with all rings", rss_mib(), 64 + PAIRS * 8.0 / 1024, "MiB");
	if (number(dir, "SELECT count(*) FROM chunk") != PAIRS * HOURS ||
	    number(dir, "SELECT count(*) FROM live") != 0) {
		fprintf(stderr, "not all hours are made\n");
		failed = true;
	}
	sizes(dir, (double)(slot - RIG_FIRST_SLOT) * PAIRS);
	rig_stop(&r);
	remove_folder(dir);
	return failed ? 1 : 0;
}
