#include "methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "options.h"
#include "perf.h"
#include "props.h"
#include "retrieve.h"
#include "rng.h"
#include "spoil.h"
#include "strict.h"

#define ANSWER_MAX_BYTES ((size_t)2 << 30)

/* Render one data object as <MethodResponse><returnval>...: root is a manager
 * type with the object as its only child. */
static void
answer_object(struct call *c, struct tree *t, const struct node *n)
{
	buf_addf(c->out, "<%sResponse xmlns=\"urn:vim25\">", c->method);
	tree_render_one(c->out, "returnval", n, c->version);
	buf_addf(c->out, "</%sResponse>", c->method);
	tree_fini(t);
}

static int
service_content(struct call *c)
{
	struct tree t;
	struct node *root;

	tree_init(&t);
	root = tree_root(&t, "ServiceInstance");
	props_content(c, &t, tree_obj(&t, root, "content", NULL));
	answer_object(c, &t, root->first);
	return 0;
}

static int
current_time(struct call *c)
{
	char text[48];

	props_time(c->now, text);
	if (faults_take(&c->sim->faults, "time-offset", c->method, NULL)) {
		text[strcspn(text, "Z")] = '\0';
		snprintf(text + strlen(text), 8, "+00:00");
	}
	buf_addf(c->out,
		 "<CurrentTimeResponse xmlns=\"urn:vim25\"><returnval>%s"
		 "</returnval></CurrentTimeResponse>",
		 text);
	return 0;
}

static void
set_cookie(struct call *c, const char *value)
{
	free(c->set_cookie);
	c->set_cookie = xasprintf(
		"vmware_soap_session=\"%s\"; Path=/; "
		"HttpOnly;%s",
		value, c->sim->tls ? " Secure;" : "");
}

static int
refuse_login(struct call *c)
{
	char value[41];
	uint64_t a = rng_mix(++c->sim->sessions.serial);

	/* A failed login sets a cookie, too. */
	snprintf(value, sizeof(value), "%016llx%016llx%08x",
		 (unsigned long long)a, (unsigned long long)rng_mix(a),
		 (unsigned)rng_mix(a ^ 1));
	set_cookie(c, value);
	c->sim->stats.logins_refused++;
	c->sim->stats.login_was_refused = true;
	return soap_fault_set(&c->fault, "InvalidLogin", "",
			      "Cannot complete login due to an incorrect user "
			      "name or password.");
}

static int
login(struct call *c)
{
	struct sim *s = c->sim;
	const char *user = soap_child_text(&c->req, c->req.method, "userName");
	const char *pass = soap_child_text(&c->req, c->req.method, "password");
	struct tree t;
	struct node *root;

	if (faults_take(&s->faults, "no-permission-login", NULL, NULL))
		return soap_fault_set(
			&c->fault, "NoPermission",
			"<object type=\"Folder\">ha-folder-root</object>"
			"<privilegeId>System.View</privilegeId>",
			"Permission to perform this operation was denied.");
	if (faults_take(&s->faults, "invalid-login", NULL, NULL) ||
	    user == NULL || pass == NULL ||
	    c->session != NULL || /* logged in already: refused, too */
	    strcmp(user, s->scene.server.user) != 0 ||
	    strcmp(pass, s->scene.server.password) != 0)
		return refuse_login(c);
	if ((int64_t)s->sessions.n >= s->scene.server.max_sessions) {
		c->busy = true;
		return -1;
	}
	c->session = session_new(&s->sessions,
				 (uint64_t)c->now.us ^
					 (uint64_t)s->scene.server.seed);
	c->session->user = xstrdup(user);
	c->session->agent = xstrdup(c->agent != NULL ? c->agent : "");
	c->session->address = xstrdup(c->address);
	c->session->login = c->now;
	c->session->last_active = clock_sample().mono;
	if (faults_on(&s->faults, "renumber")) {
		const char *arg;

		if (faults_take(&s->faults, "renumber", NULL, &arg))
			s->id_offset += (int)fault_arg_int(arg, 1000);
	}
	c->session->id_offset = s->id_offset;
	s->stats.logins++;
	s->stats.login_was_refused = false;
	set_cookie(c, c->session->cookie);
	tree_init(&t);
	root = tree_root(&t, "SessionManager");
	props_session(c->session, &t,
		      tree_obj(&t, root, "currentSession", NULL));
	answer_object(c, &t, root->first);
	return 0;
}

