#include "props.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#define RETRIEVE "RetrievePropertiesEx"
#define CONTINUE "ContinueRetrievePropertiesEx"
#define CANCEL "CancelRetrievePropertiesEx"
/* A host's LUNs bring hundreds of elements each; the size of the transfer is
 * what bounds an answer. */
#define PROPS_MAX_ELEMENTS ((size_t)50000000)

/* ---- requests ---- */

static void
write_end(struct buf *b, unsigned max_objects)
{
	buf_adds(b, "</objectSet></specSet>");
	if (max_objects != 0)
		buf_addf(b, "<options><maxObjects>%u</maxObjects></options>",
			 max_objects);
	else
		buf_adds(b, "<options/>"); /* not optional */
	soap_end(b, RETRIEVE);
}

/* One propSet per type, in the order of the rows. */
static void
write_prop_sets(struct buf *b, const struct props_row *rows, unsigned pass)
{
	const char *type = NULL;

	for (; rows->type != NULL; rows++) {
		if ((rows->pass & pass) == 0)
			continue;
		if (type == NULL || strcmp(type, rows->type) != 0) {
			if (type != NULL)
				buf_adds(b, "</propSet>");
			buf_adds(b, "<propSet>");
			soap_text(b, "type", rows->type);
			type = rows->type;
		}
		soap_text(b, "pathSet", rows->path);
	}
	if (type != NULL)
		buf_adds(b, "</propSet>");
}

static void
write_begin(struct buf *b, const char *collector, const struct props_row *rows,
	    unsigned pass)
{
	soap_begin(b, RETRIEVE, "PropertyCollector", collector);
	buf_adds(b, "<specSet>");
	write_prop_sets(b, rows, pass);
	buf_adds(b, "<objectSet>");
}

void
props_write_view(struct buf *b, const char *collector, const char *view,
		 const struct props_row *rows, unsigned pass,
		 unsigned max_objects)
{
	write_begin(b, collector, rows, pass);
	soap_moref(b, "obj", "ContainerView", view);
	buf_adds(b,
		 "<skip>true</skip>"
		 "<selectSet xsi:type=\"TraversalSpec\"><name>view</name>"
		 "<type>ContainerView</type><path>view</path>"
		 "<skip>false</skip></selectSet>");
	write_end(b, max_objects);
}

void
props_write_object(struct buf *b, const char *collector, const char *type,
		   const char *moref, const struct props_row *rows,
		   unsigned pass)
{
	write_begin(b, collector, rows, pass);
	soap_moref(b, "obj", type, moref);
	write_end(b, 0);
}

void
props_write_next(struct buf *b, const char *collector, const char *token)
{
	soap_begin(b, CONTINUE, "PropertyCollector", collector);
	soap_text(b, "token", token);
	soap_end(b, CONTINUE);
}

void
props_write_cancel(struct buf *b, const char *collector, const char *token)
{
	soap_begin(b, CANCEL, "PropertyCollector", collector);
	soap_text(b, "token", token);
	soap_end(b, CANCEL);
}

/* ---- answers ---- */

enum {
	P_OBJECT = SOAP_ID_FIRST / 2,
	P_PROP,
	P_TOKEN,
	P_MOREF,
	P_NAME,
	P_VALUE,
	P_PATH,
	P_FAULT,
	P_FAULT_TEXT,
	P_MISSING,
};

struct props {
	const struct props_row *rows;
	const struct props_sink *sink;
	void *arg;
	char *token;
	size_t n_objects;
	/* the object being read */
	char type[64];
	bool known;                  /* its moref came */
	const struct props_row *row; /* of the property; NULL: not ours */
	char path[256];
	struct soap_fault fault;
};

