/* OpenSSL's headers first: they use the word "unused". */
#include "server.h"

#include "dslat/fetch.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../daemon/shell/fetch_parts.h"
#include "../unit/unit.h"
#include "outcome.h"

/* 1,000 times 'x', by Python's gzip.compress(). */
static const unsigned char gzipped[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
	0xab, 0xa8, 0x18, 0x05, 0xa3, 0x60, 0x14, 0x0c, 0x77, 0x00,
	0x00, 0xe6, 0xc9, 0x41, 0x3b, 0xe8, 0x03, 0x00, 0x00,
};

/* A resolver that hangs for one name: the real one for all others. */
int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
	    struct addrinfo **res)
{
	int (*real)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **);

	if (node != NULL && strcmp(node, "hangs.test") == 0) {
		nap_ms(1500);
		return EAI_AGAIN;
	}
	if (node != NULL && strcmp(node, "unknown.test") == 0)
		return EAI_NONAME;
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, res);
}

/* ---- the server's pages ------------------------------------------------- */

static bool
page_hello(struct conn *c, const char *head unused, const char *body unused,
	   size_t n unused)
{
	return conn_answer(c, "200 OK", "text/plain", "hello");
}

/* The request itself, as it came. */
static bool
page_echo(struct conn *c, const char *head, const char *body, size_t n)
{
	char text[4000];

	snprintf(text, sizeof(text), "%s%.*s", head, (int)n, body);
	return conn_answer(c, "200 OK", "text/plain", text);
}

static bool
page_redirect(struct conn *c, const char *head unused, const char *body unused,
	      size_t n unused)
{
	return conn_sends(c,
			  "HTTP/1.1 302 Found\r\n"
			  "Location: https://elsewhere.example/x\r\n"
			  "Content-Length: 6\r\n\r\nmoved!");
}

static bool
page_redirect_relative(struct conn *c, const char *head unused,
		       const char *body unused, size_t n unused)
{
	return conn_sends(c,
			  "HTTP/1.1 301 Moved\r\nLocation: /hello\r\n"
			  "Content-Length: 0\r\n\r\n");
}

static bool
page_redirect_nowhere(struct conn *c, const char *head unused,
		      const char *body unused, size_t n unused)
{
	return conn_sends(c,
			  "HTTP/1.1 308 Moved\r\n"
			  "Content-Length: 0\r\n\r\n");
}

static bool
page_big(struct conn *c, const char *head unused, const char *body unused,
	 size_t n unused)
{
	char piece[1001];

	memset(piece, 'b', 1000);
	piece[1000] = '\0';
	if (!conn_sends(c, "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"))
		return false;
	for (int i = 0; i < 200; i++)
		if (!conn_sends(c, piece))
			return false;
	return true;
}

static bool
page_gzip(struct conn *c, const char *head unused, const char *body unused,
	  size_t n unused)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
		 "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n",
		 sizeof(gzipped));
	return conn_sends(c, text) && conn_send(c, gzipped, sizeof(gzipped));
}

static bool
page_gzip_broken(struct conn *c, const char *head unused,
		 const char *body unused, size_t n unused)
{
	return conn_sends(c,
			  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
			  "Content-Length: 11\r\n\r\nnot gzipped");
}

static bool
page_truncated(struct conn *c, const char *head unused, const char *body unused,
	       size_t n unused)
{
	conn_sends(c,
		   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
		   "0123456789");
	return false;
}

static bool
page_chunks_cut(struct conn *c, const char *head unused,
		const char *body unused, size_t n unused)
{
	conn_sends(c,
		   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		   "5\r\nhello\r\n20\r\nhal");
	return false;
}

static bool
page_closed(struct conn *c unused, const char *head unused,
	    const char *body unused, size_t n unused)
{
	return false;
}

static bool
page_garbage(struct conn *c, const char *head unused, const char *body unused,
	     size_t n unused)
{
	conn_sends(c, "220 mail.example ESMTP\r\n");
	return false;
}

static bool
page_busy(struct conn *c, const char *head unused, const char *body unused,
	  size_t n unused)
{
	return conn_answer(c, "503 Service Unavailable", "text/html",
			   "<html>busy</html>");
}

static bool
page_empty(struct conn *c, const char *head unused, const char *body unused,
	   size_t n unused)
{
	return conn_sends(c, "HTTP/1.1 204 No Content\r\n\r\n");
}

