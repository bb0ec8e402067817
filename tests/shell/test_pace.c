/*
 * test_pace - a server that is faster than its consumer: no turn of the loop
 * hands on more than LOOP_TURN_BYTES, nothing is lost, anything may end it.
 */
/* OpenSSL's headers first: they use the word "unused". */
#include "server.h"

#include "dslat/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../daemon/shell/loop_curl.h"
#include "../unit/unit.h"
#include "outcome.h"

#define BODY_BYTES ((size_t)6 << 20)
/* Behind the limit may come what one callback gets. */
#define TURN_MAX_BYTES (LOOP_TURN_BYTES + CURL_MAX_WRITE_SIZE)

/* Byte i of the body: what is lost or comes twice is seen. */
static char
byte_at(size_t i)
{
	return (char)('a' + (i / 1024 + i % 7) % 26);
}

static unsigned char *body, *packed;
static size_t packed_len;

static void
make_bodies(void)
{
	z_stream z = { 0 };

	body = malloc(BODY_BYTES);
	packed = malloc(BODY_BYTES);
	assert_true(body != NULL && packed != NULL);
	for (size_t i = 0; i < BODY_BYTES; i++)
		body[i] = (unsigned char)byte_at(i);
	assert_int_equal(deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_in = body;
	z.avail_in = BODY_BYTES;
	z.next_out = packed;
	z.avail_out = BODY_BYTES;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_len = BODY_BYTES - z.avail_out;
	deflateEnd(&z);
	/* The whole body fits into a few reads. */
	assert_in_range(packed_len, 1, BODY_BYTES / 50);
}

static bool
serve(struct conn *c, const char *head, const char *rq unused, size_t n unused,
      void *arg unused)
{
	bool gzip = strncmp(head, "GET /gzip", 9) == 0;
	char text[200];

	snprintf(text, sizeof(text),
		 "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\n\r\n",
		 gzip ? "Content-Encoding: gzip\r\n" : "",
		 gzip ? packed_len : BODY_BYTES);
	return conn_sends(c, text) &&
		conn_send(c, gzip ? packed : body,
			  gzip ? packed_len : BODY_BYTES);
}

/* ---- consumers ---- */

struct fixture {
	struct server *s;
	struct loop *l;
	struct fetch_peer *p;
};

struct consumer {
	struct fixture *f;
	struct fetch *fetch;
	size_t bytes, turn_max_bytes;
	size_t stop_at;        /* refuse what comes behind; 0: nothing */
	struct consumer *ends; /* cancels this one there, perhaps itself */
	bool wrong;
	int dones, calls_after;
	struct fetch_result r;
};

static int
on_data(void *arg, const char *data, size_t len, struct err *e)
{
	struct consumer *c = arg;

	c->calls_after += c->dones != 0 || c->fetch == NULL;
	for (size_t i = 0; i < len; i++)
		c->wrong |= data[i] != byte_at(c->bytes + i);
	c->bytes += len;
	if (c->stop_at == 0 || c->bytes < c->stop_at)
		return 0;
	if (c->ends == NULL)
		return err_set(e, ERR_PROTO, "enough");
	fetch_cancel(&c->ends->fetch);
	return 0;
}

static void
on_done(void *arg, const struct fetch_result *r)
{
	struct consumer *c = arg;

	c->dones++;
	c->r = *r;
	c->fetch = NULL;
}

static const struct fetch_ops ops = { .on_data = on_data, .on_done = on_done };

static void
start(struct fixture *f, struct consumer *c, const char *path)
{
	struct fetch_request rq = { .method = "GET",
				    .path = path,
				    .timeout_us = 20 * US_PER_S,
				    .max_bytes = BODY_BYTES };

	c->f = f;
	c->fetch = fetch_start(f->p, &rq, &ops, c);
	assert_non_null(c->fetch);
}

/* Until none is left; returns the bytes of the fullest turn. */
static size_t
run(struct fixture *f, struct consumer *const *all, size_t n)
{
	size_t most = 0;

	for (int turns = 0; loop_stats(f->l).transfers != 0; turns++) {
		size_t before = 0, after = 0;

		assert_true(turns < 20000);
		for (size_t i = 0; i < n; i++)
			before += all[i]->bytes;
		loop_turn(f->l, 1000);
		for (size_t i = 0; i < n; i++)
			after += all[i]->bytes;
		most = MAX(most, after - before);
	}
	for (size_t i = 0; i < n; i++) {
		assert_false(all[i]->wrong);
		assert_int_equal(all[i]->calls_after, 0);
	}
	return most;
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct server_options so = { .family = AF_INET, .fn = serve };
	struct err e;
	char url[64];

	assert_non_null(f);
	f->s = server_start(&so);
	f->l = loop_new(&e);
	assert_non_null(f->l);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", server_port(f->s));
	f->p = fetch_peer_new(f->l, url, NULL, &e);
	assert_non_null(f->p);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	fetch_peer_free(&f->p);
	loop_free(&f->l);
	server_stop(&f->s);
	free(f);
	return 0;
}

/* ---- tests ---- */

static const char *const paths[] = { "/plain", "/gzip" };

static void
test_one(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct consumer c = { 0 }, *all[] = { &c };

		start(*state, &c, paths[i]);
		assert_in_range(run(*state, all, 1), 1, TURN_MAX_BYTES);
		assert_int_equal(c.dones, 1);
		assert_int_equal(c.r.err.code, ERR_NONE);
		assert_int_equal(c.bytes, BODY_BYTES);
	}
}

