#include "web/expo.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dslat/utf8.h"

static const struct {
	const char *text, *openmetrics, *suffix;
} types[] = {
	[EXPO_COUNTER] = { "counter", "counter", "_total" },
	[EXPO_GAUGE] = { "gauge", "gauge", "" },
	[EXPO_HISTOGRAM] = { "histogram", "histogram", "" },
	[EXPO_INFO] = { "gauge", "info", "_info" },
};

/* In 0.0.4 a family is called as its lines are, in OpenMetrics without the
 * suffix. */
static void
add_name(struct expo *x)
{
	buf_adds(x->buf, x->family);
	if (!x->openmetrics)
		buf_adds(x->buf, types[x->type].suffix);
}

void
expo_head(struct expo *x, const char *name, enum expo_type type,
	  const char *unit, const char *help)
{
	x->family = name;
	x->type = type;
	buf_adds(x->buf, "# HELP ");
	add_name(x);
	buf_addf(x->buf, " %s\n# TYPE ", help);
	add_name(x);
	buf_addf(x->buf, " %s\n",
		 x->openmetrics ? types[type].openmetrics : types[type].text);
	if (x->openmetrics && unit != NULL) {
		buf_adds(x->buf, "# UNIT ");
		add_name(x);
		buf_addf(x->buf, " %s\n", unit);
	}
}

void
expo_begin(struct expo *x, const char *suffix)
{
	buf_adds(x->buf, x->family);
	buf_adds(x->buf, types[x->type].suffix);
	buf_adds(x->buf, suffix);
	x->in_labels = false;
}

/* How many bytes from here on stand for themselves. */
static size_t
plain(const char *s)
{
	size_t n = 0;

	while (s[n] > 0 && s[n] != '\\' && s[n] != '"' && s[n] != '\n')
		n++;
	return n;
}

static void
add_escaped(struct buf *b, const char *s)
{
	for (;;) {
		size_t n = plain(s);
		uint32_t cp;
		bool valid;

		buf_add(b, s, n);
		s += n;
		if (*s == '\0')
			return;
		n = utf8_next(s, &cp, &valid);
		if (*s == '\\' || *s == '"')
			buf_addf(b, "\\%c", *s);
		else if (*s == '\n')
			buf_adds(b, "\\n");
		else if (valid)
			buf_add(b, s, n);
		else
			buf_adds(b, UTF8_REPLACEMENT_TEXT);
		s += n;
	}
}

void
expo_label(struct expo *x, const char *name, const char *value)
{
	buf_addc(x->buf, x->in_labels ? ',' : '{');
	x->in_labels = true;
	buf_adds(x->buf, name);
	buf_adds(x->buf, "=\"");
	add_escaped(x->buf, value != NULL ? value : "");
	buf_addc(x->buf, '"');
}

static void
end_labels(struct expo *x)
{
	buf_adds(x->buf, x->in_labels ? "} " : " ");
}

void
expo_count(struct expo *x, uint64_t value)
{
	end_labels(x);
	buf_addf(x->buf, "%" PRIu64 "\n", value);
}

const char *
expo_format_seconds(int64_t us, char out[EXPO_SECONDS_SIZE])
{
	uint64_t abs = us < 0 ? -(uint64_t)us : (uint64_t)us;
	int len = snprintf(out, EXPO_SECONDS_SIZE, "%s%" PRIu64 ".%06" PRIu64,
			   us < 0 ? "-" : "", abs / 1000000, abs % 1000000);

	while (out[len - 1] == '0')
		out[--len] = '\0';
	if (out[len - 1] == '.')
		out[--len] = '\0';
	return out;
}

void
expo_seconds(struct expo *x, int64_t us)
{
	char text[EXPO_SECONDS_SIZE];

	end_labels(x);
	buf_adds(x->buf, expo_format_seconds(us, text));
	buf_addc(x->buf, '\n');
}

void
expo_end(struct expo *x)
{
	if (x->openmetrics)
		buf_adds(x->buf, "# EOF\n");
}
