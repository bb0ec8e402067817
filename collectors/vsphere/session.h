/*
 * session.h - one login at one target, and SOAP calls over it.
 *
 * Opening walks: API version, service content, login, counter table.  A
 * session lives as long as the target does; when the server forgets it, calls
 * end with ERR_SESSION and the owner drops it and opens it again.  Closing
 * logs out.  Callbacks come once each, never from inside the call that started
 * them, and not at all after a cancel.  Loop thread.
 */
#ifndef DSLAT_SESSION_H
#define DSLAT_SESSION_H

#include "dslat/conf.h"
#include "dslat/loop.h"

#include "counters.h"
#include "service.h"

struct session;
struct fetch_result;

/* conf is borrowed. */
struct session *session_new(struct loop *l, const struct conf_target *conf,
			    struct err *e) must_check;
void session_free(struct session **s);
void session_reconf(struct session *s, const struct conf_target *conf);

/* e is NULL when all went well. */
typedef void (*session_fn)(void *arg, const struct err *e);

void session_open(struct session *s, session_fn done, void *arg);
/* Log out if logged in; gives up after 3 s.  Other calls are cancelled. */
void session_close(struct session *s, session_fn done, void *arg);
/* The server forgot us: cancel everything, the next open logs in anew. */
void session_drop(struct session *s);
/* open: everything is known; logged in: there is something to log out of. */
bool session_is_open(const struct session *s);
bool session_is_logged_in(const struct session *s);

/* Valid while open; borrowed. */
const struct service_content *session_content(const struct session *s);
const struct counters *session_counters(const struct session *s);

struct session_limits {
	int64_t timeout_us;
	size_t max_bytes;
};
extern const struct session_limits session_small; /* answers of one value */
extern const struct session_limits session_large; /* whole inventories */

/* r is the call's decoder, finished; e as above.  Both borrowed. */
typedef void (*session_answer_fn)(void *arg, struct answer *r,
				  const struct err *e);
struct session_call;
/* Sends the request and empties it; takes the answer. */
struct session_call *session_call(struct session *s, struct buf *request,
				  struct answer *r,
				  const struct session_limits *limits,
				  session_answer_fn done, void *arg);
void session_cancel(struct session_call **c);

/* Somebody who wants to see answers as they come, before they are decoded. */
struct session_tap {
	void (*data)(void *arg, const char *data, size_t len);
	/* name: of the method */
	void (*end)(void *arg, const char *name, const struct fetch_result *r);
	void *arg;
};
/* Borrowed; with it, one call at a time must be in flight. */
void session_set_tap(struct session *s, const struct session_tap *tap);

#endif