/* Never answers. */
static bool
page_hole(struct conn *c, const char *head unused, const char *body unused,
	  size_t n unused)
{
	return conn_wait_ms(c, 20000) && false;
}

static bool
page_drip(struct conn *c, const char *head unused, const char *body unused,
	  size_t n unused)
{
	if (!conn_sends(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"))
		return false;
	for (int i = 0; i < 1000; i++)
		if (!conn_sends(c, "d") || !conn_wait_ms(c, 100))
			return false;
	return true;
}

static bool
page_login(struct conn *c, const char *head unused, const char *body unused,
	   size_t n unused)
{
	return conn_sends(c,
			  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
			  "Set-Cookie: vmware_soap_session=\"7bea48\"; "
			  "Path=/; HttpOnly\r\n\r\nok");
}

/* Answers once, then closes a connection it seemed to keep. */
static bool
page_once(struct conn *c, const char *head unused, const char *body unused,
	  size_t n unused)
{
	conn_answer(c, "200 OK", "text/plain", "once");
	return false;
}

static const struct {
	const char *path;
	bool (*fn)(struct conn *c, const char *head, const char *body,
		   size_t n);
} pages[] = {
	{ "/hello", page_hello },
	{ "/echo", page_echo },
	{ "/redirect", page_redirect },
	{ "/redirect-relative", page_redirect_relative },
	{ "/redirect-nowhere", page_redirect_nowhere },
	{ "/big", page_big },
	{ "/gzip", page_gzip },
	{ "/gzip-broken", page_gzip_broken },
	{ "/truncated", page_truncated },
	{ "/chunks-cut", page_chunks_cut },
	{ "/closed", page_closed },
	{ "/garbage", page_garbage },
	{ "/busy", page_busy },
	{ "/empty", page_empty },
	{ "/hole", page_hole },
	{ "/drip", page_drip },
	{ "/login", page_login },
	{ "/once", page_once },
};

/* By the path; a proxy request's "http://host" is skipped. */
static bool
serve(struct conn *c, const char *head, const char *body, size_t n,
      void *arg unused)
{
	const char *path = strchr(head, ' ') + 1;

	if (strncmp(path, "http://", 7) == 0)
		path = strchr(path + 7, '/');
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		size_t len = strlen(pages[i].path);

		if (strncmp(path, pages[i].path, len) == 0 &&
		    strchr(" ?/", path[len]) != NULL)
			return pages[i].fn(c, head, body, n);
	}
	return conn_answer(c, "404 Not Found", "text/plain", path);
}

/* ---- the fixture -------------------------------------------------------- */

struct fixture {
	struct server *s;
	struct loop *l;
	struct fetch_peer *p;
	struct outcome o;
	char url[64];
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct server_options so = { .family = AF_INET, .fn = serve };
	struct err e;

	assert_non_null(f);
	f->s = server_start(&so);
	f->l = loop_new(&e);
	assert_non_null(f->l);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d",
		 server_port(f->s));
	f->p = fetch_peer_new(f->l, f->url, NULL, &e);
	assert_non_null(f->p);
	outcome_init(&f->o);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	outcome_fini(&f->o);
	fetch_peer_free(&f->p);
	loop_free(&f->l);
	server_stop(&f->s);
	free(f);
	return 0;
}

static const struct fetch_request get = {
	.method = "GET",
	.path = "/hello",
	.timeout_us = 5 * US_PER_S,
	.max_bytes = 100000,
};

static void
run(struct fixture *f, const struct fetch_request *rq)
{
	struct fetch *x;

	outcome_fini(&f->o);
	outcome_init(&f->o);
	x = fetch_start(f->p, rq, &outcome_ops, &f->o);
	assert_non_null(x);
	assert_int_equal(f->o.dones, 0);
	assert_true(turns_until(f->l, &f->o.dones, 1));
	loop_turn(f->l, 0);
	assert_int_equal(f->o.dones, 1);
}

static void
run_path(struct fixture *f, const char *path)
{
	struct fetch_request rq = get;

	rq.path = path;
	run(f, &rq);
}

