/*
 * From a host's adapters, LUNs, paths and topologies to its devices.
 */
#include "storage_private.h"

#include "dslat/map.h"

/* The LUNs that are wanted, and everything by its key. */
struct index {
	struct map *hbas, *luns, *adapters, *devices, *targets;
};

static void
set(struct map *m, const char *key, void *value)
{
	if (key != NULL)
		map_set(m, key, value);
}

static void *
find(const struct map *m, const char *key)
{
	return key != NULL ? map_find_str(m, key) : NULL;
}

static void
index_init(struct index *ix, const struct storage *s, const struct map *wanted)
{
	ix->hbas = map_new();
	ix->luns = map_new();
	ix->adapters = map_new();
	ix->devices = map_new();
	ix->targets = map_new();
	for (size_t i = 0; i < s->n_hbas; i++)
		set(ix->hbas, s->hbas[i].key, &s->hbas[i]);
	for (size_t i = 0; i < s->n_luns; i++)
		if (find(wanted, s->luns[i].name) != NULL)
			set(ix->luns, s->luns[i].key, &s->luns[i]);
	for (size_t i = 0; i < s->n_top_adapters; i++)
		set(ix->adapters, s->top_adapters[i].key,
		    s->top_adapters[i].to);
	for (size_t i = 0; i < s->n_top_devices; i++)
		set(ix->devices, s->top_devices[i].key, s->top_devices[i].to);
	for (size_t i = 0; i < s->n_top_targets; i++)
		set(ix->targets, s->top_targets[i].key, &s->top_targets[i]);
}

static void
index_fini(struct index *ix)
{
	map_free(&ix->hbas);
	map_free(&ix->luns);
	map_free(&ix->adapters);
	map_free(&ix->devices);
	map_free(&ix->targets);
}

/* The LUN is reached through the adapter (NULL: unknown) at the target. */
static void
add_path(struct device *d, const struct lun *l, const struct hba *h,
	 const struct target *t)
{
	struct transport_hints hints = {
		.is_nvme = l->is_nvme || (h != NULL && h->is_nvme),
		.is_iser = h != NULL && h->is_iser,
		.is_shared = l->local == NO,
	};
	enum transport path = t != NULL ? t->transport : TRANSPORT_UNKNOWN;
	enum transport hba = h != NULL ? h->transport : TRANSPORT_UNKNOWN;

	d->protocols |= 1u << transport_protocol(path, hba, &hints);
	hints.is_nvme = true;
	d->protocols_if_nvme |= 1u << transport_protocol(path, hba, &hints);
	if (t != NULL)
		strings_add_all(&d->via, &t->via);
}

static void
add_multipath(const struct storage *s, const struct index *ix,
	      struct devices *out)
{
	for (size_t i = 0; i < s->n_paths; i++) {
		const struct path *p = &s->paths[i];
		const struct lun *l = find(ix->luns, p->lun);

		if (l != NULL)
			add_path(devices_get(out, l->name), l,
				 find(ix->hbas, p->adapter), &p->target);
	}
}

/* For the LUNs that have no path yet. */
static void
add_topology(const struct storage *s, const struct index *ix,
	     const struct map *pathless, struct devices *out)
{
	for (size_t i = 0; i < s->n_top_paths; i++) {
		const struct top_path *p = &s->top_paths[i];
		const struct lun *l =
			find(ix->luns, find(ix->devices, p->device));

		if (l != NULL && find(pathless, l->name) != NULL)
			add_path(devices_get(out, l->name), l,
				 find(ix->hbas, find(ix->adapters, p->adapter)),
				 find(ix->targets, p->target));
	}
}

static void
add_nvme(const struct storage *s, const struct map *wanted, struct devices *out)
{
	for (size_t i = 0; i < s->n_controllers; i++) {
		const struct controller *c = &s->controllers[i];

		for (size_t j = 0; j < c->namespaces.n; j++) {
			struct device *d;

			if (find(wanted, c->namespaces.v[j]) == NULL)
				continue;
			d = devices_get(out, c->namespaces.v[j]);
			d->in_nvme_topology = true;
			if (c->protocol != PROTO_UNKNOWN)
				d->nvme_transports |= 1u << c->protocol;
			if (c->protocol != PROTO_NVME_PCIE)
				strings_add(&d->via, c->nqn);
		}
	}
}

void
storage_reduce(const struct storage *s, const struct map *wanted,
	       struct devices *out)
{
	struct map *pathless = map_new();
	struct index ix;

	index_init(&ix, s, wanted);
	for (size_t i = 0; i < s->n_luns; i++) {
		struct lun *l = &s->luns[i];

		if (find(ix.luns, l->key) == l && l->local != UNSAID)
			devices_get(out, l->name)->local = l->local;
	}
	add_multipath(s, &ix, out);
	for (size_t i = 0; i < s->n_luns; i++) {
		struct lun *l = &s->luns[i];

		if (find(ix.luns, l->key) == l &&
		    devices_get(out, l->name)->protocols == 0)
			map_set(pathless, l->name, l);
	}
	add_topology(s, &ix, pathless, out);
	add_nvme(s, wanted, out);
	index_fini(&ix);
	map_free(&pathless);
}
