#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/guard.h"
#include "web/http_parts.h"

#define PIECE_BYTES ((size_t)32 << 10)
/* A body without a length that is too long can only be refused behind its end;
 * from so much on the connection is cut instead. */
#define EXCESS_BYTES ((size_t)1 << 20)

enum stage {
	STAGE_NEW,
	STAGE_REFUSED, /* by its address; the headers are still to come */
	STAGE_HEAD,    /* nothing against it so far; a body may be coming */
	STAGE_JOB,     /* suspended, in http->jobs */
	STAGE_READY,   /* the reply is filled */
	STAGE_LEFT,    /* the client left while it waited */
};

/* A request with what only this file knows of it. */
struct exchange {
	struct request rq; /* first */
	struct listener *listener;
	struct MHD_Connection *c; /* NULL once the connection is done */
	unsigned refs;            /* MHD's, and its source's */
	enum stage stage;
	bool suspended;
	size_t excess_bytes; /* of a body beyond its limit; dropped */
	LIST_ENTRY(exchange) link;
	struct job_link job;
};
#define REQUEST_MAGIC OBJ_MAGIC('r', 'q', 's', 't')

/* ---- requests ---- */

const char *
request_header(const struct request *rq, const char *name)
{
	const struct exchange *x = (const struct exchange *)rq;

	return MHD_lookup_connection_value(x->c, MHD_HEADER_KIND, name);
}

void
request_peer(const struct request *rq, char out[PEER_SIZE])
{
	const struct exchange *x = (const struct exchange *)rq;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		x->c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	listen_peer(info != NULL ? info->client_addr : NULL, out, PEER_SIZE);
}

bool
request_is_secure(const struct request *rq)
{
	return ((const struct exchange *)rq)->listener->tls != NULL;
}

static void
suspend(struct exchange *x)
{
	x->suspended = true;
	MHD_suspend_connection(x->c);
}

static void
resume(struct exchange *x)
{
	if (!x->suspended)
		return;
	x->suspended = false;
	MHD_resume_connection(x->c);
}

static struct conn *
conn_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info != NULL ? info->socket_context : NULL;
}

static void
watch_client(struct exchange *x, bool on)
{
	struct conn *conn = x->c != NULL ? conn_of(x->c) : NULL;

	if (conn != NULL)
		conns_wait(&x->listener->http->conns, conn, on ? x : NULL);
}

void
request_park(struct request *rq)
{
	struct exchange *x = (struct exchange *)obj_cast(rq, REQUEST_MAGIC);

	jobs_park(&x->job);
	watch_client(x, true);
}

void
request_wake(struct request *rq)
{
	struct exchange *x = (struct exchange *)obj_cast(rq, REQUEST_MAGIC);

	if (x->job.parked)
		watch_client(x, false);
	jobs_wake(&x->listener->http->jobs, &x->job);
	if (x->stage == STAGE_READY)
		resume(x);
}

/* MHD is told in exchange_request() or stream_read(), which it calls now. */
void
exchange_left(void *exchange)
{
	struct exchange *x = obj_cast(exchange, REQUEST_MAGIC);

	jobs_drop(&x->listener->http->jobs, &x->job);
	x->stage = STAGE_LEFT;
	resume(x);
}

static void
unref(struct exchange *x)
{
	if (--x->refs != 0)
		return;
	uri_fini(&x->rq.uri);
	buf_fini(&x->rq.body);
	reply_fini(&x->rq.reply);
	free(x);
}

void *
exchange_begin(void *cls, const char *raw, struct MHD_Connection *c)
{
	struct listener *ln = OBJ_CAST(struct listener, LISTENER_MAGIC, cls);
	struct exchange *x = xcalloc(1, sizeof(*x));

	x->rq.magic = REQUEST_MAGIC;
	x->listener = ln;
	x->c = c;
	x->refs = 1;
	reply_init(&x->rq.reply);
	buf_init(&x->rq.body, HTTP_MAX_BODY_BYTES);
	if (guard_address(&x->rq, raw) != 0)
		x->stage = STAGE_REFUSED;
	LIST_INSERT_HEAD(&ln->http->exchanges, x, link);
	return x;
}

