/*
 * One attempt of each kind of notifier, against receivers of our own on the
 * loopback device: what arrives, and what is said when nothing does.  Real
 * receivers are asked in tests/notify.
 *
 * OpenSSL's headers first: they use the word "unused".
 */
#include "server.h"

#include "../../daemon/notify/send.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "dslat/digest.h"
#include "dslat/mem.h"
#include "dslat/resolve.h"
#include "outcome.h"

static struct loop *loop;
static struct send_means by;
static char dir[] = "/tmp/dslat-test-send-XXXXXX";

/* ---- an attempt, and what came of it -------------------------------------------- */

struct result {
	int n_dones;
	struct send_result r;
};

static void
on_done(void *arg, const struct send_result *r)
{
	struct result *x = arg;

	x->n_dones++;
	x->r = *r;
}

static struct conf *
conf_of(const char *keys)
{
	char *yaml = xasprintf(
		"targets: [{ name: a, url: https://h, username: "
		"u, password_env: P }]\n"
		"notify: [ { name: n, %s } ]\n",
		keys);
	struct buf problems;
	struct conf *c;
	struct err e;

	buf_init(&problems, 65536);
	c = conf_parse(yaml, strlen(yaml), "f", &problems, &e);
	assert_string_equal(buf_str(&problems), "");
	buf_fini(&problems);
	free(yaml);
	return c;
}

static char s_target[] = "lab", s_ds[] = "nfs01",
	    s_sum[] = "lab/nfs01 \"slow\"";
static const struct incident incident = {
	.id = 12,
	.kind = INCIDENT_SLOW,
	.state = INCIDENT_ANNOUNCED,
	.target = s_target,
	.datastore = s_ds,
	.summary = s_sum,
	.started = { INT64_C(1796007600) * US_PER_S },
	.worst_us = 83000,
	.worst_ios = -1,
};
#define MANY 2000
static struct message_item items[MANY];

/* The result of sending n incidents; keys are printf's. */
static struct send_result __attribute__((format(printf, 2, 3)))
send_n(size_t n, const char *fmt, ...)
{
	struct message m = { .receiver = "n",
			     .now = { INT64_C(1796007660) * US_PER_S },
			     .items = items,
			     .n = n,
			     .n_changed = n };
	struct result x = { 0 };
	struct attempt *a;
	struct conf *c;
	char *keys;
	va_list ap;

	va_start(ap, fmt);
	keys = xvasprintf(fmt, ap);
	va_end(ap);
	print_message("%s\n", keys);
	c = conf_of(keys);
	for (size_t i = 0; i < n; i++)
		items[i].in = &incident;
	loop_turn(loop, 0);
	a = attempt_start(&by, &c->notify[0], &m, on_done, &x);
	assert_non_null(a);
	assert_int_equal(x.n_dones, 0);
	assert_true(turns_until(loop, &x.n_dones, 1));
	assert_int_equal(x.n_dones, 1);
	if (x.r.err.code != ERR_NONE)
		print_message("  %s\n", x.r.err.text);
	conf_free(&c);
	free(keys);
	return x.r;
}
#define send_one(...) send_n(1, __VA_ARGS__)

static void
assert_ok(struct send_result r)
{
	assert_int_equal(r.err.code, ERR_NONE);
}

