#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "loop_parts.h"

static const int caught[] = { SIGTERM, SIGINT, SIGHUP };

/* Signals belong to the process, so does this; the handler has no other way
 * to find the pipe. */
static struct {
	struct loop *loop; /* NULL: none catches signals */
	int pipe[2];
	struct loop_fd *fd;
	struct sigaction old[ARRAY_SIZE(caught)];
	void (*on_hup)(void *arg);
	void *arg;
} signals;

static void
on_signal(int sig)
{
	int saved_errno = errno;
	unsigned char byte = (unsigned char)sig;
	ssize_t n = write(signals.pipe[1], &byte, 1);

	(void)n; /* a full pipe wakes the loop as well */
	errno = saved_errno;
}

static void
signals_read(void *arg unused, int fd, int ready unused, struct now now unused)
{
	unsigned char bytes[64];
	ssize_t n;
	bool hup = false;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (bytes[i] == SIGHUP)
				hup = true;
			else
				loop_stop(signals.loop);
	if (hup && signals.on_hup != NULL)
		signals.on_hup(signals.arg);
}

int
loop_signals(struct loop *l, void (*on_hup)(void *arg), void *arg,
	     struct err *e)
{
	assert(signals.loop == NULL);
	if (pipe2(signals.pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set(e, ERR_IO, "pipe for signals: %s",
			       strerror(errno));
	signals.loop = l;
	signals.on_hup = on_hup;
	signals.arg = arg;
	signals.fd =
		loop_fd_add(l, signals.pipe[0], LOOP_IN, signals_read, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++) {
		struct sigaction sa = { .sa_flags = SA_RESTART,
					.sa_handler = on_signal };

		sigemptyset(&sa.sa_mask);
		sigaction(caught[i], &sa, &signals.old[i]);
	}
	return 0;
}

void
loop_signals_end(struct loop *l)
{
	if (signals.loop != l)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &signals.old[i], NULL);
	loop_fd_del(&signals.fd);
	close(signals.pipe[0]);
	close(signals.pipe[1]);
	signals.loop = NULL;
}
