#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "render.h"

#define ARGUMENT_MAX_BYTES ((size_t)65536)

typedef char *word_fn(const struct message *m, const struct incident *in);

static char *
text(const char *s)
{
	return message_clean(s);
}

static char *
time_text(real_t t)
{
	char s[REAL_TEXT_SIZE];

	return xstrdup(t.us != 0 ? real_format(t, s) : "");
}

static char *
of_status(const struct message *m, const struct incident *in)
{
	return text(m->is_test ? "test" : message_status(in));
}

static char *
of_count(const struct message *m, const struct incident *in unused)
{
	return xasprintf("%zu", m->n_changed);
}

static char *
of_summary(const struct message *m, const struct incident *in)
{
	return message_line(m, in);
}

static char *
of_severity(const struct message *m, const struct incident *in unused)
{
	return text(severity_name(m->items[0].severity));
}

static char *
of_kind(const struct message *m unused, const struct incident *in)
{
	return text(incident_kind_name(in->kind));
}

static char *
of_target(const struct message *m unused, const struct incident *in)
{
	return text(in->target);
}

static char *
of_datastore(const struct message *m unused, const struct incident *in)
{
	return text(in->datastore);
}

static char *
of_host(const struct message *m unused, const struct incident *in)
{
	return text(in->host != NULL ? in->host : in->worst_host);
}

static char *
of_op(const struct message *m unused, const struct incident *in)
{
	return text(in->kind == INCIDENT_SLOW ? op_name(in->op) : "");
}

static char *
of_worst_ms(const struct message *m unused, const struct incident *in)
{
	if (in->worst_us < 0)
		return xstrdup("");
	return xasprintf("%.*g", 10, (double)in->worst_us / (double)US_PER_MS);
}

static char *
of_started(const struct message *m unused, const struct incident *in)
{
	return time_text(in->started);
}

static char *
of_ended(const struct message *m unused, const struct incident *in)
{
	return time_text(in->ended);
}

static char *
of_where(const struct message *m unused, const struct incident *in)
{
	return text(in->where);
}

static char *
of_url(const struct message *m, const struct incident *in)
{
	char *link = message_link(m, in);

	return link != NULL ? link : xstrdup("");
}

/* The words of notify_words[] in conf.h. */
static const struct {
	const char *word;
	word_fn *of;
} words[] = {
	{ "status", of_status },
	{ "count", of_count },
	{ "summary", of_summary },
	{ "severity", of_severity },
	{ "kind", of_kind },
	{ "target", of_target },
	{ "datastore", of_datastore },
	{ "host", of_host },
	{ "op", of_op },
	{ "worst_ms", of_worst_ms },
	{ "started", of_started },
	{ "ended", of_ended },
	{ "where", of_where },
	{ "url", of_url },
};

/* The word in braces at s, or NULL; *len_r is of the whole "{word}". */
static word_fn *
word_at(const char *s, size_t *len_r)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t len = strlen(words[i].word);

		if (strncmp(s + 1, words[i].word, len) == 0 &&
		    s[1 + len] == '}') {
			*len_r = len + 2;
			return words[i].of;
		}
	}
	return NULL;
}

char *
exec_argument(const struct message *m, const char *s)
{
	const struct incident *in = m->items[0].in;
	struct buf b;

	buf_init(&b, ARGUMENT_MAX_BYTES);
	while (*s != '\0') {
		size_t len = 1;
		word_fn *of = *s == '{' ? word_at(s, &len) : NULL;

		if (of != NULL) {
			char *value = of(m, in);

			buf_adds(&b, value);
			free(value);
		} else {
			buf_addc(&b, *s);
		}
		s += len;
	}
	return buf_take(&b);
}
