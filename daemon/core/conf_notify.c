#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "conf_keys.h"
#include "dslat/mem.h"

/* ---- single values -------------------------------------------------------- */

static int
index_of(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i] != NULL && strcmp(s, words[i]) == 0)
			return (int)i;
	return -1;
}

static const char *const types[N_NOTIFY_TYPES] = {
	[NOTIFY_WEBHOOK] = "webhook", [NOTIFY_ALERTMANAGER] = "alertmanager",
	[NOTIFY_SMTP] = "smtp",       [NOTIFY_EXEC] = "exec",
	[NOTIFY_SYSLOG] = "syslog",
};

const char *
notify_type_name(enum notify_type t)
{
	assert((size_t)t < N_NOTIFY_TYPES);
	return types[t];
}

void
conf_check_notify_name(struct conf_reader *r, const struct yaml_node *n,
		       void *value unused)
{
	conf_check_new_name(r, n, "notify:", "notifier");
}

static void
not_a(struct conf_reader *r, const struct yaml_node *n, const char *text,
      const char *words)
{
	fault_add(r->faults, n->at, "\"%s\" is \"%.*s\"; write %s", n->key,
		  CONF_SHOWN_MAX, text, words);
}

void
conf_check_notify_type(struct conf_reader *r, const struct yaml_node *n,
		       void *value)
{
	if (index_of(*(char **)value, types, ARRAY_SIZE(types)) < 0)
		not_a(r, n, n->text,
		      "webhook, alertmanager, smtp, exec or syslog");
}

void
conf_check_severity(struct conf_reader *r, const struct yaml_node *n,
		    void *value)
{
	static const char *const words[] = { "warning", "critical" };

	if (index_of(*(char **)value, words, ARRAY_SIZE(words)) < 0)
		not_a(r, n, n->text, "warning or critical");
}

void
conf_check_kinds(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	static const char *const words[] = { "slow", "no_data", "inaccessible",
					     "unreachable", "login" };
	const struct yaml_node *one = n->kind == YAML_LIST ? n->first : n;
	char **texts = *(char ***)value;

	for (size_t i = 0; texts[i] != NULL; i++, one = one->next)
		if (index_of(texts[i], words, ARRAY_SIZE(words)) < 0)
			fault_add(
				r->faults, one->at,
				"\"%.*s\" is no kind of incident; write slow, "
				"no_data, inaccessible, unreachable or login",
				CONF_SHOWN_MAX, texts[i]);
}

/* NULL or what is wrong with "host[:port]". */
static const char *
check_host(const char *s, size_t len)
{
	const char *port, *what;
	char *host;

	what = conf_split_host(s, len, &host, &port);
	free(host);
	return what;
}

/* The text itself is not shown: a password may be in it. */
void
conf_check_http_url(struct conf_reader *r, const struct yaml_node *n,
		    void *value)
{
	const char *s = *(char **)value, *rest = NULL, *what;
	size_t len;

	if (strncasecmp(s, "unix:/", 6) == 0)
		return;
	if (strncasecmp(s, "https://", 8) == 0)
		rest = s + 8;
	else if (strncasecmp(s, "http://", 7) == 0)
		rest = s + 7;
	if (rest == NULL) {
		fault_add(r->faults, n->at,
			  "\"%s\" must begin with http:// or https://", n->key);
		return;
	}
	len = strcspn(rest, "/?#");
	if (memchr(rest, '@', len) != NULL)
		what = "a user name or password; remove all up to the \"@\"";
	else if (len == 0)
		what = "no host; write one behind the //";
	else
		what = check_host(rest, len);
	for (const char *c = rest; what == NULL && *c != '\0'; c++)
		if (*c <= ' ' || *c == '#' || (unsigned char)*c > '~')
			what = "a character that no URL has; write it as %XX";
	if (what != NULL)
		fault_add(r->faults, n->at, "\"%s\" has %s", n->key, what);
}