void
exchange_completed(void *cls, struct MHD_Connection *c, void **con_cls,
		   enum MHD_RequestTerminationCode why)
{
	struct listener *ln = OBJ_CAST(struct listener, LISTENER_MAGIC, cls);
	struct conn *conn = conn_of(c);
	struct exchange *x = *con_cls;

	(void)why;
	if (conn != NULL)
		conns_end(&ln->http->conns, conn);
	if (x == NULL)
		return;
	*con_cls = NULL;
	jobs_drop(&ln->http->jobs, &x->job); /* when the server stops */
	LIST_REMOVE(x, link);
	x->c = NULL;
	unref(x);
}

void
exchange_connection(void *cls, struct MHD_Connection *c, void **socket_context,
		    enum MHD_ConnectionNotificationCode what)
{
	struct listener *ln = OBJ_CAST(struct listener, LISTENER_MAGIC, cls);
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(
			c, MHD_CONNECTION_INFO_CONNECTION_FD);
		*socket_context =
			conns_open(&ln->http->conns, info->connect_fd);
	} else if (*socket_context != NULL) {
		conns_close(&ln->http->conns, *socket_context);
		*socket_context = NULL;
	}
}

/* ---- answers ---- */

/* A source on its way into MHD. */
struct stream {
	uint32_t magic;
	struct exchange *x; /* one reference */
	struct source source;
};
#define STREAM_MAGIC OBJ_MAGIC('s', 't', 'r', 'm')

static ssize_t
stream_read(void *cls, uint64_t pos, char *out, size_t max)
{
	struct stream *s = OBJ_CAST(struct stream, STREAM_MAGIC, cls);
	ssize_t n;

	(void)pos;
	if (s->x->stage == STAGE_LEFT)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	n = s->source.read(s->source.arg, out, max);
	if (n == 0)
		suspend(s->x); /* to return 0 without it would spin */
	if (n == SOURCE_END)
		return MHD_CONTENT_READER_END_OF_STREAM;
	return n < 0 ? MHD_CONTENT_READER_END_WITH_ERROR : n;
}

static void
stream_free(void *cls)
{
	struct stream *s = OBJ_CAST(struct stream, STREAM_MAGIC, cls);

	s->source.free(s->source.arg);
	unref(s->x);
	free(s);
}

static struct MHD_Response *
make_response(struct exchange *x)
{
	struct reply *r = &x->rq.reply;
	void *constant;
	size_t len;

	if (r->source.read != NULL) {
		struct stream *s = xcalloc(1, sizeof(*s));

		s->magic = STREAM_MAGIC;
		s->source = r->source;
		r->source = (struct source){ 0 };
		s->x = x;
		x->refs++;
		return MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, PIECE_BYTES, stream_read, s,
			stream_free);
	}
	if (r->bytes != NULL) {
		memcpy(&constant, &r->bytes, sizeof(constant));
		return MHD_create_response_from_buffer(r->n_bytes, constant,
						       MHD_RESPMEM_PERSISTENT);
	}
	len = r->body.len;
	return MHD_create_response_from_buffer(len, buf_take(&r->body),
					       MHD_RESPMEM_MUST_FREE);
}

static void
add_header(void *arg, const char *name, const char *value)
{
	MHD_add_response_header(arg, name, value);
}

static enum MHD_Result
send_reply(struct exchange *x)
{
	struct request *rq = &x->rq;
	struct http *h = x->listener->http;
	const struct reply_wishes wishes = {
		request_header(rq, "If-None-Match"),
		request_header(rq, "Accept-Encoding"),
	};
	struct MHD_Response *resp;
	enum MHD_Result ok;
	unsigned status;

	reply_settle(&rq->reply, &wishes);
	status = (unsigned)rq->reply.status;
	resp = make_response(x);
	if (resp == NULL)
		return MHD_NO;
	reply_each_header(&rq->reply, add_header, resp);
	if (request_is_secure(rq))
		add_header(resp, "Strict-Transport-Security",
			   "max-age=31536000");
	ok = MHD_queue_response(x->c, status, resp);
	MHD_destroy_response(resp);
	h->stats.requests[status / 100 % ARRAY_SIZE(h->stats.requests)]++;
	return ok;
}

/* ---- a request's way ---- */

