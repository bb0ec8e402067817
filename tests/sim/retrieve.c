#include "retrieve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "props.h"
#include "select.h"

#define OBJECTS_MAX_BYTES ((size_t)1 << 30)

int
retrieve_create_view(struct call *c)
{
	struct soap_request *r = &c->req;
	const char *id = soap_child_text(r, r->method, "container");
	const char *recursive = soap_child_text(r, r->method, "recursive");
	char **types = NULL;
	size_t n = 0;
	struct view *v;

	if (id == NULL || inventory_find(&c->sim->inv, id) == NULL)
		return select_not_found(c, "Folder", id);
	for (const xmlNode *t = soap_child(r->method, "type", 0); t != NULL;
	     t = soap_next(t)) {
		types = xreallocarray(types, n + 1, sizeof(char *));
		types[n++] = xstrdup(soap_text(r, t));
	}
	v = view_new_take(&c->sim->sessions, c->session, xstrdup(id), types, n);
	v->recursive = recursive != NULL && strcmp(recursive, "true") == 0;
	buf_addf(c->out,
		 "<CreateContainerViewResponse xmlns=\"urn:vim25\">"
		 "<returnval type=\"ContainerView\">%s</returnval>"
		 "</CreateContainerViewResponse>",
		 v->id);
	return 0;
}

int
retrieve_destroy_view(struct call *c)
{
	const char *id = soap_child_text(&c->req, c->req.method, "_this");

	if (id == NULL || !view_destroy(c->session, id))
		return select_not_found(c, "ContainerView", id);
	buf_adds(c->out,
		 "<DestroyViewResponse xmlns=\"urn:vim25\">"
		 "</DestroyViewResponse>");
	return 0;
}

/* ---- one object's properties ---- */

static void
add_missing(struct call *c, struct buf *missing, const char *path,
	    const struct mo *mo, const char *fault)
{
	struct soap_fault f = { 0 };
	struct buf inner;

	buf_init(&inner, sizeof(f.inner));
	buf_addf(&inner, "<object type=\"%s\">", mo->type);
	buf_add_xml(&inner, mo->id);
	buf_adds(&inner, "</object><privilegeId>System.View</privilegeId>");
	soap_fault_set(&f, fault, buf_str(&inner), "%s",
		       strcmp(fault, "NoPermission") == 0
			       ? "Permission to perform this operation was "
				 "denied."
			       : "The session is not authenticated.");
	buf_fini(&inner);
	buf_addf(missing, "<missingSet><path>%s</path>", path);
	soap_fault_missing(missing, &f);
	buf_adds(missing, "</missingSet>");
	(void)c;
}

static int
invalid_property(struct call *c, const char *path)
{
	char inner[256];

	snprintf(inner, sizeof(inner), "<name>%.200s</name>", path);
	return soap_fault_set(&c->fault, "InvalidProperty", inner,
			      "The property '%.200s' is not valid.", path);
}

/* Does the path exist for this client and is no fault laid on it? */
static int
check_path(struct call *c, const char *type, const char *path)
{
	const struct schema_type *t = schema_find(type);

	if (t == NULL || tree_check_path(t, path, c->version) != TREE_PATH_OK ||
	    faults_take_for(&c->sim->faults, "invalid-property", path))
		return invalid_property(c, path);
	return 0;
}

/* Is the fault laid on the path, for all objects or for this one
 * ("datastore-2001:summary")? */
static bool
laid_on(struct faults *f, const char *fault, const struct mo *mo,
	const char *path)
{
	char *both;
	bool hit;

	if (f->first == NULL)
		return false;
	both = xasprintf("%s:%s", mo->id, path);
	hit = faults_take_for(f, fault, both) ||
		faults_take_for(f, fault, path);
	free(both);
	return hit;
}

static void
add_prop(struct call *c, const struct mo *mo, const char *path, struct tree *t,
	 struct buf *out, struct buf *missing)
{
	struct faults *f = &c->sim->faults;
	struct tree_pick p;
	size_t before;

