#include "store_catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"

/* Values of the maps are numbers; 0 is "not there". */
struct catalogue {
	struct map *objects; /* "kind/target/key" */
	struct map *pairs;   /* "datastore/host" */
	uint32_t last_object, last_pair;
};

#define PAIR_KEY_SIZE 32

static void *
as_value(uint32_t id)
{
	return (void *)(uintptr_t)id;
}

static uint32_t
as_id(void *value)
{
	return (uint32_t)(uintptr_t)value;
}

static char *
object_key(enum store_kind kind, const char *target, const char *key)
{
	return xasprintf("%d/%s/%s", (int)kind, target, key);
}

static const char *
pair_key(uint32_t datastore, uint32_t host, char out[PAIR_KEY_SIZE])
{
	snprintf(out, PAIR_KEY_SIZE, "%" PRIu32 "/%" PRIu32, datastore, host);
	return out;
}

struct catalogue *
catalogue_new(void)
{
	struct catalogue *c = xcalloc(1, sizeof(*c));

	c->objects = map_new();
	c->pairs = map_new();
	return c;
}

void
catalogue_free(struct catalogue **c)
{
	if (*c == NULL)
		return;
	map_free(&(*c)->objects);
	map_free(&(*c)->pairs);
	free(*c);
	*c = NULL;
}

void
catalogue_load_object(struct catalogue *c, uint32_t id, enum store_kind kind,
		      const char *target, const char *key)
{
	char *k = object_key(kind, target, key);

	map_set(c->objects, k, as_value(id));
	c->last_object = MAX(c->last_object, id);
	free(k);
}

void
catalogue_load_pair(struct catalogue *c, uint32_t id, uint32_t datastore,
		    uint32_t host)
{
	char k[PAIR_KEY_SIZE];

	map_set(c->pairs, pair_key(datastore, host, k), as_value(id));
	c->last_pair = MAX(c->last_pair, id);
}

uint32_t
catalogue_object(struct catalogue *c, enum store_kind kind, const char *target,
		 const char *key, uint32_t have, struct store_news *news)
{
	char *k = object_key(kind, target, key);
	uint32_t id = as_id(map_find_str(c->objects, k));
	struct news_object *o;

	if (id == 0) {
		id = have != 0 ? have : ++c->last_object;
		map_set(c->objects, k, as_value(id));
		news->objects = xgrow(news->objects, news->n_objects,
				      sizeof(*news->objects));
		o = &news->objects[news->n_objects++];
		*o = (struct news_object){ id, kind, xstrdup(target),
					   xstrdup(key) };
	}
	free(k);
	return id;
}

uint32_t
catalogue_find_pair(const struct catalogue *c, uint32_t datastore,
		    uint32_t host)
{
	char k[PAIR_KEY_SIZE];

	return as_id(map_find_str(c->pairs, pair_key(datastore, host, k)));
}

uint32_t
catalogue_pair(struct catalogue *c, uint32_t datastore, uint32_t host,
	       struct store_news *news)
{
	uint32_t id = catalogue_find_pair(c, datastore, host);
	char k[PAIR_KEY_SIZE];

	if (id != 0 || c->last_pair + 1 >= STORE_MAX_PAIRS)
		return id;
	id = ++c->last_pair;
	map_set(c->pairs, pair_key(datastore, host, k), as_value(id));
	news->pairs = xgrow(news->pairs, news->n_pairs, sizeof(*news->pairs));
	news->pairs[news->n_pairs++] =
		(struct news_pair){ id, datastore, host };
	return id;
}

/* ---- news --------------------------------------------------------------- */

void
news_fini(struct store_news *n)
{
	for (size_t i = 0; i < n->n_objects; i++) {
		free(n->objects[i].target);
		free(n->objects[i].key);
	}
	for (size_t i = 0; i < n->n_names; i++)
		free(n->names[i].json);
	for (size_t i = 0; i < n->n_gaps; i++)
		free(n->gaps[i].target);
	free(n->objects);
	free(n->pairs);
	free(n->names);
	free(n->gaps);
	*n = (struct store_news){ 0 };
}

bool
news_is_empty(const struct store_news *n)
{
	return n->n_objects + n->n_pairs + n->n_names + n->n_gaps == 0;
}

void
news_add_name(struct store_news *n, uint32_t object, int64_t since_slot,
	      char *json)
{
	n->names = xgrow(n->names, n->n_names, sizeof(*n->names));
	n->names[n->n_names++] = (struct news_name){ object, since_slot, json };
}

void
news_add_gap(struct store_news *n, const char *target, int64_t first_slot,
	     int64_t last_slot, const char *reason)
{
	n->gaps = xgrow(n->gaps, n->n_gaps, sizeof(*n->gaps));
	n->gaps[n->n_gaps++] = (struct news_gap){ xstrdup(target), first_slot,
						  last_slot, reason };
}
