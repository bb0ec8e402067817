/*
 * methods.h - a SOAP request to its answer.
 *
 * Call with the sim's lock held; nothing in here waits.
 */
#ifndef SIM_METHODS_H
#define SIM_METHODS_H

#include "sim.h"

struct methods_request {
	const char *body;
	size_t len;
	const char *action; /* SOAPAction or NULL */
	const char *cookie; /* Cookie or NULL */
	const char *agent, *address;
};

struct methods_reply {
	int status;         /* 200 or 500 */
	struct buf body;    /* the envelope; the caller frees it */
	char *set_cookie;   /* the caller frees it */
	const char *method; /* a name of the table, or "other" */
};

/* The method of a request that is not parsed yet; "" when there is none. */
void methods_peek(const char *body, char out[64]);

void methods_answer(struct sim *s, const struct methods_request *in,
		    struct methods_reply *out);

#endif
