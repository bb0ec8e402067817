/*
 * conf_keys.h - the table of all configuration keys.
 *
 * One row per key: what the reader accepts, where it puts the value, what
 * --dump-config prints and what dslatd.yaml(5) says (a test compares).  To add
 * a key: one row in conf_keys.c (below "notify" in conf_keys_notify.c), one field in conf.h, the manual's section
 * renewed from the test's output.  Private to conf*.c and its tests.
 */
#ifndef DSLAT_CONF_KEYS_H
#define DSLAT_CONF_KEYS_H

#include "dslat/conf.h"
#include "dslat/faults.h"
#include "yaml.h"

enum conf_type {
	CONF_SECTION,  /* a mapping of known keys */
	CONF_LIST,     /* a list of such mappings */
	CONF_BY_PROTO, /* a mapping from protocol names to such mappings */
	CONF_TEXT,     /* char * */
	CONF_TEXTS,    /* char **, NULL-terminated; one text or a list */
	CONF_BOOL,     /* bool */
	CONF_COUNT,    /* int64_t: a whole number */
	CONF_AUTO_S,   /* int64_t seconds; "auto" is 0 */
	CONF_MS,       /* int64_t microseconds; in the file milliseconds */
	CONF_BYTES,    /* int64_t bytes; in the file with KiB, MiB, GiB, TiB */
	CONF_LATER,    /* known, but not in this version */
	CONF_REFUSED,  /* never accepted: text is the cure */
};

enum conf_flag {
	CONF_REQUIRED = 1 << 0,
	CONF_RESTART = 1 << 1, /* a reload does not change it */
};

struct conf_reader {
	struct conf *conf;
	struct faults *faults;
	struct map *names; /* of targets, and of notifiers behind a colon: to
			    * the node that was first */
	bool is_whole;     /* no syntax fault: what is not there is missing */
};

/*
 * Look at what was read: n is its node; value is the field, of a section the
 * object its keys went to, of a list each element.  Called for a field or
 * section only when it had no fault, for an element always.  Adds faults; may
 * put a field into its canonical form.
 */
typedef void conf_check_fn(struct conf_reader *r, const struct yaml_node *n,
			   void *value);

struct conf_key {
	const char *path; /* "targets[].tls.ca_file" */
	enum conf_type type;
	unsigned flags;
	size_t offset;      /* in the object of the section it is in */
	int64_t min, max;   /* of numbers; CONF_MS in microseconds */
	const char *preset; /* the default, as it would stand in the file */
	conf_check_fn *check;
	const char *text; /* for the manual */
	/* Of CONF_LIST and CONF_BY_PROTO: */
	const char *like; /* section whose keys are allowed here too */
	void *(*add)(struct conf *c); /* a new element, its defaults set */
	const void *(*item)(const struct conf *c, size_t i); /* or NULL */
};

/* Every row, in the order of the manual; NULL behind the last. */
const struct conf_key *conf_key_at(size_t i);
/* conf_keys_notify.c: the part of it below "notify". */
extern const struct conf_key conf_keys_notify[];
extern const size_t conf_n_keys_notify;
extern const char conf_version[]; /* of the program */

/* The last word of k's path when k is directly in the section (NULL: the file
 * itself), else NULL. */
const char *conf_key_word(const struct conf_key *k,
			  const struct conf_key *section);
/* The row with this path, which exists. */
const struct conf_key *conf_key_get(const char *path);
/* The row of a key directly in the section, or in what it is like. */
const struct conf_key *conf_key_find(const struct conf_key *section,
				     const char *key);
/* For every row directly in the section: i starts at 0; NULL at the end. */
const struct conf_key *conf_key_next(const struct conf_key *section, size_t *i);
/* The last word of its path. */
const char *conf_key_name(const struct conf_key *k);

/* Messages repeat at most this much of a value. */
#define CONF_SHOWN_MAX 60

/* conf_unknown.c: the fault for a key that is not in the section; the row that
 * was probably meant goes to n->hint. */
void conf_unknown_key(struct conf_reader *r, const struct conf_key *section,
		      struct yaml_node *n);

/* conf_value.c: a scalar, or a list of scalars, into the field at value. */
void conf_read_value(struct conf_reader *r, const struct conf_key *k,
		     const struct yaml_node *n, void *value);
/* Every default of the section and of the sections in it. */
void conf_preset(const struct conf_key *section, void *base);
void conf_texts_free(char ***texts);
/* A number of the row's type as it would stand in the file. */
char *conf_number_text(const struct conf_key *k, int64_t v) must_check;

/* conf_check.c */
conf_check_fn conf_check_listen;
conf_check_fn conf_check_name;
conf_check_fn conf_check_path;
conf_check_fn conf_check_env;
conf_check_fn conf_check_credential;
conf_check_fn conf_check_fingerprint;
conf_check_fn conf_check_target;
conf_check_fn conf_check_retention;
conf_check_fn conf_check_web;
/* name is new here, and fit to be one; what is "target". */
void conf_check_new_name(struct conf_reader *r, const struct yaml_node *n,
			 const char *prefix, const char *what);
/* conf_url.c */
conf_check_fn conf_check_url;
/* NULL or what is wrong with "host", "[v6]", each with or without ":port"; the
 * host (without brackets) is the caller's to free, also then. */
const char *conf_split_host(const char *s, size_t len, char **host_r,
			    const char **port_r);
/* conf_thresholds.c */
conf_check_fn conf_check_match;
conf_check_fn conf_check_default;
conf_check_fn conf_check_thresholds;
/* conf_maintenance.c */
conf_check_fn conf_check_weekdays;
conf_check_fn conf_check_time_of_day;
conf_check_fn conf_check_timezone;
conf_check_fn conf_check_maintenance_name;
conf_check_fn conf_check_maintenance;
void *conf_add_maintenance(struct conf *c);
const void *conf_maintenance_item(const struct conf *c, size_t i);
void conf_maintenance_fini(struct conf_maintenance *m);
/* conf_notify.c */
conf_check_fn conf_check_notify;
conf_check_fn conf_check_notify_name;
conf_check_fn conf_check_notify_type;
conf_check_fn conf_check_severity;
conf_check_fn conf_check_kinds;
conf_check_fn conf_check_http_url;
conf_check_fn conf_check_mail_server;
conf_check_fn conf_check_mail_address;
conf_check_fn conf_check_command;
conf_check_fn conf_check_syslog;
conf_check_fn conf_check_facility;
void *conf_add_notify(struct conf *c);
const void *conf_notify_item(const struct conf *c, size_t i);
/* Whether a notifier of this type has such a key. */
bool conf_notify_uses(const struct conf_notify *t, const char *key);

/* conf.c */
void *conf_add_target(struct conf *c);
void *conf_add_row(struct conf *c);
const void *conf_target_item(const struct conf *c, size_t i);
const void *conf_row_item(const struct conf *c, size_t i);
const void *conf_protocol_item(const struct conf *c, size_t i);

#endif
