#include "conf_keys.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

#define IN_CONF(field) offsetof(struct conf, field)
#define IN_RETENTION(field) offsetof(struct conf_retention, field)
#define IN_WEB(field) offsetof(struct conf_web, field)
#define IN_TARGET(field) offsetof(struct conf_target, field)
#define IN_PATTERNS(field) offsetof(struct conf_patterns, field)
#define IN_WINDOW(field) offsetof(struct conf_maintenance, field)
#define IN_ROW(key)                                                            \
	(offsetof(struct threshold_row, v) + (key) * sizeof(int64_t))

static const struct conf_key conf_keys[] = {
	{ .path = "listen",
	  .type = CONF_TEXTS,
	  .flags = CONF_RESTART,
	  .offset = IN_CONF(listen),
	  .preset = CONF_DEFAULT_LISTEN,
	  .check = conf_check_listen,
	  .text = "Where the web page and the API are served: "
		  "address:port, [address]:port for IPv6, \"*:port\" for all "
		  "addresses, or unix:/path for a socket; one of them or a "
		  "list. Port 0 takes a free one. Whoever reaches the "
		  "address can read, unless web.allow_anonymous_read is "
		  "false." },
	{ .path = "state_dir",
	  .type = CONF_TEXT,
	  .flags = CONF_RESTART,
	  .offset = IN_CONF(state_dir),
	  .preset = CONF_DEFAULT_STATE_DIR,
	  .check = conf_check_path,
	  .text = "Absolute path of the folder for what is remembered: the "
		  "history in history.db, an SQLite database. It is created "
		  "if the folder above it is there, and must be writable for "
		  "the user dslatd runs as. Trouble with it is told and tried "
		  "again; polling and serving go on. A damaged history.db is "
		  "set aside, never deleted." },

	{ .path = "targets",
	  .type = CONF_LIST,
	  .flags = CONF_REQUIRED,
	  .add = conf_add_target,
	  .item = conf_target_item,
	  .check = conf_check_target,
	  .text = "The vCenters and ESXi hosts to watch. A vCenter covers all "
		  "of its hosts." },
	{ .path = "targets[].name",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_TARGET(name),
	  .check = conf_check_name,
	  .text = "A short name of your choice: letters, digits, - and _, at "
		  "most 63. It is part of every datastore's ID." },
	{ .path = "targets[].url",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_TARGET(url),
	  .check = conf_check_url,
	  .text = "https://host/sdk, with :port if it is not 443. /sdk may be "
		  "left out." },
	{ .path = "targets[].username",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_TARGET(username),
	  .text = "The account to log in with; the role Read-only, given at "
		  "the top of the inventory and propagated, is enough." },
	{ .path = "targets[].password",
	  .type = CONF_REFUSED,
	  .text = "write it to a file of its own and name that with "
		  "password_file" },
	{ .path = "targets[].password_file",
	  .type = CONF_TEXT,
	  .offset = IN_TARGET(password_file),
	  .check = conf_check_path,
	  .text = "Absolute path of a file that holds the password and nothing "
		  "else; one newline at its end is not part of it. Read at "
		  "every login. Exactly one of password_file, password_env and "
		  "password_credential is needed." },
	{ .path = "targets[].password_env",
	  .type = CONF_TEXT,
	  .offset = IN_TARGET(password_env),
	  .check = conf_check_env,
	  .text = "Name of an environment variable that holds the password." },
	{ .path = "targets[].password_credential",
	  .type = CONF_TEXT,
	  .offset = IN_TARGET(password_credential),
	  .check = conf_check_credential,
	  .text = "Name of a systemd credential that holds the password, see "
		  "LoadCredential= in systemd.exec(5)." },
	{ .path = "targets[].tls",
	  .type = CONF_SECTION,
	  .text = "How the target's certificate is verified; by default "
		  "against the certificate authorities of the system." },
	{ .path = "targets[].tls.ca_file",
	  .type = CONF_TEXT,
	  .offset = IN_TARGET(ca_file),
	  .check = conf_check_path,
	  .text = "Absolute path of a PEM file with the certificates to trust "
		  "instead of the system's." },
	{ .path = "targets[].tls.fingerprint_sha256",
	  .type = CONF_TEXT,
	  .offset = IN_TARGET(fingerprint_sha256),
	  .check = conf_check_fingerprint,
	  .text = "Trust the certificate with this SHA-256 fingerprint and no "
		  "other: 64 hex digits, colons allowed. The cure for a "
		  "self-signed certificate." },
	{ .path = "targets[].tls.insecure",
	  .type = CONF_BOOL,
	  .offset = IN_TARGET(insecure),
	  .preset = "false",
	  .text = "true: do not verify the certificate at all. Anybody on the "
		  "way can then read the password." },
	{ .path = "targets[].include",
	  .type = CONF_SECTION,
	  .offset = IN_TARGET(include),
	  .text = "What to watch, by shell patterns on names. Quote patterns: "
		  "in YAML an unquoted * has a meaning of its own." },
	{ .path = "targets[].include.hosts",
	  .type = CONF_TEXTS,
	  .offset = IN_PATTERNS(hosts),
	  .preset = "*",
	  .text = "Hosts that match one of these patterns." },
	{ .path = "targets[].include.datastores",
	  .type = CONF_TEXTS,
	  .offset = IN_PATTERNS(datastores),
	  .preset = "*",
	  .text = "Datastores that match one of these patterns." },
	{ .path = "targets[].exclude",
	  .type = CONF_SECTION,
	  .offset = IN_TARGET(exclude),
	  .text = "What not to watch, though include matches it." },
	{ .path = "targets[].exclude.hosts",
	  .type = CONF_TEXTS,
	  .offset = IN_PATTERNS(hosts),
	  .text = "Hosts that match one of these patterns." },
	{ .path = "targets[].exclude.datastores",
	  .type = CONF_TEXTS,
	  .offset = IN_PATTERNS(datastores),
	  .text = "Datastores that match one of these patterns." },
	{ .path = "targets[].poll_interval_s",
	  .type = CONF_AUTO_S,
	  .offset = IN_TARGET(poll_interval_s),
	  .min = SLOT_S,
	  .max = 600,
	  .preset = "auto",
	  .text = "Seconds between two polls. auto is 20, and 60 where a poll "
		  "takes over 5 seconds or there are more than 20,000 pairs of "
		  "host and datastore. No sample is lost by polling less "
		  "often: hosts keep an hour." },

	{ .path = "thresholds",
	  .type = CONF_SECTION,
	  .offset = IN_CONF(thresholds),
	  .check = conf_check_thresholds,
	  .text = "What counts as too slow. For each key a matching row of "
		  "datastores goes before one of protocols, and that before "
		  "default; clear_ms < warning_ms <= critical_ms must hold in "
		  "what results." },
	{ .path = "thresholds.default",
	  .type = CONF_SECTION,
	  .offset = offsetof(struct threshold_rules, fallback),
	  .check = conf_check_default,
	  .text = "For every datastore." },
	{ .path = "thresholds.default.warning_ms",
	  .type = CONF_MS,
	  .offset = IN_ROW(THRESHOLD_WARNING_US),
	  .min = 1,
	  .max = SAMPLE_MAX_US,
	  .preset = "50",
	  .text = "A sample breaches from this latency on." },
	{ .path = "thresholds.default.critical_ms",
	  .type = CONF_MS,
	  .offset = IN_ROW(THRESHOLD_CRITICAL_US),
	  .min = 1,
	  .max = SAMPLE_MAX_US,
	  .preset = "75",
	  .text = "From this latency on the breach is critical. Where "
		  "warning_ms is set and this is not: 1.5 times warning_ms." },
	{ .path = "thresholds.default.clear_ms",
	  .type = CONF_MS,
	  .offset = IN_ROW(THRESHOLD_CLEAR_US),
	  .min = 1,
	  .max = SAMPLE_MAX_US,
	  .preset = "40",
	  .text = "Below this latency an incident is on its way to its end. "
		  "Where warning_ms is set and this is not: 0.8 times "
		  "warning_ms." },
	{ .path = "thresholds.default.min_ios",
	  .type = CONF_COUNT,
	  .offset = IN_ROW(THRESHOLD_MIN_IOS),
	  .max = 1000000,
	  .preset = "20",
	  .text = "A sample with fewer I/Os in its 20 seconds does not breach: "
		  "one slow command among ten is not a slow datastore." },
	{ .path = "thresholds.default.sparse_ms",
	  .type = CONF_MS,
	  .offset = IN_ROW(THRESHOLD_SPARSE_US),
	  .min = 1,
	  .max = SAMPLE_MAX_US,
	  .preset = "1000",
	  .text = "A sample with I/O, but less than one per second, breaches "
		  "from this latency on." },
	{ .path = "thresholds.default.window_samples",
	  .type = CONF_COUNT,
	  .offset = IN_ROW(THRESHOLD_WINDOW_SAMPLES),
	  .min = 1,
	  .max = 15,
	  .preset = "5",
	  .text = "An incident looks at so many of the last samples." },
	{ .path = "thresholds.default.for_samples",
	  .type = CONF_COUNT,
	  .offset = IN_ROW(THRESHOLD_FOR_SAMPLES),
	  .min = 1,
	  .max = 15,
	  .preset = "3",
	  .text = "So many of them must breach before an incident is told; at "
		  "most window_samples." },
	{ .path = "thresholds.default.clear_samples",
	  .type = CONF_COUNT,
	  .offset = IN_ROW(THRESHOLD_CLEAR_SAMPLES),
	  .min = 1,
	  .max = 180,
	  .preset = "15",
	  .text = "So many samples in a row below clear_ms end an incident." },
	{ .path = "thresholds.protocols",
	  .type = CONF_BY_PROTO,
	  .offset = offsetof(struct threshold_rules, protocols),
	  .like = "thresholds.default",
	  .item = conf_protocol_item,
	  .text = "For all datastores of a protocol: nfs3, nfs41, iscsi, iser, "
		  "fc, fcoe, nvme-tcp, nvme-rdma, nvme-fc, nvme-pcie, sas, "
		  "local, cifs, vvol, mixed or unknown, each with keys of "
		  "default." },
	{ .path = "thresholds.datastores",
	  .type = CONF_LIST,
	  .like = "thresholds.default",
	  .add = conf_add_row,
	  .item = conf_row_item,
	  .text = "For single datastores, each with match and keys of default; "
		  "the first row that matches is taken." },
	{ .path = "thresholds.datastores[].match",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = offsetof(struct threshold_row, match),
	  .check = conf_check_match,
	  .text = "A shell pattern on target/datastore; * matches slashes "
		  "too." },

	{ .path = "notify",
	  .type = CONF_LIST,
	  .add = conf_add_notify,
	  .item = conf_notify_item,
	  .check = conf_check_notify,
	  .text = "Who is told of incidents: a webhook, an Alertmanager, mail, "
		  "a command or syslog. Each has a queue of its own, which "
		  "survives a restart." },
	{ .path = "maintenance",
	  .type = CONF_LIST,
	  .add = conf_add_maintenance,
	  .item = conf_maintenance_item,
	  .check = conf_check_maintenance,
	  .text = "Hours of the week in which nobody is told of incidents; "
		  "they are recorded and shown all the same." },
	{ .path = "maintenance[].name",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_WINDOW(window.name),
	  .check = conf_check_maintenance_name,
	  .text = "A short name of your choice: letters, digits, - and _, at "
		  "most 63." },
	{ .path = "maintenance[].match",
	  .type = CONF_TEXT,
	  .offset = IN_WINDOW(window.match),
	  .preset = "*",
	  .text = "A shell pattern on target/datastore, target/host or target; "
		  "* matches slashes too." },
	{ .path = "maintenance[].weekdays",
	  .type = CONF_TEXTS,
	  .offset = IN_WINDOW(weekdays),
	  .check = conf_check_weekdays,
	  .text = "Days on which it begins: mon, tue, wed, thu, fri, sat, sun. "
		  "Without it every day." },
	{ .path = "maintenance[].from",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_WINDOW(from),
	  .check = conf_check_time_of_day,
	  .text = "When it begins, as in \"22:00\"." },
	{ .path = "maintenance[].to",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_WINDOW(to),
	  .check = conf_check_time_of_day,
	  .text = "When it ends, as in \"06:00\"; on the next day unless it is "
		  "later than from." },
	{ .path = "maintenance[].timezone",
	  .type = CONF_TEXT,
	  .offset = IN_WINDOW(timezone),
	  .preset = "local",
	  .check = conf_check_timezone,
	  .text = "utc, or local: that of this machine." },
	{ .path = "exporters", .type = CONF_LATER },
	{ .path = "probes", .type = CONF_LATER },
	{ .path = "experiments", .type = CONF_LATER },
	{ .path = "retention",
	  .type = CONF_SECTION,
	  .offset = IN_CONF(retention),
	  .check = conf_check_retention,
	  .text = "How long the history is kept; what lasts longer is at least "
		  "as coarse." },
	{ .path = "retention.raw_days",
	  .type = CONF_COUNT,
	  .offset = IN_RETENTION(raw_days),
	  .min = 1,
	  .max = 3650,
	  .preset = "7",
	  .text = "Samples of 20 seconds; some 5 bytes each, so 150 MB "
		  "a week for 1,000 pairs of host and datastore." },
	{ .path = "retention.five_minute_days",
	  .type = CONF_COUNT,
	  .offset = IN_RETENTION(five_minute_days),
	  .min = 1,
	  .max = 3650,
	  .preset = "90",
	  .text = "Bins of 5 minutes, each with its worst sample and a "
		  "histogram; at least raw_days." },
	{ .path = "retention.hour_days",
	  .type = CONF_COUNT,
	  .offset = IN_RETENTION(hour_days),
	  .min = 1,
	  .max = 36500,
	  .preset = "730",
	  .text = "Bins of an hour; at least five_minute_days." },
	{ .path = "retention.max_bytes",
	  .type = CONF_BYTES,
	  .offset = IN_RETENTION(max_bytes),
	  .min = INT64_C(64) << 20,
	  .max = INT64_C(1) << 50,
	  .preset = "20GiB",
	  .text = "What history.db may take on disk, whatever the days say: "
		  "then the oldest samples go first, after them the oldest "
		  "bins of 5 minutes, and those of an hour last." },

	{ .path = "web",
	  .type = CONF_SECTION,
	  .offset = IN_CONF(web),
	  .check = conf_check_web,
	  .text = "Who may read and write, and HTTPS. On an address that "
		  "others reach, set all four." },
	{ .path = "web.tls_cert",
	  .type = CONF_TEXT,
	  .offset = IN_WEB(tls_cert),
	  .check = conf_check_path,
	  .text = "Absolute path of a PEM file with the server's certificate, "
		  "those of its chain behind it. With it every address of "
		  "listen but unix: is HTTPS (TLS 1.2 or later). A reload "
		  "takes a new certificate over; connections that are open "
		  "keep the old one for a minute. Needs tls_key." },
	{ .path = "web.tls_key",
	  .type = CONF_TEXT,
	  .offset = IN_WEB(tls_key),
	  .check = conf_check_path,
	  .text = "Absolute path of a PEM file with the certificate's key, "
		  "without a passphrase." },
	{ .path = "web.tokens_file",
	  .type = CONF_TEXT,
	  .offset = IN_WEB(tokens_file),
	  .check = conf_check_path,
	  .text = "Absolute path of a file with a line \"NAME:ROLE:SHA256\" "
		  "for each token, made with \"dslat token new\"; ROLE is "
		  "read or write. Its mode must be 600 or 640. It is read "
		  "again when it changes. Without it nobody can write: "
		  "acknowledge, silence, note." },
	{ .path = "web.allow_anonymous_read",
	  .type = CONF_BOOL,
	  .offset = IN_WEB(allow_anonymous_read),
	  .preset = "true",
	  .text = "false: reading needs a token too, in the header "
		  "Authorization or, of the page, by logging in; only "
		  "/-/healthy and the page without its data stay open." },
	{ .path = "web.public_url",
	  .type = CONF_TEXT,
	  .offset = IN_WEB(public_url),
	  .check = conf_check_http_url,
	  .text = "How people reach the page, for links in mails and other "
		  "messages: https://dslat.example/, as it is in front of a "
		  "proxy. Without it the first address of listen." },
};

