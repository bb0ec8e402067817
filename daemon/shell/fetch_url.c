#include "fetch_parts.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dslat/mem.h"

#define UNIX_SCHEME "unix:"

static bool
is_unix(const char *url)
{
	return strncmp(url, UNIX_SCHEME, strlen(UNIX_SCHEME)) == 0;
}

static char *
part(CURLU *u, CURLUPart what, unsigned flags)
{
	char *text, *copy = NULL;

	if (curl_url_get(u, what, &text, flags) == CURLUE_OK) {
		copy = xstrdup(text);
		curl_free(text);
	}
	return copy;
}

/* NULL and *e when it is no URL this program takes. */
static CURLU *
parse(const char *url, struct err *e)
{
	CURLU *u = curl_url();
	CURLUcode rc = curl_url_set(u, CURLUPART_URL, url, 0);
	char *scheme = NULL;

	if (rc == CURLUE_OK)
		scheme = part(u, CURLUPART_SCHEME, 0);
	if (strstr(url, "://") == NULL)
		err_set(e, ERR_CONF,
			"\"%s\" is not a URL: it must begin with"
			" https:// or http://",
			url);
	else if (rc == CURLUE_UNSUPPORTED_SCHEME ||
		 (scheme != NULL && strcmp(scheme, "https") != 0 &&
		  strcmp(scheme, "http") != 0))
		err_set(e, ERR_CONF,
			"\"%s\" is refused: only https:// and"
			" http:// URLs can be used",
			url);
	else if (rc != CURLUE_OK)
		err_set(e, ERR_CONF, "\"%s\" is not a URL: %s", url,
			curl_url_strerror(rc));
	else
		e->code = ERR_NONE;
	free(scheme);
	if (e->code == ERR_NONE) {
		char *user = part(u, CURLUPART_USER, 0);

		/* not the text: a password may follow the name */
		if (user != NULL)
			err_set(e, ERR_CONF,
				"a URL must not hold a user name"
				" or password: they have places of their own");
		free(user);
	}
	if (e->code == ERR_NONE)
		return u;
	curl_url_cleanup(u);
	return NULL;
}

int
fetch_url_split(const char *url, char **base_r, char **path_r, struct err *e)
{
	CURLU *u;
	char *path, *query;

	if (is_unix(url)) {
		*base_r = xstrdup(url);
		*path_r = xstrdup("/");
		return 0;
	}
	u = parse(url, e);
	if (u == NULL)
		return -1;
	path = part(u, CURLUPART_PATH, 0);
	query = part(u, CURLUPART_QUERY, 0);
	*path_r =
		query == NULL ? xstrdup(path) : xasprintf("%s?%s", path, query);
	free(path);
	free(query);
	curl_url_set(u, CURLUPART_PATH, NULL, 0);
	curl_url_set(u, CURLUPART_QUERY, NULL, 0);
	curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
	*base_r = part(u, CURLUPART_URL, 0);
	curl_url_cleanup(u);
	(*base_r)[strlen(*base_r) - 1] = '\0'; /* curl adds the "/" */
	return 0;
}

/* host as in a URL, IPv6 in brackets. */
static bool
is_loopback(const char *host)
{
	static const char tail[] = ".localhost";
	size_t n = strlen(host), n_tail = strlen(tail);
	struct in_addr v4;
	struct in6_addr v6;
	char text[INET6_ADDRSTRLEN];

	if (strcasecmp(host, "localhost") == 0 ||
	    (n > n_tail && strcasecmp(host + n - n_tail, tail) == 0))
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return (ntohl(v4.s_addr) >> 24) == 127;
	if (host[0] != '[' || n < 3 || n - 2 >= sizeof(text))
		return false;
	memcpy(text, host + 1, n - 2);
	text[n - 2] = '\0';
	return inet_pton(AF_INET6, text, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static int
unix_place(struct fetch_place *at, const char *path, struct err *e)
{
	if (path[0] != '/')
		return err_set(e, ERR_CONF,
			       "unix:%s: the path of the socket"
			       " must begin with /",
			       path);
	at->unix_path = xstrdup(path);
	at->label = xstrdup(path);
	at->base = xstrdup("http://localhost");
	at->host = xstrdup("localhost");
	at->loopback = true;
	return 0;
}

int
fetch_place_init(struct fetch_place *at, const char *base_url, struct err *e)
{
	char *path, *port;
	CURLU *u;

	*at = (struct fetch_place){ .base = NULL };
	if (is_unix(base_url))
		return unix_place(at, base_url + strlen(UNIX_SCHEME), e);
	if (fetch_url_split(base_url, &at->base, &path, e) != 0)
		return -1;
	if (strcmp(path, "/") != 0) {
		err_set(e, ERR_CONF, "\"%s\" has a path: none is expected here",
			base_url);
		free(path);
		fetch_place_fini(at);
		return -1;
	}
	free(path);
	u = parse(at->base, e);
	assert(u != NULL);
	at->host = part(u, CURLUPART_HOST, 0);
	port = part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	curl_url_cleanup(u);
	at->label = xasprintf("%s:%s", at->host, port);
	free(port);
	at->https = strncmp(at->base, "https:", 6) == 0;
	at->loopback = is_loopback(at->host);
	return 0;
}

void
fetch_place_fini(struct fetch_place *at)
{
	free(at->base);
	free(at->host);
	free(at->label);
	free(at->unix_path);
	*at = (struct fetch_place){ .base = NULL };
}
