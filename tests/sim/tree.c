#include "tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#define CHUNK_BYTES (256 * 1024)

struct tree_chunk {
	struct tree_chunk *next;
	size_t room;
	_Alignas(max_align_t) char data[];
};

static struct tree_chunk *
chunk_new(size_t room, struct tree_chunk *next)
{
	struct tree_chunk *c = xmalloc(sizeof(*c) + room);

	c->next = next;
	c->room = room;
	return c;
}

void
tree_init(struct tree *t)
{
	*t = (struct tree){ 0 };
}

void
tree_fini(struct tree *t)
{
	while (t->chunks != NULL) {
		struct tree_chunk *next = t->chunks->next;

		free(t->chunks);
		t->chunks = next;
	}
}

void
tree_reset(struct tree *t)
{
	struct tree_chunk *keep = t->chunks;

	if (keep == NULL)
		return;
	t->chunks = keep->next;
	tree_fini(t);
	keep->next = NULL;
	t->chunks = keep;
	t->used = 0;
}

static void *
arena_get(struct tree *t, size_t size)
{
	void *p;

	size = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	if (t->chunks == NULL || t->used + size > t->chunks->room) {
		t->chunks =
			chunk_new(MAX(size, (size_t)CHUNK_BYTES), t->chunks);
		t->used = 0;
	}
	p = t->chunks->data + t->used;
	t->used += size;
	return p;
}

static const char *
arena_text(struct tree *t, const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(arena_get(t, len), s, len);
}

static struct node *
node_new(struct tree *t)
{
	struct node *n = arena_get(t, sizeof(*n));

	memset(n, 0, sizeof(*n));
	return n;
}

struct node *
tree_root(struct tree *t, const char *type)
{
	struct node *n = node_new(t);

	n->type = schema_find(type);
	assert(n->type != NULL);
	return n;
}

