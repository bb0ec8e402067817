/* The counter table and what hosts offer of it. */
#include <stdio.h>
#include <string.h>

#include "perf.h"

static enum counter_column
column(const struct scene *s)
{
	if (s->is_esxi)
		return COUNTERS_ESXI;
	return version_parse(s->server.api) >= VERSION(8, 0, 0, 0)
		? COUNTERS_VC8
		: COUNTERS_VC6;
}

static void
full_name(const struct counter *k, char out[128])
{
	snprintf(out, 128, "%s.%s.%s", k->group, k->name, k->rollup);
}

/* Is a fault of this name set for the counter?  Uses nothing. */
static bool
fault_names(const struct call *c, const char *fault, const struct counter *k)
{
	char name[128];

	full_name(k, name);
	for (const struct fault *f = c->sim->faults.first; f != NULL;
	     f = f->next)
		if (strcmp(f->name, fault) == 0 && f->arg != NULL &&
		    strcmp(f->arg, name) == 0)
			return true;
	return false;
}

int
perf_counter_id(const struct call *c, const struct counter *k)
{
	const struct faults *f = &c->sim->faults;
	int id = k->id[column(&c->sim->scene)];

	if (id == 0 ||
	    (f->first != NULL && fault_names(c, "counter-missing", k)))
		return 0;
	for (const struct fault *x = f->first; x != NULL; x = x->next)
		if (strcmp(x->name, "counter-offset") == 0)
			id += (int)fault_arg_int(x->arg, 70000);
	return id + (c->session != NULL ? c->session->id_offset : 0);
}

static void
description(struct tree *t, struct node *parent, const char *field,
	    const char *label, const char *key)
{
	struct node *n = tree_obj(t, parent, field, NULL);

	tree_str(t, n, "label", label);
	tree_str(t, n, "summary", label);
	tree_str(t, n, "key", key);
}

static void
add_counter(struct call *c, struct tree *t, struct node *parent,
	    const char *field, const struct counter *k)
{
	int id = perf_counter_id(c, k);
	struct node *n, *d;

	if (id == 0)
		return;
	n = tree_obj(t, parent, field, "PerfCounterInfo");
	tree_int(t, n, "key", id);
	d = tree_obj(t, n, "nameInfo", NULL);
	tree_str(t, d, "label", k->summary);
	tree_str(t, d, "summary", k->summary);
	tree_str(t, d, "key", k->name);
	description(t, n, "groupInfo", k->group, k->group);
	description(t, n, "unitInfo",
		    fault_names(c, "unit-microsecond", k) ? "microsecond"
							  : k->unit,
		    fault_names(c, "unit-microsecond", k) ? "microsecond"
							  : k->unit);
	tree_str(t, n, "rollupType", k->rollup);
	tree_str(t, n, "statsType", k->stats);
	tree_int(t, n, "level", k->level);
	tree_int(t, n, "perDeviceLevel", k->per_device_level);
}

static void
add_intervals(struct call *c, struct tree *t, struct node *root)
{
	static const struct {
		int key, period_s, length_s;
		const char *name;
	} rows[] = {
		{ 1, 300, 86400, "Past day" },
		{ 2, 1800, 604800, "Past week" },
		{ 3, 7200, 2592000, "Past month" },
		{ 4, 86400, 31536000, "Past year" },
	};
	size_t n = c->sim->scene.is_esxi ? 1 : ARRAY_SIZE(rows);

	for (size_t i = 0; i < n; i++) {
		struct node *x = tree_obj(t, root, "historicalInterval", NULL);

		tree_int(t, x, "key", rows[i].key);
		tree_int(t, x, "samplingPeriod", rows[i].period_s);
		tree_str(t, x, "name", rows[i].name);
		tree_int(t, x, "length", rows[i].length_s);
		tree_int(t, x, "level", 1);
		tree_bool(t, x, "enabled", true);
	}
}

void
perf_props(struct call *c, struct tree *t, struct node *root, const char *path)
{
	bool all = path == NULL;

	if (all || strcmp(path, "historicalInterval") == 0)
		add_intervals(c, t, root);
	if (!all && strcmp(path, "perfCounter") != 0)
		return;
	for (size_t i = 0; i < n_counters; i++) {
		add_counter(c, t, root, "perfCounter", &counters[i]);
		if (fault_names(c, "counter-twice", &counters[i])) {
			struct counter twin = counters[i];

			/* A second id under one name; hosts send the first. */
			for (size_t x = 0; x < ARRAY_SIZE(twin.id); x++)
				twin.id[x] += 5000;
			add_counter(c, t, root, "perfCounter", &twin);
		}
	}
}

