#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control.h"
#include "dslat/mem.h"
#include "gzip.h"
#include "methods.h"
#include "spoil.h"
#include "stream.h"
#include "versions.h"

#define BODY_MAX_BYTES ((size_t)64 << 20)
#define IDLE_TIMEOUT_S 600U

struct http {
	struct sim *sim;
	struct MHD_Daemon *daemon;
	int port;
};

struct request {
	struct buf body;
	bool counted; /* in stats.concurrent: not a control call */
};

bool
http_wait_ms(struct sim *s, int64_t ms)
{
	int64_t end_us = clock_sample().mono.us + ms * 1000;
	struct timespec ts = { .tv_sec = end_us / US_PER_S,
			       .tv_nsec = end_us % US_PER_S * 1000 };
	bool stopping;
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	while (!s->stopping && rc == 0)
		rc = pthread_cond_timedwait(&s->wake, &s->lock, &ts);
	stopping = s->stopping;
	pthread_mutex_unlock(&s->lock);
	return stopping;
}

static const char *
header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result
send_buf(struct MHD_Connection *c, int status, const char *type,
	 struct buf *body)
{
	size_t len = body->len;
	char *data = buf_take(body);
	struct MHD_Response *r = MHD_create_response_from_buffer(
		len, data, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result rc;

	MHD_add_response_header(r, "Content-Type", type);
	rc = MHD_queue_response(c, (unsigned)status, r);
	MHD_destroy_response(r);
	return rc;
}

/* Wait until the client goes away or the sim stops. */
static void
black_hole(struct sim *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	char byte;

	while (!http_wait_ms(s, 100))
		if (recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) ==
		    0)
			break;
}

static void
client_address(struct MHD_Connection *c, char out[INET6_ADDRSTRLEN])
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *a = info->client_addr;

	out[0] = '\0';
	if (a->sa_family == AF_INET6)
		inet_ntop(AF_INET6,
			  &((const struct sockaddr_in6 *)(const void *)a)
				   ->sin6_addr,
			  out, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET,
			  &((const struct sockaddr_in *)(const void *)a)
				   ->sin_addr,
			  out, INET6_ADDRSTRLEN);
}

