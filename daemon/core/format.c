#include "dslat/format.h"

#include <string.h>

#include "dslat/json.h"
#include "dslat/utf8.h"

static const struct {
	const char *name, *suffix, *type;
} formats[] = {
	[FORMAT_CSV] = { "csv", "csv", "text/csv; charset=utf-8" },
	[FORMAT_NDJSON] = { "ndjson", "ndjson", "application/x-ndjson" },
	[FORMAT_OPENMETRICS] = { "openmetrics", "om",
				 "application/openmetrics-text; "
				 "version=1.0.0; charset=utf-8" },
	[FORMAT_INFLUX] = { "influx", "lp", "text/plain; charset=utf-8" },
};

bool
format_from_name(const char *name, enum format *f_r)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			*f_r = (enum format)i;
			return true;
		}
	}
	return false;
}

const char *
format_type(enum format f)
{
	return formats[f].type;
}

const char *
format_suffix(enum format f)
{
	return formats[f].suffix;
}

/* The six values of a sample, in the order of all formats. */
static const struct column {
	const char *name;    /* csv, ndjson */
	const char *in_base; /* influx, OpenMetrics */
	const char *unit, *help;
	enum op op;
	enum field field;
} columns[] = {
	{ "read_ms", "read_latency_seconds", "seconds",
	  "Mean latency of reads in 20 s.", OP_READ, FIELD_US },
	{ "write_ms", "write_latency_seconds", "seconds",
	  "Mean latency of writes in 20 s.", OP_WRITE, FIELD_US },
	{ "read_iops", "read_iops", NULL, "Reads per second.", OP_READ,
	  FIELD_IOS },
	{ "write_iops", "write_iops", NULL, "Writes per second.", OP_WRITE,
	  FIELD_IOS },
	{ "read_bytes_per_s", "read_bytes_per_second", NULL,
	  "Bytes read per second.", OP_READ, FIELD_KIB_PER_S },
	{ "write_bytes_per_s", "write_bytes_per_second", NULL,
	  "Bytes written per second.", OP_WRITE, FIELD_KIB_PER_S },
};

size_t
format_families(enum format f)
{
	return f == FORMAT_OPENMETRICS ? ARRAY_SIZE(columns) : 1;
}

/* ---- numbers ---- */

/* v / unit, a power of ten, with as many decimals as it takes. */
static void
add_scaled(struct buf *out, int64_t v, int64_t unit)
{
	int64_t rest = v % unit, digit = unit / 10;

	buf_addf(out, "%lld", (long long)(v / unit));
	if (rest == 0)
		return;
	buf_addc(out, '.');
	for (; rest != 0; digit /= 10) {
		/* Nothing is left before digit is 0. */
		/* cppcheck-suppress zerodivcond */
		buf_addc(out, (char)('0' + rest / digit));
		rest %= digit;
	}
}

static int32_t
value_of(const struct column *col, const struct cell *c)
{
	return c->v[(unsigned)col->field + (unsigned)col->op];
}

static void
add_value(struct buf *out, const struct column *col, const struct cell *c,
	  int64_t us_unit)
{
	int64_t v = value_of(col, c);

	static_assert(100 % SLOT_S == 0, "hundredths are exact");
	switch (col->field) {
	case FIELD_US:
		add_scaled(out, v, us_unit);
		return;
	case FIELD_IOS: /* of SLOT_S seconds */
		add_scaled(out, v * (100 / SLOT_S), 100);
		return;
	case FIELD_KIB_PER_S:
		break;
	}
	buf_addf(out, "%lld", (long long)v * 1024);
}

static bool
has_value(const struct column *col, const struct cell *c)
{
	return value_of(col, c) >= 0;
}

static bool
is_empty(const struct cell *c)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (c->v[i] >= 0)
			return false;
	return true;
}

/* ---- csv ---- */

static void
add_csv_text(struct buf *out, const char *s)
{
	bool quote;

	if (s == NULL)
		return;
	quote = strpbrk(s, ",\"\r\n") != NULL;
	if (quote)
		buf_addc(out, '"');
	if (*s != '\0' && strchr("=+-@\t\r", *s) != NULL)
		buf_addc(out, '\'');
	for (; *s != '\0'; s++) {
		if (*s == '"')
			buf_addc(out, '"');
		buf_addc(out, *s);
	}
	if (quote)
		buf_addc(out, '"');
}

