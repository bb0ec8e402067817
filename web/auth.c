#include "web/auth.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "web/origin.h"
#include "web/sessions.h"
#include "web/tries.h"

#define LOOK_US (5 * US_PER_S)       /* at the file, whether it changed */
#define LOOK_AGAIN_US US_PER_S       /* when a token is not known */
#define LOG_EVERY_US (10 * US_PER_S) /* of wrong tokens */
/* A name that browsers take on HTTPS only, and from no other host. */
#define COOKIE_SECURE "__Host-dslat"
#define COOKIE_PLAIN "dslat_session"

struct auth {
	uint32_t magic;
	struct loop *loop;
	void (*changed)(void *arg);
	void *arg;
	char *path; /* of the tokens file; NULL: none */
	bool anonymous_read;
	struct tokens tokens;
	struct tokens_stamp stamp;
	struct err fault; /* of the file; "" when it is fine */
	struct loop_timer *timer;
	mono_t looked;
	struct sessions sessions;
	struct tries tries;
	mono_t logged; /* us 0: never */
	unsigned unlogged;
};
#define AUTH_MAGIC OBJ_MAGIC('a', 'u', 't', 'h')

/* ---- the file ----------------------------------------------------------- */

static void
load(struct auth *a)
{
	struct err e = { ERR_NONE, "" };

	tokens_fini(&a->tokens);
	if (a->path != NULL) {
		tokens_stamp(a->path, &a->stamp);
		if (tokens_load(&a->tokens, a->path, &e) == 0)
			log_info("web", "%s: %zu token%s", a->path, a->tokens.n,
				 a->tokens.n == 1 ? "" : "s");
		if (e.text[0] != '\0')
			log_err("web", "%s", e.text);
	}
	a->fault = e;
	a->changed(a->arg);
}

static void
look(struct auth *a)
{
	struct tokens_stamp s;

	a->looked = loop_now(a->loop).mono;
	if (a->path == NULL)
		return;
	tokens_stamp(a->path, &s);
	if (!tokens_stamp_same(&s, &a->stamp))
		load(a);
}

static void
on_timer(void *arg, struct now now)
{
	struct auth *a = OBJ_CAST(struct auth, AUTH_MAGIC, arg);

	(void)now;
	look(a);
	loop_timer_in_us(a->timer, LOOK_US);
}

struct auth *
auth_new(struct loop *l, void (*changed)(void *arg), void *arg)
{
	struct auth *a = xcalloc(1, sizeof(*a));

	a->magic = AUTH_MAGIC;
	a->loop = l;
	a->changed = changed;
	a->arg = arg;
	a->anonymous_read = true;
	a->timer = loop_timer_new(l, on_timer, a);
	return a;
}

void
auth_free(struct auth **ap)
{
	struct auth *a = *ap;

	if (a == NULL)
		return;
	loop_timer_free(&a->timer);
	tokens_fini(&a->tokens);
	free(a->path);
	mem_wipe(&a->sessions, sizeof(a->sessions));
	free(a);
	*ap = NULL;
}

void
auth_apply(struct auth *a, const char *tokens_file, bool anonymous_read)
{
	a->anonymous_read = anonymous_read;
	xstrset(&a->path, tokens_file);
	load(a);
	if (a->path != NULL)
		loop_timer_in_us(a->timer, LOOK_US);
	else
		loop_timer_off(a->timer);
}

bool
auth_anonymous_read(const struct auth *a)
{
	return a->anonymous_read;
}

/* ---- refusing ----------------------------------------------------------- */

static void
log_wrong(struct auth *a, const char *peer)
{
	mono_t now = loop_now(a->loop).mono;

	if (a->logged.us != 0 && mono_diff_us(now, a->logged) < LOG_EVERY_US) {
		a->unlogged++;
		return;
	}
	if (a->unlogged != 0)
		log_warn("web", "wrong token from %s, and %u before it", peer,
			 a->unlogged);
	else
		log_warn("web", "wrong token from %s", peer);
	a->logged = now;
	a->unlogged = 0;
}

