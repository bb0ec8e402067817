#include "strict.h"

#include <string.h>

#include "select.h"

/* Element, the children it may have in wire order, those it must have. */
static const struct {
	const char *name, *children, *required;
} rows[] = {
	{ "Login", "_this userName password locale",
	  "_this userName password" },
	{ "CreateContainerView", "_this container type recursive",
	  "_this container recursive" },
	{ "RetrievePropertiesEx", "_this specSet options",
	  "_this specSet options" },
	{ "ContinueRetrievePropertiesEx", "_this token", "_this token" },
	{ "CancelRetrievePropertiesEx", "_this token", "_this token" },
	{ "RetrieveProperties", "_this specSet", "_this specSet" },
	{ "Fetch", "_this prop", "_this prop" },
	{ "QueryPerf", "_this querySpec", "_this querySpec" },
	{ "QueryOptions", "_this name", "_this" },
	{ "QueryPerfProviderSummary", "_this entity", "_this entity" },
	{ "QueryAvailablePerfMetric",
	  "_this entity beginTime endTime intervalId", "_this entity" },
	{ "QueryPerfCounter", "_this counterId", "_this" },
	{ "specSet", "propSet objectSet reportMissingObjectsInResults",
	  "propSet objectSet" },
	{ "propSet", "type all pathSet", "type" },
	{ "objectSet", "obj skip selectSet", "obj" },
	{ "options", "maxObjects", "" },
	{ "querySpec",
	  "entity startTime endTime maxSample metricId intervalId format",
	  "entity" },
	{ "metricId", "counterId instance", "counterId instance" },
};

/* The place of a word in a list of words; -1: not there. */
static int
place(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (int i = 0; *list != '\0'; i++) {
		size_t n = strcspn(list, " ");

		if (n == len && strncmp(list, word, len) == 0)
			return i;
		list += n + (list[n] == ' ');
	}
	return -1;
}

static int
refuse(struct call *c, const char *what, const xmlNode *parent,
       const char *child)
{
	return soap_fault_set(&c->fault, "InvalidRequest", "",
			      "%s element \"%.60s\" in \"%.60s\"", what, child,
			      soap_name(parent));
}

static int
check_required(struct call *c, const char *list, const xmlNode *n)
{
	while (*list != '\0') {
		size_t len = strcspn(list, " ");
		char word[64];

		assert(len < sizeof(word));
		memcpy(word, list, len);
		word[len] = '\0';
		if (soap_child(n, word, 0) == NULL)
			return refuse(c, "Missing", n, word);
		list += len + (list[len] == ' ');
	}
	return 0;
}

/* SelectionSpecs are told from TraversalSpecs by xsi:type. */
static const char *
select_children(const xmlNode *n)
{
	return soap_child(n, "path", 0) != NULL
		? "name type path skip selectSet"
		: "name";
}

static int
check_children(struct call *c, const xmlNode *n, const char *list)
{
	int last = 0;

	for (const xmlNode *x = n->children; x != NULL; x = x->next) {
		int at;

		if (x->type != XML_ELEMENT_NODE)
			continue;
		at = place(list, soap_name(x));
		if (at < 0)
			return refuse(c, "Unexpected", n, soap_name(x));
		if (at < last)
			return refuse(c, "Out of order:", n, soap_name(x));
		last = at;
	}
	return 0;
}

static int
check_node(struct call *c, const xmlNode *n)
{
	if (strcmp(soap_name(n), "selectSet") == 0 &&
	    check_children(c, n, select_children(n)) != 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, soap_name(n)) == 0 &&
		    (check_children(c, n, rows[i].children) != 0 ||
		     check_required(c, rows[i].required, n) != 0))
			return -1;
	for (const xmlNode *x = n->children; x != NULL; x = x->next)
		if (x->type == XML_ELEMENT_NODE && check_node(c, x) != 0)
			return -1;
	return 0;
}

int
strict_order(struct call *c)
{
	return check_node(c, c->req.method);
}

int
strict_this(struct call *c, const char *manager_type)
{
	const xmlNode *self = soap_child(c->req.method, "_this", 0);
	const char *type = soap_attr(&c->req, self, "type");
	const char *id = soap_text(&c->req, self);
	const struct mo *mo;

	if (manager_type == NULL)
		return 0;
	mo = id != NULL ? inventory_find(&c->sim->inv, id) : NULL;
	if (mo == NULL || type == NULL || strcmp(type, manager_type) != 0 ||
	    strcmp(mo->type, manager_type) != 0)
		return select_not_found(c, type, id);
	return 0;
}