static void
csv_prefix(const struct format_who *w, struct buf *prefix)
{
	const char *const texts[] = { w->target, w->datacenter, w->host,
				      w->datastore,
				      protocol_name(w->protocol) };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		buf_addc(prefix, ',');
		add_csv_text(prefix, texts[i]);
	}
}

static void
csv_begin(struct buf *out)
{
	buf_adds(out, "time_utc,target,datacenter,host,datastore,protocol");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		buf_addf(out, ",%s", columns[i].name);
	buf_addc(out, '\n');
}

static void
csv_cell(const struct buf *prefix, int64_t slot, const struct cell *c,
	 struct buf *out)
{
	char t[REAL_TEXT_SIZE];

	buf_adds(out, real_format(slot_end(slot), t));
	buf_add(out, prefix->data, prefix->len);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		buf_addc(out, ',');
		if (has_value(&columns[i], c))
			add_value(out, &columns[i], c, US_PER_MS);
	}
	buf_addc(out, '\n');
}

/* ---- ndjson ---- */

/* "target":"lab",... without the braces. */
static void
ndjson_prefix(const struct format_who *w, struct buf *prefix)
{
	json_t *v = json_object();
	struct buf whole;

	json_object_set_new(v, "target", json_text(w->target));
	json_object_set_new(v, "datacenter", json_text(w->datacenter));
	json_object_set_new(v, "cluster", json_text(w->cluster));
	json_object_set_new(v, "host", json_text(w->host));
	json_object_set_new(v, "host_id", json_text(w->host_id));
	json_object_set_new(v, "datastore", json_text(w->datastore));
	json_object_set_new(v, "datastore_id", json_text(w->datastore_id));
	json_object_set_new(v, "protocol",
			    json_string(protocol_name(w->protocol)));
	buf_init(&whole, prefix->max);
	if (json_append(&whole, v) == 0 && whole.len > 2)
		buf_add(prefix, whole.data + 1, whole.len - 2);
	buf_fini(&whole);
	json_decref(v);
}

static json_t *
json_of(const struct column *col, const struct cell *c)
{
	int64_t v = value_of(col, c);

	switch (col->field) {
	case FIELD_US:
		return json_ms(v);
	case FIELD_IOS:
		return v < 0 ? json_null() : json_num((double)v / SLOT_S);
	case FIELD_KIB_PER_S:
		break;
	}
	return v < 0 ? json_null() : json_integer(v * 1024);
}

static void
ndjson_cell(const struct buf *prefix, int64_t slot, const struct cell *c,
	    struct buf *out)
{
	json_t *v = json_object();
	struct buf whole;

	json_object_set_new(v, "time_utc", json_time(slot_end(slot)));
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		json_object_set_new(v, columns[i].name,
				    json_of(&columns[i], c));
	buf_init(&whole, out->max);
	json_append(&whole, v);
	/* Two objects as one. */
	buf_addc(out, '{');
	buf_add(out, prefix->data, prefix->len);
	buf_addc(out, ',');
	buf_adds(out, buf_str(&whole) + 1);
	buf_addc(out, '\n');
	buf_fini(&whole);
	json_decref(v);
}

/* ---- influx ---- */

/*
 * Commas, spaces and = take a backslash; there is no way to write a control
 * character, and a backslash at the end would escape what comes next: a space
 * in their place, or behind it.
 */
static void
add_tag(struct buf *out, const char *name, const char *s)
{
	char last = '\0';

	if (s == NULL || *s == '\0')
		return;
	buf_addf(out, ",%s=", name);
	for (; *s != '\0'; s++) {
		unsigned char ch = (unsigned char)*s;

		if (ch <= ' ' || ch == 0x7f)
			buf_adds(out, "\\ ");
		else if (ch == ',' || ch == '=')
			buf_addf(out, "\\%c", *s);
		else
			buf_addc(out, *s);
		last = *s;
	}
	if (last == '\\')
		buf_adds(out, "\\ ");
}

static void
influx_prefix(const struct format_who *w, struct buf *prefix)
{
	buf_adds(prefix, "dslat");
	add_tag(prefix, "target", w->target);
	add_tag(prefix, "datacenter", w->datacenter);
	add_tag(prefix, "cluster", w->cluster);
	add_tag(prefix, "host", w->host);
	add_tag(prefix, "host_id", w->host_id);
	add_tag(prefix, "datastore", w->datastore);
	add_tag(prefix, "datastore_id", w->datastore_id);
	add_tag(prefix, "protocol", protocol_name(w->protocol));
	buf_addc(prefix, ' ');
}

