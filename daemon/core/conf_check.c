#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "conf_keys.h"
#include "dslat/map.h"
#include "dslat/mem.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define NAME_MAX_BYTES 63
#define SHA256_HEX 64
#define SHA1_HEX 40

static bool
is_only(const char *s, const char *allowed)
{
	return s[strspn(s, allowed)] == '\0';
}

/* ---- listen -------------------------------------------------------------- */

static bool
is_port(const char *s)
{
	return *s != '\0' && strlen(s) <= 5 && is_only(s, DIGITS) &&
		strtol(s, NULL, 10) <= 65535;
}

/* An address in numbers or a name that the start will look up. */
static bool
is_address(const char *s, size_t len)
{
	bool is_v6 = len >= 2 && s[0] == '[' && s[len - 1] == ']', is;
	struct in6_addr v6;
	char *host;

	if (len == 1 && s[0] == '*')
		return true;
	host = is_v6 ? xstrndup(s + 1, len - 2) : xstrndup(s, len);
	if (is_v6) {
		host[strcspn(host, "%")] = '\0'; /* [fe80::1%eth0] */
		is = inet_pton(AF_INET6, host, &v6) == 1;
	} else {
		is = host[0] != '\0' && is_only(host, LETTERS DIGITS "-._");
	}
	free(host);
	return is;
}

/* NULL or what is wrong. */
static const char *
check_listen(const char *s)
{
	struct sockaddr_un un;
	const char *colon;

	if (strncmp(s, "unix:", 5) == 0) {
		s += 5;
		if (*s != '/')
			return "must have an absolute path: unix:/path";
		if (strlen(s) >= sizeof(un.sun_path))
			return "is longer than a socket's path may be (107); "
			       "choose a shorter one";
		return NULL;
	}
	colon = strrchr(s, ':');
	if (colon == NULL)
		return "has no port; write address:port, as in " CONF_DEFAULT_LISTEN;
	if (s[0] != '[' && memchr(s, ':', (size_t)(colon - s)) != NULL)
		return "needs brackets around the IPv6 address: [::1]:9969";
	if (!is_port(colon + 1))
		return "has no port from 0 to 65535 behind its last colon; "
		       "correct it";
	if (!is_address(s, (size_t)(colon - s)))
		return "does not begin with an address; write it before the "
		       "last colon, or \"*\" for all";
	return NULL;
}

void
conf_check_listen(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	const struct yaml_node *one = n->kind == YAML_LIST ? n->first : n;
	char **texts = *(char ***)value;

	for (size_t i = 0; texts[i] != NULL; i++, one = one->next) {
		const char *what = check_listen(texts[i]);

		if (what != NULL)
			fault_add(r->faults, one->at, "\"%.*s\" %s",
				  CONF_SHOWN_MAX, texts[i], what);
		for (size_t j = 0; j < i; j++)
			if (strcmp(texts[i], texts[j]) == 0)
				fault_add(r->faults, one->at,
					  "\"%.*s\" is here twice; remove one",
					  CONF_SHOWN_MAX, texts[i]);
	}
}

/* ---- single values -------------------------------------------------------- */

void
conf_check_new_name(struct conf_reader *r, const struct yaml_node *n,
		    const char *prefix, const char *what)
{
	const char *name = n->text, *bad;
	char *key = xasprintf("%s%s", prefix, name);
	const struct yaml_node *first = map_find_str(r->names, key);

	bad = name + strspn(name, LETTERS DIGITS "_-");
	if (*bad != '\0')
		fault_add(r->faults, n->at,
			  "\"name\" is \"%.*s\"; it may have letters, digits, "
			  "- and _ only",
			  CONF_SHOWN_MAX, name);
	else if (strlen(name) > NAME_MAX_BYTES)
		fault_add(r->faults, n->at,
			  "\"name\" is longer than %d characters; shorten it",
			  NAME_MAX_BYTES);
	if (first != NULL)
		fault_add(r->faults, n->at,
			  "a second %s named \"%.*s\", the first is in "
			  "line %d; rename one",
			  what, CONF_SHOWN_MAX, name, first->at.line);
	else
		map_set(r->names, key, (void *)(uintptr_t)n);
	free(key);
}

void
conf_check_name(struct conf_reader *r, const struct yaml_node *n,
		void *value unused)
{
	conf_check_new_name(r, n, "", "target");
}

void
conf_check_path(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	if (**(char **)value != '/')
		fault_add(r->faults, n->at,
			  "\"%s\" must be an absolute path; begin it with /",
			  n->key);
}

/* The value may be a password that was put here by mistake: not shown. */
void
conf_check_env(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	const char *s = *(char **)value;

	if (!is_only(s, LETTERS DIGITS "_") || strchr(DIGITS, s[0]) != NULL)
		fault_add(r->faults, n->at,
			  "\"password_env\" must be the name of an "
			  "environment variable; use letters, digits and _");
}

void
conf_check_credential(struct conf_reader *r, const struct yaml_node *n,
		      void *value)
{
	const char *s = *(char **)value;

	if (!is_only(s, LETTERS DIGITS "_-.@") || s[0] == '.')
		fault_add(r->faults, n->at,
			  "\"password_credential\" must be the name of a "
			  "systemd credential; use letters, digits, - . _");
}

