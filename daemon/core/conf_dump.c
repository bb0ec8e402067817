#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/mem.h"

#define COMMENT_COLUMN 40

struct dump {
	const struct conf *conf;
	struct buf *out;
	const char *file; /* without folders */
	size_t indent;
	bool dash; /* the next key begins an entry of a list */
};

static void dump_section(struct dump *d, const struct conf_key *k,
			 const void *base, const char *path);

/* Text that no YAML reader takes for something else may go unquoted. */
static void
add_text(struct buf *b, const char *s)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789/._:@-";
	static const char *const words[] = { "null", "true", "false",
					     "yes",  "no",   "on",
					     "off",  "y",    "n" };
	size_t len = strlen(s);
	bool is_plain = len > 0 && strspn(s, plain) == len &&
		strchr(":@-", s[0]) == NULL && s[len - 1] != ':';

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasecmp(s, words[i]) == 0)
			is_plain = false;
	if (is_plain) {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(b, '\\');
		buf_addc(b, *s);
	}
	buf_addc(b, '"');
}

static void
add_line(struct dump *d, const char *key, const char *value,
	 const char *comment)
{
	size_t start = d->out->len, width;

	buf_addf(d->out, "%*s%s%s:%s%s", (int)d->indent - (d->dash ? 2 : 0), "",
		 d->dash ? "- " : "", key, *value != '\0' ? " " : "", value);
	d->dash = false;
	width = d->out->len - start;
	if (*comment != '\0')
		buf_addf(d->out, "%*s# %s",
			 (int)(width < COMMENT_COLUMN ? COMMENT_COLUMN - width
						      : 1),
			 "", comment);
	buf_addc(d->out, '\n');
}

/* ---- one value ------------------------------------------------------------ */

static void
add_texts(struct buf *b, char *const *texts)
{
	buf_addc(b, '[');
	for (size_t i = 0; texts != NULL && texts[i] != NULL; i++) {
		buf_adds(b, i != 0 ? ", " : "");
		add_text(b, texts[i]);
	}
	buf_addc(b, ']');
}

static void
add_value(struct buf *b, const struct conf_key *k, const void *value)
{
	const char *text;
	char *number;

	switch (k->type) {
	case CONF_TEXT:
		text = *(char *const *)value;
		if (text != NULL)
			add_text(b, text);
		else
			buf_adds(b, "null");
		break;
	case CONF_TEXTS:
		add_texts(b, *(char *const *const *)value);
		break;
	case CONF_BOOL:
		buf_adds(b, *(const bool *)value ? "true" : "false");
		break;
	default:
		number = conf_number_text(k, *(const int64_t *)value);
		buf_adds(b, number);
		free(number);
		break;
	}
}

/* A row of thresholds that has warning_ms alone implies two others: the value
 * of k in such a row; false when there is none. */
static bool
is_implied(const struct conf *c, const struct conf_key *k, const void *base,
	   const char *path, int64_t *v_r)
{
	const char *name = conf_key_name(k);
	char *warning = xasprintf("%.*swarning_ms",
				  (int)(strlen(path) - strlen(name)), path);
	bool is = conf_is_set(c, warning, NULL) &&
		(strcmp(name, "clear_ms") == 0 ||
		 strcmp(name, "critical_ms") == 0);
	struct threshold_row row;

	free(warning);
	if (is) {
		memcpy(&row, base, sizeof(row));
		threshold_row_imply(&row);
		memcpy(v_r, (const char *)&row + k->offset, sizeof(*v_r));
	}
	return is;
}

static void
dump_field(struct dump *d, const struct conf_key *k, const void *base,
	   const char *path)
{
	const void *value = (const char *)base + k->offset;
	char *origin = NULL;
	struct mark at;
	struct buf text;
	int64_t v;

	if (conf_is_set(d->conf, path, &at)) {
		origin = xasprintf("%s:%d", d->file, at.line);
	} else if (strncmp(k->path, "thresholds.", 11) == 0) {
		if (is_implied(d->conf, k, base, path, &v)) {
			value = &v;
			origin = xstrdup("from warning_ms");
		} else if (*(const int64_t *)value == THRESHOLD_UNSET) {
			return;
		}
	}
	buf_init(&text, SIZE_MAX);
	add_value(&text, k, value);
	add_line(d, conf_key_name(k), buf_str(&text),
		 origin != NULL ? origin : "default");
	buf_fini(&text);
	free(origin);
}

/* ---- sections and lists ---------------------------------------------------- */

static void
dump_items(struct dump *d, const struct conf_key *k, const char *path)
{
	const void *item;
	bool any = false;

	for (size_t i = 0; (item = k->item(d->conf, i)) != NULL; i++) {
		bool is_list = k->type == CONF_LIST;
		const char *word;
		char *at;

		if (!is_list && threshold_row_is_unset(item))
			continue;
		if (!any)
			add_line(d, conf_key_name(k), "", "");
		any = true;
		word = is_list ? NULL : protocol_name((enum protocol)i);
		at = is_list ? xasprintf("%s[%zu]", path, i)
			     : xasprintf("%s.%s", path, word);
		d->indent += 2;
		if (!is_list)
			add_line(d, word, "", "");
		d->dash = is_list;
		d->indent += 2;
		dump_section(d, k, item, at);
		d->indent -= 4;
		free(at);
	}
	if (!any)
		add_line(d, conf_key_name(k),
			 k->type == CONF_LIST ? "[]" : "{}", "default");
}

static void
dump_keys(struct dump *d, const struct conf_key *section, const void *base,
	  const char *path)
{
	const struct conf_key *k;

	for (size_t i = 0; (k = conf_key_next(section, &i)) != NULL;) {
		const void *value = (const char *)base + k->offset;
		const char *name = conf_key_name(k);
		char *at;

		if (k->type == CONF_LATER || k->type == CONF_REFUSED)
			continue;
		if (section != NULL && strcmp(section->path, "notify") == 0 &&
		    !conf_notify_uses(base, name))
			continue;
		at = path[0] != '\0' ? xasprintf("%s.%s", path, name)
				     : xstrdup(name);
		if (k->type == CONF_SECTION) {
			add_line(d, name, "", "");
			d->indent += 2;
			dump_section(d, k, value, at);
			d->indent -= 2;
		} else if (k->item != NULL) {
			dump_items(d, k, at);
		} else {
			dump_field(d, k, base, at);
		}
		free(at);
	}
}

static void
dump_section(struct dump *d, const struct conf_key *k, const void *base,
	     const char *path)
{
	dump_keys(d, k, base, path);
	if (k != NULL && k->like != NULL)
		dump_keys(d, conf_key_get(k->like), base, path);
}

int
conf_dump(const struct conf *c, struct buf *out)
{
	const char *slash = strrchr(c->path, '/');
	struct dump d = {
		.conf = c,
		.out = out,
		.file = slash != NULL ? slash + 1 : c->path,
	};

	buf_addf(out, "# dslatd %s, effective configuration of ", conf_version);
	for (const char *s = c->path; *s != '\0'; s++)
		buf_add(out, (unsigned char)*s < ' ' ? "?" : s, 1);
	buf_addc(out, '\n');
	dump_section(&d, NULL, c, "");
	return out->full ? -1 : 0;
}
