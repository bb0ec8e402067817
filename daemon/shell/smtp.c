#include "dslat/smtp.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "fetch_parts.h"

#define SMTPS_SCHEME "smtps://"
#define CONNECT_TIMEOUT_MS 10000L

struct smtp {
	struct loop_transfer transfer; /* first: its magic is checked */
	struct loop *loop;
	struct fetch_place at; /* for messages */
	struct tls_check check;
	bool insecure, tls_begun;
	char *ca_file;
	struct curl_slist *to;
	char *mail;
	size_t mail_len, sent;
	char curl_text[CURL_ERROR_SIZE];
	smtp_done_fn done; /* NULL: cancelled */
	void *arg;
};

/* Out of memory is the only reason for these to fail: as in mem.c. */
static void
must(bool ok)
{
	if (!ok)
		abort();
}

#define SET(easy, option, value)                                               \
	must(curl_easy_setopt((easy), (option), (value)) == CURLE_OK)

static void
smtp_free(struct smtp *s)
{
	curl_easy_cleanup(s->transfer.easy);
	curl_slist_free_all(s->to);
	fetch_place_fini(&s->at);
	free(s->ca_file);
	free(s->mail);
	free(s);
}

/* ---- callbacks -------------------------------------------------------------- */

static size_t
on_read(char *to, size_t size, size_t n, void *arg)
{
	struct smtp *s = arg;
	size_t len = MIN(size * n, s->mail_len - s->sent);

	memcpy(to, s->mail + s->sent, len);
	s->sent += len;
	return len;
}

static CURLcode
on_ssl_ctx(CURL *easy unused, void *ssl_ctx, void *arg)
{
	struct smtp *s = arg;

	s->tls_begun = true;
	if (!s->insecure)
		tls_check_install(&s->check, ssl_ctx);
	return CURLE_OK;
}

/* What curl's codes mean here; the rest is as for any connection. */
static const struct {
	CURLcode code;
	enum err_code kind;
	const char *text;
} kinds[] = {
	{ CURLE_LOGIN_DENIED, ERR_AUTH,
	  "refuses the login: check username and password_file" },
	{ CURLE_USE_SSL_FAILED, ERR_TLS,
	  "offers no STARTTLS: check the port, or set starttls: false if the "
	  "way to it is trusted" },
	{ CURLE_SEND_ERROR, ERR_PROTO, "does not take the mail" },
	{ CURLE_RECV_ERROR, ERR_NET, "ended the connection" },
	{ CURLE_WEIRD_SERVER_REPLY, ERR_PROTO, "does not speak SMTP" },
};

static void
explain(struct smtp *s, CURLcode code, struct smtp_result *r)
{
	struct fetch_failure f = {
		.easy = s->transfer.easy,
		.code = code,
		.curl_text = s->curl_text,
		.at = &s->at,
		.check = s->insecure ? NULL : &s->check,
		.tls_begun = s->tls_begun,
		.ca_file = s->ca_file,
	};
	char *errno_at;

	/* that number says nothing, and makes of one reason many */
	errno_at = strstr(s->curl_text, " (errno");
	if (errno_at != NULL)
		*errno_at = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].code != code)
			continue;
		err_set(&r->err, kinds[i].kind, "%.100s %s%s%.200s",
			s->at.label, kinds[i].text,
			s->curl_text[0] != '\0' ? "; curl says: " : "",
			s->curl_text);
		return;
	}
	fetch_explain(&f, &r->err);
}

static struct smtp *
smtp_of(struct loop_transfer *t)
{
	return (struct smtp *)t;
}

static void
on_dropped(struct loop_transfer *t)
{
	smtp_free(smtp_of(t));
}

static void
on_finished(struct loop_transfer *t, CURLcode code)
{
	struct smtp *s = smtp_of(t);
	struct smtp_result r = { .err = { .code = ERR_NONE } };
	long reply = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &reply);
	r.reply_code = (int)reply;
	if (code != CURLE_OK)
		explain(s, code, &r);
	if (s->done != NULL)
		s->done(s->arg, &r);
	smtp_free(s);
}

/* ---- the request ------------------------------------------------------------- */

