#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/mem.h"

typedef void read_fn(struct conf_reader *r, const struct conf_key *k,
		     const struct yaml_node *n, void *value);

void
conf_texts_free(char ***texts)
{
	for (size_t i = 0; *texts != NULL && (*texts)[i] != NULL; i++)
		free((*texts)[i]);
	free(*texts);
	*texts = NULL;
}

/* ---- text -------------------------------------------------------------- */

static bool
is_text(struct conf_reader *r, const struct conf_key *k,
	const struct yaml_node *n)
{
	const char *name = conf_key_name(k);

	if (n->kind != YAML_TEXT) {
		fault_add(r->faults, n->at,
			  "\"%s\" must be one value, not %s; "
			  "write it on the line of its key",
			  name,
			  n->kind == YAML_LIST          ? "a list"
				  : n->kind == YAML_MAP ? "a group of keys"
							: "nothing");
		return false;
	}
	if (n->text[0] == '\0') {
		fault_add(r->faults, n->at,
			  "\"%s\" is empty; give it a value, or remove it",
			  name);
		return false;
	}
	for (const char *s = n->text; *s != '\0'; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f) {
			fault_add(r->faults, n->at,
				  "\"%s\" holds a line break, tab or control "
				  "character; remove it",
				  name);
			return false;
		}
	}
	return true;
}

static void
read_text(struct conf_reader *r, const struct conf_key *k,
	  const struct yaml_node *n, void *value)
{
	if (is_text(r, k, n))
		xstrset(value, n->text);
}

static void
read_texts(struct conf_reader *r, const struct conf_key *k,
	   const struct yaml_node *n, void *value)
{
	const struct yaml_node *one = n->kind == YAML_LIST ? n->first : n;
	char ***texts = value;
	size_t n_texts = 0;

	if (one == NULL && k->preset != NULL) {
		fault_add(r->faults, n->at,
			  "\"%s\" is an empty list; remove it for the default, "
			  "\"%s\"",
			  conf_key_name(k), k->preset);
		return;
	}
	conf_texts_free(texts);
	*texts = xcalloc(1, sizeof(**texts));
	for (; one != NULL; one = n->kind == YAML_LIST ? one->next : NULL) {
		if (!is_text(r, k, one))
			continue;
		*texts = xreallocarray(*texts, n_texts + 2, sizeof(**texts));
		(*texts)[n_texts++] = xstrdup(one->text);
		(*texts)[n_texts] = NULL;
	}
}

static void
read_bool(struct conf_reader *r, const struct conf_key *k,
	  const struct yaml_node *n, void *value)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{ "true", true },   { "True", true },   { "TRUE", true },
		{ "false", false }, { "False", false }, { "FALSE", false },
	};

	if (!is_text(r, k, n))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(n->text, words[i].word) == 0) {
			*(bool *)value = words[i].value;
			return;
		}
	}
	fault_add(r->faults, n->at, "\"%s\" is \"%.*s\"; write true or false",
		  conf_key_name(k), CONF_SHOWN_MAX, n->text);
}

/* ---- numbers ------------------------------------------------------------ */

/* The number s begins with, times 10^decimals; *end_r is behind it (at s when
 * there is none).  Saturates. */
static int64_t
decimal(const char *s, int decimals, const char **end_r)
{
	bool negative = *s == '-';
	int64_t v = 0;
	int left = -1; /* decimals still to come; -1 before the point */

	*end_r = s;
	for (s += negative; *s != '\0'; s++) {
		if (*s == '.' && left < 0 && decimals > 0 && s[1] >= '0' &&
		    s[1] <= '9' && *end_r == s) {
			left = decimals;
			continue;
		}
		if (*s < '0' || *s > '9' || left == 0)
			break;
		if (v < INT64_MAX / 10000)
			v = v * 10 + (*s - '0');
		if (left > 0)
			left--;
		*end_r = s + 1;
	}
	for (left = left < 0 ? decimals : left; left > 0; left--)
		v *= 10;
	return negative ? -v : v;
}

static const struct {
	const char *name;
	int64_t bytes;
} byte_units[] = {
	{ "TiB", INT64_C(1) << 40 },
	{ "GiB", INT64_C(1) << 30 },
	{ "MiB", INT64_C(1) << 20 },
	{ "KiB", INT64_C(1) << 10 },
};

static char *
bytes_text(int64_t v)
{
	for (size_t i = 0; i < ARRAY_SIZE(byte_units); i++)
		if (v != 0 && v % byte_units[i].bytes == 0)
			return xasprintf("%lld%s",
					 (long long)(v / byte_units[i].bytes),
					 byte_units[i].name);
	return xasprintf("%lld", (long long)v);
}

char *
conf_number_text(const struct conf_key *k, int64_t v)
{
	size_t len;
	char *s;

	if (k->type == CONF_BYTES)
		return bytes_text(v);
	if (k->type == CONF_AUTO_S && v == 0)
		return xstrdup("auto");
	if (k->type != CONF_MS)
		return xasprintf("%lld", (long long)v);
	s = xasprintf("%lld.%03d", (long long)(v / 1000), (int)(v % 1000));
	for (len = strlen(s); s[len - 1] == '0'; len--)
		;
	s[s[len - 1] == '.' ? len - 1 : len] = '\0';
	return s;
}

