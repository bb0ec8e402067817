#include "yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "dslat/utf8.h"

#define SHOWN_MAX 40 /* bytes of the file repeated in a message */
#define INVALID_ALIAS "invalid alias"
#define NOT_CLOSED "without a closing bracket"

/* What libfyaml says, by a part of it, and what a person should read. */
static const struct {
	const char *part, *text;
} cures[] = {
	{ INVALID_ALIAS,
	  "an unquoted \"*\" starts an alias in YAML; "
	  "quote the pattern: \"*\"" },
	{ " tab ", "a tab in the indentation; use spaces" },
	{ "tab character", "a tab in the indentation; use spaces" },
	{ "invalid tab", "a tab in the indentation; use spaces" },
	{ "plain scalar cannot start",
	  "a value cannot start with this character; quote the value" },
	{ "invalid nested block mapping",
	  "a second colon in one line; quote the value" },
	{ "invalid value after mapping",
	  "text behind a closing bracket; quote the whole value" },
	{ NOT_CLOSED, "a bracket is not closed; add the missing \"]\"" },
	{ "missing comma",
	  "a comma or closing bracket is missing; "
	  "quote values that hold brackets or commas" },
	{ "extra closing",
	  "a closing bracket without its opening one; "
	  "remove it, or quote the value" },
	{ "invalid escape",
	  "unknown escape in double quotes; write \\\\ for a backslash, "
	  "or use single quotes" },
	{ "scalar has invalid",
	  "unknown escape in double quotes; write \\\\ for a backslash, "
	  "or use single quotes" },
	{ "-quoted scalar", "a quote is not closed; add the missing quote" },
	{ "without closing quote",
	  "a quote is not closed; add the missing quote" },
	{ "invalid trailing content",
	  "text behind a closing quote; quote the whole value" },
	{ "block sequence on the same line",
	  "a list cannot start on this line; "
	  "put its \"- \" on the next one, indented" },
	{ "indentation",
	  "wrong indentation; the keys of one mapping start in one column" },
	{ "expected key",
	  "wrong indentation; the keys of one mapping start in one column" },
	{ "plain multiline",
	  "wrong indentation; the keys of one mapping start in one column" },
	{ "indented",
	  "wrong indentation; the keys of one mapping start in one column" },
	{ "expected ':'", "a key without a colon behind it; add it" },
};

struct builder {
	struct faults *faults;
	struct yaml_tree *tree;
	struct yaml_node *open[YAML_DEPTH_MAX]; /* mappings and lists */
	size_t depth;
	struct yaml_node *pair;   /* its key is read, its value is not */
	struct yaml_node *closed; /* by the last event */
	bool has_document;
	bool is_broken;
};

static void
node_free(struct yaml_node *n)
{
	while (n != NULL) {
		struct yaml_node *next = n->next;

		node_free(n->first);
		map_free(&n->keys);
		free(n->key);
		free(n->text);
		free(n);
		n = next;
	}
}

void
yaml_tree_fini(struct yaml_tree *t)
{
	node_free(t->root);
	t->root = NULL;
}

const struct yaml_node *
yaml_find(const struct yaml_node *n, const char *key)
{
	return n->keys != NULL ? map_find_str(n->keys, key) : NULL;
}

static struct mark
mark_of(const struct fy_mark *m, struct mark otherwise)
{
	if (m == NULL)
		return otherwise;
	return (struct mark){ m->line + 1, m->column + 1 };
}

/* ---- is it text at all ------------------------------------------------ */

static bool
is_control(uint32_t cp)
{
	return (cp < ' ' && cp != '\t' && cp != '\n' && cp != '\r') ||
		(cp >= 0x7f && cp <= 0x9f && cp != 0x85);
}

static int
check_text(const char *s, size_t len, struct faults *f)
{
	struct mark at = { 1, 1 };

	if (strncmp(s, "\xff\xfe", 2) == 0 || strncmp(s, "\xfe\xff", 2) == 0) {
		fault_add(f, at, "UTF-16 text; save the file as UTF-8");
		return -1;
	}
	while (*s != '\0') {
		uint32_t cp;
		bool valid;
		size_t n = utf8_next(s, &cp, &valid);

		if (!valid || is_control(cp))
			break;
		s += n;
		len -= n;
		at.column++;
		if (cp == '\n')
			at = (struct mark){ at.line + 1, 1 };
	}
	if (len == 0)
		return 0;
	fault_add(f, at,
		  "byte 0x%02x is not UTF-8 text; name the YAML file itself, "
		  "or save it as UTF-8",
		  (unsigned)(unsigned char)*s);
	return -1;
}

