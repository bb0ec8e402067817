/* QueryPerf: which hosts, slots and counters; rendering is perf_render.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "perf.h"
#include "perf_render.h"

struct spec {
	const char *entity, *entity_type;
	real_t start, end;
	bool has_start, has_end, csv;
	int64_t max_sample; /* 0: all */
	int64_t interval_s; /* 0: not given */
	struct perf_wanted *wanted;
	size_t n_wanted;
};

static int
invalid(struct call *c, const char *property)
{
	char inner[128];

	snprintf(inner, sizeof(inner), "<invalidProperty>%s</invalidProperty>",
		 property);
	return soap_fault_set(&c->fault, "InvalidArgument", inner,
			      "A specified parameter was not correct: %s",
			      property);
}

static int
parse_time(struct call *c, const xmlNode *q, const char *name, real_t *t_r,
	   bool *has_r)
{
	const char *text = soap_child_text(&c->req, q, name);

	*has_r = text != NULL;
	if (text != NULL && real_parse(text, strlen(text), t_r) != 0)
		return invalid(c, name);
	return 0;
}

static int64_t
child_int(struct call *c, const xmlNode *q, const char *name)
{
	return fault_arg_int(soap_child_text(&c->req, q, name), 0);
}

static void
add_wanted(struct spec *sp, const struct counter *k, int id,
	   const char *instance)
{
	struct perf_wanted w = { .k = k, .id = id, .instance = instance };

	w.fn = perf_value_find(k, &w.aggregate);
	if (w.fn == NULL)
		return;
	sp->wanted = xreallocarray(sp->wanted, sp->n_wanted + 1, sizeof(w));
	sp->wanted[sp->n_wanted++] = w;
}

static void
parse_metrics(struct call *c, const xmlNode *q, struct spec *sp)
{
	const xmlNode *m = soap_child(q, "metricId", 0);
	int ids[256];

	assert(n_counters <= ARRAY_SIZE(ids));
	for (size_t i = 0; i < n_counters; i++)
		ids[i] = perf_counter_id(c, &counters[i]);
	if (m == NULL) /* everything */
		for (size_t i = 0; i < n_counters; i++)
			if (ids[i] != 0)
				add_wanted(sp, &counters[i], ids[i], "*");
	for (; m != NULL; m = soap_next(m)) {
		int64_t id = child_int(c, m, "counterId");
		const char *in = soap_child_text(&c->req, m, "instance");

		for (size_t i = 0; i < n_counters; i++)
			if (ids[i] != 0 && ids[i] == id)
				add_wanted(sp, &counters[i], ids[i],
					   in != NULL ? in : "");
	}
}

static int
parse_spec(struct call *c, const xmlNode *q, struct spec *sp)
{
	const xmlNode *entity = soap_child(q, "entity", 0);
	const char *format = soap_child_text(&c->req, q, "format");

	*sp = (struct spec){ 0 };
	sp->entity = soap_text(&c->req, entity);
	sp->entity_type = soap_attr(&c->req, entity, "type");
	if (sp->entity == NULL || sp->entity_type == NULL)
		return invalid(c, "querySpec.entity");
	if (parse_time(c, q, "startTime", &sp->start, &sp->has_start) != 0 ||
	    parse_time(c, q, "endTime", &sp->end, &sp->has_end) != 0)
		return -1;
	sp->max_sample = child_int(c, q, "maxSample");
	sp->interval_s = child_int(c, q, "intervalId");
	sp->csv = format != NULL && strcmp(format, "csv") == 0;
	parse_metrics(c, q, sp);
	return 0;
}

