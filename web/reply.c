#include "web/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/accept.h"
#include "web/gzip.h"

#define DETAIL_BYTES 2048 /* a longer text is cut */
#define BODY_MAX_BYTES ((size_t)64 << 20)
#define COMPRESS_FROM_BYTES 1024
/* A larger one is compressed while it is sent, a piece per turn. */
#define COMPRESS_AT_ONCE_BYTES ((size_t)64 << 10)

/* `type` is "urn:dslat:problem:" and the name: clients rely on it. */
static const struct {
	const char *name, *title;
	int status;
} problems[] = {
	[PROBLEM_BAD_ADDRESS] = { "bad-address", "Malformed address", 400 },
	[PROBLEM_BAD_PARAMETER] = { "bad-parameter", "Malformed parameter",
				    400 },
	[PROBLEM_MISSING_PARAMETER] = { "missing-parameter",
					"Missing parameter", 400 },
	[PROBLEM_UNKNOWN_PARAMETER] = { "unknown-parameter",
					"Unknown parameter", 400 },
	[PROBLEM_NO_SUCH_PATH] = { "no-such-path", "No such path", 404 },
	[PROBLEM_UNKNOWN_DATASTORE] = { "unknown-datastore",
					"Unknown datastore", 404 },
	[PROBLEM_UNKNOWN_HOST] = { "unknown-host", "Unknown host", 404 },
	[PROBLEM_UNKNOWN_TARGET] = { "unknown-target", "Unknown target", 404 },
	[PROBLEM_UNKNOWN_INCIDENT] = { "unknown-incident", "Unknown incident",
				       404 },
	[PROBLEM_UNKNOWN_SILENCE] = { "unknown-silence", "Unknown silence",
				      404 },
	[PROBLEM_UNKNOWN_NOTIFIER] = { "unknown-notifier", "Unknown notifier",
				       404 },
	[PROBLEM_BAD_BODY] = { "bad-body", "Malformed body", 400 },
	[PROBLEM_UNAUTHORIZED] = { "unauthorized", "A token is needed", 401 },
	[PROBLEM_FORBIDDEN] = { "forbidden", "Not allowed to this token", 403 },
	[PROBLEM_CROSS_SITE] = { "cross-site", "Request of another site", 403 },
	[PROBLEM_METHOD] = { "method-not-allowed", "Method not allowed", 405 },
	[PROBLEM_ENDED] = { "ended", "Over already", 409 },
	[PROBLEM_BODY] = { "body-not-accepted", "Body not accepted", 413 },
	[PROBLEM_MEDIA_TYPE] = { "media-type", "Body not JSON", 415 },
	[PROBLEM_TOO_MANY_TRIES] = { "too-many-tries", "Too many wrong tokens",
				     429 },
	[PROBLEM_ADDRESS_TOO_LONG] = { "address-too-long", "Address too long",
				       414 },
	[PROBLEM_WRONG_HOST] = { "wrong-host", "Not a name of this server",
				 421 },
	[PROBLEM_UNPROCESSABLE] = { "unprocessable", "Impossible request",
				    422 },
	[PROBLEM_NOT_DELIVERED] = { "not-delivered", "Message not delivered",
				    502 },
	[PROBLEM_BUSY] = { "busy", "Too many requests at once", 503 },
	[PROBLEM_NOT_READY] = { "not-ready", "Not ready", 503 },
	[PROBLEM_NO_ANSWER] = { "no-answer", "No answer in time", 504 },
};

