/*
 * Requests that wait for another thread: no turns, a wake, clients that leave.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "dslat/loop.h"
#include "web/http.h"

#define MAX_TURNS 2000

struct fixture {
	struct loop *loop;
	struct http *http;
	struct now now;
	bool in_handler, wake_at_once, as_source;
	struct request *rq; /* parked, or NULL */
	int steps, reads, frees, handled;
	int client;
};

static struct fixture f;

static struct now
test_clock(void *arg)
{
	(void)arg;
	return f.now;
}

static void
turns(int n)
{
	while (n-- > 0) {
		f.now.mono.us += US_PER_MS;
		f.now.real.us += US_PER_MS;
		loop_turn(f.loop, 0);
	}
}

static bool
step(void *arg, struct request *rq)
{
	(void)arg;
	f.steps++;
	if (f.steps == 1 && !f.in_handler) {
		f.rq = rq;
		request_park(rq);
		if (f.wake_at_once)
			request_wake(rq);
		return false;
	}
	reply_text(&rq->reply, "woken");
	return true;
}

static ssize_t
read_source(void *arg, char *out, size_t max)
{
	static const char text[5] = { 'w', 'o', 'k', 'e', 'n' };

	(void)arg, (void)max;
	if (f.reads++ == 0) {
		request_park(f.rq);
		return 0;
	}
	if (f.reads > 2)
		return SOURCE_END;
	memcpy(out, text, sizeof(text));
	return sizeof(text);
}

static void
free_work(void *arg)
{
	(void)arg;
	f.frees++;
	f.rq = NULL;
}

static void
handle(void *arg, struct request *rq)
{
	(void)arg;
	f.handled++;
	if (strcmp(rq->uri.segments[0], "quick") == 0) {
		reply_text(&rq->reply, "quick");
		return;
	}
	if (f.as_source) {
		f.rq = rq;
		rq->reply.status = 200;
		rq->reply.type = TYPE_TEXT;
		rq->reply.source =
			(struct source){ read_source, free_work, NULL };
		return;
	}
	rq->reply.job = (struct job){ step, free_work, NULL };
	if (f.in_handler) {
		f.rq = rq;
		request_park(rq);
	}
}

static const struct http_ops ops = { .handle = handle };

static int
dial(const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval wait = { .tv_sec = 5 };
	char text[128];
	const char *port = strrchr(http_address(f.http, 0), ':') + 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_port = htons((uint16_t)strtol(port, NULL, 10));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(
		connect(fd, (struct sockaddr *)(void *)&to, sizeof(to)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	snprintf(text, sizeof(text),
		 "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		 "Connection: close\r\n\r\n",
		 path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

/* Everything until the server closes; it must hold this text. */
static void
assert_answer(int fd, const char *text)
{
	char all[4096];
	size_t len = 0;

	for (int i = 0; i < MAX_TURNS && len < sizeof(all) - 1; i++) {
		ssize_t n;

		turns(1);
		n = recv(fd, all + len, sizeof(all) - 1 - len, MSG_DONTWAIT);
		if (n == 0)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	all[len] = '\0';
	assert_non_null(strstr(all, " 200 "));
	assert_non_null(strstr(all, text));
	close(fd);
}

static void
wait_parked(void)
{
	for (int i = 0; i < MAX_TURNS; i++) {
		turns(1);
		if (f.rq != NULL && (!f.as_source || f.reads == 1))
			return;
	}
	fail_msg("nothing was parked");
}

static int
setup(void **state unused)
{
	struct err e;

	memset(&f, 0, sizeof(f));
	f.now.mono.us = f.now.real.us = US_PER_S;
	f.loop = loop_new(&e);
	loop_set_clock(f.loop, test_clock, NULL);
	f.http = http_new(f.loop, &ops, NULL);
	return http_listen(f.http, "127.0.0.1:0", &e);
}

static int
teardown(void **state unused)
{
	http_free(&f.http);
	loop_free(&f.loop);
	return 0;
}

static void
check_no_turns_until_woken(int steps_parked)
{
	int fd = dial("/x");

	wait_parked();
	turns(50);
	assert_int_equal(f.steps, steps_parked);
	assert_answer(dial("/quick"), "quick"); /* others are served */
	assert_int_equal(f.steps, steps_parked);
	request_wake(f.rq);
	request_wake(f.rq);
	assert_answer(fd, "woken");
	assert_int_equal(f.steps, steps_parked + 1);
	turns(5);
	assert_int_equal(f.frees, 1);
}

static void
test_parked_in_step(void **state unused)
{
	check_no_turns_until_woken(1);
}

static void
test_parked_in_handler(void **state unused)
{
	f.in_handler = true;
	check_no_turns_until_woken(0);
}

static void
test_woken_inside_the_step(void **state unused)
{
	f.wake_at_once = true;
	assert_answer(dial("/x"), "woken");
	assert_int_equal(f.steps, 2);
}

static void
test_source(void **state unused)
{
	int fd;

	f.as_source = true;
	fd = dial("/x");
	wait_parked();
	turns(50);
	assert_int_equal(f.reads, 1);
	request_wake(f.rq);
	assert_answer(fd, "woken");
	assert_int_equal(f.frees, 1);
}

static void
check_client_leaves(bool half)
{
	int fd = dial("/x");

	wait_parked();
	turns(5);
	assert_int_equal(f.frees, 0);
	if (half) {
		shutdown(fd, SHUT_WR);
	} else {
		close(fd);
		fd = -1;
	}
	turns(600); /* of a ms each */
	assert_int_equal(f.frees, 1);
	assert_int_equal(f.steps + f.reads, 1);
	if (fd >= 0)
		close(fd);
	assert_answer(dial("/quick"), "quick");
}

static void
test_client_leaves(void **state unused)
{
	check_client_leaves(false);
}

static void
test_client_closes_its_side(void **state unused)
{
	check_client_leaves(true);
}

static void
test_client_leaves_source(void **state unused)
{
	f.as_source = true;
	check_client_leaves(false);
}

/* teardown() ends the server under it. */
static void
test_server_ends(void **state unused)
{
	int fd = dial("/x");

	wait_parked();
	http_free(&f.http);
	assert_int_equal(f.frees, 1);
	assert_int_equal(f.steps, 1);
	close(fd);
}

int
main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	static const struct CMUnitTest tests[] = {
		CASE(test_parked_in_step),
		CASE(test_parked_in_handler),
		CASE(test_woken_inside_the_step),
		CASE(test_source),
		CASE(test_client_leaves),
		CASE(test_client_closes_its_side),
		CASE(test_client_leaves_source),
		CASE(test_server_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
