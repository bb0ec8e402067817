/*
 * body.h - a request's body: JSON, an object, its members checked.
 *
 * Refused are other types than application/json, a nesting no request of ours
 * has, a member twice, and members nobody knows.  Each function answers 0, or
 * fills rq->reply with a problem that says the cure and answers -1.  The loop
 * thread.
 */
#ifndef DSLAT_BODY_H
#define DSLAT_BODY_H

#include "web/http.h"

#define BODY_MAX_DEPTH 8

/* What its headers say of a body: its type and its length. */
int body_check_headers(struct request *rq) must_check;
/* The whole object, which may have these members ("a b c") and no others.  The
 * caller owns it. */
int body_object(struct request *rq, const char *members, json_t **v_r)
	must_check;
/* The text of a member; NULL when it is not there, or null.  Control characters
 * are refused, as is what is longer. */
int body_text(struct request *rq, const json_t *v, const char *member,
	      size_t max_bytes, const char **text_r) must_check;
/* A problem with one member (NULL: with the body), for its parameter. */
int body_problem(struct request *rq, const char *member, const char *fmt, ...)
	printf_like(3, 4);

#endif