/* The limit is for all together, and each has its turn. */
static void
test_several(void **state)
{
	struct consumer c[4] = { 0 };
	struct consumer *all[] = { &c[0], &c[1], &c[2], &c[3] };
	size_t most;

	for (size_t i = 0; i < ARRAY_SIZE(c); i++)
		start(*state, &c[i], paths[i % 2]);
	most = run(*state, all, ARRAY_SIZE(c));
	assert_in_range(most, LOOP_TURN_BYTES, TURN_MAX_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		assert_int_equal(c[i].r.err.code, ERR_NONE);
		assert_int_equal(c[i].bytes, BODY_BYTES);
	}
}

/* Refused behind the first pause: told once, with the consumer's words. */
static void
test_refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct consumer c = { .stop_at = 3 << 20 }, *all[] = { &c };

		start(*state, &c, paths[i]);
		run(*state, all, 1);
		assert_int_equal(c.dones, 1);
		assert_string_equal(c.r.err.text, "enough");
		assert_in_range(c.bytes, 3 << 20,
				(3 << 20) + CURL_MAX_WRITE_SIZE);
	}
}

/* Cancelled by itself, and by another while it waits for the next turn. */
static void
test_cancelled(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct consumer a = { .stop_at = 3 << 20 }, b = { 0 };
		struct consumer *all[] = { &a, &b };

		a.ends = i == 0 ? &b : &a;
		start(*state, &a, paths[i]);
		start(*state, &b, paths[i]);
		run(*state, all, 2);
		assert_int_equal(a.ends->dones, 0);
		assert_true(a.ends->bytes < BODY_BYTES);
		assert_int_equal(all[i == 0 ? 0 : 1]->dones, 1);
		assert_int_equal(all[i == 0 ? 0 : 1]->bytes, BODY_BYTES);
	}
}

/* The whole peer goes between two turns. */
static void
test_peer_freed(void **state)
{
	struct fixture *f = *state;
	struct consumer c[2] = { 0 };

	start(f, &c[0], "/plain");
	start(f, &c[1], "/gzip");
	while (c[0].bytes < LOOP_TURN_BYTES || c[1].bytes < LOOP_TURN_BYTES)
		loop_turn(f->l, 1000);
	fetch_peer_free(&f->p);
	assert_int_equal(loop_stats(f->l).transfers, 0);
	loop_turn(f->l, 0);
	assert_int_equal(c[0].dones + c[1].dones, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_several, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancelled, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_peer_freed, setup,
						teardown),
	};
	int rc;

	make_bodies();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	free(body);
	free(packed);
	return rc;
}