/* ---- the tree ---------------------------------------------------------- */

/* The node for the value that comes now; NULL when it is not wanted. */
static struct yaml_node *
add_node(struct builder *b, struct mark at)
{
	struct yaml_node *n = b->pair, *parent;

	if (n != NULL) {
		b->pair = NULL;
		if (at.line > 0)
			n->at = at;
		return n;
	}
	n = xcalloc(1, sizeof(*n));
	n->at = n->key_at = at;
	if (b->depth == 0) {
		assert(b->tree->root == NULL);
		b->tree->root = n;
		return n;
	}
	parent = b->open[b->depth - 1];
	if (parent->last != NULL)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

static bool
wants_key(const struct builder *b)
{
	return b->depth > 0 && b->pair == NULL &&
		b->open[b->depth - 1]->kind == YAML_MAP;
}

static char *
token_text(struct fy_token *t)
{
	size_t len = 0;
	const char *s = t != NULL ? fy_token_get_text(t, &len) : NULL;

	return xstrndup(s != NULL ? s : "", s != NULL ? len : 0);
}

static void
add_key(struct builder *b, struct fy_token *t, struct mark at)
{
	struct yaml_node *map = b->open[b->depth - 1], *first;
	char *key = token_text(t);

	first = map_find_str(map->keys, key);
	b->pair = add_node(b, at);
	b->pair->key = key;
	if (first == NULL) {
		map_set(map->keys, key, b->pair);
		return;
	}
	fault_add(b->faults, at,
		  "\"%.*s\" is here twice, first in line %d; remove one",
		  SHOWN_MAX, key, first->key_at.line);
}

static void
add_scalar(struct builder *b, struct fy_event *e, struct mark at)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
	struct fy_token *t = e->scalar.value;
	enum fy_scalar_style style;
	struct yaml_node *n;
	bool is_null = t == NULL;

	style = t != NULL ? fy_token_scalar_style(t) : FYSS_PLAIN;
	if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
		at.column--; /* it points behind the quote */
	if (wants_key(b)) {
		add_key(b, t, at);
		return;
	}
	n = add_node(b, at);
	if (t != NULL && style == FYSS_PLAIN) {
		size_t len;
		const char *s = fy_token_get_text(t, &len);

		for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
			if (len == strlen(nulls[i]) &&
			    memcmp(s, nulls[i], len) == 0)
				is_null = true;
	}
	if (is_null)
		return;
	n->kind = YAML_TEXT;
	n->text = token_text(t);
}

static void
start(struct builder *b, enum yaml_kind kind, struct mark at)
{
	struct yaml_node *n;

	if (wants_key(b)) {
		fault_add(b->faults, at, "a key must be a word");
		b->is_broken = true;
		return;
	}
	if (b->depth == YAML_DEPTH_MAX) {
		fault_add(b->faults, at, "nested deeper than %d levels",
			  YAML_DEPTH_MAX);
		b->is_broken = true;
		return;
	}
	n = add_node(b, at);
	n->kind = kind;
	if (kind == YAML_MAP)
		n->keys = map_new();
	b->open[b->depth++] = n;
}

static void
end(struct builder *b)
{
	assert(b->depth > 0);
	b->closed = b->open[--b->depth];
	b->pair = NULL;
}

/* Taken for the text it was meant to be, so that one slip is one fault. */
static void
add_alias(struct builder *b, struct fy_event *e, struct mark at)
{
	char *name = token_text(e->alias.anchor);
	struct yaml_node *n;

	at.column--; /* it points behind the star */
	fault_add(b->faults, at,
		  "an unquoted \"*\" starts an alias in YAML; "
		  "quote the pattern: \"*%.*s\"",
		  SHOWN_MAX, name);
	if (wants_key(b)) {
		add_key(b, e->alias.anchor, at);
	} else {
		n = add_node(b, at);
		n->kind = YAML_TEXT;
		n->text = xasprintf("*%s", name);
	}
	free(name);
}

static void
check_document(struct builder *b, struct mark at)
{
	if (b->has_document) {
		fault_add(b->faults, at,
			  "a second document; remove the \"---\"");
		b->is_broken = true;
	}
	b->has_document = true;
}

static void
check_tag(struct builder *b, struct fy_event *e, struct mark at)
{
	struct fy_token *tag = fy_event_get_tag_token(e);

	if (tag == NULL)
		return;
	fault_add(b->faults, mark_of(fy_token_start_mark(tag), at),
		  "an unquoted \"!\" starts a tag in YAML; "
		  "remove it, or quote the value");
}