static void
assert_err(const struct fixture *f, enum err_code code, const char *text)
{
	print_message("%s\n", f->o.r.err.text);
	assert_int_equal(f->o.r.err.code, code);
	if (strstr(f->o.r.err.text, text) == NULL)
		fail_msg("no \"%s\" in \"%s\"", text, f->o.r.err.text);
}

static void
new_peer(struct fixture *f, const char *url)
{
	struct err e;

	fetch_peer_free(&f->p);
	f->p = fetch_peer_new(f->l, url, NULL, &e);
	assert_non_null(f->p);
}

/* ---- answers ------------------------------------------------------------ */

static void
test_hello(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		run_path(f, "/hello");
		assert_int_equal(f->o.r.err.code, ERR_NONE);
		assert_int_equal(f->o.r.status, 200);
		assert_int_equal(f->o.heads, 1);
		assert_int_equal(f->o.head_status, 200);
		assert_string_equal(f->o.type, "text/plain");
		assert_string_equal(buf_str(&f->o.body), "hello");
		assert_int_equal(f->o.r.bytes, 5);
		assert_in_range(f->o.r.elapsed_us, 1, 5 * US_PER_S);
	}
	assert_int_equal(server_connections(f->s), 1); /* kept alive */
	assert_int_equal(server_requests(f->s), 3);
}

/* Statuses are the consumer's matter; a body is not needed for on_head. */
static void
test_statuses(void **state)
{
	struct fixture *f = *state;

	run_path(f, "/busy");
	assert_int_equal(f->o.r.err.code, ERR_NONE);
	assert_int_equal(f->o.r.status, 503);
	assert_string_equal(f->o.type, "text/html");
	assert_string_equal(buf_str(&f->o.body), "<html>busy</html>");
	run_path(f, "/empty");
	assert_int_equal(f->o.r.err.code, ERR_NONE);
	assert_int_equal(f->o.heads, 1);
	assert_int_equal(f->o.head_status, 204);
	assert_string_equal(f->o.type, "");
	run_path(f, "/nothing");
	assert_int_equal(f->o.r.status, 404);
}

/* What goes out: the bytes asked for, and nothing a server stumbles over. */
static void
test_request(void **state)
{
	static const char *const headers[] = {
		"Content-Type: text/xml; charset=utf-8",
		"SOAPAction: \"urn:vim25/6.7\"", NULL
	};
	struct fixture *f = *state;
	struct fetch_request rq = get;
	char body[2000];
	const char *echo;

	memset(body, 'B', sizeof(body));
	memcpy(body, "<a>&\0</a>", 10);
	rq.method = "POST";
	rq.path = "/echo/%2e%2e/../x?a=b%20c";
	rq.headers = headers;
	rq.body = body;
	rq.body_len =
		1500; /* curl would ask "Expect: 100-continue" from 1 MB */
	run(f, &rq);
	echo = buf_str(&f->o.body);
	assert_int_equal(f->o.r.status, 200);
	assert_memory_equal(echo, "POST /echo/%2e%2e/../x?a=b%20c HTTP/1.1\r\n",
			    41);
	assert_non_null(strstr(echo, "\r\nContent-Length: 1500\r\n"));
	assert_non_null(strstr(echo, "\r\nSOAPAction: \"urn:vim25/6.7\"\r\n"));
	assert_non_null(
		strstr(echo, "\r\nContent-Type: text/xml; charset=utf-8\r\n"));
	assert_non_null(strstr(echo, "\r\nAccept-Encoding: "));
	assert_non_null(strstr(echo, "gzip"));
	assert_non_null(strstr(echo, "\r\nUser-Agent: dslat/"));
	assert_null(strcasestr(echo, "\r\nExpect:"));
	assert_non_null(strstr(echo, "\r\n\r\n<a>&"));

	rq = get;
	rq.method = "DELETE";
	rq.path = "/echo";
	run(f, &rq);
	assert_memory_equal(buf_str(&f->o.body), "DELETE /echo HTTP/1.1", 21);
	rq.method = "POST"; /* without a body */
	run(f, &rq);
	assert_non_null(strstr(buf_str(&f->o.body), "\r\nContent-Length: 0"));
}