static void
assert_fails(struct send_result r, enum err_code code, const char *text)
{
	assert_int_equal(r.err.code, code);
	if (strstr(r.err.text, text) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", text, r.err.text);
}

static char *
path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static char *
write_file(const char *name, const char *text, unsigned mode)
{
	char *path = path_of(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static char *
read_file(const char *name)
{
	char *path = path_of(name), room[4096];
	int fd = open(path, O_RDONLY);
	struct buf b;
	ssize_t n;

	buf_init(&b, (size_t)8 << 20);
	assert_true(fd >= 0);
	while ((n = read(fd, room, sizeof(room))) > 0)
		buf_add(&b, room, (size_t)n);
	close(fd);
	free(path);
	return buf_take(&b);
}

/* ---- HTTP ------------------------------------------------------------------------ */

struct asked {
	char head[4096], body[16384];
	const char *status, *headers;
};

static bool
on_request(struct conn *c, const char *head, const char *body, size_t len,
	   void *arg)
{
	struct asked *a = arg;
	char answer[512];

	snprintf(a->head, sizeof(a->head), "%s", head);
	snprintf(a->body, sizeof(a->body), "%.*s", (int)len, body);
	snprintf(answer, sizeof(answer),
		 "HTTP/1.1 %s\r\n%sContent-Length: 9\r\n\r\nbad\nlabel",
		 a->status, a->headers);
	return conn_sends(c, answer);
}

static void
test_http(void **state unused)
{
	struct asked a = { .status = "200 OK", .headers = "" };
	struct server *s = server_start(&(struct server_options){
		.family = AF_INET, .fn = on_request, .arg = &a });
	char *secret = write_file("secret", "It's a secret\n", 0600);
	char *expected, hex[SHA256_HEX_SIZE];
	unsigned char mac[SHA256_BYTES];
	int port = server_port(s);
	struct send_result r;

	assert_ok(
		send_one("type: webhook, url: \"http://127.0.0.1:%d/a?b=c\", "
			 "secret_file: %s",
			 port, secret));
	assert_int_equal(strncmp(a.head, "POST /a?b=c HTTP/1.1\r\n", 22), 0);
	assert_non_null(strstr(a.head, "\r\nContent-Type: application/json\r"));
	assert_int_equal(strncmp(a.body, "{\"version\":\"4\"", 14), 0);
	digest_hmac_sha256("It's a secret", a.body, strlen(a.body), mac);
	digest_hex(mac, sizeof(mac), hex);
	expected = xasprintf("\r\nX-Dslat-Signature: sha256=%s\r\n", hex);
	assert_non_null(strstr(a.head, expected));
	free(expected);

	assert_ok(send_one("type: alertmanager, url: \"http://127.0.0.1:%d\"",
			   port));
	assert_int_equal(strncmp(a.head, "POST /api/v2/alerts HTTP", 24), 0);
	assert_null(strstr(a.head, "Signature"));
	assert_int_equal(a.body[0], '[');
	assert_ok(send_one(
		"type: alertmanager, url: \"http://127.0.0.1:%d/p/\"", port));
	assert_int_equal(strncmp(a.head, "POST /p/api/v2/alerts HTTP", 26), 0);

	a.status = "400 Bad Request";
	r = send_one("type: webhook, url: \"http://127.0.0.1:%d/\"", port);
	assert_fails(r, ERR_PROTO, "HTTP status 400: bad label; check url");
	assert_true(r.is_refused);
	a.status = "429 Slow Down";
	a.headers = "Retry-After: 7\r\n";
	r = send_one("type: webhook, url: \"http://127.0.0.1:%d/\"", port);
	assert_fails(r, ERR_BUSY, "HTTP status 429");
	assert_false(r.is_refused);
	assert_int_equal(r.retry_after_us, 7 * US_PER_S);
	a.status = "503 No";
	a.headers = "";
	r = send_one("type: webhook, url: \"http://127.0.0.1:%d/\"", port);
	assert_fails(r, ERR_BUSY, "HTTP status 503");
	assert_false(r.is_refused);
	server_stop(&s);

	assert_fails(
		send_one("type: webhook, url: \"http://127.0.0.1:%d/\"", port),
		ERR_NET, "refuses the connection");
	assert_fails(send_one("type: webhook, url: http://h, secret_file: %s.x",
			      secret),
		     ERR_IO, "does not exist; create it");
	free(secret);
}

/* ---- mail: what does not need a real server ------------------------------------------ */

/* The first free port, and nobody there. */
static int
port_of_nobody(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	close(fd);
	return ntohs(in.sin_port);
}

static void
test_mail(void **state unused)
{
	assert_fails(
		send_one("type: smtp, server: \"127.0.0.1:%d\", from: a@b, "
			 "to: c@d",
			 port_of_nobody()),
		ERR_NET, "refuses the connection");
	assert_fails(
		send_one("type: smtp, server: \"127.0.0.1:%d\", from: a@b, "
			 "to: c@d, username: u, password_file: %s/none",
			 port_of_nobody(), dir),
		ERR_IO, "does not exist; create it");
}

/* ---- exec ------------------------------------------------------------------------ */

static char *
script(const char *name, const char *body)
{
	char *text = xasprintf("#!/bin/sh\ncd %s || exit 9\n%s\n", dir, body);
	char *path = write_file(name, text, 0700);

	free(text);
	return path;
}

static void
test_exec(void **state unused)
{
	char *path = script("good",
			    "printf '[%s]' \"$@\" >argv\ncat >stdin\nenv >env");
	char *text;

	setenv("DSLAT_TEST_PASSWORD", "hunter2", 1);
	assert_ok(
		send_one("type: exec, command: [%s, \"{summary}\", \"; touch "
			 "x\", \"\\\\$(id)\", \"a {datastore} b\"]",
			 path));
	text = read_file("argv");
	assert_string_equal(text,
			    "[lab/nfs01 \"slow\"][; touch x][\\$(id)][a "
			    "nfs01 b]");
	free(text);
	text = read_file("stdin");
	assert_int_equal(strncmp(text, "{\"version\":\"4\"", 14), 0);
	assert_string_equal(text + strlen(text) - 2, "}\n");
	free(text);
	text = read_file("env");
	assert_non_null(strstr(text, "PATH="));
	assert_null(strstr(text, "hunter2"));
	free(text);
	free(path);

	path = script("bad", "echo >&2\necho \"no $1 here\" >&2\nexit 3");
	assert_fails(send_one("type: exec, command: [%s, pager]", path), ERR_IO,
		     "bad ended with status 3");
	free(path);
	path = script("said", "printf 'no %s\\nmore\\n' \"$1\" >&2\nexit 1");
	assert_fails(send_one("type: exec, command: [%s, pager]", path), ERR_IO,
		     "said ended with status 1: no pager");
	free(path);
	path = script("dies", "kill -9 $$");
	assert_fails(send_one("type: exec, command: [%s]", path), ERR_IO,
		     "dies was killed by signal 9");
	free(path);
	assert_fails(send_one("type: exec, command: [%s/none]", dir), ERR_IO,
		     "none: No such file");
}

/* More input than a pipe holds: read slowly, or not at all. */
static void
test_exec_input(void **state unused)
{
	char *path = script("slow", "sleep 0.05; wc -c >size"), *text;

	assert_ok(send_n(MANY, "type: exec, command: [%s]", path));
	text = read_file("size");
	assert_true(strtol(text, NULL, 10) > 500000);
	free(text);
	free(path);
	path = script("deaf", "exec true");
	assert_ok(send_n(MANY, "type: exec, command: [%s]", path));
	free(path);
}

/* At the limit the whole group is killed, and what holds stderr open does not
 * put off the end. */
static void
test_exec_limit(void **state unused)
{
	char *path = script("hangs",
			    "echo tired >&2\nsleep 60 &\necho $! "
			    ">pid\nwait");
	char *text;
	long pid;

	assert_fails(send_one("type: exec, timeout_s: 1, command: [%s]", path),
		     ERR_TIMEOUT,
		     "did not end within 1 s and was killed: tired");
	text = read_file("pid");
	pid = strtol(text, NULL, 10);
	free(text);
	assert_true(pid > 1);
	for (int i = 0; i < 100 && kill((pid_t)pid, 0) == 0; i++) {
		char *stat = xasprintf("/proc/%ld/stat", pid);
		char room[512] = "";
		int fd = open(stat, O_RDONLY);

		/* dead, but nobody of its family has looked yet */
		if (fd >= 0 && read(fd, room, sizeof(room) - 1) > 0 &&
		    strstr(room, ") Z ") != NULL)
			i = 1000;
		if (fd >= 0)
			close(fd);
		free(stat);
		nap_ms(10);
		assert_int_not_equal(i, 99);
	}
	free(path);
	path = script("leaves", "sleep 60 & echo $! >pid; exit 0");
	assert_ok(send_one("type: exec, command: [%s]", path));
	text = read_file("pid");
	kill((pid_t)strtol(text, NULL, 10), SIGKILL);
	free(text);
	free(path);
}

/* ---- syslog ---------------------------------------------------------------------- */

static int
inet_socket(int type, int *port_r)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, type, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 5), 0);
	*port_r = ntohs(in.sin_port);
	return fd;
}