void
conf_check_mail_server(struct conf_reader *r, const struct yaml_node *n,
		       void *value)
{
	const char *s = *(char **)value, *what;

	if (strncmp(s, "smtps://", 8) == 0)
		s += 8;
	if (strchr(s, '/') != NULL)
		what = "a slash; write host, host:port or smtps://host:port";
	else
		what = check_host(s, strlen(s));
	if (what != NULL)
		fault_add(r->faults, n->at, "\"server\" has %s", what);
}

/* Plain addr-specs only: what cannot need quoting cannot inject anything. */
static bool
is_mail_address(const char *s)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789.!#$%&'*+-/=?^_`{|}~";
	size_t user = strspn(s, allowed);
	const char *domain = s + user + 1;

	return user > 0 && user <= 64 && s[user] == '@' && *domain != '\0' &&
		strlen(domain) <= 253 &&
		strspn(domain, allowed) == strlen(domain);
}

static void
check_mail_address(struct conf_reader *r, const struct yaml_node *n,
		   const char *key, const char *s)
{
	if (!is_mail_address(s))
		fault_add(r->faults, n->at,
			  "\"%s\" is \"%.*s\", which is no address; write "
			  "user@domain alone",
			  key, CONF_SHOWN_MAX, s);
}

void
conf_check_mail_address(struct conf_reader *r, const struct yaml_node *n,
			void *value)
{
	const struct yaml_node *one = n->kind == YAML_LIST ? n->first : n;
	char **texts;

	if (strcmp(n->key, "to") != 0) {
		check_mail_address(r, n, n->key, *(char **)value);
		return;
	}
	texts = *(char ***)value;
	for (size_t i = 0; texts[i] != NULL; i++, one = one->next)
		check_mail_address(r, one, n->key, texts[i]);
}

const char *const notify_words[] = {
	"status",  "count",     "summary", "severity", "kind",
	"target",  "datastore", "host",    "op",       "worst_ms",
	"started", "ended",     "where",   "url",
};
const size_t n_notify_words = ARRAY_SIZE(notify_words);

/* Every {word} of s is one that we know. */
static void
check_placeholders(struct conf_reader *r, const struct yaml_node *n,
		   const char *s)
{
	for (; (s = strchr(s, '{')) != NULL; s++) {
		size_t len = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz_");
		bool known = false;

		if (len == 0 || s[len + 1] != '}')
			continue;
		for (size_t i = 0; i < n_notify_words && !known; i++)
			known = strlen(notify_words[i]) == len &&
				memcmp(notify_words[i], s + 1, len) == 0;
		if (!known)
			fault_add(r->faults, n->at,
				  "{%.*s} is not known; see command in "
				  "dslatd.yaml(5) for what is",
				  (int)MIN(len, CONF_SHOWN_MAX), s + 1);
	}
}

void
conf_check_command(struct conf_reader *r, const struct yaml_node *n,
		   void *value)
{
	const struct yaml_node *one = n->kind == YAML_LIST ? n->first : n;
	char **texts = *(char ***)value;

	if (texts[0] == NULL) {
		fault_add(r->faults, n->at,
			  "\"command\" is an empty list; write the path of a "
			  "program");
		return;
	}
	if (texts[0][0] != '/')
		fault_add(r->faults, one->at,
			  "\"command\" must begin with the absolute path of a "
			  "program; begin it with /");
	else if (strpbrk(texts[0], " \t") != NULL && texts[1] == NULL)
		fault_add(r->faults, one->at,
			  "\"command\" is one text with spaces; write program "
			  "and arguments as a list: [/path, arg]");
	for (size_t i = 0; texts[i] != NULL; i++, one = one->next)
		check_placeholders(r, one, texts[i]);
}

void
conf_check_syslog(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	static const char *const protocols[] = { "udp", "tcp" };
	struct sockaddr_un un;
	const char *s = *(char **)value, *what = NULL;

	if (strcmp(n->key, "protocol") == 0) {
		if (index_of(s, protocols, ARRAY_SIZE(protocols)) < 0)
			not_a(r, n, s, "udp or tcp");
		return;
	}
	if (strncmp(s, "unix:", 5) != 0)
		what = check_host(s, strlen(s));
	else if (s[5] != '/')
		what = "no absolute path; write unix:/path";
	else if (strlen(s + 5) >= sizeof(un.sun_path))
		what = "a path longer than a socket's may be (107); choose a "
		       "shorter one";
	if (what != NULL)
		fault_add(r->faults, n->at, "\"address\" has %s", what);
}