static void
test_large_body_without_expect(void **state)
{
	struct fixture *f = *state;
	struct fetch_request rq = get;
	char *body = calloc(1, 900000);

	assert_non_null(body);
	memset(body, 'L', 900000);
	rq.method = "PUT";
	rq.path = "/echo";
	rq.body = body;
	rq.body_len = 900000;
	run(f, &rq);
	assert_int_equal(f->o.r.err.code, ERR_NONE);
	assert_memory_equal(buf_str(&f->o.body), "PUT /echo HTTP/1.1", 18);
	assert_null(strcasestr(buf_str(&f->o.body), "\r\nExpect:"));
	free(body);
}

static void
test_gzip(void **state)
{
	struct fixture *f = *state;
	struct fetch_request rq = get;
	char want[1001];

	memset(want, 'x', 1000);
	want[1000] = '\0';
	run_path(f, "/gzip");
	assert_string_equal(buf_str(&f->o.body), want);
	assert_int_equal(f->o.r.bytes, 1000);
	/* 29 bytes on the wire, but 1,000 count */
	rq.path = "/gzip";
	rq.max_bytes = 999;
	run(f, &rq);
	assert_err(f, ERR_LIMIT, "larger than the limit of 999 bytes");
	rq.max_bytes = 1000;
	run(f, &rq);
	assert_int_equal(f->o.r.err.code, ERR_NONE);
	run_path(f, "/gzip-broken");
	assert_err(f, ERR_PROTO, "not proper HTTP");
}

static void
test_limit(void **state)
{
	struct fixture *f = *state;

	run_path(f, "/big"); /* 200,000 bytes against 100,000 */
	assert_err(f, ERR_LIMIT, f->url + 7); /* names host:port */
	assert_int_equal(f->o.r.status, 200);
	assert_true(f->o.body.len <= 100000);
}

static void
test_redirects(void **state)
{
	struct fixture *f = *state;

	run_path(f, "/redirect");
	assert_err(f, ERR_PROTO, "redirect (302) to elsewhere.example");
	assert_int_equal(f->o.r.status, 302);
	assert_int_equal(f->o.heads, 0);
	assert_int_equal(f->o.body.len, 0);
	run_path(f, "/redirect-relative");
	assert_err(f, ERR_PROTO, "redirect (301) to 127.0.0.1");
	run_path(f, "/redirect-nowhere");
	assert_err(f, ERR_PROTO, "redirect (308) to no valid address");
	assert_int_equal(server_requests(f->s), 3); /* none was followed */
}

static void
test_broken(void **state)
{
	struct fixture *f = *state;

	run_path(f, "/truncated");
	assert_err(f, ERR_NET, "before its answer was complete (10 bytes");
	assert_int_equal(f->o.r.status, 200);
	run_path(f, "/chunks-cut");
	assert_err(f, ERR_NET, "before its answer was complete (8 bytes");
	run_path(f, "/closed");
	assert_err(f, ERR_NET, "before its answer was complete (0 bytes");
	run_path(f, "/garbage");
	assert_err(f, ERR_PROTO, "not proper HTTP");
	assert_int_equal(f->o.r.status, 0);
	run_path(f, "/hello");
	assert_int_equal(f->o.r.err.code, ERR_NONE);
}

/* A kept-alive connection that the server has closed in between. */
static void
test_stale_connection(void **state)
{
	struct fixture *f = *state;
	struct fetch_request rq = get;

	rq.method = "POST";
	rq.body = "x";
	rq.body_len = 1;
	rq.path = "/once";
	for (int i = 0; i < 5; i++) {
		run(f, &rq);
		assert_int_equal(f->o.r.err.code, ERR_NONE);
		assert_string_equal(buf_str(&f->o.body), "once");
	}
	assert_int_equal(server_requests(f->s), 5);
}

/* ---- time --------------------------------------------------------------- */

static void
test_no_answer(void **state)
{
	struct fixture *f = *state;
	struct fetch_request rq = get;
	mono_t start = clock_sample().mono;

	rq.path = "/hole";
	rq.timeout_us = 150000;
	run(f, &rq);
	assert_err(f, ERR_TIMEOUT,
		   "accepted the request, but did not answer within ");
	assert_in_range(mono_diff_us(clock_sample().mono, start), 140000,
			2000000);
	/* and on a connection that is open already */
	run_path(f, "/");
	assert_int_equal(f->o.r.err.code, ERR_NONE);
	run(f, &rq);
	assert_err(f, ERR_TIMEOUT,
		   "accepted the request, but did not answer within ");
	assert_int_equal(server_connections(f->s), 2);
}

