/*
 * reply.h - one HTTP answer, before anybody sends it.
 *
 * Handlers fill a struct reply; http.c sends it.  The body is one of: bytes
 * in `body` (owned), constant bytes, or a source that is read piece by piece.
 * Errors are application/problem+json (RFC 9457) with one of the kinds below.
 * No sockets; the loop thread.
 */
#ifndef DSLAT_REPLY_H
#define DSLAT_REPLY_H

#include <sys/types.h>

#include "dslat/json.h"

#define TYPE_JSON "application/json"
#define TYPE_TEXT "text/plain; charset=utf-8"

#define SOURCE_END (-1)
#define SOURCE_ERROR (-2) /* cut the connection: the client must notice */

/* Bytes that are made while they are sent. */
struct source {
	/* Up to max bytes into out: how many; 0: nothing now, request_wake()
	 * will tell; SOURCE_END; SOURCE_ERROR. */
	ssize_t (*read)(void *arg, char *out, size_t max);
	void (*free)(void *arg);
	void *arg;
};

struct request;

/* Work too long for one turn of the loop. */
struct job {
	/* Do a bounded piece; true when the reply is filled. */
	bool (*step)(void *arg, struct request *rq);
	void (*free)(void *arg);
	void *arg;
};

#define REPLY_MAX_HEADERS 4
#define ETAG_SIZE 80

struct reply {
	int status;
	const char *type;          /* constant; NULL without a body */
	const char *cache_control; /* constant; NULL: "no-cache" */
	char etag[ETAG_SIZE];      /* with its quotes; "" for none */
	const char *encoding;      /* "gzip" when the bytes are; or NULL */
	bool vary;                 /* the encoding was chosen by the request */
	bool compress;             /* worth compressing when asked */
	struct buf body;
	const void *bytes; /* constant */
	size_t n_bytes;
	struct source source; /* .read NULL: none */
	struct job job;       /* .step NULL: none */
	size_t n_headers;
	struct {
		const char *name; /* constant */
		char *value;      /* owned */
	} headers[REPLY_MAX_HEADERS];
};

enum problem {
	PROBLEM_BAD_ADDRESS,
	PROBLEM_BAD_PARAMETER,
	PROBLEM_MISSING_PARAMETER,
	PROBLEM_UNKNOWN_PARAMETER,
	PROBLEM_NO_SUCH_PATH,
	PROBLEM_UNKNOWN_DATASTORE,
	PROBLEM_UNKNOWN_HOST,
	PROBLEM_UNKNOWN_TARGET,
	PROBLEM_UNKNOWN_INCIDENT,
	PROBLEM_UNKNOWN_SILENCE,
	PROBLEM_UNKNOWN_NOTIFIER,
	PROBLEM_BAD_BODY,
	PROBLEM_UNAUTHORIZED,
	PROBLEM_FORBIDDEN,
	PROBLEM_CROSS_SITE,
	PROBLEM_METHOD,
	PROBLEM_ENDED,
	PROBLEM_BODY,
	PROBLEM_MEDIA_TYPE,
	PROBLEM_TOO_MANY_TRIES,
	PROBLEM_ADDRESS_TOO_LONG,
	PROBLEM_WRONG_HOST,
	PROBLEM_UNPROCESSABLE,
	PROBLEM_NOT_DELIVERED,
	PROBLEM_BUSY,
	PROBLEM_NOT_READY,
	PROBLEM_NO_ANSWER,
};

void reply_init(struct reply *r);
void reply_fini(struct reply *r);

/* Replace what is there.  parameter is the one to blame, or NULL; the text
 * says the cure. */
void reply_problem(struct reply *r, enum problem p, const char *parameter,
		   const char *fmt, ...) printf_like(4, 5);
/* 200 with this value, which it takes. */
void reply_json(struct reply *r, json_t *v);
/* The same for JSON that stands in r->body already. */
void reply_json_body(struct reply *r);
void reply_text(struct reply *r, const char *text);
/* Takes the value. */
void reply_header_take(struct reply *r, const char *name, char *value);

struct reply_wishes { /* of the client; NULL when the header is not there */
	const char *if_none_match, *accept_encoding;
};
/*
 * The last step before sending: a strong entity tag of a whole 200 body, 304
 * when the client has that one, and compression.
 */
void reply_settle(struct reply *r, const struct reply_wishes *wishes);

/* Every header of the finished reply, those that keep browsers safe among
 * them. */
void reply_each_header(const struct reply *r,
		       void (*fn)(void *arg, const char *name,
				  const char *value),
		       void *arg);

#endif