int
perf_query_counter(struct call *c)
{
	const xmlNode *n = soap_child(c->req.method, "counterId", 0);
	struct tree t;

	tree_init(&t);
	buf_adds(c->out, "<QueryPerfCounterResponse xmlns=\"urn:vim25\">");
	for (; n != NULL; n = soap_next(n)) {
		int64_t id = fault_arg_int(soap_text(&c->req, n), 0);
		struct node *root = tree_root(&t, "PerformanceManager");
		struct tree_pick p = { 0 };

		for (size_t i = 0; i < n_counters; i++)
			if (perf_counter_id(c, &counters[i]) == id && id != 0)
				add_counter(c, &t, root, "perfCounter",
					    &counters[i]);
		p.first = root->first;
		if (p.first == NULL) {
			tree_fini(&t);
			return soap_fault_set(
				&c->fault, "InvalidArgument",
				"<invalidProperty>counterId</invalidProperty>",
				"A specified parameter was not correct: "
				"counterId");
		}
		p.field = NULL;
		tree_render_one(c->out, "returnval", p.first, c->version);
		tree_reset(&t);
	}
	tree_fini(&t);
	buf_adds(c->out, "</QueryPerfCounterResponse>");
	return 0;
}

/* The entity of a call; NULL with a fault set. */
static const struct mo *
entity(struct call *c, const char **id_r)
{
	const xmlNode *n = soap_child(c->req.method, "entity", 0);
	const char *id = soap_text(&c->req, n);
	const struct mo *mo =
		id != NULL ? inventory_find(&c->sim->inv, id) : NULL;

	*id_r = id;
	if (mo == NULL)
		soap_fault_set(&c->fault, "ManagedObjectNotFound", "",
			       "The object has already been deleted or has "
			       "not been completely created");
	return mo;
}

int
perf_provider_summary(struct call *c)
{
	const char *id;
	const struct mo *mo = entity(c, &id);
	bool host = mo != NULL && mo->kind == MO_HOST;

	if (mo == NULL)
		return -1;
	buf_addf(c->out,
		 "<QueryPerfProviderSummaryResponse xmlns=\"urn:vim25\">"
		 "<returnval><entity type=\"%s\">",
		 mo->type);
	buf_add_xml(c->out, id);
	buf_addf(c->out,
		 "</entity><currentSupported>%s</currentSupported>"
		 "<summarySupported>true</summarySupported>%s</returnval>"
		 "</QueryPerfProviderSummaryResponse>",
		 host ? "true" : "false",
		 host ? "<refreshRate>20</refreshRate>" : "");
	return 0;
}

static void
offer(struct call *c, const struct counter *k, const char *instance)
{
	buf_addf(c->out, "<returnval><counterId>%d</counterId><instance>",
		 perf_counter_id(c, k));
	buf_add_xml(c->out, instance);
	buf_adds(c->out, "</instance></returnval>");
}

int
perf_available_metric(struct call *c)
{
	const char *id;
	const struct mo *mo = entity(c, &id);
	const char *last = "";
	struct perf_instances x = { 0 };

	if (mo == NULL)
		return -1;
	buf_adds(c->out,
		 "<QueryAvailablePerfMetricResponse xmlns=\"urn:vim25\">");
	for (size_t i = 0; mo->kind == MO_HOST && i < n_counters; i++) {
		const struct counter *k = &counters[i];
		bool aggregate;

		if (perf_value_find(k, &aggregate) == NULL ||
		    perf_counter_id(c, k) == 0)
			continue;
		if (strcmp(k->group, last) != 0) {
			perf_instances_fini(&x);
			perf_instances(c->sim, mo->i, k->group, &x);
			last = k->group;
		}
		for (size_t j = 0; j < x.n; j++)
			if (aggregate == (x.v[j].name[0] == '\0'))
				offer(c, k, x.v[j].name);
	}
	perf_instances_fini(&x);
	buf_adds(c->out, "</QueryAvailablePerfMetricResponse>");
	return 0;
}