static void
test_syslog_datagram(void **state unused)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char room[16384], *path = path_of("log");
	int port, fd = inet_socket(SOCK_DGRAM, &port);
	ssize_t n;

	/* warning is 4, of facility daemon, 3: 3 * 8 + 4 */
	assert_ok(send_one("type: syslog, address: \"127.0.0.1:%d\"", port));
	n = recv(fd, room, sizeof(room), MSG_DONTWAIT);
	assert_true(n > 0);
	assert_int_equal(strncmp(room, "<28>1 2026-11-30T03:01:00Z ", 27), 0);
	assert_ok(send_n(MANY,
			 "type: syslog, address: \"localhost:%d\", "
			 "facility: local7",
			 port));
	n = recv(fd, room, sizeof(room), MSG_DONTWAIT);
	assert_true(n > 1000 && n <= 2048);
	assert_int_equal(strncmp(room, "<188>1 ", 7), 0);
	assert_int_equal(recv(fd, room, sizeof(room), MSG_DONTWAIT), -1);
	close(fd);
	assert_fails(send_one("type: syslog, address: \"127.0.0.1:%d\"", port),
		     ERR_NET, "nothing listens at 127.0.0.1:");
	assert_fails(send_one("type: syslog, address: no.such.name.invalid"),
		     ERR_NET, "no address for no.such.name.invalid");

	assert_fails(send_one("type: syslog, address: \"unix:%s\"", path),
		     ERR_NET, "nothing listens at unix:/");
	memcpy(un.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_ok(send_n(MANY, "type: syslog, address: \"unix:%s\"", path));
	n = recv(fd, room, sizeof(room), MSG_DONTWAIT);
	assert_true(n > 4096 && n <= 8192);
	close(fd);
	free(path);
}

