#include "dslat/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "dslat/mem.h"

#define LINE_MAX_BYTES 200
/* How often to look whether it ended: soon at first, then less often.  (SIGCHLD
 * belongs to the process, not to one module of it.) */
#define LOOK_FIRST_US (2 * US_PER_MS)
#define LOOK_MAX_US (100 * US_PER_MS)

struct child {
	struct loop *loop;
	pid_t pid;
	char *path;
	char *input;
	size_t input_len, written;
	int in_fd, err_fd; /* -1: closed */
	struct loop_fd *in, *err;
	char line[LINE_MAX_BYTES + 1]; /* the first of its stderr */
	size_t line_len;
	bool line_ended;
	struct loop_timer *timer; /* next look */
	int64_t look_us;
	mono_t until;
	int64_t timeout_us;
	child_done_fn done;
	void *arg;
};

/* Killed, but not yet gone when they were given up. */
static struct orphan {
	pid_t pid;
	struct orphan *next;
} * orphans;

static void
reap_orphans(void)
{
	struct orphan **p = &orphans, *o;

	while ((o = *p) != NULL) {
		if (waitpid(o->pid, NULL, WNOHANG) == 0) {
			p = &o->next;
			continue;
		}
		*p = o->next;
		free(o);
	}
}

static void
close_in(struct child *c)
{
	loop_fd_del(&c->in);
	if (c->in_fd >= 0)
		close(c->in_fd);
	c->in_fd = -1;
}

static void
close_err(struct child *c)
{
	loop_fd_del(&c->err);
	if (c->err_fd >= 0)
		close(c->err_fd);
	c->err_fd = -1;
}

static void
child_free(struct child *c)
{
	close_in(c);
	close_err(c);
	loop_timer_free(&c->timer);
	free(c->path);
	free(c->input);
	free(c);
}

void
child_cancel(struct child **cp)
{
	struct child *c = *cp;
	struct orphan *o;

	if (c == NULL)
		return;
	*cp = NULL;
	kill(-c->pid, SIGKILL);
	o = xcalloc(1, sizeof(*o));
	o->pid = c->pid;
	o->next = orphans;
	orphans = o;
	reap_orphans();
	child_free(c);
}

/* ---- its two pipes ------------------------------------------------------------ */

static void
on_in(void *arg, int fd, int ready unused, struct now now unused)
{
	struct child *c = arg;
	ssize_t n;

	n = write(fd, c->input + c->written, c->input_len - c->written);
	if (n >= 0)
		c->written += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		c->written = c->input_len; /* it does not read: its affair */
	if (c->written == c->input_len)
		close_in(c);
}

static void
take_err(struct child *c, const char *s, size_t n)
{
	for (size_t i = 0; i < n && !c->line_ended; i++) {
		if (s[i] == '\n' || c->line_len == LINE_MAX_BYTES)
			c->line_ended = true;
		else if ((unsigned char)s[i] >= ' ')
			c->line[c->line_len++] = s[i];
	}
}

