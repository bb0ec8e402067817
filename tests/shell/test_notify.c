#include "dslat/notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "dslat/log.h"
#include "outcome.h"

/* systemd's side: a datagram socket. */
struct fixture {
	struct loop *l;
	int fd;
	char dir[32], path[64]; /* path: as in NOTIFY_SOCKET */
	char text[1000];        /* the last message */
	int logged;
};

static void
count_log(void *arg, enum log_level level unused, const char *subsystem unused,
	  const char *text unused)
{
	((struct fixture *)arg)->logged++;
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e;

	assert_non_null(f);
	f->l = loop_new(&e);
	assert_non_null(f->l);
	snprintf(f->dir, sizeof(f->dir), "/tmp/dslat-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/notify", f->dir);
	f->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(f->fd >= 0);
	log_set_sink(count_log, f);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	log_set_sink(NULL, NULL);
	loop_free(&f->l);
	close(f->fd);
	unlink(f->path);
	rmdir(f->dir);
	unsetenv("NOTIFY_SOCKET");
	free(f);
	return 0;
}

static void
listen_at(struct fixture *f, bool abstract)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(a);

	if (abstract) {
		/* the kernel chooses a name: five characters behind the NUL */
		len = sizeof(sa_family_t);
		assert_int_equal(bind(f->fd, (struct sockaddr *)&a, len), 0);
		len = sizeof(a);
		getsockname(f->fd, (struct sockaddr *)&a, &len);
		snprintf(f->path, sizeof(f->path), "@%.*s",
			 (int)(len - sizeof(sa_family_t) - 1), a.sun_path + 1);
	} else {
		snprintf(a.sun_path, sizeof(a.sun_path), "%s", f->path);
		assert_int_equal(bind(f->fd, (struct sockaddr *)&a, len), 0);
	}
	setenv("NOTIFY_SOCKET", f->path, 1);
}

/* The next message, or NULL when none is waiting. */
static const char *
heard(struct fixture *f)
{
	ssize_t n = recv(f->fd, f->text, sizeof(f->text) - 1, 0);

	if (n < 0)
		return NULL;
	f->text[n] = '\0';
	return f->text;
}

static void
check_messages(struct fixture *f)
{
	static const char reloading[] = "RELOADING=1\nMONOTONIC_USEC=";
	struct notify *n = notify_new(f->l);
	int64_t us, before_us;
	char *end;

	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(heard(f)); /* nothing by itself */
	notify_ready(n);
	assert_string_equal(heard(f), "READY=1");
	notify_status(n, "%d targets, %s", 2, "one\nREADY=1\x7f down");
	assert_string_equal(heard(f), "STATUS=2 targets, one?READY=1? down");
	before_us = clock_sample().mono.us;
	notify_reloading(n);
	assert_non_null(heard(f));
	assert_memory_equal(f->text, reloading, strlen(reloading));
	us = strtoll(f->text + strlen(reloading), &end, 10);
	assert_string_equal(end, "");
	assert_in_range(us, before_us, clock_sample().mono.us);
	notify_stopping(n);
	assert_string_equal(heard(f), "STOPPING=1");
	assert_null(heard(f));
	notify_free(&n);
	assert_null(n);
	assert_int_equal(f->logged, 0);
}

static void
test_path(void **state)
{
	listen_at(*state, false);
	check_messages(*state);
}

static void
test_abstract(void **state)
{
	listen_at(*state, true);
	check_messages(*state);
}

static struct now virtual_now = { { 5000000 }, { 1795956100000000 } };

static struct now
virtual_clock(void *arg unused)
{
	return virtual_now;
}

static void
turn_at(struct fixture *f, int64_t us)
{
	virtual_now.mono.us = us;
	loop_turn(f->l, 0);
}

static void
test_watchdog(void **state)
{
	struct fixture *f = *state;
	struct notify *n;
	char pid[20];

	virtual_now.mono.us = 5000000;
	loop_set_clock(f->l, virtual_clock, NULL);
	listen_at(f, false);
	setenv("WATCHDOG_USEC", "30000000", 1);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	n = notify_new(f->l);
	assert_null(getenv("WATCHDOG_USEC"));
	assert_null(getenv("WATCHDOG_PID"));
	turn_at(f, 19999999);
	assert_null(heard(f));
	for (int64_t us = 20000000; us <= 80000000; us += 15000000) {
		turn_at(f, us);
		assert_string_equal(heard(f), "WATCHDOG=1");
		assert_null(heard(f));
	}
	notify_free(&n);
	turn_at(f, 200000000);
	assert_null(heard(f));
}

/* Not for us, or nonsense: no watchdog. */
static void
test_no_watchdog(void **state)
{
	static const char *const rows[][2] = {
		{ "30000000", "1" }, { "0", NULL },
		{ "", NULL },        { "soon", NULL },
		{ "-5", NULL },      { "30s", NULL },
		{ NULL, NULL },      { "99999999999999999999", NULL },
	};
	struct fixture *f = *state;

	virtual_now.mono.us = 5000000;
	loop_set_clock(f->l, virtual_clock, NULL);
	listen_at(f, false);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct notify *n;

		setenv("NOTIFY_SOCKET", f->path, 1);
		if (rows[i][0] != NULL)
			setenv("WATCHDOG_USEC", rows[i][0], 1);
		if (rows[i][1] != NULL)
			setenv("WATCHDOG_PID", rows[i][1], 1);
		n = notify_new(f->l);
		turn_at(f, virtual_now.mono.us + 3600 * US_PER_S);
		assert_null(heard(f));
		notify_free(&n);
	}
}

/* Not under systemd, a wrong name, nobody there: no harm, one line at most. */
static void
test_nobody(void **state)
{
	static const struct {
		const char *path;
		int logged;
	} rows[] = {
		{ NULL, 0 },
		{ "", 1 },
		{ "relative", 1 },
		{ "@", 1 },
		{ "/nonexistent/notify", 1 },
		{ "/too/long/"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  1 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct notify *n;

		f->logged = 0;
		if (rows[i].path != NULL)
			setenv("NOTIFY_SOCKET", rows[i].path, 1);
		n = notify_new(f->l);
		notify_ready(n);
		notify_status(n, "fine");
		notify_stopping(n);
		notify_free(&n);
		assert_int_equal(f->logged, rows[i].logged);
	}
	notify_free(&(struct notify *){ NULL });
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_path),     CASE(test_abstract),
		CASE(test_watchdog), CASE(test_no_watchdog),
		CASE(test_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
