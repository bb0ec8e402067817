#include "soap.h"

#include <libxml/parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

const char *
soap_name(const xmlNode *n)
{
	return (const char *)n->name;
}

static bool
is_named(const xmlNode *n, const char *name)
{
	return n->type == XML_ELEMENT_NODE &&
		(name == NULL || strcmp(soap_name(n), name) == 0);
}

xmlNode *
soap_child(const xmlNode *parent, const char *name, int n)
{
	xmlNode *c = parent != NULL ? parent->children : NULL;

	for (; c != NULL; c = c->next)
		if (is_named(c, name) && n-- == 0)
			return c;
	return NULL;
}

xmlNode *
soap_next(const xmlNode *n)
{
	const char *name = soap_name(n);
	xmlNode *c = n->next;

	while (c != NULL && !is_named(c, name))
		c = c->next;
	return c;
}

static const char *
keep(struct soap_request *r, xmlChar *x)
{
	char *copy;

	if (x == NULL)
		return NULL;
	copy = xstrdup((const char *)x);
	xmlFree(x);
	r->texts = xreallocarray(r->texts, r->n_texts + 1, sizeof(char *));
	r->texts[r->n_texts++] = copy;
	return copy;
}

const char *
soap_text(struct soap_request *r, const xmlNode *n)
{
	return n != NULL ? keep(r, xmlNodeGetContent(n)) : NULL;
}

const char *
soap_child_text(struct soap_request *r, const xmlNode *parent, const char *name)
{
	return soap_text(r, soap_child(parent, name, 0));
}

const char *
soap_attr(struct soap_request *r, const xmlNode *n, const char *name)
{
	return n != NULL ? keep(r, xmlGetProp(n, (const xmlChar *)name)) : NULL;
}

static size_t
count_elements(const xmlNode *n)
{
	size_t sum = 0;

	for (; n != NULL; n = n->next)
		if (n->type == XML_ELEMENT_NODE)
			sum += 1 + count_elements(n->children);
	return sum;
}

int
soap_parse(struct soap_request *r, const char *body, size_t len, struct err *e)
{
	const xmlNode *root, *b;

	*r = (struct soap_request){ 0 };
	r->doc = xmlReadMemory(body, (int)len, NULL, NULL,
			       XML_PARSE_NONET | XML_PARSE_NOERROR |
				       XML_PARSE_NOWARNING);
	if (r->doc == NULL)
		return err_set(e, ERR_PROTO, "the request is no XML");
	root = xmlDocGetRootElement(r->doc);
	b = root != NULL && is_named(root, "Envelope")
		? soap_child(root, "Body", 0)
		: NULL;
	r->method = soap_child(b, NULL, 0);
	if (r->method == NULL)
		return err_set(e, ERR_PROTO, "the request has no SOAP body");
	r->n_elements = count_elements(root);
	return 0;
}

void
soap_fini(struct soap_request *r)
{
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->texts[i]);
	free(r->texts);
	xmlFreeDoc(r->doc);
	*r = (struct soap_request){ 0 };
}

int
soap_fault_set(struct soap_fault *f, const char *type, const char *inner,
	       const char *fmt, ...)
{
	va_list ap;

	f->type = type;
	snprintf(f->inner, sizeof(f->inner), "%s", inner);
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return -1;
}

void
soap_fault_body(struct buf *out, const struct soap_fault *f)
{
	buf_adds(out,
		 SOAP_HEAD
		 "<soapenv:Fault><faultcode>ServerFaultCode"
		 "</faultcode><faultstring>");
	buf_add_xml(out, f->text);
	buf_adds(out, "</faultstring><detail>");
	if (f->type[0] != '\0')
		buf_addf(out,
			 "<%sFault xmlns=\"urn:vim25\" xsi:type=\"%s\">%s"
			 "</%sFault>",
			 f->type, f->type, f->inner, f->type);
	buf_adds(out, "</detail></soapenv:Fault>" SOAP_TAIL);
}

void
soap_fault_missing(struct buf *out, const struct soap_fault *f)
{
	buf_addf(out,
		 "<fault><fault xsi:type=\"%s\">%s</fault>"
		 "<localizedMessage>",
		 f->type, f->inner);
	buf_add_xml(out, f->text);
	buf_adds(out, "</localizedMessage></fault>");
}