static enum MHD_Result
send_reply(struct sim *s, struct MHD_Connection *c, struct methods_reply *rep,
	   const struct spoil *sp, bool may_gzip)
{
	bool gzip = false;
	struct MHD_Response *r;
	enum MHD_Result rc;

	spoil_body(sp, &rep->body);
	if (sp->gzip_bomb_bytes > 0)
		gzip_bomb(&rep->body, (size_t)sp->gzip_bomb_bytes);
	else if (may_gzip && !stream_wanted(sp))
		gzip = gzip_pack(&rep->body);
	gzip = gzip || sp->gzip_bomb_bytes > 0;
	if (stream_wanted(sp)) {
		r = stream_response(s, sp, &rep->body);
	} else {
		size_t len = rep->body.len;
		char *data = buf_take(&rep->body);

		r = MHD_create_response_from_buffer(len, data,
						    MHD_RESPMEM_MUST_FREE);
	}
	MHD_add_response_header(r, "Content-Type",
				rep->status == 503 ? "text/html"
						   : "text/xml; charset=utf-8");
	MHD_add_response_header(r, "Cache-Control", "no-cache");
	MHD_add_response_header(r, "Vary", "Accept-Encoding");
	if (gzip)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	if (rep->set_cookie != NULL)
		MHD_add_response_header(r, "Set-Cookie", rep->set_cookie);
	rc = MHD_queue_response(c, sp->empty ? 200U : (unsigned)rep->status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result
send_page(struct MHD_Connection *c, const struct spoil *sp)
{
	struct buf page;
	struct MHD_Response *r;
	enum MHD_Result rc;
	size_t len;

	buf_init(&page, 4096);
	spoil_html(sp->status, &page);
	len = page.len;
	r = MHD_create_response_from_buffer(len, buf_take(&page),
					    MHD_RESPMEM_MUST_FREE);
	MHD_add_response_header(r, "Content-Type", "text/html");
	if (sp->status == 302)
		MHD_add_response_header(r, "Location", sp->location);
	rc = MHD_queue_response(c, (unsigned)sp->status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result
sdk(struct sim *s, struct MHD_Connection *c, struct request *q)
{
	char method[64], address[INET6_ADDRSTRLEN];
	struct methods_reply rep = { 0 };
	struct methods_request in = {
		.body = buf_str(&q->body),
		.len = q->body.len,
		.action = header(c, "SOAPAction"),
		.cookie = header(c, "Cookie"),
		.agent = header(c, "User-Agent"),
		.address = address,
	};
	struct spoil sp;
	const char *encoding = header(c, "Accept-Encoding");
	bool run, may_gzip;
	enum MHD_Result rc;

	client_address(c, address);
	methods_peek(in.body, method);
	pthread_mutex_lock(&s->lock);
	s->stats.requests++;
	spoil_take(&s->faults, method, &sp);
	run = !sp.blackhole && sp.status == 0;
	may_gzip = s->scene.server.gzip && encoding != NULL &&
		strstr(encoding, "gzip") != NULL;
	if (run) {
		methods_answer(s, &in, &rep);
		s->stats.answer_bytes += (int64_t)rep.body.len;
	} else {
		stats_call(&s->stats, "refused");
	}
	pthread_mutex_unlock(&s->lock);
	if (sp.blackhole) {
		black_hole(s, c);
		return MHD_NO;
	}
	if (sp.delay_ms > 0)
		http_wait_ms(s, sp.delay_ms);
	rc = run ? send_reply(s, c, &rep, &sp, may_gzip) : send_page(c, &sp);
	buf_fini(&rep.body);
	free(rep.set_cookie);
	return rc;
}

static enum MHD_Result
get_versions(struct sim *s, struct MHD_Connection *c)
{
	struct buf out;
	struct spoil sp;

	buf_init(&out, 65536);
	pthread_mutex_lock(&s->lock);
	s->stats.requests++;
	stats_call(&s->stats, "vimServiceVersions");
	spoil_take(&s->faults, "vimServiceVersions", &sp);
	versions_xml(&s->scene, &out);
	pthread_mutex_unlock(&s->lock);
	if (sp.blackhole) {
		black_hole(s, c);
		buf_fini(&out);
		return MHD_NO;
	}
	if (sp.delay_ms > 0)
		http_wait_ms(s, sp.delay_ms);
	if (sp.status != 0) {
		buf_fini(&out);
		return send_page(c, &sp);
	}
	return send_buf(c, 200, "text/xml; charset=utf-8", &out);
}

static enum MHD_Result
route(struct sim *s, struct MHD_Connection *c, const char *method,
      const char *url, struct request *q)
{
	struct buf out;
	int status;

	if (strcmp(url, "/sdk/vimServiceVersions.xml") == 0)
		return get_versions(s, c);
	if (strcmp(url, "/sdk") == 0 || strcmp(url, "/sdk/") == 0) {
		if (strcmp(method, "POST") == 0)
			return sdk(s, c, q);
		buf_init(&out, 4096);
		spoil_html(405, &out);
		return send_buf(c, 405, "text/html", &out);
	}
	buf_init(&out, (size_t)1 << 30);
	if (strncmp(url, "/sim/", 5) == 0) {
		const char *type = "text/plain; charset=utf-8";

		status = control_answer(s, c, method, url + 5, &out, &type);
		return send_buf(c, status, type, &out);
	}
	spoil_html(404, &out);
	return send_buf(c, 404, "text/html", &out);
}

static enum MHD_Result
/* MHD wants all these: NOLINTNEXTLINE(readability-function-size) */
on_request(void *arg, struct MHD_Connection *c, const char *url,
	   const char *method, const char *version, const char *data,
	   size_t *len, void **slot)
{
	struct sim *s = arg;
	struct request *q = *slot;

	(void)version;
	if (q == NULL) {
		q = xcalloc(1, sizeof(*q));
		buf_init(&q->body, BODY_MAX_BYTES);
		*slot = q;
		q->counted = strncmp(url, "/sim/", 5) != 0;
		pthread_mutex_lock(&s->lock);
		s->stats.concurrent += q->counted;
		s->stats.concurrent_max =
			MAX(s->stats.concurrent_max, s->stats.concurrent);
		pthread_mutex_unlock(&s->lock);
		return MHD_YES;
	}
	if (*len != 0) {
		int rc = buf_add(&q->body, data, *len);

		*len = 0;
		return rc == 0 ? MHD_YES : MHD_NO;
	}
	return route(s, c, method, url, q);
}

static void
on_done(void *arg, struct MHD_Connection *c, void **slot,
	enum MHD_RequestTerminationCode why)
{
	struct sim *s = arg;
	struct request *q = *slot;

	(void)c;
	(void)why;
	if (q == NULL)
		return;
	pthread_mutex_lock(&s->lock);
	s->stats.concurrent -= q->counted;
	pthread_mutex_unlock(&s->lock);
	buf_fini(&q->body);
	free(q);
	*slot = NULL;
}

static int
listen_on(const struct http_options *o, int *port_r, struct err *e)
{
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons((uint16_t)o->port) };
	struct sockaddr_in a4 = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)o->port) };
	bool six = strchr(o->address, ':') != NULL;
	struct sockaddr *a = six ? (struct sockaddr *)(void *)&a6
				 : (struct sockaddr *)(void *)&a4;
	socklen_t len = six ? sizeof(a6) : sizeof(a4);
	int fd, on = 1;

	if (inet_pton(six ? AF_INET6 : AF_INET, o->address,
		      six ? (void *)&a6.sin6_addr : (void *)&a4.sin_addr) != 1)
		return err_set(e, ERR_USAGE, "\"%s\" is no address",
			       o->address);
	fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(e, ERR_IO, "socket: %s", strerrorname_np(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, a, len) != 0 || listen(fd, 512) != 0 ||
	    getsockname(fd, a, &len) != 0) {
		close(fd);
		return err_set(e, ERR_IO, "cannot listen on %s port %d",
			       o->address, o->port);
	}
	*port_r = ntohs(six ? a6.sin6_port : a4.sin_port);
	return fd;
}

