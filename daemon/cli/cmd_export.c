/*
 * dslat export: every sample of a span, as text for other programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "dslat/format.h"
#include "dslat/mem.h"
#include "kind.h"

#define PATH_BYTES 65536
#define PROGRESS_US (500 * US_PER_MS)

struct output {
	const struct cli *cli;
	FILE *f;
	const char *path; /* NULL: standard output */
	/* What is written until it is whole, and its place then; NULL: path is
	 * no file but a device or a pipe, and written as it is. */
	char *part, *place;
	bool progress;
	uint64_t bytes;
	mono_t shown;
};

/* ---- the file ---- */

static int
cannot_write(const struct output *o)
{
	cli_say(o->cli, stderr, "dslat: cannot write %s: %s",
		o->path != NULL ? o->path : "to standard output",
		strerror(errno));
	return CLI_FAILED;
}

static const char *unfinished; /* removed when a signal ends the program */

static void
on_signal(int sig)
{
	unlink(unfinished);
	raise(sig);
}

static void
remove_when_interrupted(const char *part)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	unfinished = part;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction old;

		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
}

static int
open_part(struct output *o, bool exists)
{
	int fd;

	if (exists && o->cli->opt[OPT_FORCE] == NULL) {
		cli_say(o->cli, stderr,
			"dslat: %s is there already; --force replaces it",
			o->path);
		return -1;
	}
	/* Behind a link, for the link shall stay. */
	o->place = exists ? realpath(o->path, NULL) : xstrdup(o->path);
	if (o->place == NULL)
		return cannot_write(o), -1;
	o->part = xasprintf("%s.part.%ld", o->place, (long)getpid());
	fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		remove_when_interrupted(o->part);
	} else {
		cannot_write(o);
		free(o->part);
		o->part = NULL;
	}
	return fd;
}

static int
open_output(struct output *o)
{
	struct stat st;
	bool exists;
	int fd;

	o->progress = isatty(STDERR_FILENO) &&
		(o->path != NULL || !isatty(STDOUT_FILENO));
	if (o->path == NULL) {
		o->f = stdout;
		return CLI_OK;
	}
	exists = stat(o->path, &st) == 0;
	if (exists && !S_ISREG(st.st_mode)) {
		fd = open(o->path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			cannot_write(o);
	} else {
		fd = open_part(o, exists);
	}
	if (fd < 0)
		return CLI_FAILED;
	o->f = fdopen(fd, "w");
	return CLI_OK;
}

/* One that came meanwhile stays, but with --force. */
static int
put_in_place(const struct output *o)
{
	if (o->cli->opt[OPT_FORCE] != NULL)
		return rename(o->part, o->place);
	if (link(o->part, o->place) != 0)
		return -1;
	unlink(o->part);
	return 0;
}

static int
close_output(struct output *o, int status)
{
	bool bad;

	if (o->f == NULL)
		return status;
	bad = fflush(o->f) != 0 || ferror(o->f) != 0;
	if (o->path == NULL)
		return bad && status == CLI_OK ? cannot_write(o) : status;
	bad |= o->part != NULL && fsync(fileno(o->f)) != 0;
	bad |= fclose(o->f) != 0;
	if (status == CLI_OK &&
	    (bad || (o->part != NULL && put_in_place(o) != 0)))
		status = cannot_write(o);
	if (status != CLI_OK && o->part != NULL)
		unlink(o->part);
	return status;
}

/* ---- the stream ---- */

static void
show_progress(struct output *o)
{
	mono_t now = clock_sample().mono;

	if (!o->progress || mono_diff_us(now, o->shown) < PROGRESS_US)
		return;
	o->shown = now;
	fprintf(stderr, "\r%.1f MB ", (double)o->bytes / 1e6);
}

static int
on_data(void *arg, const char *data, size_t len, struct err *e)
{
	struct output *o = arg;

	if (fwrite(data, 1, len, o->f) != len)
		return err_set(e, ERR_IO, "cannot write %s: %s",
			       o->path != NULL ? o->path : "to standard output",
			       strerror(errno));
	o->bytes += len;
	show_progress(o);
	return 0;
}

/* ---- what is asked for ---- */

static int
add_id(const struct cli *c, const struct kind *k, const char *text,
       struct buf *path)
{
	struct kind_name name = { text, NULL, true };
	int status = CLI_OK;
	json_t *v = kind_find(k, c, &name, &status);

	if (v == NULL)
		return status;
	api_add_param(path, k->word, js_text(v, "id"));
	json_decref(v);
	return CLI_OK;
}

static int
make_path(const struct cli *c, struct buf *path, enum format *f_r)
{
	const char *name = c->opt[OPT_FORMAT];
	int status = CLI_OK;

	if (name == NULL)
		name = c->opt[OPT_JSON] != NULL ? "ndjson" : "csv";
	if (!format_from_name(name, f_r))
		return cli_usage(c,
				 "--format is csv, ndjson, openmetrics or "
				 "influx, not \"%s\"",
				 name);
	buf_adds(path, "/api/v1/export");
	api_add_param(path, "format", name);
	api_add_param(path, "from", c->opt[OPT_FROM]);
	api_add_param(path, "to", c->opt[OPT_TO]);
	for (size_t i = 0; status == CLI_OK && i < c->n_names; i++)
		status = add_id(c, &kind_datastore, c->names[i], path);
	if (status == CLI_OK && c->opt[OPT_HOST] != NULL)
		status = add_id(c, &kind_host, c->opt[OPT_HOST], path);
	return status;
}

int
cmd_export(struct cli *c)
{
	struct output o = { .cli = c, .path = c->opt[OPT_OUTPUT] };
	struct buf path;
	enum format f;
	struct err e;
	int status;

	buf_init(&path, PATH_BYTES);
	status = make_path(c, &path, &f);
	if (status == CLI_OK)
		status = open_output(&o);
	if (status == CLI_OK &&
	    api_get_stream(c->api, buf_str(&path), format_type(f), on_data, &o,
			   &e) != 0)
		status = cli_fail(c, &e);
	if (o.progress && o.shown.us != 0)
		fprintf(stderr, "\r%.1f MB\n", (double)o.bytes / 1e6);
	status = close_output(&o, status);
	free(o.place); /* a signal may look at o.part yet */
	buf_fini(&path);
	return status;
}