/* All that comes until the other side has said everything. */
static void
read_all(int fd, char *to, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 &&
	       (n = recv(fd, to + len, size - 1 - len, 0)) > 0)
		len += (size_t)n;
	to[len] = '\0';
	close(fd);
}

static void
on_reset(void *arg unused, int fd, int ready unused, struct now now unused)
{
	const struct linger off = { 1, 0 };
	int peer = accept(fd, NULL, NULL);

	setsockopt(peer, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	close(peer);
}

static void
test_syslog_stream(void **state unused)
{
	char got[16384];
	struct loop_fd *watch;
	int port, fd = inet_socket(SOCK_STREAM, &port);

	/* nobody accepts, but the kernel took it: no news is good news */
	assert_ok(send_n(2,
			 "type: syslog, protocol: tcp, address: "
			 "\"127.0.0.1:%d\"",
			 port));
	read_all(accept(fd, NULL, NULL), got, sizeof(got));
	assert_int_equal(strtoul(got, NULL, 10), strlen(strchr(got, ' ') + 1));
	assert_int_equal(strncmp(strchr(got, ' '), " <28>1 2026-", 12), 0);

	watch = loop_fd_add(loop, fd, LOOP_IN, on_reset, NULL);
	assert_fails(send_one("type: syslog, protocol: tcp, address: "
			      "\"127.0.0.1:%d\"",
			      port),
		     ERR_NET, "syslog to 127.0.0.1:");
	loop_fd_del(&watch);
	close(fd);
	assert_fails(send_one("type: syslog, protocol: tcp, address: "
			      "\"127.0.0.1:%d\"",
			      port),
		     ERR_NET, "nothing listens at 127.0.0.1:");
}

/* ---- cancelling ------------------------------------------------------------------- */

static void
test_cancel(void **state unused)
{
	char *path = script("waits", "sleep 60");
	char *keys[] = {
		xasprintf("type: webhook, url: \"http://127.0.0.1:%d/\"",
			  port_of_nobody()),
		xasprintf(
			"type: smtp, server: \"127.0.0.1:%d\", from: a@b, to: "
			"c@d",
			port_of_nobody()),
		xasprintf("type: exec, command: [%s]", path),
		xasprintf("type: syslog, address: \"127.0.0.1:%d\"",
			  port_of_nobody()),
		xasprintf("type: syslog, address: no.such.name.invalid"),
		xasprintf("type: syslog, address: \"unix:%s/none\"", dir),
	};
	struct message m = { .receiver = "n",
			     .now = { INT64_C(1796007660) * US_PER_S },
			     .items = items,
			     .n = 1,
			     .n_changed = 1 };

	items[0].in = &incident;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (int turns = 0; turns < 3; turns++) {
			struct conf *c = conf_of(keys[i]);
			struct result x = { 0 };
			struct attempt *a;

			a = attempt_start(&by, &c->notify[0], &m, on_done, &x);
			for (int j = 0; j < turns && x.n_dones == 0; j++)
				loop_turn(loop, 1);
			if (x.n_dones == 0)
				attempt_cancel(&a);
			for (int j = 0; j < 3; j++)
				loop_turn(loop, 1);
			assert_true(x.n_dones <= turns);
			conf_free(&c);
		}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		free(keys[i]);
	free(path);
}

static int
set_up(void **state unused)
{
	struct err e;

	loop = loop_new(&e);
	by = (struct send_means){ loop, resolver_new(loop) };
	return loop != NULL && mkdtemp(dir) != NULL ? 0 : -1;
}

static int
tear_down(void **state unused)
{
	static const char *const names[] = {
		"argv",  "bad",  "deaf",   "dies",  "env",  "good",
		"hangs", "log",  "leaves", "pid",   "said", "secret",
		"size",  "slow", "stdin",  "waits",
	};

	resolver_free(&by.resolver);
	loop_free(&loop);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = path_of(names[i]);

		unlink(path);
		free(path);
	}
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_http),
		cmocka_unit_test(test_mail),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_input),
		cmocka_unit_test(test_exec_limit),
		cmocka_unit_test(test_syslog_datagram),
		cmocka_unit_test(test_syslog_stream),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
