#include "xml.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/buf.h"
#include "dslat/mem.h"

#define XSI_NS "http://www.w3.org/2001/XMLSchema-instance"
#define DEFAULT_MAX_ELEMENTS ((size_t)8000000)
#define DEFAULT_MAX_TEXT_BYTES ((size_t)1 << 20)
#define FEED_BYTES ((size_t)1 << 20) /* libxml2 counts in int */

/* An open element that is in a table. */
struct frame {
	unsigned id;
	const struct xml_node *nodes; /* of its children; NULL: a leaf */
};

struct xml {
	xmlParserCtxtPtr ctxt;
	const struct xml_ops *ops;
	void *arg;
	struct xml_limits limits;
	struct err err; /* code not ERR_NONE: stopped */
	size_t n_elements;
	/* frames[0] stands for the document; frames[depth] is the innermost
	 * open element of a table, below which `skipped` more are open. */
	struct frame frames[XML_MAX_DEPTH + 1];
	unsigned depth, skipped;
	struct buf text; /* of the leaf that is open */

	/* Of the element that begins, during open(). */
	const xmlChar *name, *uri;
	const xmlChar **attrs; /* five pointers each */
	size_t n_attrs;
	bool skip;
	char type[256];
};

static void
stop(struct xml *x)
{
	assert(x->err.code != ERR_NONE);
	xmlStopParser(x->ctxt);
}

static const struct xml_node *
find_node(const struct xml_node *n, const char *name)
{
	if (n == NULL)
		return NULL;
	for (; n->name != NULL; n++)
		if ((n->name[0] == name[0] && strcmp(n->name, name) == 0) ||
		    (n->name[0] == '*' && n->name[1] == '\0'))
			return n;
	return NULL;
}

static int
count_element(struct xml *x)
{
	if (++x->n_elements > x->limits.max_elements)
		return err_set(&x->err, ERR_LIMIT,
			       "the answer has more than %zu XML elements",
			       x->limits.max_elements);
	if (x->depth + x->skipped >= XML_MAX_DEPTH)
		return err_set(&x->err, ERR_LIMIT,
			       "XML elements are nested more than %d deep",
			       XML_MAX_DEPTH);
	return 0;
}

static void
/* libxml2 wants all these: NOLINTNEXTLINE(readability-function-size) */
on_start(void *ctx, const xmlChar *name, const xmlChar *prefix unused,
	 const xmlChar *uri, int n_ns unused, const xmlChar **ns unused,
	 int n_attrs, int n_default unused, const xmlChar **attrs)
{
	struct xml *x = ctx;
	const struct xml_node *n;
	struct frame *f;

	if (x->err.code != ERR_NONE)
		return;
	if (count_element(x) != 0) {
		stop(x);
		return;
	}
	n = x->skipped != 0
		? NULL
		: find_node(x->frames[x->depth].nodes, (const char *)name);
	if (n == NULL) {
		x->skipped++;
		return;
	}
	f = &x->frames[++x->depth];
	*f = (struct frame){ n->id, n->nodes };
	if (n->id != 0 && x->ops->open != NULL) {
		x->name = name;
		x->uri = uri;
		x->attrs = attrs;
		x->n_attrs = (size_t)n_attrs;
		x->skip = false;
		if (x->ops->open(x->arg, x, n->id, &x->err) != 0) {
			stop(x);
			return;
		}
		if (x->skip) {
			x->depth--;
			x->skipped++;
			return;
		}
	}
	if (f->nodes == NULL)
		buf_reset(&x->text);
}

static void
on_end(void *ctx, const xmlChar *name unused, const xmlChar *prefix unused,
       const xmlChar *uri unused)
{
	struct xml *x = ctx;
	const struct frame *f;
	bool leaf;

	if (x->err.code != ERR_NONE)
		return;
	if (x->skipped != 0) {
		x->skipped--;
		return;
	}
	f = &x->frames[x->depth--];
	if (f->id == 0 || x->ops->close == NULL)
		return;
	leaf = f->nodes == NULL;
	if (x->ops->close(x->arg, f->id, leaf ? buf_str(&x->text) : "",
			  leaf ? x->text.len : 0, &x->err) != 0)
		stop(x);
}

static void
on_text(void *ctx, const xmlChar *s, int len)
{
	struct xml *x = ctx;

	if (x->err.code != ERR_NONE || x->skipped != 0 || x->depth == 0 ||
	    x->frames[x->depth].nodes != NULL)
		return;
	if (buf_add(&x->text, s, (size_t)len) != 0) {
		err_set(&x->err, ERR_LIMIT,
			"an XML text is longer than %zu bytes",
			x->limits.max_text_bytes);
		stop(x);
	}
}

/* A DOCTYPE: no vSphere answer has one, and entities come from there. */
static void
on_doctype(void *ctx, const xmlChar *name unused, const xmlChar *public unused,
	   const xmlChar *system unused)
{
	struct xml *x = ctx;

	if (x->err.code != ERR_NONE)
		return;
	err_set(&x->err, ERR_PROTO,
		"the answer has a document type declaration");
	stop(x);
}

