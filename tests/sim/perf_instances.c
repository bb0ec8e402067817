/* Which instances a host has in each counter group. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "perf.h"
#include "storage.h"

static struct perf_instance *
instance(struct perf_instances *out, const char *name)
{
	struct perf_instance *in;

	for (size_t i = 0; i < out->n; i++)
		if (strcmp(out->v[i].name, name) == 0)
			return &out->v[i];
	out->v = xreallocarray(out->v, out->n + 1, sizeof(*out->v));
	in = &out->v[out->n++];
	*in = (struct perf_instance){ .name = xstrdup(name),
				      .io_part = 1,
				      .io_parts = 1,
				      .latency_x = 1 };
	return in;
}

static void
add_pair(struct perf_instance *in, const struct pair *p)
{
	in->pairs = xreallocarray(in->pairs, in->n_pairs + 1,
				  sizeof(struct pair *));
	in->pairs[in->n_pairs++] = p;
}

/* Per datastore: its id.  New ones are appended without a search: ids are
 * unique, and a large host has many. */
static void
add_datastore(struct perf_instances *out, const struct scene_ds *d,
	      const struct pair *p)
{
	struct perf_instance *in;

	out->v = xreallocarray(out->v, out->n + 1, sizeof(*out->v));
	in = &out->v[out->n++];
	*in = (struct perf_instance){ .name = xstrdup(d->uuid),
				      .io_part = 1,
				      .io_parts = 1,
				      .latency_x = 1 };
	add_pair(in, p);
}

/* All alike; or each slower than the one before, and busier. */
static void
set_extent(struct perf_instance *in, const struct scene_ds *d, int x)
{
	int n = (int)d->extents;

	in->io_parts = n;
	if (d->extent_x == 1)
		return;
	in->io_part = x + 1;
	in->io_parts = n * (n + 1) / 2;
	in->latency_x = pow(d->extent_x, x);
}

static void
add_block(const struct scene *s, struct perf_instances *out, const char *group,
	  const struct scene_ds *d, const struct pair *p)
{
	char text[512];

	for (int64_t x = 0; x < d->extents; x++) {
		if (strcmp(group, "disk") == 0) {
			struct perf_instance *in =
				instance(out, d->luns[x].name);

			add_pair(in, p);
			set_extent(in, d, (int)x);
			continue;
		}
		for (int n = 0; n < p->proto->paths; n++) {
			struct perf_instance *in;

			if (strcmp(group, "storagePath") != 0)
				continue;
			storage_path_uid(s, d, &d->luns[x], p, n, text);
			in = instance(out, text);
			add_pair(in, p);
			in->io_parts = (int)d->extents * p->proto->paths;
		}
	}
	if (strcmp(group, "storageAdapter") == 0)
		for (int n = 0; n < storage_adapters(p->proto); n++) {
			struct perf_instance *in;

			storage_adapter_name(p->proto, n, text);
			in = instance(out, text);
			add_pair(in, p);
			in->io_parts = storage_adapters(p->proto);
		}
}

void
perf_instances(const struct sim *sim, size_t host_i, const char *group,
	       struct perf_instances *out)
{
	const struct scene *s = &sim->scene;
	bool is_ds = strcmp(group, "datastore") == 0;
	struct perf_instance *all = NULL;

	*out = (struct perf_instances){ 0 };
	for (size_t i = 0; i < s->n_dss; i++) {
		const struct scene_ds *d = &s->dss[i];
		const struct pair *p = &d->pairs[host_i];

		if (d->gone || d->no_perf || !d->accessible || !p->mounted ||
		    !p->accessible || !p->proto->has_perf)
			continue;
		if (is_ds)
			add_datastore(out, d, p);
		else if (d->luns != NULL)
			add_block(s, out, group, d, p);
	}
	if (out->n == 0)
		return;
	all = instance(out, "");
	for (size_t i = 0; &out->v[i] != all; i++)
		for (size_t j = 0; j < out->v[i].n_pairs; j++)
			add_pair(all, out->v[i].pairs[j]);
}

void
perf_instances_fini(struct perf_instances *x)
{
	for (size_t i = 0; i < x->n; i++) {
		free(x->v[i].name);
		free(x->v[i].pairs);
	}
	free(x->v);
	*x = (struct perf_instances){ 0 };
}
