/*
 * soap.h - requests in, envelopes and faults out.
 *
 * A request is a libxml2 document; children are matched on local names.  The
 * texts handed out belong to the request and die with it.
 */
#ifndef SIM_SOAP_H
#define SIM_SOAP_H

#include <libxml/tree.h>

#include "dslat/buf.h"
#include "dslat/err.h"

struct soap_request {
	xmlDoc *doc;
	xmlNode *method; /* the Body's child */
	char **texts;    /* freed with the request */
	size_t n_texts;
	size_t n_elements;
};

int soap_parse(struct soap_request *r, const char *body, size_t len,
	       struct err *e) must_check;
void soap_fini(struct soap_request *r);

const char *soap_name(const xmlNode *n);
/* The n-th child element of that name, or NULL. */
xmlNode *soap_child(const xmlNode *parent, const char *name, int n);
/* The next sibling element of the same name. */
xmlNode *soap_next(const xmlNode *n);
/* Text content; NULL when n is NULL. */
const char *soap_text(struct soap_request *r, const xmlNode *n);
const char *soap_child_text(struct soap_request *r, const xmlNode *parent,
			    const char *name);
const char *soap_attr(struct soap_request *r, const xmlNode *n,
		      const char *name);

#define SOAP_HEAD                                                              \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                         \
	"<soapenv:Envelope xmlns:soapenc="                                     \
	"\"http://schemas.xmlsoap.org/soap/encoding/\"\n"                      \
	" xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"\n"       \
	" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"\n"                    \
	" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"          \
	"<soapenv:Body>\n"
#define SOAP_TAIL "\n</soapenv:Body>\n</soapenv:Envelope>"

/* A fault on its way: type "" = none.  `inner` are its fields, ready XML. */
struct soap_fault {
	const char *type;
	char text[256];
	char inner[512];
};

/* The whole envelope of a fault. */
void soap_fault_body(struct buf *out, const struct soap_fault *f);
/* <fault xsi:type="..."><object/>...</fault><localizedMessage/>: missingSet. */
void soap_fault_missing(struct buf *out, const struct soap_fault *f);
/* Fill; always returns -1. */
int soap_fault_set(struct soap_fault *f, const char *type, const char *inner,
		   const char *fmt, ...) printf_like(4, 5);

#endif
