#include <stdlib.h>

#include "dslat/mem.h"
#include "dslat/smtp.h"
#include "render.h"
#include "send.h"

#define MAIL_MAX_BYTES ((size_t)16 << 20)

struct mail {
	struct attempt *attempt;
	struct smtp *smtp;
};

static void
on_done(void *arg, const struct smtp_result *s)
{
	struct mail *x = arg;
	struct send_result r = { .err = s->err };

	x->smtp = NULL;
	/* 5xx of SMTP: the same mail will be refused again */
	r.is_refused = s->err.code != ERR_NONE && s->reply_code >= 500 &&
		s->reply_code <= 599;
	attempt_finish(x->attempt, &r);
}

static void
stop(void *state)
{
	struct mail *x = state;

	smtp_cancel(&x->smtp);
	free(x);
}

static void *
start(struct attempt *a, const struct message *m, struct err *e)
{
	const struct conf_notify *c = attempt_conf(a);
	struct mail *x = xcalloc(1, sizeof(*x));
	struct secret password = { NULL };
	struct buf mail;

	x->attempt = a;
	buf_init(&mail, MAIL_MAX_BYTES);
	mail_render(m, &(struct mail_route){ c->from, c->to }, &mail);
	if (mail.full)
		err_set(e, ERR_LIMIT, "the mail is larger than %zu MiB",
			MAIL_MAX_BYTES >> 20);
	else if (c->username == NULL ||
		 secret_read_file(c->password_file, &password, e) == 0)
		x->smtp = smtp_start(
			attempt_loop(a),
			&(struct smtp_request){
				.server = c->server,
				.starttls = c->starttls,
				.tls = { c->ca_file, c->fingerprint_sha256,
					 c->insecure },
				.username = c->username,
				.password = password.text,
				.from = c->from,
				.to = c->to,
				.mail = buf_str(&mail),
				.mail_len = mail.len,
				.timeout_us = c->timeout_s * US_PER_S,
			},
			on_done, x, e);
	secret_fini(&password);
	buf_fini(&mail);
	if (x->smtp != NULL)
		return x;
	free(x);
	return NULL;
}

const struct send_type send_smtp = { .start = start, .stop = stop };
