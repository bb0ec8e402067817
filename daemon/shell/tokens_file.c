#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dslat/mem.h"
#include "dslat/tokens.h"

#define FILE_BYTES ((size_t)1 << 20)
#define CHUNK_BYTES 4096
#define NS_PER_S INT64_C(1000000000)

void
tokens_stamp(const char *path, struct tokens_stamp *s_r)
{
	struct stat st;

	*s_r = (struct tokens_stamp){ -1, -1, -1, 0 };
	if (stat(path, &st) != 0)
		return;
	s_r->mtime_ns = st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
	s_r->ctime_ns = st.st_ctim.tv_sec * NS_PER_S + st.st_ctim.tv_nsec;
	s_r->size_bytes = st.st_size;
	s_r->inode = st.st_ino;
}

bool
tokens_stamp_same(const struct tokens_stamp *a, const struct tokens_stamp *b)
{
	return a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns &&
		a->size_bytes == b->size_bytes && a->inode == b->inode;
}

static int
cannot_open(const char *path, int error, struct err *e)
{
	if (error == ENOENT)
		return err_set(e, ERR_CONF,
			       "the tokens file %s does not exist; make it "
			       "with: dslat token new NAME --file %s",
			       path, path);
	if (error == EACCES)
		return err_set(e, ERR_CONF,
			       "user %lu may not read the tokens file %s; make "
			       "it the owner, or let its group read it",
			       (unsigned long)geteuid(), path);
	return err_set(e, ERR_IO, "cannot read the tokens file %s: %s", path,
		       strerror(error));
}

/* Who can change it can let himself in. */
static int
check_mode(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return cannot_open(path, errno, e);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_CONF, "%s is not a file; name another",
			       path);
	if ((st.st_mode & (S_IWGRP | S_IWOTH | S_IROTH)) != 0)
		return err_set(
			e, ERR_CONF,
			"the tokens file %s has mode %03o, so others may "
			"%s it; chmod it 600 (or 640)",
			path, (unsigned)st.st_mode & 0777,
			(st.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "change"
								: "read");
	return 0;
}

static int
read_all(int fd, const char *path, struct buf *b, struct err *e)
{
	char chunk[CHUNK_BYTES];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			return cannot_open(path, errno, e);
		if (n > 0 && buf_add(b, chunk, (size_t)n) != 0)
			return err_set(e, ERR_LIMIT,
				       "%s is larger than %zu KiB: it is no "
				       "tokens file",
				       path, b->max >> 10);
	}
	return 0;
}

/* What the open file has; *n_bad_r: wrong lines, of which *e tells. */
static int
load(int fd, const char *path, struct tokens *t, size_t *n_bad_r, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, FILE_BYTES);
	rc = read_all(fd, path, &b, e);
	if (rc == 0)
		*n_bad_r = tokens_parse(t, buf_str(&b), b.len, e);
	buf_fini(&b);
	return rc;
}

int
tokens_load(struct tokens *t, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	size_t n_bad = 0;
	int rc;

	*t = (struct tokens){ NULL, 0 };
	*e = (struct err){ ERR_NONE, "" };
	if (fd < 0)
		return cannot_open(path, errno, e);
	rc = check_mode(fd, path, e);
	if (rc == 0)
		rc = load(fd, path, t, &n_bad, e);
	close(fd);
	if (rc == 0 && n_bad != 0)
		err_wrap(e, "%s (%zu wrong line%s)", path, n_bad,
			 n_bad == 1 ? "" : "s");
	return rc;
}

/* ---- adding a line ------------------------------------------------------ */

/* A file that root makes belongs to whom its folder does: the daemon's user,
 * if it is the daemon's folder. */
static int
give_away(int fd, const char *path, struct err *e)
{
	char *copy = xstrdup(path);
	struct stat st;
	int rc = 0;

	if (geteuid() == 0 && stat(dirname(copy), &st) == 0 && st.st_uid != 0 &&
	    fchown(fd, st.st_uid, st.st_gid) != 0)
		rc = err_set(e, ERR_IO, "cannot change the owner of %s: %s",
			     path, strerror(errno));
	free(copy);
	return rc;
}

static int
open_for_append(const char *path, struct err *e)
{
	int fd = open(path,
		      O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC |
			      O_NOCTTY,
		      S_IRUSR | S_IWUSR);

	if (fd >= 0) {
		if (give_away(fd, path, e) == 0)
			return fd;
		close(fd);
		return -1;
	}
	if (errno == EEXIST)
		fd = open(path,
			  O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY |
				  O_NONBLOCK);
	if (fd < 0)
		err_set(e, ERR_IO, "cannot write to %s: %s", path,
			strerror(errno));
	return fd;
}

/* The file is locked: is the name free, and does it end with a newline? */
static int
look(int fd, const char *path, const char *name, struct err *e)
{
	struct tokens t;
	size_t n_bad;
	int rc = load(fd, path, &t, &n_bad, e);

	if (rc != 0)
		return -1;
	for (size_t i = 0; i < t.n; i++)
		if (strcmp(t.rows[i].name, name) == 0)
			rc = err_set(e, ERR_USAGE,
				     "%s has a token named \"%s\" already; "
				     "remove its line or take another name",
				     path, name);
	tokens_fini(&t);
	return rc;
}

static int
append(int fd, const char *path, const char *line, struct err *e)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char last = '\n';
	char *text;
	ssize_t n;

	if (size > 0 && pread(fd, &last, 1, size - 1) != 1)
		last = '\n';
	/* one write(): no reader sees half a line */
	text = xasprintf("%s%s", last == '\n' ? "" : "\n", line);
	n = write(fd, text, strlen(text));
	if (n != (ssize_t)strlen(text) || fsync(fd) != 0)
		n = -1;
	free(text);
	return n >= 0 ? 0
		      : err_set(e, ERR_IO, "cannot write to %s: %s", path,
				strerror(errno));
}

int
tokens_append(const char *path, const char *name, const char *line,
	      struct err *e)
{
	int fd = open_for_append(path, e), rc;

	if (fd < 0)
		return -1;
	rc = check_mode(fd, path, e);
	if (rc == 0 && flock(fd, LOCK_EX) != 0)
		rc = err_set(e, ERR_IO, "cannot lock %s: %s", path,
			     strerror(errno));
	if (rc == 0)
		rc = look(fd, path, name, e);
	if (rc == 0)
		rc = append(fd, path, line, e);
	close(fd);
	return rc;
}
