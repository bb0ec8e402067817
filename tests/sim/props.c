#include "props.h"

#include <stdio.h>
#include <string.h>

#include "perf.h"

bool
props_want(const char *path, const char *step, const char **rest_r)
{
	size_t len = strlen(step);

	if (rest_r != NULL)
		*rest_r = NULL;
	if (path == NULL)
		return true;
	if (strncmp(path, step, len) != 0 ||
	    (path[len] != '\0' && path[len] != '.'))
		return false;
	if (path[len] == '.' && rest_r != NULL)
		*rest_r = path + len + 1;
	return true;
}

void
props_time(real_t r, char out[48])
{
	char text[REAL_TEXT_SIZE];
	int us = (int)(r.us % US_PER_S);

	real_format((real_t){ r.us - us }, text);
	text[strcspn(text, "Z")] = '\0';
	snprintf(out, 48, us != 0 ? "%s.%06dZ" : "%sZ", text, us);
}

static const char *
mo_name(const struct scene *s, const struct mo *mo)
{
	switch (mo->kind) {
	case MO_DATACENTER:
		return s->dcs[mo->i].name;
	case MO_CLUSTER:
		return s->clusters[mo->i].name;
	case MO_HOST:
		return s->hosts[mo->i].name;
	case MO_DATASTORE:
		return s->dss[mo->i].name;
	default:
		return mo->name;
	}
}

static const char *
mo_status(const struct scene *s, const struct mo *mo)
{
	if (mo->kind == MO_DATASTORE && !s->dss[mo->i].accessible)
		return "red";
	if (mo->kind == MO_HOST &&
	    strcmp(s->hosts[mo->i].connection, "connected") != 0)
		return "red";
	return "green";
}

/* What every ManagedEntity has, in the schema's order. */
static void
entity_props(struct call *c, const struct mo *mo, const char *path,
	     struct tree *t, struct node *root)
{
	const struct scene *s = &c->sim->scene;

	if (mo->parent != NULL && props_want(path, "parent", NULL))
		tree_ref(t, root, "parent", mo->parent->type, mo->parent->id);
	if (props_want(path, "overallStatus", NULL))
		tree_str(t, root, "overallStatus", mo_status(s, mo));
	if (props_want(path, "configStatus", NULL))
		tree_str(t, root, "configStatus", "gray");
	if (props_want(path, "effectiveRole", NULL))
		tree_int(t, root, "effectiveRole", -2);
	if (props_want(path, "name", NULL))
		tree_str(t, root, "name", mo_name(s, mo));
	if (props_want(path, "alarmActionsEnabled", NULL))
		tree_bool(t, root, "alarmActionsEnabled", true);
}

/* References to every object of a kind below mo. */
static void
refs(struct call *c, const struct mo *mo, struct tree *t, struct node *root,
     const char *field, enum mo_kind kind)
{
	const struct inventory *inv = &c->sim->inv;

	for (size_t i = 0; i < inv->n; i++)
		if (inv->all[i]->kind == kind &&
		    inventory_below(inv->all[i], mo, true))
			tree_ref(t, root, field, inv->all[i]->type,
				 inv->all[i]->id);
}

static void
folder_props(struct call *c, const struct mo *mo, const char *path,
	     struct tree *t, struct node *root)
{
	const struct inventory *inv = &c->sim->inv;

	if (props_want(path, "childType", NULL)) {
		tree_str(t, root, "childType", "Folder");
		tree_str(t, root, "childType", mo->child_type);
	}
	if (!props_want(path, "childEntity", NULL))
		return;
	for (size_t i = 0; i < inv->n; i++)
		if (inv->all[i]->parent == mo)
			tree_ref(t, root, "childEntity", inv->all[i]->type,
				 inv->all[i]->id);
}

static void
datacenter_props(struct call *c, const struct mo *mo, const char *path,
		 struct tree *t, struct node *root)
{
	static const char *const names[4] = { "vmFolder", "hostFolder",
					      "datastoreFolder",
					      "networkFolder" };

	for (int i = 0; i < 4; i++)
		if (props_want(path, names[i], NULL))
			tree_ref(t, root, names[i], "Folder",
				 mo->folders[i]->id);
	if (props_want(path, "datastore", NULL))
		refs(c, mo, t, root, "datastore", MO_DATASTORE);
}

/* Does any host of the cluster mount it? */
static bool
cluster_mounts(const struct scene *s, const struct mo *mo,
	       const struct scene_ds *d)
{
	for (size_t h = 0; h < s->n_hosts; h++)
		if (d->pairs[h].mounted &&
		    strcmp(s->hosts[h].cluster, s->clusters[mo->i].name) == 0)
			return true;
	return false;
}

static void
cluster_props(struct call *c, const struct mo *mo, const char *path,
	      struct tree *t, struct node *root)
{
	const struct scene *s = &c->sim->scene;

	if (props_want(path, "resourcePool", NULL))
		tree_ref(t, root, "resourcePool", "ResourcePool",
			 s->is_esxi ? "ha-root-pool" : "resgroup-9");
	if (props_want(path, "host", NULL))
		refs(c, mo, t, root, "host", MO_HOST);
	if (!props_want(path, "datastore", NULL))
		return;
	for (size_t i = 0; i < s->n_dss; i++)
		if (scene_ds_listed(&s->dss[i]) &&
		    cluster_mounts(s, mo, &s->dss[i]))
			tree_ref(t, root, "datastore", "Datastore",
				 s->dss[i].moref);
}

struct node *
props_build(struct call *c, const struct mo *mo, const char *path,
	    struct tree *t)
{
	struct node *root = tree_root(t, mo->type);

	if (mo->kind != MO_MANAGER && mo->kind != MO_VIEW)
		entity_props(c, mo, path, t, root);
	switch (mo->kind) {
	case MO_FOLDER:
		folder_props(c, mo, path, t, root);
		break;
	case MO_DATACENTER:
		datacenter_props(c, mo, path, t, root);
		break;
	case MO_CLUSTER:
		cluster_props(c, mo, path, t, root);
		break;
	case MO_HOST:
		props_host(c, mo, path, t, root);
		break;
	case MO_DATASTORE:
		props_datastore(c, mo, path, t, root);
		break;
	case MO_MANAGER:
		props_manager(c, mo, path, t, root);
		break;
	case MO_VIEW:
		props_view(c, mo->view, path, t, root);
		break;
	}
	return root;
}
