/*
 * sessions.h - cookies that stand for tokens.
 *
 * A cookie is 256 random bits; only its hash is kept.  A session ends 7 days
 * after it was last used and 30 days after it began; of more than
 * SESSIONS_MAX the one used least lately goes.  The loop thread.
 */
#ifndef DSLAT_SESSIONS_H
#define DSLAT_SESSIONS_H

#include "dslat/clock.h"
#include "dslat/digest.h"

#define SESSIONS_MAX 256
#define SESSION_MAX_S INT64_C(2592000) /* 30 days */
#define SESSION_IDLE_S INT64_C(604800) /* 7 days */

struct session {
	unsigned char sha256[SHA256_BYTES]; /* of the cookie */
	unsigned char token[SHA256_BYTES];  /* hash of the token */
	mono_t began, used;
};

struct sessions {
	struct session rows[SESSIONS_MAX];
	size_t n;
};

/* The cookie's value for one that showed this token. */
void sessions_begin(struct sessions *s, const unsigned char token[SHA256_BYTES],
		    mono_t now, char cookie[SHA256_HEX_SIZE]);
/* The hash of the token that a cookie stands for, or NULL. */
const unsigned char *sessions_find(struct sessions *s, const char *cookie,
				   mono_t now);
void sessions_end(struct sessions *s, const char *cookie);

#endif
