#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/utf8.h"
#include "render.h"

/* Private enterprise number; 32473 is reserved for examples (RFC 5612), and
 * there is none of dslat. */
#define SD_ID "dslat@32473"
#define HOSTNAME_MAX 255
#define BOM "\xef\xbb\xbf"

enum { SYSLOG_CRIT = 2, SYSLOG_WARNING = 4, SYSLOG_NOTICE = 5, SYSLOG_INFO };

static int
priority(const struct message *m, const struct syslog_origin *o)
{
	const struct incident *in = m->items[0].in; /* the worst */
	int level = SYSLOG_NOTICE;

	if (m->is_test)
		level = SYSLOG_INFO;
	else if (in->state != INCIDENT_ENDED)
		level = m->items[0].severity == SEVERITY_CRITICAL
			? SYSLOG_CRIT
			: SYSLOG_WARNING;
	return o->facility_code * 8 + level;
}

/* " name="value"", with what RFC 5424, 6.3.3 wants escaped. */
static void
add_param(struct buf *b, const char *name, const char *value)
{
	char *clean;

	if (value == NULL)
		return;
	clean = message_clean(value);
	buf_addf(b, " %s=\"", name);
	for (const char *s = clean; *s != '\0'; s++) {
		if (strchr("\"\\]", *s) != NULL)
			buf_addc(b, '\\');
		buf_addc(b, *s);
	}
	buf_addc(b, '"');
	free(clean);
}

static void
add_number(struct buf *b, const char *name, long long v)
{
	buf_addf(b, " %s=\"%lld\"", name, v);
}

static void
add_structured(const struct message *m, struct buf *b)
{
	const struct incident *in = m->items[0].in;
	char t[REAL_TEXT_SIZE];

	buf_adds(b, "[" SD_ID);
	add_param(b, "status", message_status(in));
	add_param(b, "severity", severity_name(m->items[0].severity));
	if (m->n_changed > 1) {
		add_number(b, "count", (long long)m->n_changed);
	} else {
		if (in->id != 0)
			add_number(b, "incident", (long long)in->id);
		add_param(b, "kind", incident_kind_name(in->kind));
		add_param(b, "target", in->target);
		add_param(b, "datastore", in->datastore);
		add_param(b, "host", in->host);
		if (in->kind == INCIDENT_SLOW)
			add_param(b, "op", op_name(in->op));
		if (in->worst_us >= 0) {
			buf_addf(b, " worst_ms=\"%.*g\"", 10,
				 (double)in->worst_us / (double)US_PER_MS);
			add_param(b, "worst_host", in->worst_host);
		}
		add_param(b, "started", real_format(in->started, t));
		if (in->ended.us != 0)
			add_param(b, "ended", real_format(in->ended, t));
	}
	buf_addc(b, ']');
}

static void
add_hostname(struct buf *b, const char *name)
{
	size_t n = 0;

	for (; *name != '\0' && n < HOSTNAME_MAX; name++)
		if (*name > ' ' && *name <= '~') {
			buf_addc(b, *name);
			n++;
		}
	if (n == 0)
		buf_addc(b, '-');
}

/* The message in words; of many, as many as have room. */
static char *
words_of(const struct message *m)
{
	char *title = message_title(m);
	struct buf b;

	buf_init(&b, (size_t)1 << 20);
	buf_adds(&b, title);
	free(title);
	for (size_t i = 0; m->n_changed > 1 && i < m->n_changed; i++) {
		char *line = message_line(m, m->items[i].in);

		buf_addf(&b, "; %s", line);
		free(line);
	}
	if (m->n_changed == 1 && m->items[0].in->where != NULL) {
		buf_adds(&b, "; ");
		message_add_clean(&b, m->items[0].in->where);
	}
	return buf_take(&b);
}

void
syslog_render(const struct message *m, const struct syslog_origin *o,
	      struct buf *out)
{
	char t[REAL_TEXT_SIZE], *words = words_of(m);
	bool ascii = true;
	const char *s;

	buf_addf(out, "<%d>1 %s ", priority(m, o), real_format(m->now, t));
	add_hostname(out, o->hostname);
	buf_addf(out, " dslatd %ld %s ", o->pid,
		 m->is_test ? "test" : "incident");
	add_structured(m, out);
	buf_addc(out, ' ');
	for (s = words; *s != '\0'; s++)
		if ((unsigned char)*s > '~')
			ascii = false;
	if (!ascii)
		buf_adds(out, BOM); /* RFC 5424, 6.4 */
	for (s = words; *s != '\0';) {
		uint32_t cp;
		size_t n = utf8_next(s, &cp, NULL);

		if (out->len + n > o->max_bytes)
			break;
		buf_add(out, s, n);
		s += n;
	}
	free(words);
}

void
syslog_frame(const struct buf *message, struct buf *out)
{
	buf_addf(out, "%zu ", message->len);
	buf_add(out, buf_str(message), message->len);
}
