#include "perf_render.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_N 4

static const char *const groups[GROUPS_N] = { "datastore", "disk",
					      "storageAdapter", "storagePath" };

static size_t
format_int(char *out, int64_t v)
{
	char digits[24];
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	size_t n = 0, len = 0;

	do
		digits[n++] = (char)('0' + u % 10);
	while ((u /= 10) != 0);
	if (v < 0)
		out[len++] = '-';
	while (n > 0)
		out[len++] = digits[--n];
	return len;
}

static void
add_time(struct perf_answer *a, int64_t slot)
{
	char text[REAL_TEXT_SIZE];

	real_format((real_t){ slot * SLOT_S * US_PER_S }, text);
	if (a->spoil.time_offset || a->spoil.time_micro)
		text[strcspn(text, "Z")] = '\0';
	buf_adds(a->call->out, text);
	if (a->spoil.time_micro)
		buf_adds(a->call->out, ".000000Z");
	else if (a->spoil.time_offset)
		buf_adds(a->call->out, "+00:00");
}

/* The i-th sample in the order of the answer. */
static size_t
order(const struct perf_answer *a, size_t i)
{
	return a->spoil.newest_first ? a->n_slots - 1 - i : i;
}

static void
add_sample_info(struct perf_answer *a)
{
	struct buf *out = a->call->out;
	size_t n = a->n_slots;

	if (a->csv)
		buf_adds(out, "<sampleInfoCSV>");
	for (size_t i = 0; i < n; i++) {
		int64_t slot = a->slots[order(a, i)];

		if (a->csv) {
			buf_adds(out, i != 0 ? ",20," : "20,");
			add_time(a, slot);
			continue;
		}
		buf_adds(out, "<sampleInfo><timestamp>");
		add_time(a, slot);
		buf_adds(out,
			 "</timestamp><interval>20</interval>"
			 "</sampleInfo>");
	}
	a->n_elements += a->csv ? 1 : 3 * n;
	if (a->csv)
		buf_adds(out, "</sampleInfoCSV>");
}

/* The series' numbers: what the model says, as far as it is posted yet. */
static void
fill_values(struct perf_answer *a, const struct perf_wanted *w,
	    const struct perf_instance *in, int64_t *values)
{
	const struct model *m = &a->call->sim->model;
	const struct pair *p = in->pairs[0];
	uint32_t series = (uint32_t)(w->k - counters);
	struct perf_input input = {
		.sioc = m->scene->dss[p->ds].sioc,
		.block = p->proto->family == FAMILY_BLOCK,
		.io_part = in->io_part,
		.io_parts = in->io_parts,
		.latency_x = in->latency_x,
	};
	bool may_raw = p->events != 0 && model_may(m, p, "raw");
	bool may_late = p->events != 0 && model_may(m, p, "late");
	int64_t delay_s = model_delay_s(m, p, 0, series);
	char name[128];

	if (may_raw)
		snprintf(name, sizeof(name), "%s.%s.%s", w->k->group,
			 w->k->name, w->k->rollup);
	for (size_t i = 0; i < a->n_slots; i++) {
		real_t end = model_slot_end(a->host, a->slots[i]);

		input.s = &a->samples[i];
		values[i] = w->fn(&input);
		if (may_raw)
			(void)model_raw(m, p, a->slots[i], name, &values[i]);
		if (may_late)
			delay_s = model_delay_s(m, p, a->slots[i], series);
		if (real_diff_us(a->call->now, end) < delay_s * US_PER_S)
			values[i] = -1;
	}
}

static void
spoil_values(struct perf_answer *a, const struct perf_wanted *w,
	     int64_t *values)
{
	const struct perf_spoil *sp = &a->spoil;
	size_t n = a->n_slots;

	for (size_t i = 0; i < n && (int64_t)i < sp->newest_missing; i++)
		values[n - 1 - i] = -1;
	if (sp->has_newest && n > 0 &&
	    (!sp->latency_only || strcmp(w->k->unit, "millisecond") == 0))
		values[n - 1] = sp->newest;
}

static void
add_values(struct perf_answer *a, const int64_t *values)
{
	struct buf *out = a->call->out;
	char text[(SLOTS_KEPT + 1) * 22];
	size_t len = 0, n = a->n_slots;

	if (a->spoil.short_by > 0)
		n -= MIN(n, (size_t)a->spoil.short_by);
	if (a->csv)
		buf_adds(out, "<value>");
	for (size_t i = 0; i < n; i++) {
		if (!a->csv) {
			text[0] = '\0';
			len = format_int(text, values[order(a, i)]);
			buf_adds(out, "<value>");
			buf_add(out, text, len);
			buf_adds(out, "</value>");
			continue;
		}
		if (i != 0)
			text[len++] = ',';
		len += format_int(text + len, values[order(a, i)]);
	}
	if (a->csv) {
		buf_add(out, text, len);
		if (a->spoil.garbage)
			buf_adds(out, "x?");
		buf_adds(out, "</value>");
	}
	a->n_elements += a->csv ? 1 : n;
	a->n_values += n;
}