static void
influx_cell(const struct buf *prefix, int64_t slot, const struct cell *c,
	    struct buf *out)
{
	bool first = true;

	buf_add(out, prefix->data, prefix->len);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!has_value(&columns[i], c))
			continue;
		buf_addf(out, "%s%s=", first ? "" : ",", columns[i].in_base);
		add_value(out, &columns[i], c, US_PER_S);
		first = false;
	}
	buf_addf(out, " %lld000\n", (long long)slot_end(slot).us);
}

/* ---- OpenMetrics ---- */

static void
add_label(struct buf *out, const char *name, const char *s)
{
	buf_addf(out, "%s%s=\"", strcmp(name, "target") == 0 ? "{" : ",", name);
	while (s != NULL && *s != '\0') {
		uint32_t cp;
		bool valid;
		size_t n = utf8_next(s, &cp, &valid);

		if (!valid)
			buf_adds(out, UTF8_REPLACEMENT_TEXT);
		else if (*s == '\n')
			buf_adds(out, "\\n");
		else if (*s == '"' || *s == '\\')
			buf_addf(out, "\\%c", *s);
		else
			buf_add(out, s, n);
		s += n;
	}
	buf_addc(out, '"');
}

static void
openmetrics_prefix(size_t family, const struct format_who *w,
		   struct buf *prefix)
{
	buf_addf(prefix, "dslat_%s", columns[family].in_base);
	add_label(prefix, "target", w->target);
	add_label(prefix, "datacenter_name", w->datacenter);
	add_label(prefix, "cluster_name", w->cluster);
	add_label(prefix, "ds_name", w->datastore);
	add_label(prefix, "ds_id", w->datastore_id);
	add_label(prefix, "protocol", protocol_name(w->protocol));
	add_label(prefix, "host_name", w->host);
	add_label(prefix, "host_id", w->host_id);
	buf_adds(prefix, "} ");
}

static void
openmetrics_cell(size_t family, const struct buf *prefix, int64_t slot,
		 const struct cell *c, struct buf *out)
{
	const struct column *col = &columns[family];

	if (!has_value(col, c))
		return;
	if (col->field == FIELD_US && cell_point(c, col->op).load == LOAD_IDLE)
		return;
	buf_add(out, prefix->data, prefix->len);
	add_value(out, col, c, US_PER_S);
	buf_addf(out, " %lld\n", (long long)(slot_end(slot).us / US_PER_S));
}

/* ---- all of them ---- */

void
format_begin(enum format f, struct buf *out)
{
	if (f == FORMAT_CSV)
		csv_begin(out);
}

void
format_begin_family(enum format f, size_t family, struct buf *out)
{
	const struct column *c = &columns[family];

	if (f != FORMAT_OPENMETRICS)
		return;
	buf_addf(out, "# TYPE dslat_%s gauge\n", c->in_base);
	if (c->unit != NULL)
		buf_addf(out, "# UNIT dslat_%s %s\n", c->in_base, c->unit);
	buf_addf(out, "# HELP dslat_%s %s\n", c->in_base, c->help);
}

void
format_prefix(enum format f, size_t family, const struct format_who *w,
	      struct buf *prefix)
{
	switch (f) {
	case FORMAT_CSV:
		csv_prefix(w, prefix);
		return;
	case FORMAT_NDJSON:
		ndjson_prefix(w, prefix);
		return;
	case FORMAT_INFLUX:
		influx_prefix(w, prefix);
		return;
	case FORMAT_OPENMETRICS:
		break;
	}
	openmetrics_prefix(family, w, prefix);
}

void
format_cell(enum format f, size_t family, const struct buf *prefix,
	    int64_t slot, const struct cell *c, struct buf *out)
{
	if (is_empty(c))
		return;
	switch (f) {
	case FORMAT_CSV:
		csv_cell(prefix, slot, c, out);
		return;
	case FORMAT_NDJSON:
		ndjson_cell(prefix, slot, c, out);
		return;
	case FORMAT_INFLUX:
		influx_cell(prefix, slot, c, out);
		return;
	case FORMAT_OPENMETRICS:
		break;
	}
	openmetrics_cell(family, prefix, slot, c, out);
}

void
format_end(enum format f, struct buf *out)
{
	if (f == FORMAT_OPENMETRICS)
		buf_adds(out, "# EOF\n");
}
