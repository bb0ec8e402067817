/*
 * xml.h - XML read while it arrives, against a table of the elements wanted.
 *
 * The only module that knows libxml2.  A table of nodes says which elements
 * matter below which; all else is skipped without a copy.  Names are local
 * names: prefixes are the server's choice.  A node without children is a leaf,
 * whose text is collected and handed to close().
 *
 * Hostile input: a DTD is refused (so no entity but the five predefined ones
 * exists), nothing is loaded from anywhere, the text is UTF-8 whatever its
 * declaration says, depth, number of elements and length of a text are limited.  Errors: ERR_PROTO, ERR_LIMIT, or what a
 * callback sets.  Pure; one thread at a time.
 */
#ifndef DSLAT_XML_H
#define DSLAT_XML_H

#include "dslat/err.h"

struct xml;

struct xml_node {
	const char *name; /* "*" is any; NULL ends the table */
	unsigned id;      /* for the callbacks; 0: none are called */
	const struct xml_node *nodes; /* children; NULL: a leaf */
};

struct xml_ops {
	/* An element begins.  Attributes can be read during this call only.
	 * 0 go on, -1 stop with *e set.  May be NULL. */
	int (*open)(void *arg, struct xml *x, unsigned id, struct err *e);
	/* It ends.  text is NUL-terminated, "" unless it was a leaf, and valid
	 * during this call only.  May be NULL. */
	int (*close)(void *arg, unsigned id, const char *text, size_t len,
		     struct err *e);
};

/* Limits of one document; 0 takes the default. */
struct xml_limits {
	size_t max_elements;   /* 8,000,000 */
	size_t max_text_bytes; /* of one leaf: 1 MiB */
};
#define XML_MAX_DEPTH 128

/* root: the table for the document's root element.  ops are borrowed. */
struct xml *xml_new(const struct xml_node *root, const struct xml_ops *ops,
		    void *arg, const struct xml_limits *limits) must_check;
void xml_free(struct xml **x);

/* The next bytes.  After an error every call returns that error. */
int xml_feed(struct xml *x, const char *data, size_t len, struct err *e)
	must_check;
/* The document is over: -1 when it is not complete. */
int xml_finish(struct xml *x, struct err *e) must_check;

/* ---- within open() ---- */

/* Local name and namespace URI ("" for none) of the element. */
const char *xml_name(const struct xml *x);
const char *xml_namespace(const struct xml *x);
/*
 * The attribute `type` of XML Schema Instance without its value's prefix
 * ("vim25:HostPcieHba" -> "HostPcieHba"), and the plain attribute `type` of an
 * object reference.  "" when absent; borrowed until the next call of either.
 * They are names: a reference like &amp; in one is not resolved.
 */
const char *xml_xsi_type(struct xml *x);
const char *xml_type(struct xml *x);
/* Read the element's children by this table instead of the node's own. */
void xml_enter(struct xml *x, const struct xml_node *nodes);
/* The element does not matter: no more calls for it, close() included. */
void xml_skip(struct xml *x);

#endif