static void
test_slow_answer(void **state)
{
	struct fixture *f = *state;
	struct fetch_request rq = get;

	rq.path = "/drip";
	rq.timeout_us = 350000;
	run(f, &rq);
	assert_err(f, ERR_TIMEOUT, "is too slow: ");
	assert_in_range(f->o.r.bytes, 1, 10);

	/* long before the time-out, because it only trickles */
	rq.timeout_us = 60 * US_PER_S;
	fetch_low_speed_s = 1;
	run(f, &rq);
	fetch_low_speed_s = 30;
	assert_err(f, ERR_TIMEOUT, "is too slow: ");
	assert_in_range(f->o.r.elapsed_us, 1000000, 5000000);
}

/* Connected by the kernel, accepted by nobody. */
static void
test_black_hole(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct fetch_request rq = get;
	char url[64];

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&a, &len);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(a.sin_port));
	new_peer(f, url);
	rq.timeout_us = 150000;
	run(f, &rq);
	assert_err(f, ERR_TIMEOUT,
		   "accepted the request, but did not answer within ");
	snprintf(url, sizeof(url), "https://127.0.0.1:%d", ntohs(a.sin_port));
	new_peer(f, url);
	run(f, &rq);
	assert_err(f, ERR_TIMEOUT,
		   "accepted the connection, but not TLS within ");
	close(fd);
}

/* A lookup that hangs holds up neither the request's end nor the loop. */
static void
test_slow_resolver(void **state)
{
	struct fixture *f = *state;
	struct fetch_request rq = get;
	mono_t start = clock_sample().mono;

	setenv("no_proxy", "*", 1);
	new_peer(f, "http://hangs.test:1");
	rq.timeout_us = 100000;
	run(f, &rq);
	assert_err(f, ERR_TIMEOUT, "the address of hangs.test was not found");
	fetch_peer_free(&f->p);
	assert_in_range(mono_diff_us(clock_sample().mono, start), 90000,
			1000000);
	assert_true(loop_stats(f->l).stall_max_us < 500000);
	new_peer(f, "http://unknown.test:1");
	run(f, &get);
	assert_err(f, ERR_NET, "there is no address for unknown.test");
	unsetenv("no_proxy");
	nap_ms(1600); /* the thread of the lookup still uses curl */
}

static void
test_refused(void **state)
{
	struct fixture *f = *state;
	char url[64], unix_url[64];

	/* a port that was just in use by us, and is closed */
	snprintf(url, sizeof(url), "%s", f->url);
	server_stop(&f->s);
	new_peer(f, url);
	run(f, &get);
	assert_err(f, ERR_NET,
		   "refuses the connection: is the service running");
	snprintf(unix_url, sizeof(unix_url), "unix:/tmp/dslat-none-%d.sock",
		 (int)getpid());
	new_peer(f, unix_url);
	run(f, &get);
	assert_err(f, ERR_NET, "nothing listens at /tmp/dslat-none-");
}

/* ---- addresses ---------------------------------------------------------- */

static void
test_ipv6(void **state)
{
	struct fixture *f = *state;
	struct server_options so = { .family = AF_INET6, .fn = serve };
	char url[64];

	server_stop(&f->s);
	f->s = server_start(&so);
	snprintf(url, sizeof(url), "http://[::1]:%d", server_port(f->s));
	new_peer(f, url);
	run_path(f, "/echo");
	assert_int_equal(f->o.r.status, 200);
	assert_non_null(strstr(buf_str(&f->o.body), "\r\nHost: [::1]:"));
}

static void
test_unix(void **state)
{
	struct fixture *f = *state;
	struct server_options so = { .family = AF_UNIX, .fn = serve };
	char dir[] = "/tmp/dslat-test-XXXXXX", path[64], url[80];

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/http.sock", dir);
	snprintf(url, sizeof(url), "unix:%s", path);
	so.unix_path = path;
	server_stop(&f->s);
	f->s = server_start(&so);
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	new_peer(f, url);
	run_path(f, "/hello");
	assert_int_equal(f->o.r.status, 200);
	assert_string_equal(buf_str(&f->o.body), "hello");
	unsetenv("http_proxy");
	server_stop(&f->s);
	assert_int_equal(rmdir(dir), 0);
}

