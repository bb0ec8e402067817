/*
 * bench_poll - what a poll costs dslatd, measured against a bare reader of the
 * same bytes; what an hour of samples takes; how long the loop is held up.
 *
 * Prints one row per figure with its limit, and exits 1 when one is broken.
 */
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dslat/mem.h"
#include "reader.h"
#include "rig.h"

#define INTERVAL_S 180 /* a poll then asks for 15 samples */
#define N_SAMPLES 15
#define N_NEW (INTERVAL_S / SLOT_S)
#define N_COUNTERS 6

#define RATIO_MAX 2.0
#define RSS_BASE_BYTES ((size_t)64 << 20)
#define RSS_PAIR_BYTES ((size_t)6 << 10)
#define TURN_MAX_MS 50.0
/* Of 1,000 polls; a leak of one sample per poll would be more. */
#define GROWTH_MAX_KIB 64.0

struct options {
	const char *sim;
	unsigned n_hosts, n_datastores, n_polls;
	unsigned n_long; /* polls of the long run */
};

static bool failed;

/* One figure; limit 0: none. */
static void
row(const char *what, double value, double limit, const char *unit)
{
	bool ok = limit == 0 || value <= limit;

	failed |= !ok;
	printf("  %-44s %9.2f %-3s", what, value, unit);
	if (limit != 0)
		printf(" limit %7.2f  %s", limit, ok ? "pass" : "FAIL");
	putchar('\n');
	fflush(stdout);
}

static int
by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static size_t
rss_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char line[128];
	char *at = line;

	if (f == NULL || fgets(line, sizeof(line), f) == NULL)
		die("/proc/self/statm cannot be read");
	fclose(f);
	(void)strtoul(at, &at, 10);
	return strtoul(at, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static double
mib(size_t bytes)
{
	return (double)bytes / (double)(1 << 20);
}

/* The longest turn since the last call. */
static void
row_turn(struct rig *r, const char *what)
{
	row(what, (double)r->turn_cpu_max_us / US_PER_MS, TURN_MAX_MS, "ms");
	r->turn_cpu_max_us = 0;
}

/* ---- start and memory ---- */

static void
measure_start(struct rig *r, size_t n_pairs)
{
	int64_t start_us = cpu_us();
	size_t limit = RSS_BASE_BYTES + RSS_PAIR_BYTES * n_pairs;

	rig_settle(r);
	row("start with an hour of back-fill, CPU",
	    (double)(cpu_us() - start_us) / US_PER_MS, 0, "ms");
	if (r->target->stats.samples < n_pairs * N_COUNTERS * (RING_SLOTS - 15))
		die("%d samples after the back-fill",
		    (int)r->target->stats.samples);
	row("RSS with an hour of samples", mib(rss_bytes()), mib(limit), "MiB");
	row_turn(r, "longest turn of the loop, start");
}

/* ---- polls ---- */

static double
poll_ms(struct rig *r, struct client *stream)
{
	uint64_t samples = r->target->stats.samples;
	int64_t start_us;

	rig_advance(r);
	start_us = cpu_us();
	rig_poll(r);
	rig_serve(r, stream, stream->n_marks + 1);
	samples = r->target->stats.samples - samples;
	if (samples == 0)
		die("a poll without new samples");
	return (double)(cpu_us() - start_us) / US_PER_MS;
}

static double
reader_ms(struct reader *reader, const struct rig *r,
	  struct reader_counts *counts)
{
	int64_t start_us = cpu_us();

	*counts = reader_poll(reader, r->target, N_SAMPLES);
	return (double)(cpu_us() - start_us) / US_PER_MS;
}

static void
measure_polls(struct rig *r, const struct options *o, struct client *stream)
{
	struct reader *reader = reader_new(r->sim->url);
	double *ours = xcalloc(o->n_polls, sizeof(*ours));
	double *bare = xcalloc(o->n_polls, sizeof(*bare));
	double *with_inventory = xcalloc(o->n_polls, sizeof(*ours));
	size_t n = 0, n_with = 0, n_bare = 0;
	struct reader_counts counts = { 0 };
	double a, b;

	for (unsigned i = 0; i < o->n_polls; i++) {
		int64_t views = sim_stat(r->sim, "CreateContainerView");
		int64_t bytes = sim_stat(r->sim, "answer_bytes");
		double ms = poll_ms(r, stream);

		bytes = sim_stat(r->sim, "answer_bytes") - bytes;
		if (sim_stat(r->sim, "CreateContainerView") != views)
			with_inventory[n_with++] = ms;
		else
			ours[n++] = ms;
		bare[n_bare++] = reader_ms(reader, r, &counts);
		if (n != 0 && ours[n - 1] == ms &&
		    (uint64_t)bytes != counts.bytes)
			die("dslatd read %lld bytes, the bare reader %llu",
			    (long long)bytes, (unsigned long long)counts.bytes);
	}
	a = median(ours, n);
	b = median(bare, n_bare);
	row("bytes of a poll's answers", mib(counts.bytes), 0, "MiB");
	row("bare reader, CPU of a poll", b, 0, "ms");
	row("dslatd, CPU of a poll", a, 0, "ms");
	row("dslatd / bare reader", a / b, RATIO_MAX, "x");
	if (n_with != 0)
		row("reading the inventory, CPU",
		    median(with_inventory, n_with) - a, 0, "ms");
	row_turn(r, "longest turn of the loop, polls");
	reader_free(&reader);
	free(ours);
	free(bare);
	free(with_inventory);
}

/* ---- pages ---- */

static void
measure_pages(struct rig *r)
{
	static const char *const paths[] = {
		"/metrics",
		"/metrics?level=datastore",
		"/api/v1/groups?by=protocol",
		"/api/v1/groups?by=host",
		"/api/v1/peaks",
		"/api/v1/datastores",
		"/api/v1/datastores?expand=hosts",
		"/api/v1/hosts",
	};
	char what[80];

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct client c;
		int64_t start_us = cpu_us();

		client_start(&c, rig_base(r), paths[i], "\r\n\r\n");
		rig_serve(r, &c, 3); /* status, head, end */
		client_stop(&c);
		printf("  %s, CPU %.1f ms\n", paths[i],
		       (double)(cpu_us() - start_us) / US_PER_MS);
		snprintf(what, sizeof(what), "longest turn, %s", paths[i]);
		row_turn(r, what);
	}
}

