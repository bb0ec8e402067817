#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/utf8.h"

#define MAX_BYTES ((size_t)1 << 20)

/* ---- text from elsewhere --------------------------------------------------- */

/* C0, C1, the separators of lines, and what turns the direction of text. */
static bool
is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
		(cp >= 0x200e && cp <= 0x200f) ||
		(cp >= 0x2028 && cp <= 0x202e) ||
		(cp >= 0x2066 && cp <= 0x2069);
}

void
message_add_clean(struct buf *b, const char *s)
{
	while (s != NULL && *s != '\0') {
		uint32_t cp;
		bool valid;
		size_t n = utf8_next(s, &cp, &valid);

		if (!valid)
			buf_adds(b, UTF8_REPLACEMENT_TEXT);
		else if (is_control(cp))
			buf_addc(b, ' ');
		else
			buf_add(b, s, n);
		s += n;
	}
}

char *
message_clean(const char *s)
{
	struct buf b;

	buf_init(&b, MAX_BYTES);
	message_add_clean(&b, s);
	return buf_take(&b);
}

/* ---- one incident ---------------------------------------------------------- */

const char *
message_status(const struct incident *in)
{
	return in->state == INCIDENT_ENDED ? "resolved" : "firing";
}

const char *
message_word(const struct message *m, const struct incident *in)
{
	if (m->is_test)
		return "test";
	return in->state == INCIDENT_ENDED ? "over"
					   : severity_name(in->severity);
}

char *
message_place(const struct incident *in)
{
	const char *what = in->datastore != NULL ? in->datastore : in->host;
	char *place = what != NULL ? xasprintf("%s/%s", in->target, what)
				   : xstrdup(in->target);
	char *clean = message_clean(place);

	free(place);
	return clean;
}

char *
message_ms(int64_t us)
{
	if (us % US_PER_MS == 0 || us >= 100 * US_PER_MS)
		return xasprintf("%lld ms",
				 (long long)((us + US_PER_MS / 2) / US_PER_MS));
	return xasprintf("%.*g ms", us < 10 * US_PER_MS ? 2 : 3,
			 (double)us / (double)US_PER_MS);
}

char *
message_lasted(const struct message *m, const struct incident *in)
{
	real_t end = in->state == INCIDENT_ENDED && in->ended.us != 0
		? in->ended
		: m->now;
	int64_t s = MAX(real_diff_us(end, in->started), 0) / US_PER_S;

	if (s < 120)
		return xasprintf("%lld s", (long long)s);
	if (s < 7200)
		return xasprintf("%lld min", (long long)(s / 60));
	if (s < INT64_C(48) * 3600)
		return xasprintf("%lld h %lld min", (long long)(s / 3600),
				 (long long)(s % 3600 / 60));
	return xasprintf("%lld days", (long long)(s / 86400));
}

/* Why it ended, as part of a sentence. */
static const char *
ended_how(const struct incident *in)
{
	static const struct {
		const char *reason, *text;
	} rows[] = {
		{ "idle", ", then no I/O any more" },
		{ "gone", ", then it left the inventory" },
		{ "maintenance", ", then put into maintenance" },
	};

	for (size_t i = 0; in->end_reason != NULL && i < ARRAY_SIZE(rows); i++)
		if (strcmp(in->end_reason, rows[i].reason) == 0)
			return rows[i].text;
	return "";
}

char *
message_line(const struct message *m, const struct incident *in)
{
	char *lasted, *place, *line;

	if (in->summary != NULL)
		place = message_clean(in->summary);
	else
		place = message_place(in);
	if (m->is_test || in->state != INCIDENT_ENDED)
		return place;
	lasted = message_lasted(m, in);
	line = xasprintf("%s; over after %s%s", place, lasted, ended_how(in));
	free(lasted);
	free(place);
	return line;
}

static const char *
letters_upper(const char *word)
{
	static const struct {
		const char *word, *upper;
	} rows[] = {
		{ "critical", "CRITICAL" },
		{ "warning", "WARNING" },
		{ "over", "OVER" },
		{ "test", "TEST" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].word, word) == 0)
			return rows[i].upper;
	abort();
}

char *
message_title(const struct message *m)
{
	static const char *const words[] = { "critical", "warning", "over" };
	size_t counts[ARRAY_SIZE(words)] = { 0 };
	struct buf b;

	buf_init(&b, MAX_BYTES);
	if (m->n_changed == 1) {
		const struct incident *in = m->items[0].in;
		char *line = message_line(m, in);

		buf_addf(&b, "%s: %s", letters_upper(message_word(m, in)),
			 line);
		free(line);
		return buf_take(&b);
	}
	for (size_t i = 0; i < m->n_changed; i++)
		for (size_t j = 0; j < ARRAY_SIZE(words); j++)
			if (strcmp(message_word(m, m->items[i].in), words[j]) ==
			    0)
				counts[j]++;
	buf_addf(&b, "%zu incidents:", m->n_changed);
	for (size_t j = 0, any = 0; j < ARRAY_SIZE(words); j++)
		if (counts[j] != 0)
			buf_addf(&b, "%s %zu %s", any++ != 0 ? "," : "",
				 counts[j], words[j]);
	return buf_take(&b);
}

char *
message_link(const struct message *m, const struct incident *in)
{
	struct buf b;

	if (m->page_url == NULL)
		return NULL;
	buf_init(&b, MAX_BYTES);
	buf_adds(&b, m->page_url);
	if (in->id > 0) /* a test has none */
		buf_addf(&b, "?incident=%lld", (long long)in->id);
	return buf_take(&b);
}