static struct node *
add(struct tree *t, struct node *parent, const char *field)
{
	struct node *n = node_new(t);

	n->field = schema_field(parent->type, field, &parent->field_i);
	if (n->field == NULL) {
		fprintf(stderr, "dslat-sim: %s has no field %s here\n",
			parent->type->name, field);
		abort();
	}
	if (!n->field->is_array)
		parent->field_i++;
	if (parent->last != NULL)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

struct node *
tree_obj(struct tree *t, struct node *parent, const char *field,
	 const char *type)
{
	struct node *n = add(t, parent, field);

	n->type = type != NULL ? schema_find(type) : n->field->type;
	assert(n->type != NULL);
	return n;
}

void
tree_str(struct tree *t, struct node *parent, const char *field, const char *s)
{
	if (s != NULL)
		add(t, parent, field)->text = arena_text(t, s);
}

void
tree_strf(struct tree *t, struct node *parent, const char *field,
	  const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tree_str(t, parent, field, text);
}

void
tree_int(struct tree *t, struct node *parent, const char *field, int64_t v)
{
	tree_strf(t, parent, field, "%" PRId64, v);
}

void
tree_bool(struct tree *t, struct node *parent, const char *field, bool v)
{
	add(t, parent, field)->text = v ? "true" : "false";
}

void
tree_ref(struct tree *t, struct node *parent, const char *field,
	 const char *type, const char *id)
{
	struct node *n;

	if (id == NULL)
		return;
	n = add(t, parent, field);
	n->ref_type = type;
	n->text = arena_text(t, id);
}

/* The step of a path in front of '.', copied; the rest or NULL. */
static const char *
path_step(const char *path, char step[64])
{
	size_t len = strcspn(path, ".");

	snprintf(step, 64, "%.*s", (int)MIN(len, (size_t)63), path);
	return path[len] == '.' ? path + len + 1 : NULL;
}

enum tree_path
tree_check_path(const struct schema_type *t, const char *path, uint32_t version)
{
	char step[64];

	while (path != NULL) {
		const struct schema_field *f;

		path = path_step(path, step);
		f = t != NULL ? schema_field(t, step, NULL) : NULL;
		if (f == NULL || f->since > version)
			return TREE_PATH_UNKNOWN;
		if (path != NULL && (f->is_array || f->kind != SCHEMA_DATA))
			return TREE_PATH_UNKNOWN;
		t = f->type;
	}
	return TREE_PATH_OK;
}

struct tree_pick
tree_pick(const struct node *root, const char *path)
{
	struct tree_pick p = { 0 };
	const struct schema_type *t = root->type;
	const struct node *at = root;
	char step[64];

	while (path != NULL) {
		const struct node *n = at != NULL ? at->first : NULL;

		path = path_step(path, step);
		p.field = t != NULL ? schema_field(t, step, NULL) : NULL;
		if (p.field == NULL)
			return p;
		while (n != NULL && strcmp(n->field->name, step) != 0)
			n = n->next;
		at = n;
		/* A subclass may have more fields than the declared type. */
		t = n != NULL && n->type != NULL ? n->type : p.field->type;
	}
	p.first = at;
	return p;
}

static bool
is_simple(const struct schema_field *f)
{
	return f->kind == SCHEMA_SIMPLE;
}

/* The xsi:type of a value, as written where the declared type says nothing. */
static void
add_type(struct buf *out, const struct node *n, const struct schema_type *shown)
{
	buf_adds(out, " xsi:type=\"");
	if (shown != NULL)
		buf_adds(out, shown->name);
	else if (n->ref_type != NULL)
		buf_adds(out, "ManagedObjectReference");
	else if (n->simple_type != NULL)
		buf_addf(out, "xsd:%s", n->simple_type);
	else if (is_simple(n->field))
		buf_addf(out, "xsd:%s", n->field->type_name);
	else
		buf_adds(out, n->field->type_name);
	buf_addc(out, '"');
}

static void
render_node(struct buf *out, const char *tag, const struct node *n,
	    bool with_type, uint32_t version)
{
	const struct schema_type *shown =
		n->type != NULL ? schema_known(n->type, version) : NULL;

	buf_addc(out, '<');
	buf_adds(out, tag);
	if (n->ref_type != NULL) {
		buf_adds(out, " type=\"");
		buf_adds(out, n->ref_type);
		buf_addc(out, '"');
	}
	if (with_type || n->simple_type != NULL ||
	    (shown != NULL && n->field != NULL && shown != n->field->type))
		add_type(out, n, shown);
	buf_addc(out, '>');
	if (n->text != NULL)
		buf_add_xml(out, n->text);
	assert(n->first == NULL || (n->type != NULL && shown != NULL));
	for (const struct node *c = n->first; c != NULL; c = c->next) {
		/* Fields are flattened base first, so a base has a prefix. */
		size_t i = (size_t)(c->field - n->type->fields);

		if (i < shown->n_fields && c->field->since <= version)
			render_node(out, c->field->name, c, false, version);
	}
	buf_adds(out, "</");
	buf_adds(out, tag);
	buf_addc(out, '>');
}

static void
render_array(struct buf *out, const char *tag, const struct tree_pick *p,
	     uint32_t version)
{
	const struct schema_field *f = p->field;
	const char *item =
		f->kind == SCHEMA_REF ? "ManagedObjectReference" : f->type_name;

	buf_addf(out, "<%s xsi:type=\"ArrayOf", tag);
	if (is_simple(f)) {
		buf_addc(out, (char)(item[0] - 'a' + 'A'));
		buf_adds(out, item + 1);
	} else {
		buf_adds(out, item);
	}
	buf_adds(out, "\">");
	for (const struct node *n = p->first; n != NULL && n->field == f;
	     n = n->next)
		render_node(out, item, n, true, version);
	buf_addf(out, "</%s>", tag);
}

void
tree_render(struct buf *out, const char *tag, const struct tree_pick *p,
	    const char *path, uint32_t version)
{
	if (p->field == NULL)
		return;
	if (p->field->is_array) {
		if (p->first != NULL || strchr(path, '.') == NULL)
			render_array(out, tag, p, version);
		return;
	}
	if (p->first != NULL)
		render_node(out, tag, p->first, true, version);
}

void
tree_render_one(struct buf *out, const char *tag, const struct node *n,
		uint32_t version)
{
	render_node(out, tag, n, false, version);
}