/* Is the entity one that has realtime data now?  1 yes, 0 no data, -1 fault. */
static int
check_entity(struct call *c, const struct spec *sp, const struct mo *mo)
{
	const struct scene *s = &c->sim->scene;
	const struct scene_host *h;
	char inner[256];

	if (mo == NULL || strcmp(mo->type, sp->entity_type) != 0 ||
	    faults_take_for(&c->sim->faults, "perf-gone", sp->entity) ||
	    (mo->kind == MO_HOST &&
	     faults_take_for(&c->sim->faults, "perf-gone",
			     s->hosts[mo->i].name))) {
		snprintf(inner, sizeof(inner), "<obj type=\"%s\">%s</obj>",
			 sp->entity_type, sp->entity);
		return soap_fault_set(&c->fault, "ManagedObjectNotFound", inner,
				      "The object 'vim.%s:%s' has already "
				      "been deleted or has not been "
				      "completely created",
				      sp->entity_type, sp->entity);
	}
	if (mo->kind == MO_DATASTORE && s->is_esxi)
		return invalid(c, "querySpec[0].entity");
	if (mo->kind != MO_HOST && sp->interval_s == SLOT_S)
		return invalid(c, "querySpec.interval");
	if (mo->kind != MO_HOST)
		return 0;
	h = &s->hosts[mo->i];
	if (strcmp(h->connection, "connected") != 0 ||
	    faults_take_for(&c->sim->faults, "perf-invalid", h->name))
		return invalid(c, "querySpec.interval");
	if (sp->interval_s >= 300)
		return 0;
	if (sp->interval_s != 0 && sp->interval_s != SLOT_S)
		return invalid(c, "querySpec.interval");
	return strcmp(h->power, "poweredOn") == 0;
}

/* Does the host (or, by a fault without argument, any) refuse disk.*? */
static bool
refuses_disk(struct call *c, const struct spec *sp, const char *host)
{
	struct faults *f = &c->sim->faults;

	for (size_t i = 0; i < sp->n_wanted; i++)
		if (strcmp(sp->wanted[i].k->group, "disk") == 0)
			return faults_take_for(f, "perf-disk", host) ||
				faults_take_for(f, "perf-disk", NULL);
	return false;
}

/* The slots asked for, oldest first: (start, end], the newest max_sample. */
static void
choose_slots(struct perf_answer *a, const struct spec *sp)
{
	const struct model *m = &a->call->sim->model;
	int64_t newest = model_newest_slot(m, a->host, a->call->now);
	int64_t max = SLOTS_KEPT;
	size_t n = 0;

	if (sp->max_sample > 0)
		max = MIN(max, sp->max_sample);
	for (int64_t s = newest; s > newest - SLOTS_KEPT; s--) {
		int64_t us = s * SLOT_S * US_PER_S;

		if ((int64_t)n == max || (sp->has_start && us <= sp->start.us))
			break;
		if ((sp->has_end && us > sp->end.us) ||
		    !model_has_slot(m, a->host_i, s))
			continue;
		a->slots[n++] = s;
	}
	for (size_t i = 0; i < n / 2; i++) {
		int64_t t = a->slots[i];

		a->slots[i] = a->slots[n - 1 - i];
		a->slots[n - 1 - i] = t;
	}
	a->n_slots = n;
}