/* By their numbers in RFC 5424. */
static const char *const facilities[] = {
	"kern",   "user",   "mail",   "daemon", "auth",     "syslog",
	"lpr",    "news",   "uucp",   "cron",   "authpriv", "ftp",
	NULL,     NULL,     NULL,     NULL,     "local0",   "local1",
	"local2", "local3", "local4", "local5", "local6",   "local7",
};

void
conf_check_facility(struct conf_reader *r, const struct yaml_node *n,
		    void *value)
{
	if (index_of(*(char **)value, facilities, ARRAY_SIZE(facilities)) < 0)
		fault_add(
			r->faults, n->at,
			"\"facility\" is \"%.*s\"; write user, daemon, local0 "
			"to local7, or another of dslatd.yaml(5)",
			CONF_SHOWN_MAX, n->text);
}

/* ---- a whole notifier ------------------------------------------------------ */

/* Which types a key is for; keys that are not here are for all. */
#define FOR(type) (1U << NOTIFY_##type)
static const struct {
	const char *key;
	unsigned types, needed;
} uses[] = {
	{ "url", FOR(WEBHOOK) | FOR(ALERTMANAGER),
	  FOR(WEBHOOK) | FOR(ALERTMANAGER) },
	{ "secret_file", FOR(WEBHOOK), 0 },
	{ "tls", FOR(WEBHOOK) | FOR(ALERTMANAGER) | FOR(SMTP), 0 },
	{ "server", FOR(SMTP), FOR(SMTP) },
	{ "starttls", FOR(SMTP), 0 },
	{ "from", FOR(SMTP), FOR(SMTP) },
	{ "to", FOR(SMTP), FOR(SMTP) },
	{ "username", FOR(SMTP), 0 },
	{ "password_file", FOR(SMTP), 0 },
	{ "command", FOR(EXEC), FOR(EXEC) },
	{ "address", FOR(SYSLOG), FOR(SYSLOG) },
	{ "protocol", FOR(SYSLOG), 0 },
	{ "facility", FOR(SYSLOG), 0 },
};

bool
conf_notify_uses(const struct conf_notify *t, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (strcmp(uses[i].key, key) == 0)
			return (uses[i].types & 1U << t->type) != 0;
	return true;
}

/* The key's value, unless it is nothing or null. */
static const struct yaml_node *
value_of(const struct yaml_node *n, const char *key)
{
	const struct yaml_node *c = yaml_find(n, key);

	return c != NULL && c->kind != YAML_NULL ? c : NULL;
}

/* The key is there, or was tried with a wrong word. */
static bool
is_tried(const struct yaml_node *n, const char *key)
{
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next)
		if (strcmp(c->key, key) == 0 ||
		    (c->hint != NULL &&
		     strcmp(conf_key_name(c->hint), key) == 0))
			return true;
	return false;
}

static void
check_uses(struct conf_reader *r, const struct yaml_node *n,
	   const struct conf_notify *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		const struct yaml_node *c = value_of(n, uses[i].key);
		unsigned bit = 1U << t->type;

		if (c != NULL && (uses[i].types & bit) == 0)
			fault_add(r->faults, c->key_at,
				  "\"%s\" means nothing for type %s; remove it",
				  uses[i].key, types[t->type]);
		if ((uses[i].needed & bit) != 0 && r->is_whole &&
		    !is_tried(n, uses[i].key))
			fault_add(r->faults, n->at,
				  "no \"%s\", which type %s needs; add it",
				  uses[i].key, types[t->type]);
	}
}