static int
refuse_wrong(struct auth *a, struct request *rq)
{
	char peer[PEER_SIZE];
	int wait_s;

	request_peer(rq, peer);
	log_wrong(a, peer);
	wait_s = tries_count_s(&a->tries, peer, loop_now(a->loop).mono);
	if (wait_s != 0) {
		reply_problem(&rq->reply, PROBLEM_TOO_MANY_TRIES, NULL,
			      "too many wrong tokens came from %s; a right one "
			      "is taken at any time",
			      peer);
		reply_header_take(&rq->reply, "Retry-After",
				  xasprintf("%d", wait_s));
		return -1;
	}
	reply_problem(&rq->reply, PROBLEM_UNAUTHORIZED, NULL,
		      "dslatd does not know this token; \"dslat token new "
		      "NAME\" makes one");
	reply_header_take(&rq->reply, "WWW-Authenticate",
			  xstrdup("Bearer realm=\"dslat\", "
				  "error=\"invalid_token\""));
	return -1;
}

static int
refuse_nobody(const struct auth *a, struct request *rq, enum auth_need need)
{
	const char *what = need == AUTH_WRITE ? "writing" : "reading";

	if (a->path == NULL)
		reply_problem(
			&rq->reply, PROBLEM_UNAUTHORIZED, NULL,
			"%s needs a token, and dslatd has no tokens file: "
			"make one with \"dslat token new NAME --file "
			"FILE\" and name it as web.tokens_file",
			what);
	else if (a->tokens.n == 0)
		reply_problem(&rq->reply, PROBLEM_UNAUTHORIZED, NULL,
			      "%s needs a token, and dslatd's tokens file has "
			      "none that counts; its log says why",
			      what);
	else
		reply_problem(&rq->reply, PROBLEM_UNAUTHORIZED, NULL,
			      "%s needs a token: send \"Authorization: Bearer "
			      "TOKEN\"; \"dslat token new NAME\" makes one",
			      what);
	reply_header_take(&rq->reply, "WWW-Authenticate",
			  xstrdup("Bearer realm=\"dslat\""));
	return -1;
}

static int
refuse_reader(struct request *rq)
{
	reply_problem(&rq->reply, PROBLEM_FORBIDDEN, NULL,
		      "the token \"%s\" may only read; this needs one with the "
		      "role write: \"dslat token new NAME --role write\"",
		      rq->caller.name);
	return -1;
}

static int
check_origin(struct request *rq)
{
	const struct origin o = {
		.fetch_site = request_header(rq, "Sec-Fetch-Site"),
		.origin = request_header(rq, "Origin"),
		.host = request_header(rq, "Host"),
		.by_cookie = rq->caller.by_cookie,
	};

	if (origin_is_ours(&o))
		return 0;
	reply_problem(&rq->reply, PROBLEM_CROSS_SITE, NULL,
		      "another site's page made this request, or a proxy "
		      "changed its Host: only dslatd's own page may write; "
		      "programs send a token and no Origin");
	return -1;
}

/* ---- who it is ---------------------------------------------------------- */

static void
set_caller(struct request *rq, const struct token *t, bool by_cookie)
{
	memcpy(rq->caller.name, t->name, strlen(t->name) + 1);
	rq->caller.role = t->role;
	rq->caller.by_cookie = by_cookie;
}

static const struct token *
find_token(struct auth *a, const char *shown)
{
	const struct token *t = tokens_find(&a->tokens, shown);
	mono_t now = loop_now(a->loop).mono;

	if (t == NULL && mono_diff_us(now, a->looked) >= LOOK_AGAIN_US) {
		look(a); /* it may have been made just now */
		t = tokens_find(&a->tokens, shown);
	}
	return t;
}

