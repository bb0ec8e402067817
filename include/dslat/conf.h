/*
 * conf.h - the configuration: one YAML file in, one struct out.
 *
 * One table of rows (conf_keys.h) drives parser, --dump-config and the manual
 * page.  All faults of a file are found in one run, each as
 * "file:line:column: what, and what to do".  Values that only a later release
 * understands are refused by name.  A struct conf is immutable after loading
 * and owned by the caller; reload parses a new one and swaps.  Pure but for
 * reading the file and the password files.
 */
#ifndef DSLAT_CONF_H
#define DSLAT_CONF_H

#include "dslat/buf.h"
#include "dslat/err.h"
#include "dslat/faults.h"
#include "dslat/silence.h"
#include "dslat/threshold.h"

struct map;

#define CONF_DEFAULT_PATH "/etc/dslat/dslatd.yaml"
#define CONF_DEFAULT_STATE_DIR "/var/lib/dslat"
#define CONF_DEFAULT_LISTEN "127.0.0.1:9969"

/* A password; no function formats it.  Wiped when freed. */
struct secret {
	char *text; /* owned */
};

struct conf_patterns { /* shell patterns; NULL-terminated, owned */
	char **hosts;
	char **datastores;
};

struct conf_target {
	char *name, *url, *username;
	char *password_file, *password_env, *password_credential; /* one */
	char *ca_file;            /* NULL: the system's */
	char *fingerprint_sha256; /* 64 lower-case hex digits, or NULL */
	bool insecure;
	struct conf_patterns include, exclude;
	int64_t poll_interval_s; /* 0 = auto */
	int line;                /* where it stands, for messages */
};

enum notify_type {
	NOTIFY_WEBHOOK,
	NOTIFY_ALERTMANAGER,
	NOTIFY_SMTP,
	NOTIFY_EXEC,
	NOTIFY_SYSLOG,
};
#define N_NOTIFY_TYPES 5
/* "webhook", ... */
const char *notify_type_name(enum notify_type t);

/* What may stand in braces in notify[].command. */
extern const char *const notify_words[];
extern const size_t n_notify_words;

/* Who is told; NULL where a key is not set or not of this type. */
struct conf_notify {
	char *name, *type_name;
	enum notify_type type;
	char **match; /* patterns; NULL-terminated, owned; as the next two */
	char **kinds; /* names of incident_kind; none: all */
	char *min_severity;
	bool critical_only; /* which it says */
	bool send_resolved;
	int64_t timeout_s, group_s;
	char *url, *secret_file; /* webhook, alertmanager */
	char *ca_file, *fingerprint_sha256;
	bool insecure;
	char *server, *from, **to; /* smtp */
	char *username, *password_file;
	bool starttls;
	char **command;                      /* exec */
	char *address, *protocol, *facility; /* syslog */
	int facility_code;                   /* of RFC 5424 */
	int line;
};

/* One element of `maintenance`: the window, and the words it was read from. */
struct conf_maintenance {
	struct maintenance window; /* its strings are owned */
	char **weekdays;           /* none: every day */
	char *from, *to, *timezone;
};

struct conf_web {
	char *tls_cert, *tls_key; /* both or none (NULL) */
	char *tokens_file;        /* NULL: none */
	bool allow_anonymous_read;
	char *public_url; /* how people get here; NULL: as it listens */
};

struct conf_retention {
	int64_t raw_days, five_minute_days, hour_days;
	int64_t max_bytes;
};

struct conf {
	char *path;
	char **listen; /* NULL-terminated, owned */
	char *state_dir;
	struct conf_retention retention;
	struct conf_target *targets;
	size_t n_targets;
	struct conf_notify *notify;
	size_t n_notify;
	struct threshold_rules thresholds;
	struct conf_maintenance *maintenance;
	size_t n_maintenance;
	struct conf_web web;
	struct map *origins; /* "targets[0].url" -> its struct mark; owned */
};

/* One finding per line goes to problems; NULL and err on any fault. */
struct conf *conf_load(const char *path, struct buf *problems, struct err *e)
	must_check;
/* The same from memory; path is for messages only. */
struct conf *conf_parse(const char *text, size_t len, const char *path,
			struct buf *problems, struct err *e) must_check;
/* The same with the faults themselves: never NULL, but only to be looked at,
 * not to be run, when f has errors. */
struct conf *conf_read(const char *text, size_t len, struct faults *f)
	must_check;
void conf_free(struct conf **c);

/* Whether the file itself sets a key, named by its path ("targets[0].url");
 * *at_r (may be NULL) is the place of its value. */
bool conf_is_set(const struct conf *c, const char *path, struct mark *at_r);

/* The password from file, environment or systemd credential
 * ($CREDENTIALS_DIRECTORY), without its final newline. */
int conf_read_secret(const struct conf_target *t, struct secret *s_r,
		     struct err *e) must_check;
/* One that is alone in a file. */
int secret_read_file(const char *path, struct secret *s_r, struct err *e)
	must_check;
void secret_fini(struct secret *s);

/* Effective values with their origin (default, or file:line), as YAML with
 * comments; secrets are never in a struct conf, so never in here. */
int conf_dump(const struct conf *c, struct buf *out);

/* include/exclude: does the target want this name? */
bool conf_wants_host(const struct conf_target *t, const char *name);
bool conf_wants_datastore(const struct conf_target *t, const char *name);
/* A notifier that outlives its configuration. */
void conf_notify_copy(const struct conf_notify *from, struct conf_notify *to_r);
void conf_notify_fini(struct conf_notify *n);
/* Everything but thresholds equal: the session can go on after a reload. */
bool conf_target_same(const struct conf_target *a, const struct conf_target *b);

#endif
