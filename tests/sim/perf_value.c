#include "perf_value.h"

#include <math.h>
#include <string.h>

#define V(field) (in->s->v[MODEL_##field])

/* Part of a latency; the sample's -1 stays -1. */
static int64_t
part(int64_t whole_ms, double exact_ms, double ratio)
{
	return whole_ms < 0 ? -1 : (int64_t)(exact_ms * ratio);
}

/* A datastore's extents may differ. */
static double
exact_ms(const struct perf_input *in, double pair_ms)
{
	return pair_ms * in->latency_x;
}

static int64_t
read_ms(const struct perf_input *in)
{
	return part(V(READ_MS), exact_ms(in, in->s->read_ms), 1);
}

static int64_t
write_ms(const struct perf_input *in)
{
	return part(V(WRITE_MS), exact_ms(in, in->s->write_ms), 1);
}

static int64_t
max_ms(const struct perf_input *in)
{
	return MAX(V(READ_MS), V(WRITE_MS));
}

static int64_t
shared(const struct perf_input *in, int64_t v)
{
	return v < 0 ? v : v * in->io_part / in->io_parts;
}

static int64_t
read_per_s(const struct perf_input *in)
{
	return shared(in, V(READ_PER_S));
}

static int64_t
write_per_s(const struct perf_input *in)
{
	return shared(in, V(WRITE_PER_S));
}

static int64_t
commands_per_s(const struct perf_input *in)
{
	return shared(in,
		      V(READ_PER_S) < 0 ? -1 : V(READ_PER_S) + V(WRITE_PER_S));
}

static int64_t
read_kib_per_s(const struct perf_input *in)
{
	return shared(in, V(READ_KIB_PER_S));
}

static int64_t
write_kib_per_s(const struct perf_input *in)
{
	return shared(in, V(WRITE_KIB_PER_S));
}

static int64_t
device_read_ms(const struct perf_input *in)
{
	return part(V(READ_MS), exact_ms(in, in->s->read_ms),
		    1 - in->s->kernel_ratio);
}

static int64_t
device_write_ms(const struct perf_input *in)
{
	return part(V(WRITE_MS), exact_ms(in, in->s->write_ms),
		    1 - in->s->kernel_ratio);
}

static int64_t
kernel_read_ms(const struct perf_input *in)
{
	return part(V(READ_MS), exact_ms(in, in->s->read_ms),
		    in->s->kernel_ratio);
}

static int64_t
kernel_write_ms(const struct perf_input *in)
{
	return part(V(WRITE_MS), exact_ms(in, in->s->write_ms),
		    in->s->kernel_ratio);
}

static int64_t
queue_read_ms(const struct perf_input *in)
{
	return part(V(READ_MS), exact_ms(in, in->s->read_ms),
		    in->s->kernel_ratio * 0.9);
}

static int64_t
queue_write_ms(const struct perf_input *in)
{
	return part(V(WRITE_MS), exact_ms(in, in->s->write_ms),
		    in->s->kernel_ratio * 0.9);
}

/* Mean of both directions by I/Os, exact. */
static double
mean_ms(const struct perf_input *in)
{
	double r = (double)V(READ_PER_S), w = (double)V(WRITE_PER_S);

	if (r + w <= 0)
		return exact_ms(in, fmax(in->s->read_ms, in->s->write_ms));
	return exact_ms(in, in->s->read_ms * r + in->s->write_ms * w) / (r + w);
}

static int64_t
total_ms(const struct perf_input *in)
{
	return part(V(READ_MS), mean_ms(in), 1);
}

static int64_t
device_ms(const struct perf_input *in)
{
	return part(V(READ_MS), mean_ms(in), 1 - in->s->kernel_ratio);
}

static int64_t
kernel_ms(const struct perf_input *in)
{
	return part(V(READ_MS), mean_ms(in), in->s->kernel_ratio);
}

static int64_t
queue_ms(const struct perf_input *in)
{
	return part(V(READ_MS), mean_ms(in), in->s->kernel_ratio * 0.9);
}

/* Little's law, for the outstanding I/O counters. */
static int64_t
read_oio(const struct perf_input *in)
{
	return part(V(READ_MS), in->s->read_ms,
		    in->sioc ? (double)V(READ_PER_S) / 1000 : 0);
}

static int64_t
write_oio(const struct perf_input *in)
{
	return part(V(WRITE_MS), in->s->write_ms,
		    in->sioc ? (double)V(WRITE_PER_S) / 1000 : 0);
}

static int64_t
normalized_us(const struct perf_input *in)
{
	return part(V(READ_MS), mean_ms(in), in->sioc ? 900 : 0);
}

static int64_t
observed_us(const struct perf_input *in)
{
	return part(V(READ_MS), mean_ms(in), in->sioc && in->block ? 1000 : 0);
}

static int64_t
zero(const struct perf_input *in)
{
	return V(READ_MS) < 0 ? -1 : 0;
}

