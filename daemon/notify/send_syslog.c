#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "dslat/mem.h"
#include "dslat/resolve.h"
#include "render.h"
#include "send.h"

#define PORT "514"
#define UNIX_SCHEME "unix:"
/* A datagram that every receiver takes (RFC 5424, 6.1), and a message on a
 * stream or a socket of this machine. */
#define DATAGRAM_MAX_BYTES 2048
#define MESSAGE_MAX_BYTES 8192
/* A port where nobody listens answers a datagram within this; a stream's
 * receiver closes it when it has read all. */
#define LINGER_DATAGRAM_US (100 * US_PER_MS)
#define LINGER_STREAM_US (1000 * US_PER_MS)

struct syslog {
	struct attempt *attempt;
	struct resolve *resolve;
	bool stream, is_inet;
	bool written; /* all of it; now only an error can come */
	struct buf bytes;
	size_t done;
	int fd; /* -1: none */
	struct loop_fd *watch;
	struct loop_timer *linger;
};

static void
stop(void *state)
{
	struct syslog *s = state;

	resolve_cancel(&s->resolve);
	loop_fd_del(&s->watch);
	loop_timer_free(&s->linger);
	if (s->fd >= 0)
		close(s->fd);
	buf_fini(&s->bytes);
	free(s);
}

static void
finish(struct syslog *s, int error)
{
	const char *place = attempt_conf(s->attempt)->address;
	struct send_result r = { .err = { .code = ERR_NONE } };

	if (error == ECONNREFUSED || error == ENOENT)
		err_set(&r.err, ERR_NET,
			"nothing listens at %s: is the syslog service running, "
			"and are address and protocol right?",
			place);
	else if (error != 0)
		err_set(&r.err, ERR_NET, "syslog to %s: %s", place,
			strerror(error));
	attempt_finish(s->attempt, &r);
}

/* Nothing bad was heard. */
static void
on_linger(void *arg, struct now now unused)
{
	finish(arg, 0);
}

/* false: it is finished, and s gone. */
static bool
write_some(struct syslog *s)
{
	ssize_t n = send(s->fd, s->bytes.data + s->done, s->bytes.len - s->done,
			 MSG_NOSIGNAL);

	if (n < 0 &&
	    (errno == EAGAIN || errno == EINTR || errno == ENOTCONN ||
	     errno == EINPROGRESS))
		return true;
	if (n < 0) {
		finish(s, errno);
		return false;
	}
	s->done += (size_t)n;
	if (s->done < s->bytes.len && s->stream)
		return true;
	s->written = true;
	if (s->stream)
		shutdown(s->fd, SHUT_WR);
	loop_fd_want(s->watch, LOOP_IN);
	loop_timer_in_us(s->linger,
			 s->stream ? LINGER_STREAM_US : LINGER_DATAGRAM_US);
	return true;
}

static void
on_ready(void *arg, int fd, int ready, struct now now unused)
{
	struct syslog *s = arg;
	char room[256];
	int error = 0;
	socklen_t len = sizeof(error);
	ssize_t n;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 &&
	    error != 0) {
		finish(s, error);
		return;
	}
	if (!s->written) {
		if ((ready & LOOP_OUT) != 0)
			write_some(s);
		return;
	}
	n = recv(fd, room, sizeof(room), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		finish(s, errno);
	else if (n == 0 && s->stream)
		finish(s, 0); /* it read all of it */
}

static void
connect_to(struct syslog *s, const struct sockaddr *address, socklen_t len)
{
	int type = s->stream ? SOCK_STREAM : SOCK_DGRAM;

	s->fd = socket(address->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       0);
	if (s->fd < 0 ||
	    (connect(s->fd, address, len) != 0 && errno != EINPROGRESS)) {
		finish(s, errno);
		return;
	}
	s->watch = loop_fd_add(attempt_loop(s->attempt), s->fd, LOOP_OUT,
			       on_ready, s);
}

static void
on_resolved(void *arg, const struct resolve_result *found)
{
	struct syslog *s = arg;
	const struct send_result r = { .err = found->err };

	s->resolve = NULL;
	if (found->err.code != ERR_NONE)
		attempt_finish(s->attempt, &r);
	else
		connect_to(s, (const struct sockaddr *)&found->address,
			   found->len);
}

/* Sockets of this machine too wait a turn: attempt_finish() is not for
 * start(). */
static void
on_start(void *arg, struct now now unused)
{
	struct syslog *s = arg;
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	const char *path =
		attempt_conf(s->attempt)->address + strlen(UNIX_SCHEME);
	struct loop *l = attempt_loop(s->attempt);

	assert(strlen(path) < sizeof(un.sun_path)); /* conf_check_syslog() */
	memcpy(un.sun_path, path, strlen(path));
	loop_timer_free(&s->linger);
	s->linger = loop_timer_new(l, on_linger, s);
	connect_to(s, (const struct sockaddr *)&un, sizeof(un));
}

static void
render(struct syslog *s, const struct message *m)
{
	const struct conf_notify *c = attempt_conf(s->attempt);
	char hostname[256] = "";
	struct buf text;

	if (gethostname(hostname, sizeof(hostname) - 1) != 0)
		hostname[0] = '\0';
	buf_init(&text, MESSAGE_MAX_BYTES + 1);
	syslog_render(m,
		      &(struct syslog_origin){
			      .hostname = hostname,
			      .pid = (long)getpid(),
			      .facility_code = c->facility_code,
			      .max_bytes = s->is_inet && !s->stream
				      ? DATAGRAM_MAX_BYTES
				      : MESSAGE_MAX_BYTES,
		      },
		      &text);
	buf_init(&s->bytes, MESSAGE_MAX_BYTES + 32);
	if (s->stream)
		syslog_frame(&text, &s->bytes);
	else
		buf_add(&s->bytes, text.data, text.len);
	buf_fini(&text);
}

static void *
start(struct attempt *a, const struct message *m, struct err *e unused)
{
	const struct conf_notify *c = attempt_conf(a);
	struct syslog *s = xcalloc(1, sizeof(*s));
	struct loop *l = attempt_loop(a);

	s->attempt = a;
	s->fd = -1;
	s->stream = strcmp(c->protocol, "tcp") == 0;
	s->is_inet = strncmp(c->address, UNIX_SCHEME, strlen(UNIX_SCHEME)) != 0;
	render(s, m);
	if (s->is_inet) {
		s->linger = loop_timer_new(l, on_linger, s);
		s->resolve = resolve_start(attempt_resolver(a), c->address,
					   PORT, on_resolved, s);
	} else {
		s->linger = loop_timer_new(l, on_start, s);
		loop_timer_in_us(s->linger, 0);
	}
	return s;
}

const struct send_type send_syslog = {
	.start = start,
	.stop = stop,
	.late = "the syslog receiver did not take the message",
};