	if (laid_on(f, "no-permission", mo, path)) {
		add_missing(c, missing, path, mo, "NoPermission");
		return;
	}
	if (laid_on(f, "property-missing", mo, path))
		return;
	tree_reset(t);
	p = tree_pick(props_build(c, mo, path, t), path);
	before = out->len;
	buf_adds(out, "<propSet><name>");
	buf_adds(out, path);
	buf_adds(out, "</name>");
	if (p.field == NULL)
		goto none;
	{
		size_t head = out->len;

		tree_render(out, "val", &p, path, c->version);
		if (out->len != head) {
			buf_adds(out, "</propSet>");
			return;
		}
	}
none:
	out->len = before;
	out->data[before] = '\0';
}

/* Every property of the type that the client's version knows. */
static void
add_all(struct call *c, const struct mo *mo, struct tree *t, struct buf *out,
	struct buf *missing)
{
	const struct schema_type *type = schema_find(mo->type);

	for (size_t i = 0; i < type->n_fields; i++)
		if (type->fields[i].since <= c->version)
			add_prop(c, mo, type->fields[i].name, t, out, missing);
}

/* Readable without a session: a client needs it to log in. */
static bool
is_public(const struct mo *mo)
{
	return mo->kind == MO_MANAGER &&
		(mo->i == MGR_SERVICE || mo->i == MGR_SESSION);
}

/* The propSets of a specSet that apply to the object. */
static void
add_object(struct call *c, const xmlNode *spec_set, const struct mo *mo,
	   struct tree *t, struct buf *out)
{
	struct soap_request *r = &c->req;
	struct buf missing;
	bool applies = false;

	buf_init(&missing, 1 << 20);
	buf_addf(out, "<objects><obj type=\"%s\">", mo->type);
	buf_add_xml(out, mo->id);
	buf_adds(out, "</obj>");
	for (const xmlNode *ps = soap_child(spec_set, "propSet", 0); ps != NULL;
	     ps = soap_next(ps)) {
		const char *type = soap_child_text(r, ps, "type");
		const char *all = soap_child_text(r, ps, "all");

		if (type == NULL || !schema_is_a(schema_find(mo->type), type))
			continue;
		applies = true;
		if (all != NULL && strcmp(all, "true") == 0)
			add_all(c, mo, t, out, &missing);
		for (const xmlNode *p = soap_child(ps, "pathSet", 0); p != NULL;
		     p = soap_next(p)) {
			const char *path = soap_text(r, p);

			if (c->session != NULL || is_public(mo))
				add_prop(c, mo, path, t, out, &missing);
			else
				add_missing(c, &missing, path, mo,
					    "NotAuthenticated");
		}
	}
	if (applies) {
		buf_add(out, buf_str(&missing), missing.len);
		buf_adds(out, "</objects>");
	} else {
		buf_reset(out);
	}
	buf_fini(&missing);
}

/* ---- a whole request ---- */

struct objects {
	char **v;
	size_t n;
};

static void
objects_fini(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i]);
	free(o->v);
}

static int
check_paths(struct call *c, const xmlNode *spec_set)
{
	struct soap_request *r = &c->req;

	for (const xmlNode *ps = soap_child(spec_set, "propSet", 0); ps != NULL;
	     ps = soap_next(ps)) {
		const char *type = soap_child_text(r, ps, "type");

		for (const xmlNode *p = soap_child(ps, "pathSet", 0); p != NULL;
		     p = soap_next(p))
			if (check_path(c, type != NULL ? type : "",
				       soap_text(r, p)) != 0)
				return -1;
	}
	return 0;
}

