#include "dslat/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dslat/log.h"
#include "dslat/mem.h"

struct notify {
	int fd; /* -1: nobody to tell */
	struct sockaddr_un to;
	socklen_t to_len;
	bool failed; /* said so once */
	struct loop_timer *watchdog;
	int64_t watchdog_period_us; /* 0: none wanted */
};

static void
send_text(struct notify *n, const char *text)
{
	if (n->fd < 0)
		return;
	if (sendto(n->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
		   (const struct sockaddr *)&n->to, n->to_len) >= 0 ||
	    n->failed)
		return;
	n->failed = true;
	log_warn("notify", "cannot tell systemd: %s", strerror(errno));
}

static void
on_watchdog(void *arg, struct now now unused)
{
	struct notify *n = arg;

	send_text(n, "WATCHDOG=1");
	loop_timer_in_us(n->watchdog, n->watchdog_period_us);
}

/* A path, or "@name" for an abstract socket, whose name begins with NUL. */
static int
set_address(struct notify *n, const char *path)
{
	size_t len = strlen(path);

	if ((path[0] != '/' && path[0] != '@') || len < 2 ||
	    len >= sizeof(n->to.sun_path)) {
		log_warn("notify", "NOTIFY_SOCKET is not usable: %s", path);
		return -1;
	}
	n->to.sun_family = AF_UNIX;
	memcpy(n->to.sun_path, path, len + 1);
	if (path[0] == '@')
		n->to.sun_path[0] = '\0';
	n->to_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (path[0] == '/')
		n->to_len++; /* with the NUL at the end */
	return 0;
}

/* A variable as a positive number; 0 when it is absent or not one. */
static int64_t
env_number(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long long v;

	if (text == NULL || *text == '\0')
		return 0;
	errno = 0;
	v = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0' && v > 0 ? v : 0;
}

static void
start_watchdog(struct notify *n, struct loop *l)
{
	int64_t us = env_number("WATCHDOG_USEC");
	int64_t pid = env_number("WATCHDOG_PID");

	if (us == 0 || (pid != 0 && pid != getpid()))
		return;
	n->watchdog_period_us = MAX(us / 2, US_PER_MS);
	n->watchdog = loop_timer_new(l, on_watchdog, n);
	loop_timer_in_us(n->watchdog, n->watchdog_period_us);
}

struct notify *
notify_new(struct loop *l)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct notify *n = xcalloc(1, sizeof(*n));

	n->fd = -1;
	if (path != NULL && set_address(n, path) == 0) {
		n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (n->fd < 0)
			log_warn("notify", "socket: %s", strerror(errno));
		start_watchdog(n, l);
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return n;
}

void
notify_free(struct notify **np)
{
	struct notify *n = *np;

	if (n == NULL)
		return;
	*np = NULL;
	loop_timer_free(&n->watchdog);
	if (n->fd >= 0)
		close(n->fd);
	free(n);
}

void
notify_ready(struct notify *n)
{
	send_text(n, "READY=1");
}

void
notify_reloading(struct notify *n)
{
	char text[64];

	/* the real clock: systemd compares it with the time of its signal */
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		 clock_sample().mono.us);
	send_text(n, text);
}

void
notify_stopping(struct notify *n)
{
	send_text(n, "STOPPING=1");
}

void
notify_status(struct notify *n, const char *fmt, ...)
{
	char text[512] = "STATUS=";
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	/* a line feed would begin another variable */
	for (char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	send_text(n, text);
}
