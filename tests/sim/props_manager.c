/* ServiceInstance, SessionManager, PerformanceManager and other managers. */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "perf.h"
#include "props.h"
#include "select.h"

void
props_about(const struct scene *s, struct tree *t, struct node *a)
{
	const struct scene_server *v = &s->server;
	const char *name = s->is_esxi ? "VMware ESXi" : "VMware vCenter Server";

	tree_str(t, a, "name", v->name != NULL ? v->name : name);
	tree_strf(t, a, "fullName", "%s %s build-%s", name, v->version,
		  v->build);
	tree_str(t, a, "vendor", "VMware, Inc.");
	tree_str(t, a, "version", v->version);
	tree_str(t, a, "patchLevel", "00000");
	tree_str(t, a, "build", v->build);
	tree_str(t, a, "localeVersion", "INTL");
	tree_str(t, a, "localeBuild", "000");
	tree_str(t, a, "osType", s->is_esxi ? "vmnix-x86" : "linux-x64");
	tree_str(t, a, "productLineId", s->is_esxi ? "embeddedEsx" : "vpx");
	tree_str(t, a, "apiType", s->is_esxi ? "HostAgent" : "VirtualCenter");
	tree_str(t, a, "apiVersion", v->api);
	if (!s->is_esxi)
		tree_str(t, a, "instanceUuid", v->uuid);
	tree_str(t, a, "licenseProductName",
		 s->is_esxi ? "VMware ESX Server"
			    : "VMware VirtualCenter "
			      "Server");
	tree_strf(t, a, "licenseProductVersion", "%.3s", v->version);
}

void
props_content(struct call *c, struct tree *t, struct node *n)
{
	const struct scene *s = &c->sim->scene;
	static const struct {
		const char *field;
		enum manager m;
	} before[] = {
		{ "propertyCollector", MGR_PROPERTY },
		{ "viewManager", MGR_VIEW },
	}, after[] = {
		{ "setting", MGR_SETTING },
		{ "sessionManager", MGR_SESSION },
		{ "perfManager", MGR_PERF },
		{ "eventManager", MGR_EVENT },
	};

	tree_ref(t, n, "rootFolder", "Folder",
		 s->is_esxi ? "ha-folder-root" : "group-d1");
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		tree_ref(t, n, before[i].field, manager_type(before[i].m),
			 manager_id(s, before[i].m));
	props_about(s, t, tree_obj(t, n, "about", NULL));
	for (size_t i = 0; i < ARRAY_SIZE(after); i++)
		tree_ref(t, n, after[i].field, manager_type(after[i].m),
			 manager_id(s, after[i].m));
	if (!s->is_esxi)
		tree_ref(t, n, "storageResourceManager",
			 "StorageResourceManager", "StorageResourceManager");
}

void
props_session(const struct session *s, struct tree *t, struct node *n)
{
	char text[48];

	tree_str(t, n, "key", s->key);
	tree_str(t, n, "userName", s->user);
	tree_str(t, n, "fullName", s->user);
	props_time(s->login, text);
	tree_str(t, n, "loginTime", text);
	tree_str(t, n, "lastActiveTime", text);
	tree_str(t, n, "locale", "en");
	tree_str(t, n, "messageLocale", "en");
	tree_bool(t, n, "extensionSession", false);
	tree_str(t, n, "ipAddress", s->address);
	tree_str(t, n, "userAgent", s->agent);
	tree_int(t, n, "callCount", s->calls);
}

static void
service(struct call *c, const char *path, struct tree *t, struct node *root)
{
	char text[48];

	props_time(c->now, text);
	if (props_want(path, "serverClock", NULL))
		tree_str(t, root, "serverClock", text);
	if (props_want(path, "capability", NULL)) {
		struct node *n = tree_obj(t, root, "capability", NULL);

		tree_bool(t, n, "provisioningSupported", true);
		tree_bool(t, n, "multiHostSupported", !c->sim->scene.is_esxi);
		tree_bool(t, n, "userShellAccessSupported", false);
	}
	if (props_want(path, "content", NULL))
		props_content(c, t, tree_obj(t, root, "content", NULL));
}

static void
session_manager(struct call *c, const char *path, struct tree *t,
		struct node *root)
{
	if (c->session != NULL && props_want(path, "currentSession", NULL))
		props_session(c->session, t,
			      tree_obj(t, root, "currentSession", NULL));
	if (props_want(path, "message", NULL))
		tree_str(t, root, "message", "");
	if (props_want(path, "defaultLocale", NULL))
		tree_str(t, root, "defaultLocale", "en");
}

void
props_manager(struct call *c, const struct mo *mo, const char *path,
	      struct tree *t, struct node *root)
{
	switch ((enum manager)mo->i) {
	case MGR_SERVICE:
		service(c, path, t, root);
		break;
	case MGR_SESSION:
		session_manager(c, path, t, root);
		break;
	case MGR_PERF:
		perf_props(c, t, root, path);
		break;
	case MGR_SETTING:
		if (props_want(path, "setting", NULL))
			options_props(c, t, root);
		break;
	default:
		break;
	}
}

void
props_view(struct call *c, const struct view *v, const char *path,
	   struct tree *t, struct node *root)
{
	const struct mo *container = inventory_find(&c->sim->inv, v->container);

	if (props_want(path, "view", NULL)) {
		struct selection sel = { 0 };

		select_view(c, v, &sel);
		for (size_t i = 0; i < sel.n; i++)
			tree_ref(t, root, "view", sel.v[i]->type, sel.v[i]->id);
		select_fini(&sel);
	}
	if (container != NULL && props_want(path, "container", NULL))
		tree_ref(t, root, "container", container->type, container->id);
	if (props_want(path, "type", NULL))
		for (size_t i = 0; i < v->n_types; i++)
			tree_str(t, root, "type", v->types[i]);
	if (props_want(path, "recursive", NULL))
		tree_bool(t, root, "recursive", v->recursive);
}