static int
gather(struct call *c, struct objects *out)
{
	struct tree t;
	struct buf b;
	int rc = 0;

	tree_init(&t);
	buf_init(&b, OBJECTS_MAX_BYTES);
	for (const xmlNode *ss = soap_child(c->req.method, "specSet", 0);
	     ss != NULL && rc == 0; ss = soap_next(ss)) {
		struct selection sel = { 0 };

		rc = check_paths(c, ss);
		if (rc == 0)
			rc = select_objects(c, ss, &sel);
		for (size_t i = 0; rc == 0 && i < sel.n; i++) {
			add_object(c, ss, sel.v[i], &t, &b);
			if (b.len == 0)
				continue;
			out->v = xreallocarray(out->v, out->n + 1,
					       sizeof(char *));
			out->v[out->n++] = buf_take(&b);
			buf_init(&b, OBJECTS_MAX_BYTES);
		}
		select_fini(&sel);
	}
	buf_fini(&b);
	tree_fini(&t);
	return rc;
}

/* The NotAuthenticated form that comes as HTTP 200: the object asked for,
 * with nothing but missingSets.  A view is no object any more. */
static int
answer_not_authenticated(struct call *c)
{
	const xmlNode *ss = soap_child(c->req.method, "specSet", 0);
	const xmlNode *os = soap_child(ss, "objectSet", 0);
	const xmlNode *ps = soap_child(ss, "propSet", 0);
	const char *type = soap_child_text(&c->req, ps, "type");
	struct tree t;

	session_end(&c->sim->sessions, c->session);
	c->session = NULL;
	tree_init(&t);
	buf_addf(c->out, "<%sResponse xmlns=\"urn:vim25\">%s", c->method,
		 strcmp(c->method, "RetrievePropertiesEx") == 0 ? "<returnval>"
								: "");
	for (size_t i = 0; os != NULL && i < c->sim->inv.n; i++) {
		const struct mo *mo = c->sim->inv.all[i];
		struct buf b;

		if (type == NULL || strcmp(mo->type, type) != 0)
			continue;
		buf_init(&b, 1 << 20);
		add_object(c, ss, mo, &t, &b);
		buf_add(c->out, buf_str(&b), b.len);
		buf_fini(&b);
		break;
	}
	buf_addf(c->out, "%s</%sResponse>",
		 strcmp(c->method, "RetrievePropertiesEx") == 0 ? "</returnval>"
								: "",
		 c->method);
	tree_fini(&t);
	return 0;
}

/* <returnval> of one page: objects next..next+n, and the token. */
static void
add_page(struct call *c, char **objects, size_t n, const char *token)
{
	if (n == 0)
		return;
	buf_adds(c->out, "<returnval>");
	if (token != NULL)
		buf_addf(c->out, "<token>%s</token>", token);
	for (size_t i = 0; i < n; i++)
		buf_adds(c->out, objects[i]);
	buf_adds(c->out, "</returnval>");
}

static size_t
page_size(struct call *c)
{
	const char *text = soap_child_text(
		&c->req, soap_child(c->req.method, "options", 0), "maxObjects");
	int64_t n = fault_arg_int(text, 0);
	int64_t ceiling = c->sim->scene.server.page_size;

	if (text != NULL && n <= 0)
		return 0; /* illegal */
	if (n <= 0 || (ceiling > 0 && n > ceiling))
		n = ceiling;
	return n > 0 ? (size_t)n : SIZE_MAX;
}

int
retrieve_ex(struct call *c)
{
	struct objects o = { 0 };
	size_t per_page = page_size(c);
	struct paging *p = NULL;
	int rc;

	if (per_page == 0)
		return soap_fault_set(&c->fault, "InvalidArgument",
				      "<invalidProperty>options.maxObjects"
				      "</invalidProperty>",
				      "A specified parameter was not correct: "
				      "options.maxObjects");
	if (c->session != NULL &&
	    faults_take(&c->sim->faults, "not-authenticated-200", c->method,
			NULL))
		return answer_not_authenticated(c);
	rc = gather(c, &o);
	if (rc == 0) {
		buf_adds(c->out,
			 "<RetrievePropertiesExResponse "
			 "xmlns=\"urn:vim25\">");
		if (o.n > per_page && c->session != NULL) {
			p = paging_new(&c->sim->sessions, c->session);
			p->objects = o.v;
			p->n = o.n;
			p->next = p->per_page = per_page;
		}
		add_page(c, o.v, c->session != NULL ? MIN(o.n, per_page) : o.n,
			 p != NULL ? p->token : NULL);
		buf_adds(c->out, "</RetrievePropertiesExResponse>");
		if (p != NULL &&
		    faults_take(&c->sim->faults, "kill-between-pages", NULL,
				NULL))
			c->kill_sessions_after = true;
	}
	if (p == NULL)
		objects_fini(&o);
	return rc;
}