/* The environment's proxy is used, but not for loopback, nor for what
 * no_proxy names; an error says that a proxy is in the way. */
static void
test_proxy(void **state)
{
	struct fixture *f = *state;

	setenv("http_proxy", f->url, 1);
	new_peer(f, "http://vc.example");
	run_path(f, "/echo");
	assert_int_equal(f->o.r.err.code, ERR_NONE);
	assert_memory_equal(buf_str(&f->o.body), "GET http://vc.example/echo ",
			    27);
	setenv("no_proxy", "unknown.test", 1);
	new_peer(f, "http://unknown.test");
	run_path(f, "/echo");
	assert_err(f, ERR_NET, "no address for unknown.test");
	unsetenv("no_proxy");

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	new_peer(f, f->url);
	run_path(f, "/echo");
	assert_memory_equal(buf_str(&f->o.body), "GET /echo ", 10);
	new_peer(f, "http://vc.example");
	run_path(f, "/echo");
	assert_err(f, ERR_NET, "(through a proxy: ");
	unsetenv("http_proxy");
}

static void
test_urls(void **state)
{
	static const struct {
		const char *url, *base, *path; /* base NULL: refused */
		const char *why;
	} rows[] = {
		{ "https://vc/sdk", "https://vc", "/sdk", "" },
		{ "HTTPS://VC.example/", "https://VC.example", "/", "" },
		{ "https://vc", "https://vc", "/", "" },
		{ "https://vc:8443/sdk?a=%2f#x", "https://vc:8443",
		  "/sdk?a=%2f", "" },
		{ "http://[fe80::1]:8989/sdk", "http://[fe80::1]:8989", "/sdk",
		  "" },
		{ "unix:/run/dslat/http.sock", "unix:/run/dslat/http.sock", "/",
		  "" },
		{ "vc.example", NULL, NULL, "must begin with https://" },
		{ "", NULL, NULL, "not a URL" },
		{ "10.0.0.1:443", NULL, NULL, "must begin with https://" },
		{ "ftp://vc/", NULL, NULL, "only https:// and http://" },
		{ "file:///etc/passwd", NULL, NULL, "only https://" },
		{ "https://", NULL, NULL, "not a URL" },
		{ "https://vc:99999/", NULL, NULL, "not a URL" },
		{ "https://root:geheim@vc/", NULL, NULL, "user name" },
	};
	struct fixture *f = *state;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *base, *path;
		int rc = fetch_url_split(rows[i].url, &base, &path, &e);

		print_message("%s\n", rows[i].url);
		assert_int_equal(rc, rows[i].base != NULL ? 0 : -1);
		if (rc != 0) {
			assert_int_equal(e.code, ERR_CONF);
			assert_non_null(strstr(e.text, rows[i].why));
			assert_null(strstr(e.text, "geheim"));
			assert_null(
				fetch_peer_new(f->l, rows[i].url, NULL, &e));
			continue;
		}
		assert_string_equal(base, rows[i].base);
		assert_string_equal(path, rows[i].path);
		free(base);
		free(path);
	}
	assert_null(fetch_peer_new(f->l, "https://vc/sdk", NULL, &e));
	assert_non_null(strstr(e.text, "none is expected"));
	assert_null(fetch_peer_new(f->l, "unix:http.sock", NULL, &e));
	assert_non_null(strstr(e.text, "must begin with /"));
}

/* ---- cookies ------------------------------------------------------------ */

static void
test_cookies(void **state)
{
	static const char cookie[] =
		"\r\nCookie: vmware_soap_session=\"7bea48\"\r\n";
	struct fixture *f = *state;
	struct fetch_peer *other;
	struct err e;

	run_path(f, "/echo");
	assert_null(strcasestr(buf_str(&f->o.body), "cookie"));
	run_path(f, "/login");
	for (int i = 0; i < 2; i++) {
		run_path(f, "/echo");
		assert_non_null(strstr(buf_str(&f->o.body), cookie));
	}
	/* another peer of the same server has its own */
	other = f->p;
	f->p = fetch_peer_new(f->l, f->url, NULL, &e);
	run_path(f, "/echo");
	assert_null(strcasestr(buf_str(&f->o.body), "cookie"));
	fetch_peer_free(&f->p);
	f->p = other;

	fetch_peer_forget(f->p);
	run_path(f, "/echo");
	assert_null(strcasestr(buf_str(&f->o.body), "cookie"));
	run_path(f, "/login");
	run_path(f, "/echo");
	assert_non_null(strstr(buf_str(&f->o.body), cookie));
}

