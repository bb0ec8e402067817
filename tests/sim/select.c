#include "select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "props.h"

#define DEPTH_MAX 32

static void
add(struct selection *s, const struct mo *mo)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i] == mo)
			return;
	s->v = xreallocarray(s->v, s->n + 1, sizeof(struct mo *));
	s->v[s->n++] = mo;
}

void
select_fini(struct selection *s)
{
	free(s->v);
	*s = (struct selection){ 0 };
}

int
select_not_found(struct call *c, const char *type, const char *id)
{
	struct buf inner;

	buf_init(&inner, sizeof(c->fault.inner));
	buf_addf(&inner, "<obj type=\"%s\">", type != NULL ? type : "");
	buf_add_xml(&inner, id != NULL ? id : "");
	buf_adds(&inner, "</obj>");
	soap_fault_set(&c->fault, "ManagedObjectNotFound", buf_str(&inner),
		       "The object 'vim.%s:%.100s' has already been deleted "
		       "or has not been completely created",
		       type != NULL ? type : "", id != NULL ? id : "");
	buf_fini(&inner);
	return -1;
}

void
select_view(const struct call *c, const struct view *v, struct selection *out)
{
	const struct inventory *inv = &c->sim->inv;
	const struct mo *container = inventory_find(inv, v->container);

	if (container == NULL || faults_on(&c->sim->faults, "empty-inventory"))
		return;
	for (size_t i = 0; i < inv->n; i++) {
		const struct schema_type *t = schema_find(inv->all[i]->type);
		bool wanted = v->n_types == 0;

		for (size_t k = 0; k < v->n_types; k++)
			wanted = wanted || schema_is_a(t, v->types[k]);
		if (wanted &&
		    inventory_below(inv->all[i], container, v->recursive)) {
			/* Objects of the inventory are distinct. */
			out->v = xreallocarray(out->v, out->n + 1,
					       sizeof(struct mo *));
			out->v[out->n++] = inv->all[i];
		}
	}
}

/* What a path of references leads to. */
static void
follow(struct call *c, const struct mo *mo, const char *path,
       struct selection *out)
{
	struct tree t;
	struct tree_pick p;

	tree_init(&t);
	p = tree_pick(props_build(c, mo, path, &t), path);
	for (const struct node *n = p.first; n != NULL && n->field == p.field;
	     n = n->next) {
		const struct mo *next = n->ref_type != NULL
			? inventory_find(&c->sim->inv, n->text)
			: NULL;

		if (next != NULL)
			add(out, next);
	}
	tree_fini(&t);
}

struct walk {
	struct call *c;
	const xmlNode *root; /* objectSet: where names are looked up */
	struct selection *out;
};

static void visit(struct walk *w, const struct mo *mo, const xmlNode *parent,
		  int depth);

static const xmlNode *
find_named(const xmlNode *n, struct soap_request *r, const char *name)
{
	const xmlNode *hit = NULL;

	for (const xmlNode *s = soap_child(n, "selectSet", 0);
	     s != NULL && hit == NULL; s = soap_next(s)) {
		const char *its = soap_child_text(r, s, "name");

		if (its != NULL && strcmp(its, name) == 0 &&
		    soap_child(s, "path", 0) != NULL)
			return s;
		hit = find_named(s, r, name);
	}
	return hit;
}

static void
traverse(struct walk *w, const struct mo *mo, const xmlNode *spec, int depth)
{
	struct soap_request *r = &w->c->req;
	const char *path = soap_child_text(r, spec, "path");
	const char *type = soap_child_text(r, spec, "type");
	const char *skip = soap_child_text(r, spec, "skip");
	struct selection next = { 0 };

	if (path == NULL) {
		const char *name = soap_child_text(r, spec, "name");
		const xmlNode *s =
			name != NULL ? find_named(w->root, r, name) : NULL;

		if (s != NULL)
			traverse(w, mo, s, depth);
		return;
	}
	if (type == NULL || !schema_is_a(schema_find(mo->type), type) ||
	    tree_check_path(schema_find(mo->type), path, UINT32_MAX) !=
		    TREE_PATH_OK)
		return;
	follow(w->c, mo, path, &next);
	for (size_t i = 0; i < next.n; i++) {
		if (skip == NULL || strcmp(skip, "true") != 0)
			add(w->out, next.v[i]);
		visit(w, next.v[i], spec, depth + 1);
	}
	select_fini(&next);
}

static void
visit(struct walk *w, const struct mo *mo, const xmlNode *parent, int depth)
{
	if (depth > DEPTH_MAX)
		return;
	for (const xmlNode *s = soap_child(parent, "selectSet", 0); s != NULL;
	     s = soap_next(s))
		traverse(w, mo, s, depth);
}

int
select_objects(struct call *c, const xmlNode *spec_set, struct selection *out)
{
	struct soap_request *r = &c->req;

	for (const xmlNode *os = soap_child(spec_set, "objectSet", 0);
	     os != NULL; os = soap_next(os)) {
		const xmlNode *obj = soap_child(os, "obj", 0);
		const char *id = soap_text(r, obj);
		const char *type = soap_attr(r, obj, "type");
		const char *skip = soap_child_text(r, os, "skip");
		struct walk w = { .c = c, .root = os, .out = out };
		const struct view *v;
		const struct mo *mo;

		if (id == NULL || type == NULL)
			return select_not_found(c, type, id);
		v = c->session != NULL ? view_find(c->session, id) : NULL;
		if (c->session == NULL && strcmp(type, "ContainerView") == 0)
			return soap_fault_set(
				&c->fault, "NotAuthenticated",
				"<object type=\"Folder\">group-d1</object>"
				"<privilegeId>System.View</privilegeId>",
				"The session is not authenticated.");
		mo = v != NULL ? &v->self : inventory_find(&c->sim->inv, id);
		if (mo == NULL)
			return select_not_found(c, type, id);
		if (skip == NULL || strcmp(skip, "true") != 0)
			add(out, mo);
		if (c->session != NULL)
			visit(&w, mo, os, 0);
	}
	return 0;
}