const char conf_version[] = PACKAGE_VERSION;

const struct conf_key *
conf_key_at(size_t i)
{
	if (i < ARRAY_SIZE(conf_keys))
		return &conf_keys[i];
	i -= ARRAY_SIZE(conf_keys);
	return i < conf_n_keys_notify ? &conf_keys_notify[i] : NULL;
}

const char *
conf_key_word(const struct conf_key *k, const struct conf_key *section)
{
	const char *word = k->path, *inside = ".";
	size_t len;

	if (section != NULL) {
		len = strlen(section->path);
		if (section->type == CONF_LIST)
			inside = "[].";
		else if (section->type == CONF_BY_PROTO)
			inside = ".*.";
		if (strncmp(word, section->path, len) != 0 ||
		    strncmp(word + len, inside, strlen(inside)) != 0)
			return NULL;
		word += len + strlen(inside);
	}
	return strchr(word, '.') == NULL ? word : NULL;
}

const char *
conf_key_name(const struct conf_key *k)
{
	const char *dot = strrchr(k->path, '.');

	return dot != NULL ? dot + 1 : k->path;
}

const struct conf_key *
conf_key_next(const struct conf_key *section, size_t *i)
{
	const struct conf_key *k;

	while ((k = conf_key_at((*i)++)) != NULL)
		if (conf_key_word(k, section) != NULL)
			return k;
	return NULL;
}

const struct conf_key *
conf_key_get(const char *path)
{
	const struct conf_key *k;

	for (size_t i = 0; (k = conf_key_at(i)) != NULL; i++)
		if (strcmp(k->path, path) == 0)
			return k;
	abort();
}

static const struct conf_key *
like(const struct conf_key *section)
{
	if (section == NULL || section->like == NULL)
		return NULL;
	return conf_key_get(section->like);
}

const struct conf_key *
conf_key_find(const struct conf_key *section, const char *key)
{
	const struct conf_key *k;

	for (size_t i = 0; (k = conf_key_next(section, &i)) != NULL;)
		if (strcmp(conf_key_word(k, section), key) == 0)
			return k;
	return like(section) != NULL ? conf_key_find(like(section), key) : NULL;
}
