#include "conf_keys.h"

#define IN_NOTIFY(field) offsetof(struct conf_notify, field)

const struct conf_key conf_keys_notify[] = {
	{ .path = "notify[].name",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_NOTIFY(name),
	  .check = conf_check_notify_name,
	  .text = "A short name of your choice: letters, digits, - and _, at "
		  "most 63. What waits to be sent is kept under it." },
	{ .path = "notify[].type",
	  .type = CONF_TEXT,
	  .flags = CONF_REQUIRED,
	  .offset = IN_NOTIFY(type_name),
	  .check = conf_check_notify_type,
	  .text = "webhook, alertmanager, smtp, exec or syslog." },
	{ .path = "notify[].match",
	  .type = CONF_TEXTS,
	  .offset = IN_NOTIFY(match),
	  .preset = "*",
	  .text = "Tell of incidents whose target/datastore, target/host or "
		  "target matches one of these shell patterns; * matches "
		  "slashes too." },
	{ .path = "notify[].kinds",
	  .type = CONF_TEXTS,
	  .offset = IN_NOTIFY(kinds),
	  .check = conf_check_kinds,
	  .text = "Tell of these kinds only: slow, no_data, inaccessible, "
		  "unreachable, login. Without it of all." },
	{ .path = "notify[].min_severity",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(min_severity),
	  .preset = "warning",
	  .check = conf_check_severity,
	  .text = "warning, or critical: tell of an incident only once it is "
		  "critical. What was told is followed to its end." },
	{ .path = "notify[].send_resolved",
	  .type = CONF_BOOL,
	  .offset = IN_NOTIFY(send_resolved),
	  .preset = "true",
	  .text = "Tell also when an incident that was told is over." },
	{ .path = "notify[].timeout_s",
	  .type = CONF_COUNT,
	  .offset = IN_NOTIFY(timeout_s),
	  .min = 1,
	  .max = 300,
	  .preset = "10",
	  .text = "Seconds one attempt may take; a command that runs longer is "
		  "killed." },
	{ .path = "notify[].group_s",
	  .type = CONF_COUNT,
	  .offset = IN_NOTIFY(group_s),
	  .max = 300,
	  .preset = "5",
	  .text = "What changes within so many seconds becomes one message." },
	{ .path = "notify[].url",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(url),
	  .check = conf_check_http_url,
	  .text = "Of a webhook: where to POST. Of an Alertmanager: its "
		  "address; /api/v2/alerts is added when there is no path." },
	{ .path = "notify[].secret_file",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(secret_file),
	  .check = conf_check_path,
	  .text = "Webhook: absolute path of a file with a secret. Each "
		  "request then has X-Dslat-Signature: sha256= and the "
		  "HMAC-SHA256 of its body in hex." },
	{ .path = "notify[].tls",
	  .type = CONF_SECTION,
	  .text = "Webhook, Alertmanager, mail: how the server's certificate "
		  "is verified; by default against the certificate authorities "
		  "of the system." },
	{ .path = "notify[].tls.ca_file",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(ca_file),
	  .check = conf_check_path,
	  .text = "Absolute path of a PEM file with the certificates to trust "
		  "instead of the system's." },
	{ .path = "notify[].tls.fingerprint_sha256",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(fingerprint_sha256),
	  .check = conf_check_fingerprint,
	  .text = "Trust the certificate with this SHA-256 fingerprint and no "
		  "other." },
	{ .path = "notify[].tls.insecure",
	  .type = CONF_BOOL,
	  .offset = IN_NOTIFY(insecure),
	  .preset = "false",
	  .text = "true: do not verify the certificate at all." },
	{ .path = "notify[].server",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(server),
	  .check = conf_check_mail_server,
	  .text = "Mail: host or host:port of the server, or smtps://host:port "
		  "for TLS from the first byte. Without a port 587, with "
		  "starttls: false 25, with smtps 465." },
	{ .path = "notify[].starttls",
	  .type = CONF_BOOL,
	  .offset = IN_NOTIFY(starttls),
	  .preset = "true",
	  .text = "Mail: demand STARTTLS. false: mail and password go in clear "
		  "text." },
	{ .path = "notify[].from",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(from),
	  .check = conf_check_mail_address,
	  .text = "Mail: the sender, user@domain." },
	{ .path = "notify[].to",
	  .type = CONF_TEXTS,
	  .offset = IN_NOTIFY(to),
	  .check = conf_check_mail_address,
	  .text = "Mail: the recipients, user@domain each." },
	{ .path = "notify[].username",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(username),
	  .text = "Mail: log in with this name; needs password_file." },
	{ .path = "notify[].password",
	  .type = CONF_REFUSED,
	  .text = "write it to a file of its own and name that with "
		  "password_file" },
	{ .path = "notify[].password_file",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(password_file),
	  .check = conf_check_path,
	  .text = "Mail: absolute path of a file that holds the password and "
		  "nothing else. Read for every mail. A systemd credential "
		  "is /run/credentials/dslatd.service/NAME." },
	{ .path = "notify[].command",
	  .type = CONF_TEXTS,
	  .offset = IN_NOTIFY(command),
	  .check = conf_check_command,
	  .text = "Exec: absolute path of a program, then its arguments. No "
		  "shell is involved. {status}, {count}, {summary}, "
		  "{severity}, {kind}, {target}, {datastore}, {host}, {op}, "
		  "{worst_ms}, {started}, {ended}, {where} and {url} are "
		  "replaced by what the first incident of the message says. "
		  "All incidents come as JSON, as for a webhook, on its "
		  "standard input. Exit status 0 means that it was told." },
	{ .path = "notify[].address",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(address),
	  .check = conf_check_syslog,
	  .text = "Syslog: host or host:port, port 514 by default, or "
		  "unix:/path, as in unix:/dev/log." },
	{ .path = "notify[].protocol",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(protocol),
	  .preset = "udp",
	  .check = conf_check_syslog,
	  .text = "Syslog: udp, or tcp with octet counting (RFC 6587). Only "
		  "tcp notices that a message did not arrive. Of a socket udp "
		  "means datagrams and tcp a stream." },
	{ .path = "notify[].facility",
	  .type = CONF_TEXT,
	  .offset = IN_NOTIFY(facility),
	  .preset = "daemon",
	  .check = conf_check_facility,
	  .text = "Syslog: kern, user, mail, daemon, auth, syslog, lpr, news, "
		  "uucp, cron, authpriv, ftp or local0 to local7." },
};
const size_t conf_n_keys_notify = ARRAY_SIZE(conf_keys_notify);