static void
take_spoil(struct call *c, struct perf_spoil *sp, bool *csv)
{
	struct faults *f = &c->sim->faults;
	const char *arg;
	const struct {
		const char *name;
		bool *on;
	} flags[] = {
		{ "newest-first", &sp->newest_first },
		{ "duplicate-samples", &sp->dup_samples },
		{ "duplicate-series", &sp->dup_series },
		{ "perf-bare", &sp->bare },
		{ "perf-no-series", &sp->no_series },
		{ "time-offset", &sp->time_offset },
		{ "time-micro", &sp->time_micro },
		{ "garbage-value", &sp->garbage },
	};
	const struct {
		const char *name;
		int64_t *value, otherwise;
	} numbers[] = {
		{ "newest-missing", &sp->newest_missing, 1 },
		{ "short-series", &sp->short_by, 1 },
		{ "value-absent", &sp->absent_nth, 2 },
		{ "value-empty", &sp->empty_nth, 2 },
	};

	*sp = (struct perf_spoil){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		*flags[i].on = faults_take(f, flags[i].name, c->method, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (faults_take(f, numbers[i].name, c->method, &arg))
			*numbers[i].value =
				fault_arg_int(arg, numbers[i].otherwise);
	if (faults_take(f, "absurd-value", c->method, &arg)) {
		sp->has_newest = sp->latency_only = true;
		sp->newest = fault_arg_int(arg, INT64_C(116017258324865));
	}
	if (faults_take(f, "negative-value", c->method, &arg)) {
		sp->has_newest = true;
		sp->newest = fault_arg_int(arg, -7);
	}
	if (faults_take(f, "stray-instance", c->method, &arg))
		snprintf(sp->stray, sizeof(sp->stray), "%s",
			 *arg != '\0' ? arg : "deadbeef-0badcafe");
	*csv = !faults_take(f, "format-normal", c->method, NULL);
}

static int
one_spec(struct call *c, const xmlNode *q, struct perf_answer *a, bool csv)
{
	struct spec sp;
	const struct mo *mo;
	int rc = parse_spec(c, q, &sp);

	if (rc == 0) {
		mo = inventory_find(&c->sim->inv, sp.entity);
		rc = check_entity(c, &sp, mo);
		if (rc > 0 &&
		    refuses_disk(c, &sp, c->sim->scene.hosts[mo->i].name))
			rc = invalid(c, "querySpec.metricId");
		if (rc > 0) {
			a->host_i = mo->i;
			a->host = &c->sim->scene.hosts[mo->i];
			a->csv = csv && sp.csv;
			a->wanted = sp.wanted;
			a->n_wanted = sp.n_wanted;
			choose_slots(a, &sp);
			perf_render(a, sp.entity);
			rc = 0;
		}
	}
	free(sp.wanted);
	return rc;
}

static int
over_limit(struct call *c)
{
	return soap_fault_set(&c->fault, "", "",
			      "XML document element count exceeds configured "
			      "maximum %" PRId64,
			      c->sim->scene.server.element_limit);
}

static int
before(struct call *c)
{
	struct sim *s = c->sim;
	const char *arg;

	if (faults_take(&s->faults, "perf-disconnect", c->method, &arg)) {
		struct scene_host *h = scene_host(&s->scene, arg);

		if (h != NULL)
			xstrset(&h->connection, "disconnected");
	}
	if (faults_take(&s->faults, "perf-restricted", c->method, NULL))
		return soap_fault_set(
			&c->fault, "RestrictedByAdministrator",
			"<details>vpxd.stats.maxQueryMetrics</details>",
			"This operation is restricted by the administrator - "
			"'vpxd.stats.maxQueryMetrics'. Contact your system "
			"administrator.");
	if ((int64_t)c->req.n_elements > s->scene.server.element_limit)
		return over_limit(c);
	return 0;
}

int
perf_query(struct call *c)
{
	struct perf_answer a = { .call = c };
	bool csv;
	int rc = before(c);

	take_spoil(c, &a.spoil, &csv);
	a.samples = xcalloc(SLOTS_KEPT + 1, sizeof(*a.samples));
	buf_adds(c->out, "<QueryPerfResponse xmlns=\"urn:vim25\">");
	if (!faults_take(&c->sim->faults, "perf-empty", c->method, NULL))
		for (const xmlNode *q =
			     soap_child(c->req.method, "querySpec", 0);
		     rc == 0 && q != NULL; q = soap_next(q))
			rc = one_spec(c, q, &a, csv);
	buf_adds(c->out, "</QueryPerfResponse>");
	free(a.samples);
	c->sim->stats.perf_series += (int64_t)a.n_series;
	c->sim->stats.perf_values += (int64_t)a.n_values;
	if (rc == 0 &&
	    (int64_t)a.n_elements + 3 > c->sim->scene.server.element_limit)
		rc = over_limit(c);
	return rc;
}