static void
handle(struct exchange *x)
{
	struct http *h = x->listener->http;
	struct request *rq = &x->rq;

	x->stage = STAGE_READY;
	h->ops->handle(h->arg, rq);
	if (rq->reply.job.step == NULL)
		return;
	if (!jobs_add(&h->jobs, &x->job)) {
		reply_fini(&rq->reply);
		reply_problem(&rq->reply, PROBLEM_BUSY, NULL,
			      "%d long requests are being worked on already; "
			      "ask again in a few seconds",
			      JOBS_MAX);
		request_wake(rq); /* it may have parked already */
		return;
	}
	x->stage = STAGE_JOB;
	suspend(x);
}

static bool
has_body(const struct request *rq)
{
	const char *len = request_header(rq, "Content-Length");

	return request_header(rq, "Transfer-Encoding") != NULL ||
		(len != NULL && strcmp(len, "0") != 0);
}

/* The headers are there.  false: the reply is filled. */
static bool
take_head(struct exchange *x, const char *method, const char *version)
{
	const struct listen_socket *sock = &x->listener->sock;
	struct http *h = x->listener->http;
	struct request *rq = &x->rq;

	rq->method = http_method_from_name(method);
	if (x->stage == STAGE_REFUSED ||
	    guard_headers(rq, version, sock->loopback ? sock->name : NULL) != 0)
		return false;
	if (has_body(rq) && !h->ops->wants_body(h->arg, rq))
		return false;
	x->stage = STAGE_HEAD;
	return true;
}

/* A piece of the body.  MHD takes no answer here. */
static enum MHD_Result
take_body(struct exchange *x, const char *data, size_t len)
{
	if (x->excess_bytes == 0 && buf_add(&x->rq.body, data, len) == 0)
		return MHD_YES;
	x->excess_bytes += len;
	return x->excess_bytes < EXCESS_BYTES ? MHD_YES : MHD_NO;
}

/* All of the request is there, or what there is of it is enough. */
static enum MHD_Result
respond(struct exchange *x)
{
	struct conn *conn = conn_of(x->c);

	if (x->stage < STAGE_JOB && conn != NULL)
		conns_begin(conn);
	if (x->excess_bytes != 0) {
		reply_problem(&x->rq.reply, PROBLEM_BODY, NULL,
			      "a body may have %zu bytes", HTTP_MAX_BODY_BYTES);
		x->stage = STAGE_READY;
	}
	if (x->stage == STAGE_HEAD)
		handle(x);
	return x->stage == STAGE_JOB ? MHD_YES : send_reply(x);
}

/*
 * MHD calls once when the headers are there, where an answer refuses the body
 * and ends the connection; then with pieces of the body; and again when all is
 * there, where an answer does not end it.
 */
enum MHD_Result
/* MHD wants all these: NOLINTNEXTLINE(readability-function-size) */
exchange_request(void *cls, struct MHD_Connection *c, const char *url,
		 const char *method, const char *version, const char *upload,
		 size_t *upload_bytes, void **con_cls)
{
	struct exchange *x = obj_cast(*con_cls, REQUEST_MAGIC);
	size_t n = *upload_bytes;

	(void)cls, (void)c, (void)url;
	*upload_bytes = 0;
	if (x->stage == STAGE_LEFT)
		return MHD_NO;
	if (x->stage <= STAGE_REFUSED)
		return take_head(x, method, version) ? MHD_YES : respond(x);
	return n != 0 ? take_body(x, upload, n) : respond(x);
}

bool
exchange_step_job(struct job_link *link)
{
	struct exchange *x =
		(struct exchange *)(void *)((char *)link -
					    offsetof(struct exchange, job));

	if (!x->rq.reply.job.step(x->rq.reply.job.arg, &x->rq))
		return false;
	x->stage = STAGE_READY;
	resume(x);
	return true;
}

void
exchanges_resume(struct http *h, const struct MHD_Daemon *d)
{
	struct exchange *x = LIST_FIRST(&h->exchanges);

	for (; x != NULL; x = LIST_NEXT(x, link)) {
		const union MHD_ConnectionInfo *info = MHD_get_connection_info(
			x->c, MHD_CONNECTION_INFO_DAEMON);

		if (d == NULL || info->daemon == d)
			resume(x);
	}
}
