/*
 * replay.c - main() of a fuzz target when libFuzzer is not there.
 *
 * Without arguments every file of $top_srcdir/tests/fuzz/corpus/<decoder> is
 * fed to the target, where the program is called fuzz_<decoder>; with
 * arguments, the files named.  No file at all is a failure.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/buf.h"

#define INPUT_MAX_BYTES ((size_t)64 << 20)

static int
replay_file(const char *path)
{
	char chunk[65536];
	uint8_t *exact;
	struct buf b;
	size_t n;
	FILE *f = fopen(path, "rb");

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	buf_init(&b, INPUT_MAX_BYTES);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) != 0)
		buf_add(&b, chunk, n);
	if (ferror(f) || b.full) {
		fprintf(stderr, "%s: cannot read it whole\n", path);
		fclose(f);
		buf_fini(&b);
		return -1;
	}
	fclose(f);
	/* A copy of the exact size: a read past the end is seen by ASan. */
	exact = malloc(b.len != 0 ? b.len : 1);
	if (exact == NULL)
		abort();
	if (b.len != 0)
		memcpy(exact, b.data, b.len);
	LLVMFuzzerTestOneInput(exact, b.len);
	free(exact);
	buf_fini(&b);
	return 0;
}

/* The number of files replayed, or -1. */
static int
replay_dir(const char *dir)
{
	struct dirent **entries;
	struct buf path;
	int n = scandir(dir, &entries, NULL, alphasort), done = 0, rc = 0;

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", dir, strerror(errno));
		return -1;
	}
	buf_init(&path, 4096);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			buf_reset(&path);
			buf_addf(&path, "%s/%s", dir, entries[i]->d_name);
			rc |= replay_file(buf_str(&path));
			done++;
		}
		free(entries[i]);
	}
	free(entries);
	buf_fini(&path);
	return rc != 0 ? -1 : done;
}

int
main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/'), *top = getenv("top_srcdir");
	struct buf dir;
	int n = 0;

	name = name != NULL ? name + 1 : argv[0];
	if (argc > 1) {
		for (; n < argc - 1; n++)
			if (replay_file(argv[n + 1]) != 0)
				return 1;
	} else {
		if (strncmp(name, "fuzz_", 5) == 0)
			name += 5;
		buf_init(&dir, 4096);
		buf_addf(&dir, "%s/tests/fuzz/corpus/%s",
			 top != NULL ? top : ".", name);
		n = replay_dir(buf_str(&dir));
		if (n == 0)
			fprintf(stderr, "%s: empty\n", buf_str(&dir));
		buf_fini(&dir);
	}
	printf("%d inputs replayed\n", n);
	return n > 0 ? 0 : 1;
}