static int
take_place(struct smtp *s, const struct smtp_request *rq, struct err *e)
{
	const char *server = rq->server;
	bool smtps = strncmp(server, SMTPS_SCHEME, strlen(SMTPS_SCHEME)) == 0;
	const char *port = "", *colon, *end;

	if (smtps)
		server += strlen(SMTPS_SCHEME);
	end = strrchr(server, ']'); /* of an IPv6 address */
	colon = strrchr(server, ':');
	if (colon == NULL || (end != NULL && colon < end))
		port = smtps ? ":465" : rq->starttls ? ":587" : ":25";
	s->at = (struct fetch_place){
		.base = xasprintf("%s%s%s", smtps ? SMTPS_SCHEME : "smtp://",
				  server, port),
		.host = xstrdup(server),
		.label = xasprintf("%s%s", server, port),
		.https = smtps || rq->starttls,
		.loopback = true, /* no proxy is used, so none is named */
	};
	if (*port == '\0')
		s->at.host[colon - server] = '\0';
	s->insecure = rq->tls.insecure;
	xstrset(&s->ca_file, rq->tls.ca_file);
	if (rq->tls.fingerprint_sha256 == NULL)
		return 0;
	s->check.has_pin = true;
	if (tls_pin_parse(rq->tls.fingerprint_sha256, s->check.pin) != 0)
		return err_set(e, ERR_CONF,
			       "\"%s\" is not a SHA-256 fingerprint",
			       rq->tls.fingerprint_sha256);
	return 0;
}

static void
set_tls(struct smtp *s, bool starttls)
{
	CURL *easy = s->transfer.easy;
	bool unnamed = s->insecure || s->check.has_pin;

	SET(easy, CURLOPT_USE_SSL,
	    (long)(starttls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
	SET(easy, CURLOPT_SSL_VERIFYPEER, s->insecure ? 0L : 1L);
	SET(easy, CURLOPT_SSL_VERIFYHOST, unnamed ? 0L : 2L);
	SET(easy, CURLOPT_CAPATH, NULL);
	if (unnamed)
		SET(easy, CURLOPT_CAINFO, NULL);
	else if (s->ca_file != NULL)
		SET(easy, CURLOPT_CAINFO, s->ca_file);
	SET(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
	SET(easy, CURLOPT_SSL_CTX_FUNCTION, on_ssl_ctx);
	SET(easy, CURLOPT_SSL_CTX_DATA, s);
}

static void
set_mail(struct smtp *s, const struct smtp_request *rq)
{
	CURL *easy = s->transfer.easy;
	char *from = xasprintf("<%s>", rq->from);

	for (size_t i = 0; rq->to[i] != NULL; i++) {
		char *to = xasprintf("<%s>", rq->to[i]);
		struct curl_slist *all = curl_slist_append(s->to, to);

		must(all != NULL);
		s->to = all;
		free(to);
	}
	SET(easy, CURLOPT_MAIL_FROM, from);
	SET(easy, CURLOPT_MAIL_RCPT, s->to);
	/* one address that is wrong must not keep it from the others */
	SET(easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
	SET(easy, CURLOPT_UPLOAD, 1L);
	SET(easy, CURLOPT_READFUNCTION, on_read);
	SET(easy, CURLOPT_READDATA, s);
	if (rq->username != NULL) {
		SET(easy, CURLOPT_USERNAME, rq->username);
		SET(easy, CURLOPT_PASSWORD, rq->password);
	}
	free(from);
}

struct smtp *
smtp_start(struct loop *l, const struct smtp_request *rq, smtp_done_fn done,
	   void *arg, struct err *e)
{
	struct smtp *s = xcalloc(1, sizeof(*s));
	CURL *easy = curl_easy_init();

	must(easy != NULL);
	s->transfer = (struct loop_transfer){
		.magic = LOOP_TRANSFER_MAGIC,
		.easy = easy,
		.done = on_finished,
		.dropped = on_dropped,
	};
	s->loop = l;
	s->done = done;
	s->arg = arg;
	s->mail = xmalloc(rq->mail_len + 1);
	memcpy(s->mail, rq->mail, rq->mail_len);
	s->mail_len = rq->mail_len;
	if (take_place(s, rq, e) != 0) {
		smtp_free(s);
		return NULL;
	}
	SET(easy, CURLOPT_URL, s->at.base);
	SET(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	SET(easy, CURLOPT_NOSIGNAL, 1L);
	SET(easy, CURLOPT_QUICK_EXIT, 1L);
	SET(easy, CURLOPT_PROXY, "");
	SET(easy, CURLOPT_FRESH_CONNECT, 1L); /* never one with other rules */
	SET(easy, CURLOPT_FORBID_REUSE, 1L);
	SET(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	SET(easy, CURLOPT_TIMEOUT_MS,
	    (long)((rq->timeout_us + US_PER_MS - 1) / US_PER_MS));
	SET(easy, CURLOPT_ERRORBUFFER, s->curl_text);
	set_tls(s, rq->starttls);
	set_mail(s, rq);
	loop_transfer_start(l, &s->transfer);
	return s;
}

void
smtp_cancel(struct smtp **sp)
{
	struct smtp *s = *sp;

	if (s == NULL)
		return;
	*sp = NULL;
	if (s->done == NULL)
		return;
	s->done = NULL;
	if (s->transfer.state != TRANSFER_IDLE) /* else inside its done */
		loop_transfer_drop(s->loop, &s->transfer);
}