static struct paging *
paging_of(struct call *c)
{
	const char *token = soap_child_text(&c->req, c->req.method, "token");
	struct paging *p =
		token != NULL ? paging_find(c->session, token) : NULL;

	if (p == NULL ||
	    faults_take(&c->sim->faults, "bad-token", NULL, NULL)) {
		soap_fault_set(&c->fault, "InvalidArgument",
			       "<invalidProperty>token</invalidProperty>",
			       "A specified parameter was not correct: token");
		return NULL;
	}
	return p;
}

int
retrieve_continue(struct call *c)
{
	struct paging *p = paging_of(c);
	size_t n, first;
	bool last;

	if (p == NULL)
		return -1;
	first = p->next;
	n = MIN(p->per_page, p->n - first);
	p->next += n;
	last = p->next == p->n;
	paging_renew(&c->sim->sessions, p);
	buf_adds(c->out,
		 "<ContinueRetrievePropertiesExResponse xmlns=\"urn:vim25\">");
	add_page(c, p->objects + first, n, last ? NULL : p->token);
	buf_adds(c->out, "</ContinueRetrievePropertiesExResponse>");
	if (last)
		paging_end(c->session, p);
	return 0;
}

int
retrieve_cancel(struct call *c)
{
	struct paging *p = paging_of(c);

	if (p == NULL)
		return -1;
	paging_end(c->session, p);
	buf_adds(c->out,
		 "<CancelRetrievePropertiesExResponse "
		 "xmlns=\"urn:vim25\">"
		 "</CancelRetrievePropertiesExResponse>");
	return 0;
}

/* RetrieveProperties: one returnval per object, never paged. */
int
retrieve_old(struct call *c)
{
	struct objects o = { 0 };
	int rc;

	if (c->session != NULL &&
	    faults_take(&c->sim->faults, "not-authenticated-200", c->method,
			NULL))
		return answer_not_authenticated(c);
	rc = gather(c, &o);
	buf_adds(c->out, "<RetrievePropertiesResponse xmlns=\"urn:vim25\">");
	for (size_t i = 0; rc == 0 && i < o.n; i++) {
		const char *inner = o.v[i] + strlen("<objects>");

		buf_adds(c->out, "<returnval>");
		buf_add(c->out, inner, strlen(inner) - strlen("</objects>"));
		buf_adds(c->out, "</returnval>");
	}
	buf_adds(c->out, "</RetrievePropertiesResponse>");
	objects_fini(&o);
	return rc;
}

int
retrieve_fetch(struct call *c)
{
	const xmlNode *self = soap_child(c->req.method, "_this", 0);
	const char *id = soap_text(&c->req, self);
	const char *prop = soap_child_text(&c->req, c->req.method, "prop");
	const struct view *v;
	const struct mo *mo;
	struct tree_pick p;
	struct tree t;

	if (id == NULL || prop == NULL)
		return select_not_found(c, soap_attr(&c->req, self, "type"),
					id);
	v = c->session != NULL ? view_find(c->session, id) : NULL;
	mo = v != NULL ? &v->self : inventory_find(&c->sim->inv, id);
	if (mo == NULL)
		return select_not_found(c, soap_attr(&c->req, self, "type"),
					id);
	if (check_path(c, mo->type, prop) != 0)
		return -1;
	buf_adds(c->out, "<FetchResponse xmlns=\"urn:vim25\">");
	tree_init(&t);
	p = tree_pick(props_build(c, mo, prop, &t), prop);
	tree_render(c->out, "returnval", &p, prop, c->version);
	tree_fini(&t);
	buf_adds(c->out, "</FetchResponse>");
	return 0;
}
