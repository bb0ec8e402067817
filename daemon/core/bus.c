#include "dslat/bus.h"

#include <stdlib.h>

#include "dslat/mem.h"

struct subscriber {
	const struct bus_ops *ops;
	void *arg;
};

struct bus {
	struct subscriber *subs;
	size_t n;
};

struct bus *
bus_new(void)
{
	return xcalloc(1, sizeof(struct bus));
}

void
bus_free(struct bus **b)
{
	if (*b == NULL)
		return;
	free((*b)->subs);
	free(*b);
	*b = NULL;
}

void
bus_subscribe(struct bus *b, const struct bus_ops *ops, void *arg)
{
	b->subs = xreallocarray(b->subs, b->n + 1, sizeof(*b->subs));
	b->subs[b->n++] = (struct subscriber){ ops, arg };
}

void
bus_unsubscribe(struct bus *b, void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->subs[i].arg != arg)
			b->subs[n++] = b->subs[i];
	b->n = n;
}

static void
mark_clean(struct target *t)
{
	void *v;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		for (size_t j = 0; j < ds->n_pairs; j++)
			ds->pairs[j]->dirty_slot = INT64_MAX;
	}
}

void
bus_samples(struct bus *b, struct target *t)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->subs[i].ops->samples != NULL)
			b->subs[i].ops->samples(b->subs[i].arg, t);
	mark_clean(t);
}

void
bus_final(struct bus *b, struct pair *p, int64_t slot, const struct cell *c)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->subs[i].ops->final != NULL)
			b->subs[i].ops->final(b->subs[i].arg, p, slot, c);
}

void
bus_status(struct bus *b, struct target *t)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->subs[i].ops->status != NULL)
			b->subs[i].ops->status(b->subs[i].arg, t);
}