static void
on_event(struct builder *b, struct fy_event *e)
{
	struct mark at = { 0 };

	/* What is not there has no place of its own. */
	if (b->pair != NULL)
		at = b->pair->key_at;
	else if (b->depth > 0)
		at = b->open[b->depth - 1]->at;
	at = mark_of(fy_event_start_mark(e), at);
	b->closed = NULL;
	switch (e->type) {
	case FYET_DOCUMENT_START:
		check_document(b, at);
		break;
	case FYET_MAPPING_START:
		check_tag(b, e, at);
		start(b, YAML_MAP, at);
		break;
	case FYET_SEQUENCE_START:
		check_tag(b, e, at);
		start(b, YAML_LIST, at);
		break;
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		end(b);
		break;
	case FYET_SCALAR:
		check_tag(b, e, at);
		add_scalar(b, e, at);
		break;
	case FYET_ALIAS:
		add_alias(b, e, at);
		break;
	case FYET_NONE:
	case FYET_STREAM_START:
	case FYET_STREAM_END:
	case FYET_DOCUMENT_END:
		break;
	}
}

/* ---- libfyaml's own faults --------------------------------------------- */

/* Its texts may repeat a part of the file between quotes: only one character
 * of that is passed on. */
static void
add_syntax_fault(struct builder *b, const struct fy_diag_error *e)
{
	const struct yaml_node *in =
		b->depth > 0 ? b->open[b->depth - 1] : NULL;
	struct mark at = { e->line, e->column };
	const char *quote = strchr(e->msg, '\'');
	size_t len = strlen(e->msg);

	for (size_t i = 0; i < ARRAY_SIZE(cures); i++) {
		if (strstr(e->msg, cures[i].part) == NULL)
			continue;
		if (strcmp(cures[i].part, INVALID_ALIAS) == 0)
			at.column--; /* it points behind the star */
		/* That it is not closed shows at the end of the file only. */
		if (strcmp(cures[i].part, NOT_CLOSED) == 0 && in != NULL)
			at = in->at;
		fault_add(b->faults, at, "%s", cures[i].text);
		return;
	}
	if (quote != NULL)
		len = (size_t)(quote - e->msg);
	fault_add(b->faults, at, "%.*s; this is not YAML", (int)len, e->msg);
}

static void
add_syntax_faults(struct builder *b, struct fy_diag *diag)
{
	const struct fy_diag_error *e;
	size_t before = b->faults->n_errors;
	void *i = NULL;

	while ((e = fy_diag_errors_iterate(diag, &i)) != NULL)
		add_syntax_fault(b, e);
	if (b->faults->n_errors == before)
		fault_add(b->faults, (struct mark){ 0 }, "this is not YAML");
}

static void
parse(struct builder *b, const char *text, size_t len)
{
	struct fy_diag_cfg diag_cfg = { .level = FYET_ERROR };
	struct fy_parse_cfg cfg = {
		.flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
			FYPCF_ALLOW_DUPLICATE_KEYS,
	};
	struct fy_parser *p;
	struct fy_event *e;

	/* Collected, not printed: its print would show the source line. */
	diag_cfg.module_mask = ~0u;
	cfg.diag = fy_diag_create(&diag_cfg);
	if (cfg.diag != NULL)
		fy_diag_set_collect_errors(cfg.diag, true);
	p = fy_parser_create(&cfg);
	assert(cfg.diag != NULL && p != NULL); /* out of memory */
	if (fy_parser_set_string(p, text, len) != 0)
		b->is_broken = true;
	while (!b->is_broken && (e = fy_parser_parse(p)) != NULL) {
		on_event(b, e);
		fy_parser_event_free(p, e);
	}
	if (fy_parser_get_stream_error(p)) {
		add_syntax_faults(b, cfg.diag);
		b->is_broken = true;
	}
	fy_parser_destroy(p);
	fy_diag_destroy(cfg.diag);
}

void
yaml_parse(const char *text, size_t len, struct faults *f,
	   struct yaml_tree *t_r)
{
	struct builder b = { .faults = f, .tree = t_r };
	char *copy = xstrndup(text, len);

	*t_r = (struct yaml_tree){ .root = NULL };
	if (check_text(copy, len, f) == 0) {
		parse(&b, copy, len);
		t_r->is_whole = !b.is_broken;
		while (b.is_broken && b.depth > 0)
			b.open[--b.depth]->is_cut = true;
		if (b.is_broken && b.closed != NULL)
			b.closed->is_cut = true;
	}
	free(copy);
}
