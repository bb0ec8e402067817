/*
 * reply.h - an answer being decoded, the same for every method.
 *
 *	r = xyz_reply();                      whose decoder it is
 *	reply_feed(r, data, len, &e)          as often as data comes
 *	reply_finish(r, http_status, &e)      what it came to
 *	xyz_take(r) or xyz_get(r)             the result, after a finish of 0
 *	reply_free(&r)
 *
 * reply_feed() fails when reading on is pointless; reply_finish() may then be
 * called all the same and returns the verdict that fits the HTTP status, so a
 * caller may ignore what feed says but for stopping the transfer.  Verdicts:
 * faults as soap_fault_err() maps them; ERR_BUSY for 502, 503 and 504 without
 * a SOAP answer; ERR_PROTO for anything else that is no answer (an HTML page,
 * nothing, half a document, another method's answer); ERR_LIMIT.  Pure; one
 * thread at a time.
 */
#ifndef DSLAT_REPLY_H
#define DSLAT_REPLY_H

#include "soap.h"
#include "xml.h"

struct reply;

/* One method's decoder; ids below SOAP_ID_FIRST are its own. */
struct reply_method {
	const char *name; /* "QueryPerf"; its answer is QueryPerfResponse */
	const struct xml_node *nodes; /* of the answer; NULL: nothing matters */
	const char *root; /* not SOAP at all: nodes are this element's */
	struct xml_limits limits;
	int (*open)(void *arg, struct xml *x, unsigned id, struct err *e);
	int (*close)(void *arg, unsigned id, const char *text, size_t len,
		     struct err *e);
	/* The answer is complete and no fault: the method's own verdict. */
	int (*finish)(void *arg, struct err *e);
	void (*free)(void *arg);
};

/* m is borrowed; arg is handed to m's functions, and to m->free at the end. */
struct reply *reply_new(const struct reply_method *m, void *arg) must_check;
void reply_free(struct reply **r);

int reply_feed(struct reply *r, const char *data, size_t len, struct err *e)
	must_check;
int reply_finish(struct reply *r, int http_status, struct err *e) must_check;

/* The fault behind an error of reply_finish(); NULL when there was none. */
const struct soap_fault *reply_fault(const struct reply *r);
bool reply_is(const struct reply *r, const struct reply_method *m);
const char *reply_name(const struct reply *r);
/* The arg, for the module whose method it is (asserted). */
void *reply_arg(const struct reply *r, const struct reply_method *m);

#endif