/* ---- consumers that do things in their callbacks ------------------------ */

struct actor {
	struct fixture *f;
	struct fetch *self, *other;
	int stop_head, stop_data; /* return -1 from there */
	const char *stop_text;    /* with this error */
	bool cancel_in_head, cancel_in_data, cancel_in_done;
	bool cancel_other, free_peer, start_in_data;
	int heads, datas, dones;
	struct fetch_result r;
};

static void
act(struct actor *a)
{
	if (a->cancel_other)
		fetch_cancel(&a->other);
	if (a->free_peer)
		fetch_peer_free(&a->f->p);
}

static int
actor_head(void *arg, int status unused, const char *content_type unused)
{
	struct actor *a = arg;

	a->heads++;
	if (a->cancel_in_head)
		fetch_cancel(&a->self);
	return a->stop_head;
}

static int
actor_data(void *arg, const char *data unused, size_t len unused, struct err *e)
{
	struct actor *a = arg;

	a->datas++;
	if (a->start_in_data) {
		a->start_in_data = false;
		a->other = fetch_start(a->f->p, &get, &outcome_ops, &a->f->o);
	}
	if (a->cancel_in_data)
		fetch_cancel(&a->self);
	act(a);
	if (a->stop_text != NULL)
		err_set(e, ERR_FAULT, "%s", a->stop_text);
	return a->stop_data;
}

static void
actor_done(void *arg, const struct fetch_result *r)
{
	struct actor *a = arg;

	a->dones++;
	a->r = *r;
	if (a->cancel_in_done)
		fetch_cancel(&a->self);
	act(a);
}

static const struct fetch_ops actor_ops = {
	.on_head = actor_head,
	.on_data = actor_data,
	.on_done = actor_done,
};

static void
actor_start(struct actor *a, const char *path)
{
	struct fetch_request rq = get;

	rq.path = path;
	rq.max_bytes = 1000000;
	a->self = fetch_start(a->f->p, &rq, &actor_ops, a);
}

static void
turns(struct loop *l, int ms)
{
	mono_t start = clock_sample().mono;

	while (mono_diff_us(clock_sample().mono, start) < ms * US_PER_MS)
		loop_turn(l, 5);
}

static void
test_consumer_stops(void **state)
{
	struct fixture *f = *state;
	struct actor a = { .f = f, .stop_head = -1 };
	struct actor b = { .f = f, .stop_data = -1 };
	struct actor c = { .f = f, .stop_data = -1, .stop_text = "my reason" };
	struct actor d = { .f = f, .stop_head = -1 };

	actor_start(&a, "/busy");
	assert_true(turns_until(f->l, &a.dones, 1));
	assert_int_equal(a.r.err.code, ERR_PROTO);
	assert_non_null(strstr(a.r.err.text, "HTTP status 503 (text/html)"));
	assert_int_equal(a.r.status, 503);
	assert_int_equal(a.datas, 0);
	actor_start(&b, "/big");
	assert_true(turns_until(f->l, &b.dones, 1));
	assert_int_equal(b.r.err.code, ERR_PROTO);
	assert_int_equal(b.datas, 1);
	actor_start(&c, "/big");
	assert_true(turns_until(f->l, &c.dones, 1));
	assert_int_equal(c.r.err.code, ERR_FAULT);
	assert_string_equal(c.r.err.text, "my reason");
	actor_start(&d, "/empty"); /* no data at all */
	assert_true(turns_until(f->l, &d.dones, 1));
	assert_int_equal(d.r.err.code, ERR_PROTO);
}

