/*
 * /api/v1/session: a browser shows its token once and gets a cookie for it,
 * since a stream of events cannot send headers.
 */
#include <string.h>

#include "web/auth.h"
#include "web/body.h"
#include "web/handlers.h"

#define SHOWN_BYTES 256

static void
reply_caller(const struct web *w, struct request *rq)
{
	const struct caller *c = &rq->caller;
	bool is_known = c->name[0] != '\0';
	json_t *v = json_object();

	json_object_set_new(v, "name", json_text(is_known ? c->name : NULL));
	json_object_set_new(
		v, "role",
		json_text(is_known ? token_role_name(c->role) : NULL));
	json_object_set_new(v, "anonymous_read",
			    json_boolean(auth_anonymous_read(w->auth)));
	reply_json(&rq->reply, v);
	rq->reply.cache_control = "no-store";
}

void
api_session(void *arg, struct request *rq)
{
	reply_caller(arg, rq);
}

void
api_session_begin(void *arg, struct request *rq)
{
	struct web *w = arg;
	const char *shown;
	json_t *v;

	if (body_object(rq, "token", &v) != 0)
		return;
	if (body_text(rq, v, "token", SHOWN_BYTES, &shown) == 0) {
		if (shown == NULL)
			body_problem(rq, "token", "\"token\" is missing");
		else if (auth_login(w->auth, rq, shown) == 0)
			reply_caller(w, rq);
	}
	json_decref(v);
}

void
api_session_end(void *arg, struct request *rq)
{
	struct web *w = arg;

	rq->reply.status = 204;
	rq->reply.cache_control = "no-store";
	auth_logout(w->auth, rq);
}
