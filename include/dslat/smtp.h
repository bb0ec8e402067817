/*
 * smtp.h - deliver one mail over the loop.
 *
 * libcurl speaks SMTP: STARTTLS when asked for is demanded, never just tried;
 * a name and password are only sent when given.  Certificates are verified as
 * in fetch.h.  A recipient that is refused does not keep it from the others; all
 * refused is an error.  Everything is copied.  done comes exactly once, never from
 * inside smtp_start(), unless the mail was cancelled.  Loop thread only.
 */
#ifndef DSLAT_SMTP_H
#define DSLAT_SMTP_H

#include "dslat/buf.h"
#include "dslat/err.h"
#include "dslat/fetch.h"

struct smtp_request {
	const char *server; /* "host", "host:port" or "smtps://host:port" */
	bool starttls;      /* not for smtps */
	struct fetch_tls tls;
	const char *username, *password; /* NULL: no login */
	const char *from;
	char *const *to;  /* NULL-terminated */
	const char *mail; /* headers and body, lines end with CRLF */
	size_t mail_len;
	int64_t timeout_us;
};

struct smtp_result {
	struct err err; /* ERR_NONE: the server took it */
	int reply_code; /* its last one; 0 without */
};

struct smtp;
typedef void (*smtp_done_fn)(void *arg, const struct smtp_result *r);
struct smtp *smtp_start(struct loop *l, const struct smtp_request *rq,
			smtp_done_fn done, void *arg, struct err *e) must_check;
void smtp_cancel(struct smtp **s);

#endif
