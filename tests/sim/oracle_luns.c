/* The oracle of disk.*: every LUN of every host. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "perf.h"

static const char *const names[] = {
	"deviceReadLatency",   "deviceWriteLatency", "kernelReadLatency",
	"kernelWriteLatency",  "queueReadLatency",   "queueWriteLatency",
	"totalReadLatency",    "totalWriteLatency",  "numberReadAveraged",
	"numberWriteAveraged",
};

static const struct counter *
find_counter(const char *name)
{
	for (size_t i = 0; i < n_counters; i++)
		if (strcmp(counters[i].group, "disk") == 0 &&
		    strcmp(counters[i].name, name) == 0 &&
		    strcmp(counters[i].rollup, "average") == 0)
			return &counters[i];
	return NULL;
}

static int64_t
value_of(const struct model *m, const struct perf_instance *in,
	 const struct model_sample *sample, int64_t slot, const char *name)
{
	const struct pair *p = in->pairs[0];
	struct perf_input input = {
		.s = sample,
		.block = true,
		.io_part = in->io_part,
		.io_parts = in->io_parts,
		.latency_x = in->latency_x,
	};
	char full[64];
	bool aggregate;
	int64_t v = perf_value_find(find_counter(name), &aggregate)(&input);

	snprintf(full, sizeof(full), "disk.%s.average", name);
	if (p->events != 0)
		(void)model_raw(m, p, slot, full, &v);
	return model_has_slot(m, p->host, slot) ? v : -1;
}

static void
add_row(const struct model *m, const struct perf_instance *in, int64_t slot,
	struct buf *out)
{
	struct model_sample sample, one;
	char text[REAL_TEXT_SIZE];

	model_sample(m, in->pairs[0], slot, &sample);
	for (size_t i = 1; i < in->n_pairs; i++) {
		model_sample(m, in->pairs[i], slot, &one);
		perf_sample_add(&sample, &one);
	}
	buf_addf(out, "%s,%s,%s", m->scene->hosts[in->pairs[0]->host].name,
		 in->name,
		 real_format((real_t){ slot * SLOT_S * US_PER_S }, text));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		buf_addf(out, ",%" PRId64,
			 value_of(m, in, &sample, slot, names[i]));
	buf_addc(out, '\n');
}

void
oracle_luns_csv(const struct sim *sim, real_t from, real_t to, struct buf *out)
{
	const struct model *m = &sim->model;
	int64_t first = from.us / US_PER_S / SLOT_S + 1;
	int64_t last = to.us / US_PER_S / SLOT_S;

	buf_adds(out,
		 "host,lun,slot_end_time,device_read_ms,device_write_ms,"
		 "kernel_read_ms,kernel_write_ms,queue_read_ms,queue_write_ms,"
		 "total_read_ms,total_write_ms,read_per_s,write_per_s\n");
	for (size_t h = 0; h < m->scene->n_hosts; h++) {
		struct perf_instances x;

		perf_instances(sim, h, "disk", &x);
		for (size_t i = 0; i < x.n; i++)
			for (int64_t slot = first;
			     x.v[i].name[0] != '\0' && slot <= last; slot++)
				add_row(m, &x.v[i], slot, out);
		perf_instances_fini(&x);
	}
}