static void
check_smtp(struct conf_reader *r, const struct yaml_node *n,
	   const struct conf_notify *t)
{
	const struct yaml_node *name = value_of(n, "username"),
			       *file = value_of(n, "password_file");

	if (name != NULL && file == NULL && !is_tried(n, "password_file") &&
	    yaml_find(n, "password") == NULL)
		fault_add(r->faults, name->key_at,
			  "\"username\" without \"password_file\"; add it");
	if (file != NULL && name == NULL && !is_tried(n, "username"))
		fault_add(r->faults, file->key_at,
			  "\"password_file\" without \"username\"; add it");
	if (name != NULL && !t->starttls && t->server != NULL &&
	    strncmp(t->server, "smtps:", 6) != 0)
		fault_warn(r->faults, name->key_at,
			   "with \"starttls: false\" the password goes over "
			   "the network in clear text");
}

void
conf_check_notify(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	struct conf_notify *t = value;
	int type = t->type_name == NULL
		? -1
		: index_of(t->type_name, types, ARRAY_SIZE(types));

	t->line = n->at.line;
	t->facility_code =
		index_of(t->facility, facilities, ARRAY_SIZE(facilities));
	t->critical_only = strcmp(t->min_severity, "critical") == 0;
	if (type < 0)
		return;
	t->type = (enum notify_type)type;
	check_uses(r, n, t);
	if (t->type == NOTIFY_SMTP)
		check_smtp(r, n, t);
	if (t->insecure &&
	    (t->ca_file != NULL || t->fingerprint_sha256 != NULL))
		fault_add(r->faults, yaml_find(n, "tls")->key_at,
			  "\"insecure: true\" beside \"%s\"; remove insecure, "
			  "so that the certificate is verified",
			  t->ca_file != NULL ? "ca_file"
					     : "fingerprint_sha256");
}

/* ---- the elements of the list ---------------------------------------------- */

void *
conf_add_notify(struct conf *c)
{
	struct conf_notify *t;

	c->notify =
		xreallocarray(c->notify, c->n_notify + 1, sizeof(*c->notify));
	t = &c->notify[c->n_notify++];
	*t = (struct conf_notify){ .name = NULL };
	conf_preset(conf_key_get("notify"), t);
	return t;
}

const void *
conf_notify_item(const struct conf *c, size_t i)
{
	return i < c->n_notify ? &c->notify[i] : NULL;
}

/* Where its owned texts and lists of them are. */
static const size_t text_offsets[] = {
	offsetof(struct conf_notify, name),
	offsetof(struct conf_notify, type_name),
	offsetof(struct conf_notify, min_severity),
	offsetof(struct conf_notify, url),
	offsetof(struct conf_notify, secret_file),
	offsetof(struct conf_notify, ca_file),
	offsetof(struct conf_notify, fingerprint_sha256),
	offsetof(struct conf_notify, server),
	offsetof(struct conf_notify, from),
	offsetof(struct conf_notify, username),
	offsetof(struct conf_notify, password_file),
	offsetof(struct conf_notify, address),
	offsetof(struct conf_notify, protocol),
	offsetof(struct conf_notify, facility),
};
static const size_t texts_offsets[] = {
	offsetof(struct conf_notify, match),
	offsetof(struct conf_notify, kinds),
	offsetof(struct conf_notify, to),
	offsetof(struct conf_notify, command),
};

static char **
copy_texts(char *const *texts)
{
	size_t n = 0;
	char **copy;

	if (texts == NULL)
		return NULL;
	while (texts[n] != NULL)
		n++;
	copy = xcalloc(n + 1, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = xstrdup(texts[i]);
	return copy;
}

void
conf_notify_copy(const struct conf_notify *from, struct conf_notify *to_r)
{
	*to_r = *from;
	for (size_t i = 0; i < ARRAY_SIZE(text_offsets); i++) {
		char **text = (char **)((char *)to_r + text_offsets[i]);

		if (*text != NULL)
			*text = xstrdup(*text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts_offsets); i++) {
		char ***texts = (char ***)((char *)to_r + texts_offsets[i]);

		*texts = copy_texts(*texts);
	}
}

void
conf_notify_fini(struct conf_notify *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_offsets); i++)
		free(*(char **)((char *)t + text_offsets[i]));
	for (size_t i = 0; i < ARRAY_SIZE(texts_offsets); i++)
		conf_texts_free((char ***)((char *)t + texts_offsets[i]));
	*t = (struct conf_notify){ .name = NULL };
}
