#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/mem.h"

#define SDK_PATH "/sdk"

struct url {
	bool is_https;
	char *host;       /* without brackets */
	const char *port; /* ":443", or what is behind the host */
	size_t port_len;
};

static bool
is_port(const char *s, size_t len)
{
	unsigned v = 0;

	if (len == 0 || len > 5)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (unsigned)(s[i] - '0');
	}
	return v >= 1 && v <= 65535;
}

static bool
is_host(const char *s)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789-._";
	size_t len = strlen(s);

	return len >= 1 && len <= 253 && strspn(s, allowed) == len &&
		s[0] != '-' && s[0] != '.';
}

static bool
is_loopback(const struct url *u)
{
	struct in_addr v4;

	if (strchr(u->host, ':') != NULL)
		return strcmp(u->host, "::1") == 0;
	if (inet_pton(AF_INET, u->host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return strcasecmp(u->host, "localhost") == 0;
}

const char *
conf_split_host(const char *s, size_t len, char **host_r, const char **port_r)
{
	const char *end = s + len, *colon;
	struct in6_addr v6;

	*host_r = NULL;
	if (len > 0 && s[0] == '[') {
		const char *close = memchr(s, ']', len);

		if (close == NULL)
			return "a bracket that is not closed; add the \"]\"";
		*host_r = xstrndup(s + 1, (size_t)(close - s) - 1);
		if (inet_pton(AF_INET6, *host_r, &v6) != 1)
			return "no IPv6 address in its brackets; correct it";
		colon = close + 1;
		if (colon < end && *colon != ':')
			return "text behind the bracket; "
			       "only :port may follow";
	} else {
		colon = memchr(s, ':', len);
		if (colon == NULL)
			colon = end;
		*host_r = xstrndup(s, (size_t)(colon - s));
		if (colon < end &&
		    memchr(colon + 1, ':', (size_t)(end - colon) - 1) != NULL)
			return "more than one colon; "
			       "an IPv6 address needs brackets: [fd00::1]";
		if (colon == s)
			return "no host; write one before the port";
		if (!is_host(*host_r))
			return "a character that no host name has; correct it";
	}
	*port_r = colon;
	if (colon < end && !is_port(colon + 1, (size_t)(end - colon) - 1))
		return "no port from 1 to 65535 behind its colon; correct it";
	return NULL;
}

/* Never show the text itself: a password may be in it. */
static const char *
parse_url(struct url *u, const char *s)
{
	static const struct {
		const char *prefix;
		bool is_https;
	} schemes[] = { { "https://", true }, { "http://", false } };
	const char *rest = NULL, *path, *what;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(schemes) && rest == NULL; i++) {
		len = strlen(schemes[i].prefix);
		if (strncasecmp(s, schemes[i].prefix, len) == 0) {
			rest = s + len;
			u->is_https = schemes[i].is_https;
		}
	}
	if (rest == NULL && strstr(s, "://") != NULL)
		return "a scheme that is not https; write https://host/sdk";
	if (rest == NULL)
		return "no scheme; write https://host/sdk";
	if (strchr(rest, '@') != NULL)
		return "a user name or password; remove all up to the \"@\", "
		       "and use username and password_file";
	path = rest + strcspn(rest, "/?#");
	if (path == rest || rest[0] == ':')
		return "no host; write https://host/sdk";
	what = conf_split_host(rest, (size_t)(path - rest), &u->host, &u->port);
	if (what != NULL)
		return what;
	u->port_len = (size_t)(path - u->port);
	if (strcmp(path, "") != 0 && strcmp(path, "/") != 0 &&
	    strcmp(path, SDK_PATH) != 0 && strcmp(path, SDK_PATH "/") != 0)
		return "a path that is not /sdk, where the API is; "
		       "write https://host/sdk";
	return NULL;
}

void
conf_check_url(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	char **text = value, *canonical;
	struct url u = { 0 };
	bool is_ipv6;
	const char *what = parse_url(&u, *text);

	if (what != NULL) {
		fault_add(r->faults, n->at, "\"url\" has %s", what);
		free(u.host);
		return;
	}
	if (!u.is_https && !is_loopback(&u))
		fault_warn(r->faults, n->at,
			   "\"url\" is http, so the password goes over the "
			   "network in clear text; write https://");
	is_ipv6 = strchr(u.host, ':') != NULL;
	canonical = xasprintf("%s%s%s%s%.*s" SDK_PATH,
			      u.is_https ? "https://" : "http://",
			      is_ipv6 ? "[" : "", u.host, is_ipv6 ? "]" : "",
			      (int)u.port_len, u.port);
	free(*text);
	*text = canonical;
	free(u.host);
}
