/*
 * golden.c - run recorded or made-up answers through the decoders.
 *
 *	golden [-n] CASE...
 *
 * A case is a folder of files N-METHOD[-STATUS].xml, taken in order; a file
 * `host` says the inventory is that of a host, not of a vCenter.  The dump goes
 * to stdout.  On the way two things are checked of every answer: cut in two at
 * any byte it gives the same dump, and if it is good, any shorter beginning of
 * it is an error.  -n leaves that out.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"

/* A case up to this size is cut at every byte, a larger one here and there, so
 * that all of them together take seconds. */
#define SMALL_BYTES ((size_t)4000)
#define CUTS ((size_t)100)

struct answer {
	char *method;
	int status;
	struct buf data;
};

struct answers {
	struct answer *v;
	size_t n;
	bool is_host, has_inventory;
};

static bool
is_inventory(const char *method)
{
	return strncmp(method, "basic", 5) == 0 ||
		strncmp(method, "storage", 7) == 0 ||
		strcmp(method, "nvme") == 0;
}

/* "2-perf-500.xml" */
static void
add_answer(struct answers *a, const char *dir, const char *name)
{
	const char *method = name + strcspn(name, "-"), *end;
	struct answer *one;
	struct buf path;

	method += *method == '-';
	end = method + strcspn(method, "-.");
	a->v = realloc(a->v, (a->n + 1) * sizeof(*a->v));
	if (a->v == NULL)
		abort();
	one = &a->v[a->n++];
	one->method = strndup(method, (size_t)(end - method));
	one->status = *end == '-' ? (int)strtol(end + 1, NULL, 10) : 200;
	if (!dump_has_method(one->method)) {
		fprintf(stderr, "%s/%s: no method\n", dir, name);
		exit(1);
	}
	a->has_inventory = a->has_inventory || is_inventory(one->method);
	buf_init(&path, 4096);
	buf_addf(&path, "%s/%s", dir, name);
	buf_init(&one->data, DUMP_MAX_BYTES);
	dump_read_file(buf_str(&path), &one->data);
	buf_fini(&path);
}

static void
load(struct answers *a, const char *dir)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort);

	if (n < 0) {
		perror(dir);
		exit(1);
	}
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		size_t len = strlen(name);

		if (strcmp(name, "host") == 0)
			a->is_host = true;
		else if (len > 4 && strcmp(name + len - 4, ".xml") == 0)
			add_answer(a, dir, name);
		free(entries[i]);
	}
	free(entries);
}

static void
unload(struct answers *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].method);
		buf_fini(&a->v[i].data);
	}
	free(a->v);
}

/*
 * All answers into out; the one at `cut` in two pieces, the first of `split`
 * bytes, and if `only` without the second.  Returns what that one did.
 */
static int
run(const struct answers *a, struct buf *out, size_t cut, size_t split,
    bool only)
{
	struct gather *g = gather_new(!a->is_host);
	int rc = 0, r;

	buf_reset(out);
	for (size_t i = 0; i < a->n; i++) {
		const struct answer *one = &a->v[i];
		struct dump_feed feed = {
			.data = buf_str(&one->data),
			.len = i == cut && only ? split : one->data.len,
			.split = i == cut && !only ? split : 0,
			.status = one->status,
		};

		buf_addf(out, "-- %s %d\n", one->method, one->status);
		r = dump_answer(out, one->method, g, &feed);
		if (i == cut)
			rc = r;
	}
	if (a->has_inventory)
		dump_inventory(out, g);
	gather_free(&g);
	return rc;
}

/* The last byte that is not white space: what is cut behind it is complete. */
static size_t
useful(const struct buf *b)
{
	size_t n = b->len;

	while (n > 0 && strchr(" \t\r\n", b->data[n - 1]) != NULL)
		n--;
	return n;
}

static int
check_cuts(const struct answers *a, const struct buf *expected,
	   const char *name)
{
	size_t total = 0, step;
	struct buf out;
	int bad = 0;

	for (size_t i = 0; i < a->n; i++)
		total += a->v[i].data.len;
	step = total > SMALL_BYTES ? total / CUTS : 1;
	buf_init(&out, DUMP_MAX_BYTES);
	for (size_t i = 0; i < a->n; i++) {
		size_t len = a->v[i].data.len, end = useful(&a->v[i].data);

		for (size_t cut = 1; cut < len && bad == 0; cut += step) {
			run(a, &out, i, cut, false);
			bad = strcmp(buf_str(&out), buf_str(expected)) != 0;
			if (bad)
				fprintf(stderr,
					"%s: answer %zu cut at %zu:\n%s", name,
					i + 1, cut, buf_str(&out));
		}
		/* What fails as a whole may well have a good beginning. */
		if (bad == 0 && run(a, &out, i, 0, false) != 0)
			continue;
		for (size_t cut = 0; cut < end && bad == 0; cut += step)
			if (run(a, &out, i, cut, true) == 0) {
				fprintf(stderr,
					"%s: %zu bytes of answer %zu pass\n",
					name, cut, i + 1);
				bad = 1;
			}
	}
	buf_fini(&out);
	return bad;
}

int
main(int argc, char **argv)
{
	bool cuts = argc < 2 || strcmp(argv[1], "-n") != 0;
	struct buf out;
	int bad = 0;

	buf_init(&out, DUMP_MAX_BYTES);
	for (int i = cuts ? 1 : 2; i < argc; i++) {
		struct answers a = { 0 };

		load(&a, argv[i]);
		run(&a, &out, SIZE_MAX, 0, false);
		fputs(buf_str(&out), stdout);
		if (cuts)
			bad |= check_cuts(&a, &out, argv[i]);
		unload(&a);
	}
	buf_fini(&out);
	return bad;
}
