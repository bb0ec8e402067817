/*
 * answer.h - an answer being decoded, the same for every method.
 *
 *	r = xyz_answer();                      whose decoder it is
 *	answer_feed(r, data, len, &e)          as often as data comes
 *	answer_finish(r, http_status, &e)      what it came to
 *	xyz_take(r) or xyz_get(r)             the result, after a finish of 0
 *	answer_free(&r)
 *
 * answer_feed() fails when reading on is pointless; answer_finish() may then be
 * called all the same and returns the verdict that fits the HTTP status, so a
 * caller may ignore what feed says but for stopping the transfer.  Verdicts:
 * faults as soap_fault_err() maps them; ERR_BUSY for 502, 503 and 504 without
 * a SOAP answer; ERR_PROTO for anything else that is no answer (an HTML page,
 * nothing, half a document, another method's answer); ERR_LIMIT.  Pure; one
 * thread at a time.
 */
#ifndef DSLAT_ANSWER_H
#define DSLAT_ANSWER_H

#include "soap.h"
#include "xml.h"

struct answer;

/* One method's decoder; ids below SOAP_ID_FIRST are its own. */
struct answer_method {
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
struct answer *answer_new(const struct answer_method *m, void *arg) must_check;
void answer_free(struct answer **r);

int answer_feed(struct answer *r, const char *data, size_t len, struct err *e)
	must_check;
int answer_finish(struct answer *r, int http_status, struct err *e) must_check;

/* The fault behind an error of answer_finish(); NULL when there was none. */
const struct soap_fault *answer_fault(const struct answer *r);
bool answer_is(const struct answer *r, const struct answer_method *m);
const char *answer_name(const struct answer *r);
/* The arg, for the module whose method it is (asserted). */
void *answer_arg(const struct answer *r, const struct answer_method *m);

#endif
