/*
 * render.h - messages in the form of each kind of receiver.
 *
 * Pure: a message in, bytes out.  Bodies are owned by the caller.
 *
 * Webhook: the JSON of Alertmanager's webhook, version 4.  Alertmanager: the
 * array of POST /api/v2/alerts.  Mail: RFC 5322 with MIME (RFC 2045, 2047).
 * Syslog: RFC 5424; on a stream framed as in RFC 6587, 3.4.1.
 */
#ifndef DSLAT_RENDER_H
#define DSLAT_RENDER_H

#include "message.h"

/* An Alertmanager that hears nothing for so long takes an alert for over. */
#define ALERT_RESEND_US (60 * US_PER_S)
#define ALERT_LIFE_US (4 * ALERT_RESEND_US)
/* Alerts of one webhook; those that only go on are left out first. */
#define WEBHOOK_MAX_ALERTS 1000

/* alert.c: what both JSON forms say of one incident; new references. */
json_t *alert_labels(const struct incident *in, enum severity severity,
		     bool is_test);
json_t *alert_annotations(const struct incident *in);
/* As Prometheus computes it: FNV-1a over the sorted labels. */
uint64_t alert_fingerprint(const json_t *labels);

json_t *webhook_json(const struct message *m);
json_t *alertmanager_json(const struct message *m);

struct mail_route {
	const char *from;
	char *const *to; /* NULL-terminated */
};
void mail_render(const struct message *m, const struct mail_route *route,
		 struct buf *out);

struct syslog_origin {
	const char *hostname;
	long pid;
	int facility_code;
	size_t max_bytes; /* of a message */
};
void syslog_render(const struct message *m, const struct syslog_origin *o,
		   struct buf *out);
/* "123 " before a message of 123 bytes. */
void syslog_frame(const struct buf *message, struct buf *out);

/* One argument of a command with {words} replaced; caller owns. */
char *exec_argument(const struct message *m, const char *text) must_check;

#endif