/* What goes wrong below the parser (encodings) would be printed otherwise. */
static void printf_like(2, 3)
	print_nothing(void *ctx unused, const char *fmt unused, ...)
{
}

struct xml *
xml_new(const struct xml_node *root, const struct xml_ops *ops, void *arg,
	const struct xml_limits *limits)
{
	struct xml *x = xcalloc(1, sizeof(*x));
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.internalSubset = on_doctype,
		.externalSubset = on_doctype,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
	};

	x->ops = ops;
	x->arg = arg;
	x->limits = *limits;
	if (x->limits.max_elements == 0)
		x->limits.max_elements = DEFAULT_MAX_ELEMENTS;
	if (x->limits.max_text_bytes == 0)
		x->limits.max_text_bytes = DEFAULT_MAX_TEXT_BYTES;
	x->frames[0].nodes = root;
	buf_init(&x->text, x->limits.max_text_bytes);
	xmlSetGenericErrorFunc(NULL, print_nothing);
	x->ctxt = xmlCreatePushParserCtxt(&sax, x, NULL, 0, NULL);
	assert(x->ctxt != NULL); /* it fails for want of memory only */
	xmlCtxtUseOptions(x->ctxt,
			  XML_PARSE_NONET | XML_PARSE_NOERROR |
				  XML_PARSE_NOWARNING | XML_PARSE_IGNORE_ENC);
	return x;
}

void
xml_free(struct xml **xp)
{
	struct xml *x = *xp;

	if (x == NULL)
		return;
	xmlFreeParserCtxt(x->ctxt);
	buf_fini(&x->text);
	free(x);
	*xp = NULL;
}

/* What libxml2 holds against the document, unless a callback spoke first; rc
 * is what xmlParseChunk() returned. */
static int
verdict(struct xml *x, int rc, struct err *e)
{
	const xmlError *why;

	if (x->err.code == ERR_NONE && !x->ctxt->wellFormed) {
		why = xmlCtxtGetLastError(x->ctxt);
		err_set(&x->err, ERR_PROTO, "not well-formed XML: line %d: %s",
			why != NULL ? why->line : 0,
			why != NULL && why->message != NULL ? why->message
							    : "unknown");
		for (size_t n = strlen(x->err.text);
		     n > 0 && x->err.text[n - 1] == ' '; n--)
			x->err.text[n - 1] = '\0';
	}
	if (x->err.code == ERR_NONE && rc < 0)
		err_set(&x->err, ERR_PROTO, "XML in an encoding that fails");
	if (x->err.code == ERR_NONE)
		return 0;
	*e = x->err;
	return -1;
}

int
xml_feed(struct xml *x, const char *data, size_t len, struct err *e)
{
	int rc;

	for (size_t n; x->err.code == ERR_NONE && len != 0;
	     data += n, len -= n) {
		n = MIN(len, FEED_BYTES);
		rc = xmlParseChunk(x->ctxt, data, (int)n, 0);
		if (verdict(x, rc, e) != 0)
			return -1;
	}
	return verdict(x, 0, e);
}

int
xml_finish(struct xml *x, struct err *e)
{
	int rc = 0;

	if (x->err.code == ERR_NONE) {
		rc = xmlParseChunk(x->ctxt, NULL, 0, 1);
		if (x->err.code == ERR_NONE && x->n_elements == 0)
			err_set(&x->err, ERR_PROTO, "no XML document");
		else if (x->err.code == ERR_NONE && x->depth + x->skipped != 0)
			err_set(&x->err, ERR_PROTO,
				"the XML document ends too early");
	}
	return verdict(x, rc, e);
}

const char *
xml_name(const struct xml *x)
{
	return (const char *)x->name;
}

const char *
xml_namespace(const struct xml *x)
{
	return x->uri != NULL ? (const char *)x->uri : "";
}

/* The attribute `type` of that namespace (NULL: of none), copied. */
static const char *
attr_type(struct xml *x, const char *ns, bool strip_prefix)
{
	const char *from, *to;

	x->type[0] = '\0';
	for (size_t i = 0; i < x->n_attrs; i++) {
		const xmlChar **a = &x->attrs[5 * i];
		const char *uri = (const char *)a[2];

		if (strcmp((const char *)a[0], "type") != 0 ||
		    (ns == NULL ? uri != NULL
				: uri == NULL || strcmp(uri, ns) != 0))
			continue;
		from = (const char *)a[3];
		to = (const char *)a[4];
		for (const char *s = from; strip_prefix && s < to; s++)
			if (*s == ':')
				from = s + 1;
		if ((size_t)(to - from) < sizeof(x->type)) {
			memcpy(x->type, from, (size_t)(to - from));
			x->type[to - from] = '\0';
		}
		break;
	}
	return x->type;
}

const char *
xml_xsi_type(struct xml *x)
{
	return attr_type(x, XSI_NS, true);
}

const char *
xml_type(struct xml *x)
{
	return attr_type(x, NULL, false);
}

void
xml_enter(struct xml *x, const struct xml_node *nodes)
{
	assert(nodes != NULL);
	x->frames[x->depth].nodes = nodes;
}

void
xml_skip(struct xml *x)
{
	x->skip = true;
}