static bool
nth(int64_t n, size_t series)
{
	return n > 0 && (int64_t)(series % (size_t)n) == n - 1;
}

static void
add_series(struct perf_answer *a, const struct perf_wanted *w,
	   const char *instance, const int64_t *values)
{
	struct buf *out = a->call->out;

	a->n_elements += 4;
	buf_adds(out,
		 a->csv ? "<value xsi:type=\"PerfMetricSeriesCSV\"><id>"
			  "<counterId>"
			: "<value xsi:type=\"PerfMetricIntSeries\"><id>"
			  "<counterId>");
	buf_addf(out, "%d</counterId><instance>", w->id);
	buf_add_xml(out, instance);
	buf_adds(out, "</instance></id>");
	if (nth(a->spoil.empty_nth, a->n_series))
		buf_adds(out, "<value></value>");
	else if (!nth(a->spoil.absent_nth, a->n_series))
		add_values(a, values);
	buf_adds(out, "</value>");
	a->n_series++;
}

static bool
wants(const struct perf_wanted *w, const char *group, const char *instance)
{
	return strcmp(w->k->group, group) == 0 &&
		w->aggregate == (instance[0] == '\0') &&
		(strcmp(w->instance, "*") == 0 ||
		 strcmp(w->instance, instance) == 0);
}

/* Samples of the instance: one pair's, several pairs' sum, or - for the
 * aggregate, whose counters are maxima - the worst of all pairs. */
static void
fill_samples(struct perf_answer *a, const struct perf_instance *in)
{
	const struct model *m = &a->call->sim->model;

	for (size_t i = 0; i < a->n_slots; i++)
		model_sample(m, in->pairs[0], a->slots[i], &a->samples[i]);
	for (size_t p = 1; p < in->n_pairs; p++)
		for (size_t i = 0; i < a->n_slots; i++) {
			struct model_sample one;

			model_sample(m, in->pairs[p], a->slots[i], &one);
			if (in->name[0] != '\0')
				perf_sample_add(&a->samples[i], &one);
			else
				perf_sample_max(&a->samples[i], &one);
		}
}

static void
add_instance(struct perf_answer *a, const char *group,
	     const struct perf_instance *in)
{
	int64_t values[SLOTS_KEPT + 1];
	bool filled = false;
	size_t first = a->n_wanted != 0
		? (size_t)(in->pairs[0]->key % a->n_wanted)
		: 0;

	/* The real server's order is arbitrary: begin somewhere. */
	for (size_t i = 0; i < a->n_wanted; i++) {
		const struct perf_wanted *w =
			&a->wanted[(first + i) % a->n_wanted];

		if (!wants(w, group, in->name))
			continue;
		if (!filled)
			fill_samples(a, in);
		filled = true;
		fill_values(a, w, in, values);
		spoil_values(a, w, values);
		add_series(a, w, in->name, values);
		if (a->spoil.dup_series)
			add_series(a, w, in->name, values);
	}
}

static void
add_stray(struct perf_answer *a)
{
	int64_t values[SLOTS_KEPT + 1];

	for (size_t i = 0; i < a->n_slots; i++)
		values[i] = 3;
	for (size_t i = 0; i < a->n_wanted; i++)
		if (strcmp(a->wanted[i].k->group, "datastore") == 0 &&
		    !a->wanted[i].aggregate)
			add_series(a, &a->wanted[i], a->spoil.stray, values);
}

static void
add_groups(struct perf_answer *a)
{
	for (size_t g = 0; g < GROUPS_N; g++) {
		struct perf_instances x;
		bool any = false;

		for (size_t i = 0; i < a->n_wanted; i++)
			any = any ||
				strcmp(a->wanted[i].k->group, groups[g]) == 0;
		if (!any)
			continue;
		perf_instances(a->call->sim, a->host_i, groups[g], &x);
		for (size_t i = 0; i < x.n; i++)
			add_instance(a, groups[g], &x.v[i]);
		perf_instances_fini(&x);
	}
	if (a->spoil.stray[0] != '\0')
		add_stray(a);
}

void
perf_render(struct perf_answer *a, const char *moref)
{
	struct buf *out = a->call->out;

	if (a->spoil.dup_samples && a->n_slots > 0 &&
	    a->n_slots <= SLOTS_KEPT) {
		a->slots[a->n_slots] = a->slots[a->n_slots - 1];
		a->n_slots++;
	}
	buf_addf(out, "<returnval xsi:type=\"%s\"><entity type=\"HostSystem\">",
		 a->csv ? "PerfEntityMetricCSV" : "PerfEntityMetric");
	buf_add_xml(out, moref);
	buf_adds(out, "</entity>");
	a->n_elements += 2;
	if (!a->spoil.bare && a->n_slots > 0) {
		add_sample_info(a);
		if (!a->spoil.no_series)
			add_groups(a);
	}
	buf_adds(out, "</returnval>");
}
