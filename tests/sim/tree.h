/*
 * tree.h - a property value as a tree of typed nodes, on its way to XML.
 *
 * One tree per object and answer: builders fill it in the order of the schema
 * (asserted), a path picks a part, and rendering leaves out what the client's
 * API version does not know.  Nodes live in the tree's arena and die with it;
 * texts are copied.  One thread at a time.
 */
#ifndef SIM_TREE_H
#define SIM_TREE_H

#include "dslat/buf.h"
#include "schema.h"

struct node {
	const struct schema_type *type;   /* data objects; else NULL */
	const struct schema_field *field; /* NULL for the root */
	const char *ref_type;             /* references */
	const char *simple_type;          /* values of anyType: "string" ... */
	const char *text;
	struct node *first, *last, *next;
	size_t field_i; /* where the next child's field is searched from */
};

struct tree {
	struct tree_chunk *chunks;
	size_t used; /* bytes of the newest chunk */
};

void tree_init(struct tree *t);
void tree_fini(struct tree *t);
/* Drop all nodes, keep one chunk. */
void tree_reset(struct tree *t);

/* A root of a type of the schema (a managed object's type, too). */
struct node *tree_root(struct tree *t, const char *type);
/* A child data object; type NULL: as the field declares. */
struct node *tree_obj(struct tree *t, struct node *parent, const char *field,
		      const char *type);
/* s NULL: nothing is added. */
void tree_str(struct tree *t, struct node *parent, const char *field,
	      const char *s);
void tree_strf(struct tree *t, struct node *parent, const char *field,
	       const char *fmt, ...) printf_like(4, 5);
void tree_int(struct tree *t, struct node *parent, const char *field,
	      int64_t v);
void tree_bool(struct tree *t, struct node *parent, const char *field, bool v);
/* id NULL: nothing is added. */
void tree_ref(struct tree *t, struct node *parent, const char *field,
	      const char *type, const char *id);

/* Nodes of one path: a single value, or all elements of an array. */
struct tree_pick {
	const struct node *first;         /* NULL: unset */
	const struct schema_field *field; /* of the path's last step */
};

enum tree_path {
	TREE_PATH_OK,
	TREE_PATH_UNKNOWN, /* no such path in this version: InvalidProperty */
};

/* Check the path against the schema alone. */
enum tree_path tree_check_path(const struct schema_type *t, const char *path,
			       uint32_t version);
/* Walk from a root; the path was checked before. */
struct tree_pick tree_pick(const struct node *root, const char *path);

/* <tag xsi:type="...">value</tag>; nothing when unset, except that an array
 * property directly at the root gives an empty array. */
void tree_render(struct buf *out, const char *tag, const struct tree_pick *p,
		 const char *path, uint32_t version);
/* One data object as its declared type: no xsi:type. */
void tree_render_one(struct buf *out, const char *tag, const struct node *n,
		     uint32_t version);

#endif