void
conf_check_fingerprint(struct conf_reader *r, const struct yaml_node *n,
		       void *value)
{
	char *s = *(char **)value, *to = s;
	bool is_hex = true;

	for (const char *from = s; *from != '\0'; from++) {
		char c = *from;

		if (c == ':')
			continue;
		if (c >= 'A' && c <= 'F')
			c = (char)(c - 'A' + 'a');
		if (strchr(DIGITS "abcdef", c) == NULL)
			is_hex = false;
		*to++ = c;
	}
	*to = '\0';
	if (!is_hex)
		fault_add(r->faults, n->at,
			  "\"fingerprint_sha256\" has a character that is no "
			  "hex digit; write %d hex digits, colons allowed",
			  SHA256_HEX);
	else if (strlen(s) == SHA1_HEX)
		fault_add(r->faults, n->at,
			  "\"fingerprint_sha256\" has %d hex digits, so it is "
			  "SHA-1; take the SHA-256 one, of %d",
			  SHA1_HEX, SHA256_HEX);
	else if (strlen(s) != SHA256_HEX)
		fault_add(r->faults, n->at,
			  "\"fingerprint_sha256\" has %zu hex digits; it must "
			  "have %d",
			  strlen(s), SHA256_HEX);
}

/* ---- a whole target -------------------------------------------------------- */

static const char *const sources[] = { "password_file", "password_env",
				       "password_credential" };

/* A fault has been found already where the password should be. */
static bool
tried_password(const struct yaml_node *n)
{
	if (yaml_find(n, "password") != NULL)
		return true;
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next) {
		const struct conf_key *k = c->hint;

		for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
			if (k != NULL &&
			    strcmp(conf_key_name(k), sources[i]) == 0)
				return true;
			if (strcmp(c->key, sources[i]) == 0 &&
			    c->kind != YAML_NULL)
				return true;
		}
	}
	return false;
}

static void
check_password(struct conf_reader *r, const struct yaml_node *n)
{
	const char *first = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct yaml_node *c = yaml_find(n, sources[i]);

		if (c == NULL || c->kind == YAML_NULL)
			continue;
		if (first != NULL)
			fault_add(r->faults, c->key_at,
				  "\"%s\" beside \"%s\"; keep one of them",
				  sources[i], first);
		first = sources[i];
	}
	if (first == NULL && r->is_whole && !tried_password(n))
		fault_add(r->faults, n->at,
			  "no password; add password_file with the absolute "
			  "path of a file that holds it");
}

static void
check_tls(struct conf_reader *r, const struct yaml_node *n,
	  const struct conf_target *t)
{
	const struct yaml_node *tls = yaml_find(n, "tls"), *insecure;

	if (tls == NULL)
		return;
	insecure = yaml_find(tls, "insecure");
	if (insecure != NULL && t->insecure &&
	    (t->fingerprint_sha256 != NULL || t->ca_file != NULL))
		fault_add(r->faults, insecure->key_at,
			  "\"insecure: true\" beside \"%s\"; remove insecure, "
			  "so that the certificate is verified",
			  t->ca_file != NULL ? "ca_file"
					     : "fingerprint_sha256");
	if (t->fingerprint_sha256 != NULL && t->ca_file != NULL)
		fault_add(r->faults, tls->key_at,
			  "\"ca_file\" beside \"fingerprint_sha256\", which "
			  "trusts that certificate alone; keep one of them");
	if (t->url != NULL && strncmp(t->url, "http:", 5) == 0 &&
	    (t->insecure || t->fingerprint_sha256 != NULL ||
	     t->ca_file != NULL))
		fault_warn(r->faults, tls->key_at,
			   "\"tls\" does nothing while \"url\" is http; "
			   "write https://");
}

void
conf_check_target(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	struct conf_target *t = value;

	t->line = n->at.line;
	check_password(r, n);
	check_tls(r, n, t);
}

/* ---- web ------------------------------------------------------------------ */

void
conf_check_web(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	const struct conf_web *w = value;
	const struct yaml_node *anonymous =
		yaml_find(n, "allow_anonymous_read");

	if ((w->tls_cert == NULL) != (w->tls_key == NULL))
		fault_add(r->faults, n->key_at,
			  "\"tls_%s\" without \"tls_%s\"; set both, or none",
			  w->tls_cert != NULL ? "cert" : "key",
			  w->tls_cert != NULL ? "key" : "cert");
	if (anonymous != NULL && !w->allow_anonymous_read &&
	    w->tokens_file == NULL)
		fault_add(r->faults, anonymous->key_at,
			  "\"allow_anonymous_read: false\" without "
			  "\"tokens_file\", so nobody could read; make one "
			  "with dslat token new NAME --file FILE");
}

void
conf_check_retention(struct conf_reader *r, const struct yaml_node *n,
		     void *value)
{
	const struct conf_retention *k = value;

	if (k->five_minute_days < k->raw_days)
		fault_add(r->faults, n->key_at,
			  "\"five_minute_days\" (%lld) is less than "
			  "\"raw_days\" (%lld); what is coarser is kept at "
			  "least as long",
			  (long long)k->five_minute_days,
			  (long long)k->raw_days);
	if (k->hour_days < k->five_minute_days)
		fault_add(
			r->faults, n->key_at,
			"\"hour_days\" (%lld) is less than "
			"\"five_minute_days\" (%lld); what is coarser is kept "
			"at least as long",
			(long long)k->hour_days,
			(long long)k->five_minute_days);
}