struct http *
http_start(struct sim *s, const struct http_options *o, struct err *e)
{
	struct http *h = xcalloc(1, sizeof(*h));
	unsigned flags = MHD_USE_THREAD_PER_CONNECTION |
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, o->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, o->key },
		{ MHD_OPTION_END, 0, NULL },
	};
	int fd = listen_on(o, &h->port, e);

	h->sim = s;
	if (fd < 0) {
		free(h);
		return NULL;
	}
	if (o->cert == NULL)
		tls[0].option = MHD_OPTION_END;
	else
		flags |= MHD_USE_TLS;
	h->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET,
		fd, MHD_OPTION_NOTIFY_COMPLETED, on_done, s,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S,
		MHD_OPTION_CONNECTION_LIMIT, 4096U, MHD_OPTION_ARRAY, tls,
		MHD_OPTION_END);
	if (h->daemon == NULL) {
		close(fd);
		free(h);
		err_set(e, ERR_IO, "cannot start the HTTP server");
		return NULL;
	}
	return h;
}

int
http_port(const struct http *h)
{
	return h->port;
}

void
http_stop(struct http **h)
{
	if (*h == NULL)
		return;
	pthread_mutex_lock(&(*h)->sim->lock);
	(*h)->sim->stopping = true;
	pthread_cond_broadcast(&(*h)->sim->wake);
	pthread_mutex_unlock(&(*h)->sim->lock);
	MHD_stop_daemon((*h)->daemon);
	free(*h);
	*h = NULL;
}
