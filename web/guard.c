#include "web/guard.h"

#include <string.h>

#include "web/hostname.h"

int
guard_address(struct request *rq, const char *raw)
{
	struct err e;

	if (strlen(raw) > URI_MAX_BYTES) {
		reply_problem(&rq->reply, PROBLEM_ADDRESS_TOO_LONG, NULL,
			      "an address may have %d bytes; ask in several "
			      "requests",
			      URI_MAX_BYTES);
		return -1;
	}
	if (uri_parse(&rq->uri, raw, &e) != 0) {
		reply_problem(&rq->reply, PROBLEM_BAD_ADDRESS, NULL, "%s",
			      e.text);
		return -1;
	}
	return 0;
}

int
guard_headers(struct request *rq, const char *version,
	      const char *loopback_name)
{
	const char *host = request_header(rq, "Host");

	if (host == NULL && strcmp(version, "HTTP/1.0") != 0) {
		reply_problem(&rq->reply, PROBLEM_BAD_ADDRESS, NULL,
			      "the Host header is missing");
		return -1;
	}
	if (loopback_name != NULL && host != NULL &&
	    !hostname_is_ours(host, loopback_name)) {
		reply_problem(
			&rq->reply, PROBLEM_WRONG_HOST, NULL,
			"this listener is on loopback and answers to localhost "
			"only, which keeps other sites' pages out; let a "
			"reverse proxy send its upstream's address as Host, or "
			"dslatd listen on an address of this machine that "
			"others reach");
		return -1;
	}
	return 0;
}