static int
logout(struct call *c)
{
	session_end(&c->sim->sessions, c->session);
	c->session = NULL;
	c->sim->stats.logouts++;
	buf_adds(c->out,
		 "<LogoutResponse xmlns=\"urn:vim25\">"
		 "</LogoutResponse>");
	return 0;
}

static const struct method {
	const char *name;
	int (*fn)(struct call *c);
	bool open;        /* no session needed */
	const char *type; /* of _this; NULL: the method looks itself */
} methods[] = {
	{ "RetrieveServiceContent", service_content, true, "ServiceInstance" },
	{ "Login", login, true, "SessionManager" },
	{ "Logout", logout, false, "SessionManager" },
	{ "CurrentTime", current_time, false, "ServiceInstance" },
	{ "CreateContainerView", retrieve_create_view, false, "ViewManager" },
	{ "DestroyView", retrieve_destroy_view, false, NULL },
	{ "RetrievePropertiesEx", retrieve_ex, true, "PropertyCollector" },
	{ "ContinueRetrievePropertiesEx", retrieve_continue, false,
	  "PropertyCollector" },
	{ "CancelRetrievePropertiesEx", retrieve_cancel, false,
	  "PropertyCollector" },
	{ "RetrieveProperties", retrieve_old, true, "PropertyCollector" },
	{ "Fetch", retrieve_fetch, false, NULL },
	{ "QueryPerf", perf_query, false, "PerformanceManager" },
	{ "QueryPerfProviderSummary", perf_provider_summary, false,
	  "PerformanceManager" },
	{ "QueryAvailablePerfMetric", perf_available_metric, false,
	  "PerformanceManager" },
	{ "QueryPerfCounter", perf_query_counter, false, "PerformanceManager" },
	{ "QueryOptions", options_query, false, NULL },
};

static const struct method *
method_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

/* Attributes of ServiceInstance and SessionManager are open to all. */
static bool
is_open(const struct method *m, struct call *c)
{
	const char *type;

	if (m->open)
		return true;
	if (m->fn != retrieve_fetch)
		return false;
	type = soap_attr(&c->req, soap_child(c->req.method, "_this", 0),
			 "type");
	return type != NULL &&
		(strcmp(type, "ServiceInstance") == 0 ||
		 strcmp(type, "SessionManager") == 0);
}

static int
not_authenticated(struct call *c)
{
	const xmlNode *self = soap_child(c->req.method, "_this", 0);
	const char *type = soap_attr(&c->req, self, "type");
	const char *id = soap_text(&c->req, self);
	struct buf inner;

	buf_init(&inner, sizeof(c->fault.inner));
	buf_addf(&inner, "<object type=\"%s\">",
		 type != NULL ? type : "Folder");
	buf_add_xml(&inner, id != NULL ? id : "group-d1");
	buf_adds(&inner, "</object><privilegeId>System.View</privilegeId>");
	soap_fault_set(&c->fault, "NotAuthenticated", buf_str(&inner),
		       "The session is not authenticated.");
	buf_fini(&inner);
	return -1;
}

static int
method_not_found(struct call *c)
{
	struct buf inner;

	buf_init(&inner, sizeof(c->fault.inner));
	buf_adds(&inner,
		 "<receiver type=\"ServiceInstance\">ServiceInstance"
		 "</receiver><method>");
	buf_add_xml(&inner, c->method);
	buf_adds(&inner, "</method>");
	soap_fault_set(&c->fault, "MethodNotFound", buf_str(&inner),
		       "The method is not known: %.100s", c->method);
	buf_fini(&inner);
	return -1;
}

