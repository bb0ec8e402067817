/*
 * soap.h - SOAP 1.1 requests of vim25, and what its faults mean.
 *
 * Requests are written into a buf; all text is escaped here.  The order of
 * elements is the caller's duty: vim25 is an xsd:sequence throughout (facts:
 * vSphere Web Services API reference).  A request that does not fit leaves
 * buf.full set.  Pure; any thread.
 */
#ifndef DSLAT_SOAP_H
#define DSLAT_SOAP_H

#include "dslat/buf.h"
#include "dslat/err.h"

#include "xml.h"

#define SOAP_NS "http://schemas.xmlsoap.org/soap/envelope/"
#define SOAP_VIM_NS "urn:vim25"
#define SOAP_REQUEST_MAX_BYTES ((size_t)4 << 20)

/* <Envelope><Body><method><_this type="type">moref</_this> */
void soap_begin(struct buf *b, const char *method, const char *type,
		const char *moref);
void soap_end(struct buf *b, const char *method);
/* <element>text</element> */
void soap_text(struct buf *b, const char *element, const char *text);
/* <element type="type">moref</element> */
void soap_moref(struct buf *b, const char *element, const char *type,
		const char *moref);

/* A fault, from a Fault answer or a property's missingSet. */
struct soap_fault {
	char type[64];      /* "InvalidLogin"; "" when the server said none */
	char text[256];     /* for people, in the server's language */
	char object[128];   /* the object it is about, or "" */
	char privilege[64]; /* NoPermission: what is missing */
	char property[128]; /* InvalidArgument, InvalidProperty: which */
};

/* The fault as an error: ERR_AUTH, ERR_SESSION, ERR_PERM, ERR_GONE, ERR_LIMIT
 * or ERR_FAULT.  Always returns -1. */
int soap_fault_err(const struct soap_fault *f, struct err *e);

/* Ids at and above this one are reserved for the tables of soap and answer. */
#define SOAP_ID_FIRST 0xf000u

/*
 * Reading one: hang the table below the element whose xsi:type names the fault
 * (a child of detail, or missingSet's fault/fault) and pass the ids in it on.
 */
extern const struct xml_node soap_fault_nodes[];
/* The server's words for people (faultstring, localizedMessage). */
void soap_fault_text(struct soap_fault *f, const char *text);
/* The element itself begins: take the type from its xsi:type or name. */
void soap_fault_open(struct soap_fault *f, struct xml *x);
/* An element of soap_fault_nodes ended; other ids are ignored. */
void soap_fault_close(struct soap_fault *f, unsigned id, const char *text);

#endif