static void
run_poll_part(const struct options *o)
{
	struct sim sim = { 0 };
	struct rig r;
	struct client stream;
	sim_start(&sim, o->sim, o->n_hosts, o->n_datastores);
	rig_start(&r, &sim, INTERVAL_S);
	measure_start(&r, (size_t)o->n_hosts * o->n_datastores);
	client_start(&stream, rig_base(&r), "/api/v1/stream", "event: sample");
	rig_serve(&r, &stream, 1);
	measure_polls(&r, o, &stream);
	client_stop(&stream);
	measure_pages(&r);
	printf("  turns over 50 ms: %d, and %d interrupted ones\n",
	       (int)r.stalls, (int)r.preempted);
	rig_stop(&r);
	sim_stop(&sim);
}

/* Bytes of the heap in use: what a leak would add to. */
static double
heap_kib(void)
{
	return (double)mallinfo2().uordblks / 1024;
}

/* Many polls of a small site: whatever grows with time shows. */
static void
run_long_part(const struct options *o)
{
	struct sim sim = { 0 };
	struct rig r;
	double before;

	sim_start(&sim, o->sim, 8, 10);
	rig_start(&r, &sim, 20);
	rig_settle(&r);
	for (unsigned i = 0; i < 100; i++) { /* all is warm then */
		rig_advance(&r);
		rig_poll(&r);
	}
	before = heap_kib();
	for (unsigned i = 0; i < o->n_long; i++) {
		rig_advance(&r);
		rig_poll(&r);
	}
	printf("  %u polls of 8 hosts x 10 datastores\n", o->n_long);
	row("growth of the heap", heap_kib() - before, GROWTH_MAX_KIB, "KiB");
	rig_stop(&r);
	sim_stop(&sim);
}

int
main(int argc, char **argv)
{
	struct options o = {
		.sim = "tests/sim/dslat-sim",
		.n_hosts = 200,
		.n_datastores = 64,
		.n_polls = 12,
		.n_long = 1000,
	};
	int c;

	if (argc == 5 && strcmp(argv[1], CLIENT_OPTION) == 0)
		return client_main(argv + 2);
	client_program = argv[0];
	while ((c = getopt(argc, argv, "s:h:d:n:")) != -1)
		switch (c) {
		case 's':
			o.sim = optarg;
			break;
		case 'h':
			o.n_hosts = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			o.n_datastores = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			o.n_polls = (unsigned)strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	run_poll_part(&o);
	run_long_part(&o);
	return failed ? 1 : 0;
}