static const struct {
	const char *group, *name;
	perf_value_fn fn;
	bool aggregate; /* has the instance "" only */
} rows[] = {
	{ "datastore", "totalReadLatency", read_ms, false },
	{ "datastore", "totalWriteLatency", write_ms, false },
	{ "datastore", "numberReadAveraged", read_per_s, false },
	{ "datastore", "numberWriteAveraged", write_per_s, false },
	{ "datastore", "read", read_kib_per_s, false },
	{ "datastore", "write", write_kib_per_s, false },
	{ "datastore", "maxTotalLatency", max_ms, true },
	{ "datastore", "datastoreIops", commands_per_s, false },
	{ "datastore", "datastoreReadOIO", read_oio, false },
	{ "datastore", "datastoreWriteOIO", write_oio, false },
	{ "datastore", "sizeNormalizedDatastoreLatency", normalized_us, false },
	{ "datastore", "datastoreVMObservedLatency", observed_us, false },
	{ "datastore", "siocActiveTimePercentage", zero, false },
	{ "disk", "deviceReadLatency", device_read_ms, false },
	{ "disk", "deviceWriteLatency", device_write_ms, false },
	{ "disk", "kernelReadLatency", kernel_read_ms, false },
	{ "disk", "kernelWriteLatency", kernel_write_ms, false },
	{ "disk", "queueReadLatency", queue_read_ms, false },
	{ "disk", "queueWriteLatency", queue_write_ms, false },
	{ "disk", "totalReadLatency", read_ms, false },
	{ "disk", "totalWriteLatency", write_ms, false },
	{ "disk", "deviceLatency", device_ms, false },
	{ "disk", "kernelLatency", kernel_ms, false },
	{ "disk", "queueLatency", queue_ms, false },
	{ "disk", "totalLatency", total_ms, false },
	{ "disk", "numberReadAveraged", read_per_s, false },
	{ "disk", "numberWriteAveraged", write_per_s, false },
	{ "disk", "commandsAveraged", commands_per_s, false },
	{ "disk", "read", read_kib_per_s, false },
	{ "disk", "write", write_kib_per_s, false },
	{ "disk", "busResets", zero, false },
	{ "disk", "commandsAborted", zero, false },
	{ "disk", "maxTotalLatency", max_ms, true },
	{ "storageAdapter", "totalReadLatency", read_ms, false },
	{ "storageAdapter", "totalWriteLatency", write_ms, false },
	{ "storageAdapter", "numberReadAveraged", read_per_s, false },
	{ "storageAdapter", "numberWriteAveraged", write_per_s, false },
	{ "storageAdapter", "commandsAveraged", commands_per_s, false },
	{ "storageAdapter", "read", read_kib_per_s, false },
	{ "storageAdapter", "write", write_kib_per_s, false },
	{ "storageAdapter", "maxTotalLatency", max_ms, true },
	{ "storagePath", "totalReadLatency", read_ms, false },
	{ "storagePath", "totalWriteLatency", write_ms, false },
	{ "storagePath", "numberReadAveraged", read_per_s, false },
	{ "storagePath", "numberWriteAveraged", write_per_s, false },
	{ "storagePath", "maxTotalLatency", max_ms, true },
};

perf_value_fn
perf_value_find(const struct counter *k, bool *aggregate_r)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].group, k->group) == 0 &&
		    strcmp(rows[i].name, k->name) == 0) {
			*aggregate_r = rows[i].aggregate;
			return rows[i].fn;
		}
	return NULL;
}

static double
weighted(double a, double wa, double b, double wb)
{
	return wa + wb > 0 ? (a * wa + b * wb) / (wa + wb) : fmax(a, b);
}

void
perf_sample_add(struct model_sample *sum, const struct model_sample *s)
{
	static const struct model_sample none;
	double r[2], w[2];

	if (s->v[MODEL_READ_MS] < 0)
		return;
	if (sum->v[MODEL_READ_MS] < 0)
		*sum = none;
	r[0] = (double)sum->v[MODEL_READ_PER_S];
	r[1] = (double)s->v[MODEL_READ_PER_S];
	w[0] = (double)sum->v[MODEL_WRITE_PER_S];
	w[1] = (double)s->v[MODEL_WRITE_PER_S];
	sum->kernel_ratio = weighted(sum->kernel_ratio, r[0] + w[0],
				     s->kernel_ratio, r[1] + w[1]);
	sum->read_ms = weighted(sum->read_ms, r[0], s->read_ms, r[1]);
	sum->write_ms = weighted(sum->write_ms, w[0], s->write_ms, w[1]);
	for (size_t i = MODEL_READ_PER_S; i < MODEL_FIELDS; i++)
		sum->v[i] += s->v[i];
	sum->v[MODEL_READ_MS] = (int64_t)sum->read_ms;
	sum->v[MODEL_WRITE_MS] = (int64_t)sum->write_ms;
}

void
perf_sample_max(struct model_sample *max, const struct model_sample *s)
{
	for (size_t i = 0; i < MODEL_FIELDS; i++)
		max->v[i] = MAX(max->v[i], s->v[i]);
}