static void
test_cancel(void **state)
{
	struct fixture *f = *state;
	struct actor before = { .f = f }, waiting = { .f = f };
	struct actor head = { .f = f, .cancel_in_head = true };
	struct actor empty = { .f = f, .cancel_in_head = true };
	struct actor data = { .f = f, .cancel_in_data = true, .stop_data = -1 };
	struct actor done = { .f = f, .cancel_in_done = true };

	actor_start(&before, "/hello");
	fetch_cancel(&before.self);
	assert_null(before.self);
	fetch_cancel(&before.self); /* NULL is fine */
	actor_start(&waiting, "/hole");
	turns(f->l, 50);
	assert_int_equal(server_requests(f->s), 1);
	fetch_cancel(&waiting.self);
	actor_start(&head, "/big");
	actor_start(&empty, "/empty");
	actor_start(&data, "/big");
	actor_start(&done, "/hello");
	assert_true(turns_until(f->l, &done.dones, 1));
	turns(f->l, 100);
	assert_int_equal(before.heads + before.dones, 0);
	assert_int_equal(waiting.heads + waiting.dones, 0);
	assert_int_equal(head.heads, 1);
	assert_int_equal(head.datas + head.dones, 0);
	assert_null(head.self);
	assert_int_equal(empty.heads, 1);
	assert_int_equal(empty.dones, 0);
	assert_int_equal(data.datas, 1);
	assert_int_equal(data.dones, 0);
	assert_int_equal(done.dones, 1);
	assert_int_equal(done.r.err.code, ERR_NONE);
}

/* From one request's callback: cancel another, start one, free the peer. */
static void
test_cancel_other(void **state)
{
	struct fixture *f = *state;
	struct actor victim = { .f = f };
	struct actor a = { .f = f, .cancel_other = true };

	actor_start(&victim, "/drip");
	assert_true(turns_until(f->l, &victim.datas, 1));
	actor_start(&a, "/big");
	a.other = victim.self;
	assert_true(turns_until(f->l, &a.datas, 1));
	assert_null(a.other);
	victim.datas = 0;
	turns(f->l, 250);
	assert_int_equal(victim.datas + victim.dones, 0);
	assert_int_equal(a.dones, 1);
}

static void
test_start_inside(void **state)
{
	struct fixture *f = *state;
	struct actor a = { .f = f, .start_in_data = true };

	actor_start(&a, "/big");
	assert_true(turns_until(f->l, &f->o.dones, 1));
	assert_string_equal(buf_str(&f->o.body), "hello");
	assert_true(turns_until(f->l, &a.dones, 1));
}

static void
test_free_peer_inside(void **state)
{
	struct fixture *f = *state;

	for (int in_data = 0; in_data <= 1; in_data++) {
		struct actor a = { .f = f, .free_peer = true };
		struct actor other = { .f = f };

		new_peer(f, f->url);
		actor_start(&other, "/hole");
		turns(f->l, 30);
		actor_start(&a, in_data ? "/big" : "/empty");
		assert_true(
			turns_until(f->l, in_data ? &a.datas : &a.dones, 1));
		turns(f->l, 50);
		assert_null(f->p);
		assert_int_equal(a.dones, in_data ? 0 : 1);
		assert_int_equal(other.heads + other.dones, 0);
	}
}

/* Many at once, on one loop, and no turn that stalls. */
static void
test_many(void **state)
{
	static struct outcome many[100];
	struct fixture *f = *state;
	struct fetch *x;
	int dones = 0;

	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		outcome_init(&many[i]);
		x = fetch_start(f->p, &get, &outcome_ops, &many[i]);
		assert_non_null(x);
	}
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		assert_true(turns_until(f->l, &many[i].dones, 1));
		assert_string_equal(buf_str(&many[i].body), "hello");
		dones += many[i].dones;
		outcome_fini(&many[i]);
	}
	assert_int_equal(dones, 100);
	assert_int_equal(server_requests(f->s), 100);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_hello),
		CASE(test_statuses),
		CASE(test_request),
		CASE(test_large_body_without_expect),
		CASE(test_gzip),
		CASE(test_limit),
		CASE(test_redirects),
		CASE(test_broken),
		CASE(test_stale_connection),
		CASE(test_no_answer),
		CASE(test_slow_answer),
		CASE(test_black_hole),
		CASE(test_slow_resolver),
		CASE(test_refused),
		CASE(test_ipv6),
		CASE(test_unix),
		CASE(test_proxy),
		CASE(test_urls),
		CASE(test_cookies),
		CASE(test_consumer_stops),
		CASE(test_cancel),
		CASE(test_cancel_other),
		CASE(test_start_inside),
		CASE(test_free_peer_inside),
		CASE(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
