#include "service.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

static const char instance_type[] = "ServiceInstance";
static const char instance_moref[] = "ServiceInstance";

/* ---- ServiceContent ---- */

/* One member each; the id is the row's place and one. */
static const struct {
	size_t member;
	const char *required; /* by this name; NULL: may be absent */
} content_rows[] = {
	{ offsetof(struct service_content, root_folder), "rootFolder" },
	{ offsetof(struct service_content, property_collector),
	  "propertyCollector" },
	{ offsetof(struct service_content, view_manager), "viewManager" },
	{ offsetof(struct service_content, session_manager), "sessionManager" },
	{ offsetof(struct service_content, perf_manager), "perfManager" },
	{ offsetof(struct service_content, event_manager), NULL },
	{ offsetof(struct service_content, full_name), NULL },
	{ offsetof(struct service_content, version), NULL },
	{ offsetof(struct service_content, build), NULL },
	{ offsetof(struct service_content, api_type), "about.apiType" },
	{ offsetof(struct service_content, api_version), NULL },
	{ offsetof(struct service_content, instance_uuid), NULL },
};

static const struct xml_node about_nodes[] = {
	{ "fullName", 7, NULL },    { "version", 8, NULL },
	{ "build", 9, NULL },       { "apiType", 10, NULL },
	{ "apiVersion", 11, NULL }, { "instanceUuid", 12, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node content_members[] = {
	{ "rootFolder", 1, NULL },     { "propertyCollector", 2, NULL },
	{ "viewManager", 3, NULL },    { "about", 0, about_nodes },
	{ "sessionManager", 4, NULL }, { "perfManager", 5, NULL },
	{ "eventManager", 6, NULL },   { NULL, 0, NULL },
};
static const struct xml_node content_nodes[] = {
	{ "returnval", 0, content_members },
	{ NULL, 0, NULL },
};

/* The arg of its answer: NULL once taken. */
struct content_arg {
	struct service_content *sc;
};

static char **
member(struct service_content *sc, size_t row)
{
	return (char **)(void *)((char *)sc + content_rows[row].member);
}

static int
content_close(void *arg, unsigned id, const char *text, size_t len unused,
	      struct err *e unused)
{
	struct content_arg *a = arg;

	xstrset(member(a->sc, id - 1), text);
	return 0;
}

static int
content_finish(void *arg, struct err *e)
{
	struct content_arg *a = arg;

	for (size_t i = 0; i < ARRAY_SIZE(content_rows); i++) {
		char **s = member(a->sc, i);

		if (*s == NULL)
			*s = xstrdup("");
		if (content_rows[i].required != NULL && **s == '\0')
			return err_set(e, ERR_PROTO,
				       "the service content has no %s",
				       content_rows[i].required);
	}
	return 0;
}

static void
content_free(void *arg)
{
	struct content_arg *a = arg;

	service_content_free(&a->sc);
	free(a);
}

static const struct answer_method content_method = {
	.name = "RetrieveServiceContent",
	.nodes = content_nodes,
	.close = content_close,
	.finish = content_finish,
	.free = content_free,
};

void
service_write_content(struct buf *b)
{
	soap_begin(b, content_method.name, instance_type, instance_moref);
	soap_end(b, content_method.name);
}

struct answer *
service_content_answer(void)
{
	struct content_arg *a = xcalloc(1, sizeof(*a));

	a->sc = xcalloc(1, sizeof(*a->sc));
	return answer_new(&content_method, a);
}

struct service_content *
service_content_take(struct answer *r)
{
	struct content_arg *a = answer_arg(r, &content_method);
	struct service_content *sc = a->sc;

	a->sc = NULL;
	return sc;
}

void
service_content_free(struct service_content **scp)
{
	if (*scp == NULL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(content_rows); i++)
		free(*member(*scp, i));
	free(*scp);
	*scp = NULL;
}

bool
service_is_vcenter(const struct service_content *sc)
{
	return strcmp(sc->api_type, "VirtualCenter") == 0;
}

/* ---- answers of one text ---- */

enum { T_TEXT = 1 };

/* The arg of Login, CurrentTime and CreateContainerView. */
struct text_arg {
	char *text; /* NULL until it came */
	real_t time;
};

static int
text_close(void *arg, unsigned id unused, const char *text, size_t len unused,
	   struct err *e unused)
{
	struct text_arg *a = arg;

	xstrset(&a->text, text);
	return 0;
}

static int
text_finish(void *arg, struct err *e)
{
	struct text_arg *a = arg;

	if (a->text == NULL || a->text[0] == '\0')
		return err_set(e, ERR_PROTO, "the answer is empty");
	return 0;
}

static int
time_finish(void *arg, struct err *e)
{
	struct text_arg *a = arg;

	if (text_finish(arg, e) != 0)
		return -1;
	if (real_parse(a->text, strlen(a->text), &a->time) != 0)
		return err_set(e, ERR_PROTO, "\"%.40s\" is not a time",
			       a->text);
	return 0;
}

static void
text_free(void *arg)
{
	struct text_arg *a = arg;

	free(a->text);
	free(a);
}

static struct answer *
text_answer(const struct answer_method *m)
{
	return answer_new(m, xcalloc(1, sizeof(struct text_arg)));
}

static const struct xml_node text_nodes[] = {
	{ "returnval", T_TEXT, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node session_members[] = {
	{ "key", T_TEXT, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node session_nodes[] = {
	{ "returnval", 0, session_members },
	{ NULL, 0, NULL },
};

static const struct answer_method login_method = {
	.name = "Login",
	.nodes = session_nodes,
	.close = text_close,
	.finish = text_finish,
	.free = text_free,
};
static const struct answer_method time_method = {
	.name = "CurrentTime",
	.nodes = text_nodes,
	.close = text_close,
	.finish = time_finish,
	.free = text_free,
};
static const struct answer_method view_method = {
	.name = "CreateContainerView",
	.nodes = text_nodes,
	.close = text_close,
	.finish = text_finish,
	.free = text_free,
};
/* Nothing comes back but that it is done. */
static const struct answer_method logout_method = { .name = "Logout" };
static const struct answer_method destroy_method = { .name = "DestroyView" };

void
service_write_login(struct buf *b, const struct service_content *sc,
		    const char *username, const char *password)
{
	soap_begin(b, login_method.name, "SessionManager", sc->session_manager);
	soap_text(b, "userName", username);
	soap_text(b, "password", password);
	soap_end(b, login_method.name);
}

struct answer *
service_login_answer(void)
{
	return text_answer(&login_method);
}

const char *
service_login_get(const struct answer *r)
{
	const struct text_arg *a = answer_arg(r, &login_method);

	return a->text;
}

void
service_write_logout(struct buf *b, const struct service_content *sc)
{
	soap_begin(b, logout_method.name, "SessionManager",
		   sc->session_manager);
	soap_end(b, logout_method.name);
}

struct answer *
service_logout_answer(void)
{
	return answer_new(&logout_method, NULL);
}

void
service_write_time(struct buf *b)
{
	soap_begin(b, time_method.name, instance_type, instance_moref);
	soap_end(b, time_method.name);
}

struct answer *
service_time_answer(void)
{
	return text_answer(&time_method);
}

real_t
service_time_get(const struct answer *r)
{
	const struct text_arg *a = answer_arg(r, &time_method);

	return a->time;
}

void
service_write_view(struct buf *b, const struct service_content *sc,
		   const char *const *types, size_t n_types)
{
	soap_begin(b, view_method.name, "ViewManager", sc->view_manager);
	soap_moref(b, "container", "Folder", sc->root_folder);
	for (size_t i = 0; i < n_types; i++)
		soap_text(b, "type", types[i]);
	soap_text(b, "recursive", "true");
	soap_end(b, view_method.name);
}

struct answer *
service_view_answer(void)
{
	return text_answer(&view_method);
}

const char *
service_view_get(const struct answer *r)
{
	const struct text_arg *a = answer_arg(r, &view_method);

	return a->text;
}

void
service_write_view_destroy(struct buf *b, const char *view)
{
	soap_begin(b, destroy_method.name, "ContainerView", view);
	soap_end(b, destroy_method.name);
}

struct answer *
service_view_destroy_answer(void)
{
	return answer_new(&destroy_method, NULL);
}