/* Does a number end in another unit than its key, as 7m of a key in _s? */
static bool
has_other_unit(const char *name, const char *suffix)
{
	const char *unit = strrchr(name, '_');
	size_t n, len;

	suffix += strspn(suffix, " ");
	n = strlen(suffix);
	if (unit == NULL || strchr("0123456789.,_-+%", *suffix) != NULL)
		return false;
	len = strlen(++unit);
	/* "s", "sec", and "d" of days; but "m" is not "ms" */
	return strncasecmp(unit, suffix, MIN(n, len)) != 0 ||
		(n < len && len == 2);
}

static void
not_a_number(struct conf_reader *r, const struct conf_key *k,
	     const struct yaml_node *n, const char *end)
{
	const char *name = conf_key_name(k), *more = "";
	const char *what = k->type == CONF_MS ? "a number of milliseconds"
		: k->type == CONF_BYTES
		? "a whole number with KiB, MiB, GiB or TiB behind it"
		: "a whole number";
	bool begins = end != n->text && k->type != CONF_BYTES;

	if (begins && !has_other_unit(name, end)) {
		fault_add(r->faults, n->at,
			  "\"%s\" is \"%.*s\", which is not %s; write %.*s",
			  name, CONF_SHOWN_MAX, n->text, what,
			  (int)MIN(end - n->text, 20), n->text);
		return;
	}
	if (begins && k->type != CONF_MS)
		more = " in the unit of its name";
	else if (!begins && k->type == CONF_AUTO_S)
		more = " or auto";
	fault_add(r->faults, n->at, "\"%s\" is \"%.*s\"; it must be %s%s", name,
		  CONF_SHOWN_MAX, n->text, what, more);
}

static void
put_number(struct conf_reader *r, const struct conf_key *k,
	   const struct yaml_node *n, int64_t v, int64_t *value)
{
	char *min, *max;

	if (v >= k->min && v <= k->max) {
		*value = v;
		return;
	}
	min = conf_number_text(k, k->min);
	max = conf_number_text(k, k->max);
	fault_add(r->faults, n->at, "\"%s\" is %.*s; it must be %s to %s%s",
		  conf_key_name(k), CONF_SHOWN_MAX, n->text, min, max,
		  k->type == CONF_AUTO_S ? ", or auto" : "");
	free(min);
	free(max);
}

static void
read_number(struct conf_reader *r, const struct conf_key *k,
	    const struct yaml_node *n, int64_t *value)
{
	const char *end;
	int64_t v;

	if (!is_text(r, k, n))
		return;
	v = decimal(n->text, k->type == CONF_MS ? 3 : 0, &end);
	if (*end != '\0')
		not_a_number(r, k, n, end);
	else
		put_number(r, k, n, v, value);
}

/* "20GiB", "20 GiB" */
static void
read_bytes(struct conf_reader *r, const struct conf_key *k,
	   const struct yaml_node *n, void *value)
{
	const char *end, *unit;
	int64_t v, factor = 1;

	if (!is_text(r, k, n))
		return;
	v = decimal(n->text, 0, &end);
	unit = end + strspn(end, " ");
	for (size_t i = 0; i < ARRAY_SIZE(byte_units); i++)
		if (strcmp(unit, byte_units[i].name) == 0)
			factor = byte_units[i].bytes;
	if (end == n->text || (factor == 1 && *unit != '\0')) {
		not_a_number(r, k, n, end);
		return;
	}
	if (__builtin_mul_overflow(v, factor, &v))
		v = INT64_MAX;
	put_number(r, k, n, v, value);
}

static void
read_count(struct conf_reader *r, const struct conf_key *k,
	   const struct yaml_node *n, void *value)
{
	read_number(r, k, n, value);
}

static void
read_auto_s(struct conf_reader *r, const struct conf_key *k,
	    const struct yaml_node *n, void *value)
{
	if (n->kind == YAML_TEXT && strcmp(n->text, "auto") == 0)
		*(int64_t *)value = 0;
	else
		read_number(r, k, n, value);
}

/* ---- by type ------------------------------------------------------------ */

static read_fn *const readers[] = {
	[CONF_TEXT] = read_text,     [CONF_TEXTS] = read_texts,
	[CONF_BOOL] = read_bool,     [CONF_COUNT] = read_count,
	[CONF_AUTO_S] = read_auto_s, [CONF_MS] = read_count,
	[CONF_BYTES] = read_bytes,
};

void
conf_read_value(struct conf_reader *r, const struct conf_key *k,
		const struct yaml_node *n, void *value)
{
	assert((size_t)k->type < ARRAY_SIZE(readers) &&
	       readers[k->type] != NULL);
	readers[k->type](r, k, n, value);
}

void
conf_preset(const struct conf_key *section, void *base)
{
	const struct conf_key *k;
	struct faults faults;
	struct conf_reader r = { .faults = &faults };

	faults_init(&faults, "");
	for (size_t i = 0; (k = conf_key_next(section, &i)) != NULL;) {
		void *value = (char *)base + k->offset;
		struct yaml_node n = { .kind = YAML_TEXT };

		if (k->type == CONF_SECTION)
			conf_preset(k, value);
		if (k->type == CONF_TEXTS)
			*(char ***)value = xcalloc(1, sizeof(char *));
		if (k->preset == NULL)
			continue;
		n.text = xstrdup(k->preset);
		conf_read_value(&r, k, &n, value);
		free(n.text);
	}
	assert(faults.n == 0);
	faults_fini(&faults);
}