/* false: nothing more comes now. */
static bool
read_err(struct child *c)
{
	char room[4096];
	ssize_t n;

	if (c->err_fd < 0)
		return false;
	n = read(c->err_fd, room, sizeof(room));
	if (n > 0)
		take_err(c, room, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_err(c);
	return n > 0;
}

static void look(struct child *c, struct now now);

static void
on_err(void *arg, int fd unused, int ready unused, struct now now)
{
	struct child *c = arg;

	read_err(c);
	if (c->err_fd < 0)
		look(c, now); /* it closed it: most likely it ended */
}

/* ---- its end -------------------------------------------------------------------- */

static void
finish(struct child *c, const struct err *e)
{
	child_done_fn done = c->done;
	void *arg = c->arg;

	child_free(c);
	done(arg, e);
}

static void
ended(struct child *c, int status)
{
	struct err e = { .code = ERR_NONE };
	const char *colon;

	while (read_err(c) && !c->line_ended)
		;
	colon = c->line_len != 0 ? ": " : "";
	if (WIFSIGNALED(status))
		err_set(&e, ERR_IO, "%.200s was killed by signal %d%s%s",
			c->path, WTERMSIG(status), colon, c->line);
	else if (WEXITSTATUS(status) != 0)
		err_set(&e, ERR_IO, "%.200s ended with status %d%s%s", c->path,
			WEXITSTATUS(status), colon, c->line);
	finish(c, &e);
}

static void
late(struct child *c)
{
	child_done_fn done = c->done;
	void *arg = c->arg;
	struct err e;

	while (read_err(c) && !c->line_ended)
		;
	err_set(&e, ERR_TIMEOUT,
		"%.200s did not end within %lld s and was killed%s%s", c->path,
		(long long)(c->timeout_us / US_PER_S),
		c->line_len != 0 ? ": " : "", c->line);
	child_cancel(&c);
	done(arg, &e);
}

static void
look(struct child *c, struct now now)
{
	int status = 0;

	if (waitpid(c->pid, &status, WNOHANG) == c->pid) {
		ended(c, status);
	} else if (mono_diff_us(now.mono, c->until) >= 0) {
		late(c);
	} else {
		loop_timer_in_us(c->timer, c->look_us);
		c->look_us = MIN(2 * c->look_us, LOOK_MAX_US);
	}
}

static void
on_timer(void *arg, struct now now)
{
	look(arg, now);
}

/* ---- its beginning ---------------------------------------------------------------- */

extern char **environ;

/* A new array of pointers into our own environment. */
static char **
small_environment(void)
{
	static const char *const names[] = { "PATH",   "HOME", "USER",  "LANG",
					     "LC_ALL", "TZ",   "TMPDIR" };
	char **list = xcalloc(ARRAY_SIZE(names) + 1, sizeof(*list));
	size_t n = 0;

	for (char **v = environ; *v != NULL; v++)
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			size_t len = strlen(names[i]);

			if (n < ARRAY_SIZE(names) && (*v)[len] == '=' &&
			    strncmp(*v, names[i], len) == 0)
				list[n++] = *v;
		}
	return list;
}

/* errno of the first call that failed, or 0. */
static int
spawn(struct child *c, char *const *argv, int in, int err)
{
	posix_spawn_file_actions_t fds;
	posix_spawnattr_t how;
	char **env = small_environment();
	sigset_t all, none;
	int error;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&fds);
	posix_spawn_file_actions_adddup2(&fds, in, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&fds, STDOUT_FILENO, "/dev/null",
					 O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&fds, err, STDERR_FILENO);
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
	posix_spawn_file_actions_addclosefrom_np(&fds, STDERR_FILENO + 1);
#endif
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
					 POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setsigdefault(&how, &all); /* SIGPIPE above all */
	posix_spawnattr_setsigmask(&how, &none);
	error = posix_spawn(&c->pid, argv[0], &fds, &how, argv, env);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&fds);
	free(env);
	return error;
}

static void
close_pair(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

struct child *
child_start(struct loop *l, const struct child_spec *spec, child_done_fn done,
	    void *arg, struct err *e)
{
	struct child *c = xcalloc(1, sizeof(*c));
	int in[2] = { -1, -1 }, err[2] = { -1, -1 }, error = 0;

	reap_orphans();
	c->loop = l;
	c->in_fd = c->err_fd = -1;
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		error = errno;
	else
		error = spawn(c, spec->argv, in[0], err[1]);
	if (error != 0) {
		close_pair(in);
		close_pair(err);
		free(c);
		err_set(e, ERR_IO, "cannot run %.200s: %s", spec->argv[0],
			strerror(error));
		return NULL;
	}
	close(in[0]);
	close(err[1]);
	c->in_fd = in[1];
	c->err_fd = err[0];
	fcntl(c->in_fd, F_SETFL, O_NONBLOCK);
	fcntl(c->err_fd, F_SETFL, O_NONBLOCK);
	c->path = xstrdup(spec->argv[0]);
	c->input = xmalloc(spec->input_len + 1);
	memcpy(c->input, spec->input, spec->input_len);
	c->input_len = spec->input_len;
	c->timeout_us = spec->timeout_us;
	c->until = mono_add_us(loop_now(l).mono, spec->timeout_us);
	c->done = done;
	c->arg = arg;
	c->in = loop_fd_add(l, c->in_fd, LOOP_OUT, on_in, c);
	c->err = loop_fd_add(l, c->err_fd, LOOP_IN, on_err, c);
	c->timer = loop_timer_new(l, on_timer, c);
	c->look_us = LOOK_FIRST_US;
	loop_timer_in_us(c->timer, c->look_us);
	return c;
}