static int
dispatch(struct call *c, const struct method *m)
{
	struct faults *f = &c->sim->faults;
	const char *arg;

	if (m == NULL || faults_take(f, "method-not-found", c->method, NULL))
		return method_not_found(c);
	if (faults_take(f, "soap-fault", c->method, &arg)) {
		static char type[64];

		snprintf(type, sizeof(type), "%s",
			 *arg != '\0' ? arg : "SystemError");
		return soap_fault_set(&c->fault, type, "",
				      "A general system error occurred: %s",
				      type);
	}
	if (c->session != NULL &&
	    faults_take(f, "not-authenticated-500", c->method, NULL)) {
		session_end(&c->sim->sessions, c->session);
		c->session = NULL;
		return not_authenticated(c);
	}
	if (strict_order(c) != 0 || strict_this(c, m->type) != 0)
		return -1;
	if (c->session == NULL && !is_open(m, c))
		return not_authenticated(c);
	return m->fn(c);
}

void
methods_peek(const char *body, char out[64])
{
	const char *p = strstr(body, "Body");
	size_t len;

	out[0] = '\0';
	p = p != NULL ? strchr(p, '>') : NULL;
	p = p != NULL ? strchr(p, '<') : NULL;
	if (p == NULL || p[1] == '/')
		return;
	p++;
	len = strcspn(p, " \t\r\n/>");
	if (memchr(p, ':', len) != NULL) {
		const char *colon = strchr(p, ':');

		len -= (size_t)(colon + 1 - p);
		p = colon + 1;
	}
	snprintf(out, 64, "%.*s", (int)MIN(len, (size_t)63), p);
}

/* "urn:vim25/8.0.2.0", quoted or not: what the client knows, capped at what
 * the server is.  None: the server's own. */
static uint32_t
client_version(const struct sim *s, const char *action)
{
	uint32_t ours = version_parse(s->scene.server.api), v;
	const char *slash = action != NULL ? strrchr(action, '/') : NULL;

	if (slash == NULL)
		return ours;
	v = version_parse(slash + 1);
	return MIN(v, ours);
}

static void
run(struct sim *s, struct call *c, struct methods_reply *out)
{
	const struct method *m;
	int rc;

	c->method = soap_name(c->req.method);
	m = method_find(c->method);
	out->method = m != NULL ? m->name : "other";
	stats_call(&s->stats, out->method);
	rc = dispatch(c, m);
	if (rc == 0) {
		buf_adds(&out->body, SOAP_TAIL);
		return;
	}
	buf_reset(&out->body);
	if (c->busy) {
		out->status = 503;
		spoil_html(503, &out->body);
		return;
	}
	out->status = 500;
	s->stats.faults++;
	soap_fault_body(&out->body, &c->fault);
}

void
methods_answer(struct sim *s, const struct methods_request *in,
	       struct methods_reply *out)
{
	mono_t mono = clock_sample().mono;
	struct call c = { .sim = s,
			  .out = &out->body,
			  .agent = in->agent,
			  .address = in->address };
	size_t n_sessions;
	struct err e;

	*out = (struct methods_reply){ .status = 200, .method = "other" };
	buf_init(&out->body, ANSWER_MAX_BYTES);
	n_sessions = s->sessions.n;
	sessions_expire(&s->sessions, mono, s->scene.server.session_idle_s);
	s->stats.sessions_expired += (int64_t)(n_sessions - s->sessions.n);
	if (faults_take(&s->faults, "kill-sessions", NULL, NULL))
		sessions_kill_all(&s->sessions);
	inventory_update(&s->inv, &s->scene);
	c.session = session_find(&s->sessions, in->cookie);
	if (c.session != NULL) {
		c.session->last_active = mono;
		c.session->calls++;
	}
	c.version = client_version(s, in->action);
	c.now = simclock_now(&s->clock);
	if (s->stats.login_was_refused)
		s->stats.after_invalid_login++;
	if (soap_parse(&c.req, in->body, in->len, &e) != 0) {
		out->status = 500;
		soap_fault_set(&c.fault, "", "", "%s", e.text);
		soap_fault_body(&out->body, &c.fault);
	} else {
		buf_adds(&out->body, SOAP_HEAD);
		run(s, &c, out);
	}
	if (c.kill_sessions_after)
		sessions_kill_all(&s->sessions);
	out->set_cookie = c.set_cookie;
	soap_fini(&c.req);
}