/* The cookie's value, cut out of "a=b; name=value; c=d"; false: none. */
static bool
find_cookie(const struct request *rq, char out[SHA256_HEX_SIZE])
{
	const char *name = request_is_secure(rq) ? COOKIE_SECURE : COOKIE_PLAIN;
	const char *s = request_header(rq, "Cookie");
	size_t len = strlen(name);

	while (s != NULL && *s != '\0') {
		size_t n;

		s += strspn(s, " ;");
		n = strcspn(s, ";");
		if (n == len + SHA256_HEX_SIZE && s[len] == '=' &&
		    strncmp(s, name, len) == 0) {
			memcpy(out, s + len + 1, SHA256_HEX_SIZE - 1);
			out[SHA256_HEX_SIZE - 1] = '\0';
			return true;
		}
		s += n;
	}
	return false;
}

/* What stands behind "Authorization: Bearer"; NULL: there is none. */
static const char *
bearer(const struct request *rq)
{
	static const char scheme[] = "Bearer ";
	const char *s = request_header(rq, "Authorization");

	if (s == NULL || strncasecmp(s, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	s += sizeof(scheme) - 1;
	return s + strspn(s, " ");
}

/* false: he showed a wrong token.  A cookie that stands for none any more is
 * as good as no cookie. */
static bool
find_caller(struct auth *a, struct request *rq)
{
	const char *shown = bearer(rq);
	char cookie[SHA256_HEX_SIZE];
	const unsigned char *hash;
	const struct token *t = NULL;

	rq->caller = (struct caller){ .name = "" };
	if (shown != NULL) {
		t = find_token(a, shown);
		if (t != NULL)
			set_caller(rq, t, false);
		return t != NULL;
	}
	if (!find_cookie(rq, cookie))
		return true;
	hash = sessions_find(&a->sessions, cookie, loop_now(a->loop).mono);
	if (hash != NULL)
		t = tokens_find_hash(&a->tokens, hash);
	if (t != NULL)
		set_caller(rq, t, true);
	return true;
}

int
auth_check(struct auth *a, struct request *rq, enum auth_need need)
{
	bool is_right = find_caller(a, rq), is_known;

	if (rq->method == HTTP_POST || rq->method == HTTP_DELETE)
		if (check_origin(rq) != 0)
			return -1;
	if (need == AUTH_NOTHING)
		return 0;
	if (!is_right)
		return refuse_wrong(a, rq);
	is_known = rq->caller.name[0] != '\0';
	if (!is_known && (need == AUTH_WRITE || !a->anonymous_read))
		return refuse_nobody(a, rq, need);
	if (need == AUTH_WRITE && rq->caller.role != TOKEN_WRITE)
		return refuse_reader(rq);
	return 0;
}

/* ---- sessions ----------------------------------------------------------- */

static void
set_cookie(struct request *rq, const char *value, int max_age_s)
{
	bool secure = request_is_secure(rq);

	reply_header_take(&rq->reply, "Set-Cookie",
			  xasprintf("%s=%s; Path=/; Max-Age=%d; HttpOnly; "
				    "SameSite=Strict%s",
				    secure ? COOKIE_SECURE : COOKIE_PLAIN,
				    value, max_age_s,
				    secure ? "; Secure" : ""));
}

static void
end_session(struct auth *a, const struct request *rq)
{
	char cookie[SHA256_HEX_SIZE];

	if (find_cookie(rq, cookie))
		sessions_end(&a->sessions, cookie);
}

int
auth_login(struct auth *a, struct request *rq, const char *shown)
{
	const struct token *t = find_token(a, shown);
	char cookie[SHA256_HEX_SIZE], peer[PEER_SIZE];

	if (t == NULL && a->tokens.n == 0)
		return refuse_nobody(a, rq, AUTH_READ);
	if (t == NULL)
		return refuse_wrong(a, rq);
	end_session(a, rq); /* the cookie it had is replaced */
	sessions_begin(&a->sessions, t->sha256, loop_now(a->loop).mono, cookie);
	set_caller(rq, t, true);
	set_cookie(rq, cookie, (int)SESSION_MAX_S);
	request_peer(rq, peer);
	log_info("web", "%s logged in from %s", t->name, peer);
	return 0;
}

void
auth_logout(struct auth *a, struct request *rq)
{
	end_session(a, rq);
	set_cookie(rq, "", 0);
}