static const struct {
	const char *name, *value;
} fixed_headers[] = {
	{ "Content-Security-Policy",
	  "default-src 'self'; base-uri 'none'; form-action 'self'; "
	  "frame-ancestors 'none'; object-src 'none'" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Referrer-Policy", "no-referrer" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
};

void
reply_init(struct reply *r)
{
	*r = (struct reply){ .status = 500 };
	buf_init(&r->body, BODY_MAX_BYTES);
}

void
reply_fini(struct reply *r)
{
	buf_fini(&r->body);
	if (r->source.free != NULL)
		r->source.free(r->source.arg);
	if (r->job.free != NULL)
		r->job.free(r->job.arg);
	for (size_t i = 0; i < r->n_headers; i++)
		free(r->headers[i].value);
	reply_init(r);
}

static void
set_body(struct reply *r, int status, const char *type, json_t *take)
{
	r->status = status;
	r->type = type;
	r->compress = true;
	json_append(&r->body, take);
	buf_addc(&r->body, '\n');
	json_decref(take);
}

void
reply_problem(struct reply *r, enum problem p, const char *parameter,
	      const char *fmt, ...)
{
	json_t *v = json_object(), *error;
	char type[64], detail[DETAIL_BYTES];
	/* A job may give up: it stays, its owner is still running in it. */
	struct job job = r->job;
	va_list ap;

	r->job = (struct job){ 0 };
	reply_fini(r);
	r->job = job;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	snprintf(type, sizeof(type), "urn:dslat:problem:%s", problems[p].name);
	json_object_set_new(v, "type", json_string(type));
	json_object_set_new(v, "title", json_string(problems[p].title));
	json_object_set_new(v, "status", json_integer(problems[p].status));
	json_object_set_new(v, "detail", json_text(detail));
	if (parameter != NULL) {
		error = json_object();
		json_object_set_new(error, "parameter", json_text(parameter));
		json_object_set_new(error, "detail", json_text(detail));
		json_object_set_new(v, "errors", json_pack("[o]", error));
	}
	r->cache_control = "no-store";
	set_body(r, problems[p].status, "application/problem+json", v);
	if (r->status == 503)
		reply_header_take(r, "Retry-After", xstrdup("5"));
}

void
reply_json(struct reply *r, json_t *v)
{
	set_body(r, 200, TYPE_JSON, v);
}

void
reply_json_body(struct reply *r)
{
	buf_addc(&r->body, '\n');
	r->status = 200;
	r->type = TYPE_JSON;
	r->compress = true;
}

void
reply_text(struct reply *r, const char *text)
{
	r->status = 200;
	r->type = TYPE_TEXT;
	buf_adds(&r->body, text);
}

void
reply_header_take(struct reply *r, const char *name, char *value)
{
	assert(r->n_headers < REPLY_MAX_HEADERS);
	r->headers[r->n_headers].name = name;
	r->headers[r->n_headers].value = value;
	r->n_headers++;
}

static uint64_t
mix(uint64_t sum, uint64_t word, uint64_t odd)
{
	sum = (sum ^ word) * odd;
	return sum ^ sum >> 29;
}

/* 128 bits of two sums over words of 8 bytes (megabytes take a moment). */
static void
make_etag(struct reply *r)
{
	uint64_t a = r->body.len, b = ~a, word;

	for (size_t i = 0; i < r->body.len; i += sizeof(word)) {
		word = 0;
		memcpy(&word, r->body.data + i,
		       MIN(sizeof(word), r->body.len - i));
		a = mix(a, word, UINT64_C(0x9e3779b97f4a7c15));
		b = mix(b, word, UINT64_C(0xc2b2ae3d27d4eb4f));
	}
	snprintf(r->etag, sizeof(r->etag), "\"%016llx%016llx\"",
		 (unsigned long long)a, (unsigned long long)b);
}

/* The same data in another encoding is another representation. */
static void
mark_etag_gzip(struct reply *r)
{
	size_t len = strlen(r->etag);

	if (len == 0)
		return;
	snprintf(r->etag + len - 1, sizeof(r->etag) - len + 1, "-gzip\"");
}

/* If-None-Match: a list of tags, or *; compared weakly (RFC 9110 13.1.2). */
static bool
etag_matches(const char *list, const char *etag)
{
	size_t len = strlen(etag);

	while (*list != '\0') {
		list += strspn(list, " \t,");
		if (*list == '*')
			return true;
		if (strncmp(list, "W/", 2) == 0)
			list += 2;
		if (strncmp(list, etag, len) == 0)
			return true;
		if (*list == '"') { /* a tag may hold commas */
			list++;
			list += strcspn(list, "\"");
			if (*list == '"')
				list++;
		} else {
			list += strcspn(list, ",");
		}
	}
	return false;
}

static void
drop_body(struct reply *r)
{
	buf_fini(&r->body);
	r->bytes = NULL;
	r->n_bytes = 0;
	r->type = NULL;
	r->encoding = NULL;
}

/* Small bodies become compressed bytes, large ones and sources a source. */
static void
compress(struct reply *r)
{
	bool at_once =
		r->source.read == NULL && r->body.len <= COMPRESS_AT_ONCE_BYTES;
	struct source gz;
	char piece[4096];
	ssize_t n;

	if (r->source.read == NULL)
		r->source = buf_source_take(&r->body);
	gz = gzip_source_take(&r->source);
	r->encoding = "gzip";
	mark_etag_gzip(r);
	if (!at_once) {
		r->source = gz;
		return;
	}
	while ((n = gz.read(gz.arg, piece, sizeof(piece))) > 0)
		buf_add(&r->body, piece, (size_t)n);
	gz.free(gz.arg);
}

void
reply_settle(struct reply *r, const struct reply_wishes *wishes)
{
	bool gzip = r->compress && wishes->accept_encoding != NULL &&
		accept_quality(wishes->accept_encoding, "gzip") > 0 &&
		(r->source.read != NULL || r->body.len > COMPRESS_FROM_BYTES);

	if (r->status == 200 && r->etag[0] == '\0' && r->body.len != 0 &&
	    r->cache_control == NULL)
		make_etag(r);
	r->vary |= r->compress;
	if (r->status == 200 && r->etag[0] != '\0' &&
	    wishes->if_none_match != NULL) {
		char plain[ETAG_SIZE];

		memcpy(plain, r->etag, sizeof(plain));
		if (gzip)
			mark_etag_gzip(r);
		if (etag_matches(wishes->if_none_match, r->etag)) {
			r->status = 304;
			drop_body(r);
			return;
		}
		memcpy(r->etag, plain, sizeof(plain));
	}
	if (gzip)
		compress(r);
}

void
reply_each_header(const struct reply *r,
		  void (*fn)(void *arg, const char *name, const char *value),
		  void *arg)
{
	const struct {
		const char *name, *value;
	} usual[] = {
		{ "Content-Type", r->type },
		{ "Content-Encoding", r->encoding },
		{ "ETag", r->etag[0] != '\0' ? r->etag : NULL },
		{ "Vary", r->vary ? "Accept-Encoding" : NULL },
		{ "Cache-Control",
		  r->cache_control != NULL ? r->cache_control : "no-cache" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (usual[i].value != NULL)
			fn(arg, usual[i].name, usual[i].value);
	for (size_t i = 0; i < r->n_headers; i++)
		fn(arg, r->headers[i].name, r->headers[i].value);
	for (size_t i = 0; i < ARRAY_SIZE(fixed_headers); i++)
		fn(arg, fixed_headers[i].name, fixed_headers[i].value);
}
