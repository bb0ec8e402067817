#include "fetch_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer host names do not leave room for the cure. */
#define LABEL "%.100s"

/* Does curl's text speak of the host, not of a proxy? */
static bool
names_host(const struct fetch_failure *f)
{
	const char *host = f->at->host;
	size_t n = strlen(host);

	if (host[0] == '[') { /* curl leaves out the brackets */
		host++;
		n -= 2;
	}
	return memmem(f->curl_text, strlen(f->curl_text), host, n) != NULL;
}

static void
explain_connect(const struct fetch_failure *f, struct err *e)
{
	const char *label = f->at->label;
	long os_errno = 0;

	curl_easy_getinfo(f->easy, CURLINFO_OS_ERRNO, &os_errno);
	if (f->at->unix_path != NULL && os_errno == EACCES)
		err_set(e, ERR_NET, "no permission to use the socket " LABEL,
			label);
	else if (f->at->unix_path != NULL)
		err_set(e, ERR_NET,
			"nothing listens at " LABEL
			": is the"
			" service running?",
			label);
	else if (os_errno == ECONNREFUSED)
		err_set(e, ERR_NET,
			LABEL
			" refuses the connection: is the"
			" service running, and is the port right?",
			label);
	else if (os_errno != 0)
		err_set(e, ERR_NET, "cannot connect to " LABEL ": %s", label,
			strerror((int)os_errno));
	else
		err_set(e, ERR_NET, "cannot connect to " LABEL ": %s", label,
			f->curl_text);
	/* a proxy of the environment: say so, the label is not to blame */
	if (!f->at->loopback && f->curl_text[0] != '\0' && !names_host(f)) {
		char text[sizeof(e->text)];

		memcpy(text, e->text, sizeof(text));
		err_set(e, ERR_NET, "%s (through a proxy: %s)", text,
			f->curl_text);
	}
}

static bool
reached(const struct fetch_failure *f, CURLINFO what)
{
	curl_off_t us = 0;

	curl_easy_getinfo(f->easy, what, &us);
	return us > 0;
}

/* On a connection that was open before, none of its own times count. */
static bool
was_sent(const struct fetch_failure *f)
{
	long bytes = 0;

	curl_easy_getinfo(f->easy, CURLINFO_REQUEST_SIZE, &bytes);
	return bytes > 0;
}

static void
explain_timeout(const struct fetch_failure *f, struct err *e)
{
	const char *label = f->at->label;
	bool sent = was_sent(f);
	curl_off_t us = 0;
	double s;

	curl_easy_getinfo(f->easy, CURLINFO_TOTAL_TIME_T, &us);
	s = (double)us / 1e6;
	if (!sent && !reached(f, CURLINFO_NAMELOOKUP_TIME_T))
		err_set(e, ERR_TIMEOUT,
			"the address of " LABEL
			" was not found"
			" within %.1f s: does this machine's DNS work?",
			f->at->host, s);
	else if (!sent && !f->tls_begun && !reached(f, CURLINFO_CONNECT_TIME_T))
		err_set(e, ERR_TIMEOUT,
			LABEL
			" did not accept a connection"
			" within %.1f s: it is down, or a firewall is between",
			label, s);
	else if (!sent && f->at->https &&
		 !reached(f, CURLINFO_APPCONNECT_TIME_T))
		err_set(e, ERR_TIMEOUT,
			LABEL
			" accepted the connection, but"
			" not TLS within %.1f s: does this port speak https?",
			label, s);
	else if (!reached(f, CURLINFO_STARTTRANSFER_TIME_T))
		err_set(e, ERR_TIMEOUT,
			LABEL
			" accepted the request, but did"
			" not answer within %.1f s",
			label, s);
	else
		err_set(e, ERR_TIMEOUT,
			"the answer of " LABEL
			" is too slow:"
			" %zu bytes in %.1f s",
			label, f->bytes, s);
}

static void
explain_tls(const struct fetch_failure *f, struct err *e)
{
	if (f->check != NULL && f->check->seen &&
	    (!f->check->accepted || f->code == CURLE_PEER_FAILED_VERIFICATION))
		tls_check_explain(f->check, f->at->label, e);
	else if (strstr(f->curl_text, "wrong version number") != NULL)
		err_set(e, ERR_NET,
			LABEL
			" answers, but not with TLS: does this port"
			" speak https?",
			f->at->label);
	else
		err_set(e, ERR_NET, "TLS with " LABEL " failed: %s",
			f->at->label, f->curl_text);
}

