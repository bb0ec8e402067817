#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/utf8.h"
#include "render.h"

#define TEXT_MAX_BYTES ((size_t)4 << 20)
#define SUBJECT_MAX_BYTES 300
/* Of one encoded word, whose whole may have 75 characters (RFC 2047, 2). */
#define WORD_MAX_CHARS 60
#define LINE_MAX_CHARS 76 /* quoted-printable, RFC 2045, 6.7 */
#define MAX_DETAILS 10
#define MAX_LINES 500
#define MAX_HOSTS 32

/* ---- headers --------------------------------------------------------------- */

static bool
is_plain(const char *s)
{
	for (const char *c = s; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			return false;
	return strstr(s, "=?") == NULL;
}

/* RFC 2047: "Q" words of whole characters, one to a line. */
static void
add_encoded(struct buf *out, const char *s)
{
	size_t width = WORD_MAX_CHARS + 1;
	bool open = false;

	while (*s != '\0') {
		uint32_t cp;
		size_t n = utf8_next(s, &cp, NULL);
		bool as_is = cp < 0x80 &&
			strchr("abcdefghijklmnopqrstuvwxyz"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
			       (int)cp) != NULL;

		if (width + (as_is ? 1 : 3 * n) > WORD_MAX_CHARS) {
			buf_addf(out, "%s=?UTF-8?Q?", open ? "?=\r\n " : "");
			open = true;
			width = 0;
		}
		width += as_is ? 1 : 3 * n;
		for (; n > 0; n--, s++) {
			if (as_is)
				buf_addc(out, *s);
			else
				buf_addf(out, "=%02X", (unsigned char)*s);
		}
	}
	if (open)
		buf_adds(out, "?=");
}

static void
add_subject(const struct message *m, struct buf *out)
{
	char *title = message_title(m);
	size_t len = 0, n;
	uint32_t cp;

	while (title[len] != '\0' &&
	       len + (n = utf8_next(title + len, &cp, NULL)) <=
		       SUBJECT_MAX_BYTES)
		len += n;
	title[len] = '\0';
	buf_adds(out, "Subject: [dslat]");
	if (is_plain(title)) {
		buf_addf(out, " %s", title);
	} else {
		buf_adds(out, "\r\n "); /* a whole line for the first word */
		add_encoded(out, title);
	}
	buf_adds(out, "\r\n");
	free(title);
}

/* RFC 5322, 3.3, of RFC 3339: "Mon, 30 Nov 2026 03:12:20 +0000". */
static void
add_date(real_t t, struct buf *out)
{
	static const char days[][4] = { "Thu", "Fri", "Sat", "Sun",
					"Mon", "Tue", "Wed" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr",
					  "May", "Jun", "Jul", "Aug",
					  "Sep", "Oct", "Nov", "Dec" };
	char s[REAL_TEXT_SIZE];
	int month;

	assert(t.us >= 0); /* since 1970, a Thursday */
	real_format(t, s);
	month = (s[5] - '0') * 10 + s[6] - '0';
	buf_addf(out, "Date: %s, %.2s %s %.4s %.8s +0000\r\n",
		 days[t.us / US_PER_S / 86400 % 7], s + 8, months[month - 1], s,
		 s + 11);
}

static void
add_headers(const struct message *m, const struct mail_route *route,
	    struct buf *out)
{
	const char *domain = strrchr(route->from, '@') + 1;
	long long id = (long long)m->items[0].in->id;

	buf_addf(out, "From: dslat <%s>\r\nTo: ", route->from);
	for (size_t i = 0; route->to[i] != NULL; i++)
		buf_addf(out, "%s<%s>", i != 0 ? ",\r\n " : "", route->to[i]);
	buf_adds(out, "\r\n");
	add_subject(m, out);
	add_date(m->now, out);
	buf_addf(out, "Message-ID: <dslat.%s.%lld.%lld@%s>\r\n", m->receiver,
		 (long long)m->now.us, id, domain);
	/* all mails of one incident are one thread */
	if (m->n_changed == 1 && !m->is_test)
		buf_addf(out, "References: <dslat.%s.incident-%lld@%s>\r\n",
			 m->receiver, id, domain);
	buf_adds(out,
		 "Auto-Submitted: auto-generated\r\n"
		 "MIME-Version: 1.0\r\n"
		 "Content-Type: text/plain; charset=utf-8\r\n"
		 "Content-Transfer-Encoding: quoted-printable\r\n"
		 "\r\n");
}

/* Lines end with \n in text, with CRLF in a mail; nothing in it can end one
 * of its own accord. */
static void
add_quoted(struct buf *out, const char *text)
{
	size_t width = 0;

	for (const char *s = text; *s != '\0'; s++) {
		bool ends = s[1] == '\n' || s[1] == '\0';
		bool as_is = *s >= ' ' && *s <= '~' && *s != '=' &&
			!(*s == ' ' && ends) && !(*s == '.' && width == 0);

		if (*s == '\n') {
			buf_adds(out, "\r\n");
			width = 0;
			continue;
		}
		if (width + (as_is ? 1 : 3) + !ends > LINE_MAX_CHARS) {
			buf_adds(out, "=\r\n");
			width = 0;
			as_is = as_is && *s != '.';
		}
		if (as_is)
			buf_addc(out, *s);
		else
			buf_addf(out, "=%02X", (unsigned char)*s);
		width += as_is ? 1 : 3;
	}
}

/* ---- text ------------------------------------------------------------------ */

/* "03:14:40 UTC", with the day where it is another one than now's. */
static void
add_time(const struct message *m, real_t t, struct buf *b)
{
	char s[REAL_TEXT_SIZE], now[REAL_TEXT_SIZE];

	real_format(t, s);
	real_format(m->now, now);
	if (strncmp(s, now, 10) != 0)
		buf_addf(b, "%.10s ", s);
	buf_addf(b, "%.8s UTC", s + 11);
}

static void
add_named(struct buf *b, const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	buf_addf(b, "  %-11s ", name);
	message_add_clean(b, value);
	buf_addc(b, '\n');
}

static void
add_about(const struct incident *in, struct buf *b)
{
	add_named(b, "datastore", in->datastore);
	add_named(b, "host", in->host);
	add_named(b, "target", in->target);
	add_named(b, "datacenter", in->datacenter);
	add_named(b, "cluster", in->cluster);
	add_named(b, "protocol", in->protocol);
	add_named(b, "backing", in->backing);
}

static void
add_worst(const struct message *m, const struct incident *in, struct buf *b)
{
	char *worst, *warning, *critical, *clear;

	if (in->kind != INCIDENT_SLOW || in->worst_us < 0)
		return;
	worst = message_ms(in->worst_us);
	warning = message_ms(in->threshold.warning_us);
	critical = message_ms(in->threshold.critical_us);
	clear = message_ms(in->threshold.clear_us);
	buf_addf(b, "  %-11s %s %s", "worst", op_name(in->op), worst);
	if (in->worst_host != NULL) {
		buf_adds(b, " on ");
		message_add_clean(b, in->worst_host);
	}
	if (in->worst_t.us != 0) {
		buf_adds(b, " at ");
		add_time(m, in->worst_t, b);
	}
	if (in->worst_ios >= 0)
		buf_addf(b, ", %lld I/Os in 20 s", (long long)in->worst_ios);
	buf_addf(b,
		 "\n  %-11s warning from %s, critical from %s, over below %s\n",
		 "limits", warning, critical, clear);
	free(worst);
	free(warning);
	free(critical);
	free(clear);
}

static void
add_hosts(const struct incident *in, struct buf *b)
{
	size_t n = MIN(in->n_listed, MAX_HOSTS);

	for (size_t i = 0; i < n; i++) {
		const struct incident_host *h = &in->hosts[i];
		char *worst = h->worst_us < 0 ? NULL : message_ms(h->worst_us);

		buf_addf(b, "  %-11s ", i == 0 ? "hosts" : "");
		if (worst != NULL)
			buf_addf(b, "%8s  ", worst);
		message_add_clean(b, h->name);
		buf_addc(b, '\n');
		free(worst);
	}
	if (in->n_hosts > n)
		buf_addf(b, "  %-11s and %zu more\n", "", in->n_hosts - n);
}

static void
add_details(const struct message *m, const struct incident *in, struct buf *b)
{
	char *line = message_line(m, in), *lasted = message_lasted(m, in);
	char *link = message_link(m, in);

	buf_addf(b, "%s\n\n", line);
	if (in->where != NULL) {
		buf_adds(b, "Where to look: ");
		message_add_clean(b, in->where);
		buf_adds(b, "\n\n");
	}
	buf_addf(b, "  %-11s %s\n", "state", message_word(m, in));
	buf_addf(b, "  %-11s ", "since");
	add_time(m, in->started, b);
	buf_addf(b, " (%s)\n", lasted);
	if (in->state == INCIDENT_ENDED && in->ended.us != 0) {
		buf_addf(b, "  %-11s ", "until");
		add_time(m, in->ended, b);
		buf_addc(b, '\n');
	}
	add_worst(m, in, b);
	add_about(in, b);
	add_hosts(in, b);
	add_named(b, "taken by", in->ack_by);
	add_named(b, "note", in->ack_note);
	add_named(b, "page", link);
	if (in->id != 0)
		buf_addf(b, "  %-11s %lld\n", "incident", (long long)in->id);
	free(line);
	free(lasted);
	free(link);
}

static void
add_digest(const struct message *m, struct buf *b)
{
	char *title = message_title(m);
	size_t n = MIN(m->n_changed, MAX_LINES);

	buf_addf(b, "%s\n\n", title);
	free(title);
	for (size_t i = 0; i < n; i++) {
		const struct incident *in = m->items[i].in;
		char *line = message_line(m, in);

		buf_addf(b, "  %-8s  %s\n", message_word(m, in), line);
		free(line);
	}
	if (m->n_changed > n)
		buf_addf(b, "  and %zu more\n", m->n_changed - n);
	if (m->page_url != NULL)
		buf_addf(b, "\n%s\n", m->page_url);
}

void
mail_render(const struct message *m, const struct mail_route *route,
	    struct buf *out)
{
	size_t n = MIN(m->n_changed, MAX_DETAILS);
	struct buf text;

	buf_init(&text, TEXT_MAX_BYTES);
	if (m->n_changed > 1)
		add_digest(m, &text);
	for (size_t i = 0; i < n; i++) {
		if (m->n_changed > 1)
			buf_adds(&text, "\n----\n\n");
		add_details(m, m->items[i].in, &text);
	}
	if (m->n > m->n_changed)
		buf_addf(&text, "\nStill going on, told before: %zu.\n",
			 m->n - m->n_changed);
	add_headers(m, route, out);
	add_quoted(out, buf_str(&text));
	buf_fini(&text);
}
