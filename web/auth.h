/*
 * auth.h - who may do what: tokens, sessions of browsers, wrong tries.
 *
 * Programs show a token (Authorization: Bearer).  A browser shows one once
 * (POST /api/v1/session) and gets a cookie for it, which stands for the token
 * as long as that is in the tokens file; sessions live in memory.  The file is
 * read again when it changed.  A right token is always let in: wrong ones,
 * however many, cost those who show them an answer 429 instead of 401 and
 * nobody else anything.  The loop thread.
 */
#ifndef DSLAT_AUTH_H
#define DSLAT_AUTH_H

#include "web/http.h"

enum auth_need {
	AUTH_NOTHING, /* the path is open to everybody */
	AUTH_READ,    /* a token if reading needs one */
	AUTH_WRITE,   /* a token with the role write, from our own page if it
		       * comes from a browser */
};

struct auth;

/* changed: tokens were added or removed; who is listening must ask again. */
struct auth *auth_new(struct loop *l, void (*changed)(void *arg), void *arg)
	must_check;
void auth_free(struct auth **a);
/* tokens_file: NULL for none. */
void auth_apply(struct auth *a, const char *tokens_file, bool anonymous_read);
bool auth_anonymous_read(const struct auth *a);

/* 0, with rq->caller; or -1 with the reply that refuses. */
int auth_check(struct auth *a, struct request *rq, enum auth_need need)
	must_check;
/* For a browser that showed a token: 0, with rq->caller and the cookie in the
 * reply's headers; or -1 with the reply that refuses. */
int auth_login(struct auth *a, struct request *rq, const char *shown)
	must_check;
/* Ends the session of the request's cookie, if there is one, and has the
 * browser forget it. */
void auth_logout(struct auth *a, struct request *rq);

#endif
