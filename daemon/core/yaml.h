/*
 * yaml.h - YAML bytes in, a tree with the place of every node out.
 *
 * The subset of YAML 1.2 that a configuration needs: mappings with words as
 * keys, lists, scalars; no aliases, tags or second document (each refused with
 * its cure).  Every scalar is text: what a number is, the reader knows.
 * Duplicate keys are faults.  A tree belongs to the caller.  Pure; one thread
 * at a time.
 */
#ifndef DSLAT_YAML_H
#define DSLAT_YAML_H

#include "dslat/faults.h"

#define YAML_DEPTH_MAX 16

enum yaml_kind {
	YAML_NULL, /* nothing, ~ or null */
	YAML_TEXT,
	YAML_LIST,
	YAML_MAP,
};

struct map;

struct yaml_node {
	enum yaml_kind kind;
	bool is_cut;        /* its end is behind a syntax fault */
	struct mark at;     /* where it starts; of nothing: its key's place */
	char *key;          /* NULL unless in a mapping; owned */
	struct mark key_at; /* in a list: the same as at */
	char *text;         /* of YAML_TEXT; owned */
	struct yaml_node *first, *last, *next; /* children, sibling; owned */
	struct map *keys; /* children of a mapping by key */
	const void *hint; /* free for the reader's use */
};

struct yaml_tree {
	struct yaml_node *root; /* NULL when there is nothing but comments */
	bool is_whole;          /* false: broken, and cut at the fault */
};

/* text need not be NUL-terminated. */
void yaml_parse(const char *text, size_t len, struct faults *f,
		struct yaml_tree *t_r);
void yaml_tree_fini(struct yaml_tree *t);
/* NULL when the mapping has no such key, or n is no mapping. */
const struct yaml_node *yaml_find(const struct yaml_node *n, const char *key);

#endif