static const struct xml_node fault_wrap[] = {
	{ "fault", P_FAULT, soap_fault_nodes },
	{ "localizedMessage", P_FAULT_TEXT, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node missing_nodes[] = {
	{ "path", P_PATH, NULL },
	{ "fault", 0, fault_wrap },
	{ NULL, 0, NULL },
};
static const struct xml_node prop_nodes[] = {
	{ "name", P_NAME, NULL },
	{ "val", P_VALUE, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node object_nodes[] = {
	{ "propSet", P_PROP, prop_nodes },
	{ "obj", P_MOREF, NULL },
	{ "missingSet", P_MISSING, missing_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node page_nodes[] = {
	{ "objects", P_OBJECT, object_nodes },
	{ "token", P_TOKEN, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node answer_nodes[] = {
	{ "returnval", 0, page_nodes },
	{ NULL, 0, NULL },
};

static bool
copy(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);

	if (n >= size)
		n = 0;
	memcpy(to, from, n);
	to[n] = '\0';
	return n != 0;
}

/* The row of that type, or of another: a subclass brings the same paths. */
static const struct props_row *
find_row(const struct props *p, const char *path)
{
	const struct props_row *other = NULL;

	for (const struct props_row *r = p->rows; r->type != NULL; r++) {
		if (strcmp(r->path, path) != 0)
			continue;
		if (strcmp(r->type, p->type) == 0)
			return r;
		other = r;
	}
	return other;
}

static int
open_value(struct props *p, struct xml *x, struct err *e)
{
	if (p->row == NULL || !p->known) {
		xml_skip(x);
		return 0;
	}
	if (p->row->nodes == NULL)
		return 0;
	xml_enter(x, p->row->nodes);
	return p->sink->open != NULL ? p->sink->open(p->arg, x, p->row->id, e)
				     : 0;
}

static int
on_open(void *arg, struct xml *x, unsigned id, struct err *e)
{
	struct props *p = arg;

	switch (id) {
	case P_OBJECT:
		p->known = false;
		p->type[0] = '\0';
		return 0;
	case P_MOREF:
		copy(p->type, sizeof(p->type), xml_type(x));
		return 0;
	case P_PROP:
		p->row = NULL;
		return 0;
	case P_VALUE:
		return open_value(p, x, e);
	case P_MISSING:
		p->path[0] = '\0';
		p->fault = (struct soap_fault){ .type = "" };
		return 0;
	case P_FAULT:
		soap_fault_open(&p->fault, x);
		return 0;
	default:
		return id < P_OBJECT && p->sink->open != NULL
			? p->sink->open(p->arg, x, id, e)
			: 0;
	}
}

static int
end_object(struct props *p, struct err *e)
{
	if (!p->known)
		return 0;
	p->n_objects++;
	return p->sink->object_end != NULL ? p->sink->object_end(p->arg, e) : 0;
}

static int
end_value(struct props *p, const char *text, size_t len, struct err *e)
{
	return p->sink->value != NULL
		? p->sink->value(p->arg, p->row, text, len, e)
		: 0;
}

static int
end_missing(struct props *p, struct err *e)
{
	/* The session may be gone though the answer is HTTP 200. */
	if (strcmp(p->fault.type, "NotAuthenticated") == 0)
		return soap_fault_err(&p->fault, e);
	if (p->known && p->sink->missing != NULL)
		p->sink->missing(p->arg, p->path, &p->fault);
	return 0;
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len, struct err *e)
{
	struct props *p = arg;

	switch (id) {
	case P_OBJECT:
		return end_object(p, e);
	case P_TOKEN:
		if (len != 0)
			xstrset(&p->token, text);
		return 0;
	case P_MOREF:
		p->known = len != 0;
		return p->known && p->sink->object != NULL
			? p->sink->object(p->arg, p->type, text, e)
			: 0;
	case P_NAME:
		p->row = find_row(p, text);
		return 0;
	case P_VALUE:
		return end_value(p, text, len, e);
	case P_PATH:
		copy(p->path, sizeof(p->path), text);
		return 0;
	case P_FAULT_TEXT:
		soap_fault_text(&p->fault, text);
		return 0;
	case P_MISSING:
		return end_missing(p, e);
	default:
		if (id >= SOAP_ID_FIRST)
			soap_fault_close(&p->fault, id, text);
		else if (id < P_OBJECT && p->sink->close != NULL)
			return p->sink->close(p->arg, id, text, len, e);
		return 0;
	}
}

static void
props_free(void *arg)
{
	struct props *p = arg;

	if (p->sink->free != NULL)
		p->sink->free(p->arg);
	free(p->token);
	free(p);
}

static const struct answer_method retrieve_method = {
	.name = RETRIEVE,
	.nodes = answer_nodes,
	.limits = { .max_elements = PROPS_MAX_ELEMENTS },
	.open = on_open,
	.close = on_close,
	.free = props_free,
};
static const struct answer_method continue_method = {
	.name = CONTINUE,
	.nodes = answer_nodes,
	.limits = { .max_elements = PROPS_MAX_ELEMENTS },
	.open = on_open,
	.close = on_close,
	.free = props_free,
};
static const struct answer_method cancel_method = { .name = CANCEL };

struct answer *
props_answer(const struct props_row *rows, const struct props_sink *sink,
	     void *arg, bool next)
{
	struct props *p = xcalloc(1, sizeof(*p));

	p->rows = rows;
	p->sink = sink;
	p->arg = arg;
	return answer_new(next ? &continue_method : &retrieve_method, p);
}

static struct props *
props_of(const struct answer *r)
{
	return answer_is(r, &continue_method) ? answer_arg(r, &continue_method)
					      : answer_arg(r, &retrieve_method);
}

const char *
props_token(const struct answer *r)
{
	return props_of(r)->token;
}

size_t
props_objects(const struct answer *r)
{
	return props_of(r)->n_objects;
}

void *
props_arg(const struct answer *r, const struct props_sink *sink)
{
	struct props *p = props_of(r);

	assert(p->sink == sink);
	return p->arg;
}

struct answer *
props_cancel_answer(void)
{
	return answer_new(&cancel_method, NULL);
}
