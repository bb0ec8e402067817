/*
 * ask.c - print the request our code would send, for scripts to post.
 *
 *	ask CONTENT COUNTERS METHOD [ARG...]
 *
 * CONTENT and COUNTERS are files with the server's answers to `content` and
 * `counters`, or -.  Methods: content, login USER PASSWORD, logout, time, view,
 * destroy VIEW, basic|storage|nvme VIEW MAX, next TOKEN, counters,
 * perf START MAX HOST... (START in RFC 3339 or -).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../collectors/vsphere/perf.h"
#include "../../collectors/vsphere/props.h"
#include "dump.h"

#define HOSTS_MAX 100

static struct service_content *sc;
static struct counters *counters;

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "ask: %s: %s\n", what, why);
	exit(1);
}

/* The answer after the answer in the file; NULL for -. */
static struct answer *
read_answer(const char *path, struct answer *r)
{
	struct err e;
	struct buf b;

	if (strcmp(path, "-") == 0) {
		answer_free(&r);
		return NULL;
	}
	buf_init(&b, DUMP_MAX_BYTES);
	dump_read_file(path, &b);
	if (answer_feed(r, buf_str(&b), b.len, &e) != 0 ||
	    answer_finish(r, 200, &e) != 0)
		fail(path, e.text);
	buf_fini(&b);
	return r;
}

static void
ask_perf(struct buf *b, int argc, char **argv)
{
	struct perf_query queries[HOSTS_MAX];
	real_t start = { 0 };
	size_t n = 0;

	if (argc < 3 || argc > HOSTS_MAX || counters == NULL)
		fail("perf", "START MAX HOST... and the counters are needed");
	if (strcmp(argv[0], "-") != 0 &&
	    real_parse(argv[0], strlen(argv[0]), &start) != 0)
		fail(argv[0], "no time");
	for (int i = 2; i < argc; i++)
		queries[n++] = (struct perf_query){
			.host = argv[i],
			.start = start,
			.max_sample = (unsigned)strtoul(argv[1], NULL, 10),
		};
	perf_write_request(b, sc->perf_manager, queries, n, counters);
}

static bool
ask_inventory(struct buf *b, const char *method, int argc, char **argv)
{
	static const struct {
		const char *method;
		enum gather_pass pass;
	} passes[] = {
		{ "basic", GATHER_BASIC },
		{ "storage", GATHER_STORAGE },
		{ "nvme", GATHER_NVME },
	};
	struct gather *g = gather_new(service_is_vcenter(sc));
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(passes); i++)
		if (strcmp(method, passes[i].method) == 0 && argc == 2) {
			gather_write_request(
				g, b, sc, argv[0], passes[i].pass,
				(unsigned)strtoul(argv[1], NULL, 10));
			found = true;
		}
	if (strcmp(method, "view") == 0) {
		gather_write_view(g, b, sc);
		found = true;
	}
	gather_free(&g);
	return found;
}

static void
ask(struct buf *b, const char *method, int argc, char **argv)
{
	if (strcmp(method, "content") == 0)
		service_write_content(b);
	else if (strcmp(method, "time") == 0)
		service_write_time(b);
	else if (sc == NULL)
		fail(method, "the service content is needed");
	else if (strcmp(method, "login") == 0 && argc == 2)
		service_write_login(b, sc, argv[0], argv[1]);
	else if (strcmp(method, "logout") == 0)
		service_write_logout(b, sc);
	else if (strcmp(method, "destroy") == 0 && argc == 1)
		service_write_view_destroy(b, argv[0]);
	else if (strcmp(method, "next") == 0 && argc == 1)
		props_write_next(b, sc->property_collector, argv[0]);
	else if (strcmp(method, "counters") == 0)
		counters_write_request(b, sc);
	else if (strcmp(method, "perf") == 0)
		ask_perf(b, argc, argv);
	else if (!ask_inventory(b, method, argc, argv))
		fail(method, "no such method or wrong arguments");
}

int
main(int argc, char **argv)
{
	struct answer *content, *table;
	struct buf b;

	if (argc < 4)
		fail("usage", "ask CONTENT COUNTERS METHOD [ARG...]");
	content = read_answer(argv[1], service_content_answer());
	if (content != NULL)
		sc = service_content_take(content);
	table = read_answer(argv[2], counters_answer());
	if (table != NULL)
		counters = counters_take(table);
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	ask(&b, argv[3], argc - 4, argv + 4);
	if (b.full)
		fail(argv[3], "the request is too long");
	fputs(buf_str(&b), stdout);
	buf_fini(&b);
	service_content_free(&sc);
	counters_free(&counters);
	answer_free(&content);
	answer_free(&table);
	return 0;
}