static void
explain_ca(const struct fetch_failure *f, struct err *e)
{
	err_set(e, ERR_TLS, "the file of certificates %s cannot be read: %s",
		f->ca_file != NULL ? f->ca_file : "of this system",
		f->curl_text);
}

static void
explain_resolve(const struct fetch_failure *f, struct err *e)
{
	err_set(e, ERR_NET,
		"there is no address for " LABEL
		": check the name,"
		" and this machine's DNS",
		f->at->host);
}

static void
explain_proxy(const struct fetch_failure *f, struct err *e)
{
	err_set(e, ERR_NET,
		"%s: check the proxy variables of the environment"
		" (https_proxy, no_proxy)",
		f->curl_text);
}

static void
explain_broken(const struct fetch_failure *f, struct err *e)
{
	long connect_status = 0;

	curl_easy_getinfo(f->easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
	if (connect_status != 0 && connect_status != 200)
		explain_proxy(f, e);
	else
		err_set(e, ERR_NET,
			LABEL
			" ended the connection before its"
			" answer was complete (%zu bytes came)",
			f->at->label, f->bytes);
}

static void
explain_odd(const struct fetch_failure *f, struct err *e)
{
	err_set(e, ERR_PROTO, "the answer of " LABEL " is not proper HTTP: %s",
		f->at->label, f->curl_text);
}

static void
explain_url(const struct fetch_failure *f, struct err *e)
{
	err_set(e, ERR_CONF, "no URL for " LABEL ": %s", f->at->label,
		f->curl_text);
}

static const struct {
	CURLcode code;
	void (*explain)(const struct fetch_failure *f, struct err *e);
} kinds[] = {
	{ CURLE_UNSUPPORTED_PROTOCOL, explain_odd }, /* HTTP/0.9 */
	{ CURLE_URL_MALFORMAT, explain_url },
	{ CURLE_COULDNT_RESOLVE_PROXY, explain_proxy },
	{ CURLE_PROXY, explain_proxy },
	{ CURLE_COULDNT_RESOLVE_HOST, explain_resolve },
	{ CURLE_COULDNT_CONNECT, explain_connect },
	{ CURLE_WEIRD_SERVER_REPLY, explain_odd },
	{ CURLE_BAD_CONTENT_ENCODING, explain_odd },
	{ CURLE_PARTIAL_FILE, explain_broken },
	{ CURLE_GOT_NOTHING, explain_broken },
	{ CURLE_SEND_ERROR, explain_broken },
	{ CURLE_RECV_ERROR, explain_broken },
	{ CURLE_OPERATION_TIMEDOUT, explain_timeout },
	{ CURLE_SSL_CONNECT_ERROR, explain_tls },
	{ CURLE_PEER_FAILED_VERIFICATION, explain_tls },
	{ CURLE_SSL_CACERT_BADFILE, explain_ca },
};

void
fetch_explain(const struct fetch_failure *f, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].code == f->code) {
			kinds[i].explain(f, e);
			return;
		}
	err_set(e, ERR_NET, LABEL ": %s", f->at->label,
		f->curl_text[0] != '\0' ? f->curl_text
					: curl_easy_strerror(f->code));
}

void
fetch_explain_redirect(const struct fetch_place *at, int status,
		       const char *location, struct err *e)
{
	CURLU *u = curl_url();
	char *to = NULL;

	if (location != NULL &&
	    curl_url_set(u, CURLUPART_URL, at->base, 0) == CURLUE_OK &&
	    curl_url_set(u, CURLUPART_URL, location, 0) == CURLUE_OK)
		curl_url_get(u, CURLUPART_HOST, &to, 0);
	err_set(e, ERR_PROTO,
		LABEL
		" answers with a redirect (%d) to %.100s:"
		" redirects are not followed, use the final address",
		at->label, status, to != NULL ? to : "no valid address");
	curl_free(to);
	curl_url_cleanup(u);
}
