/*
 * The history of the inventory: what things were called, from when on.
 */
#include "dslat/json.h"
#include "dslat/mem.h"
#include "store_private.h"

/* FNV-1a, to find out cheaply that nothing changed. */
static uint64_t
print_text(uint64_t h, const char *s)
{
	for (; s != NULL && *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

#define PRINT_BASIS UINT64_C(0xcbf29ce484222325)

struct part {
	const char *key, *value;
};

static uint64_t
print_parts(const struct part *parts, size_t n)
{
	uint64_t h = PRINT_BASIS;

	for (size_t i = 0; i < n; i++)
		h = print_text(h, parts[i].value);
	return h;
}

static json_t *
parts_json(const struct part *parts, size_t n)
{
	json_t *v = json_object();

	for (size_t i = 0; i < n; i++)
		if (parts[i].value != NULL)
			json_object_set_new(v, parts[i].key,
					    json_text(parts[i].value));
	return v;
}

static void
add_news(struct store_news *news, uint32_t object, int64_t slot, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT);

	assert(text != NULL);
	json_decref(v);
	news_add_name(news, object, slot, text);
}

void
store_name_host(struct host *h, int64_t slot, struct store_news *news)
{
	const struct part parts[] = {
		{ "id", h->id },           { "name", h->name },
		{ "moref", h->moref },     { "datacenter", h->datacenter },
		{ "cluster", h->cluster }, { "version", h->version },
	};
	uint64_t print = print_parts(parts, ARRAY_SIZE(parts));

	if (h->store_id == 0 || print == h->store_print)
		return;
	h->store_print = print;
	add_news(news, h->store_id, slot, parts_json(parts, ARRAY_SIZE(parts)));
}

static json_t *
protocols_json(uint32_t protocols)
{
	json_t *v = json_array();

	for (unsigned p = 0; p < N_PROTOCOLS; p++)
		if ((protocols & 1u << p) != 0)
			json_array_append_new(v, json_string(protocol_name(p)));
	return v;
}

void
store_name_datastore(struct datastore *ds, int64_t slot,
		     struct store_news *news)
{
	const struct part parts[] = {
		{ "id", ds->id },
		{ "name", ds->name },
		{ "moref", ds->moref },
		{ "datacenter", ds->datacenter },
		{ "cluster", ds->cluster },
		{ "protocol", protocol_name(ds->protocol) },
		{ "backing", ds->backing },
		{ "fs", ds->fs },
	};
	uint64_t print = print_parts(parts, ARRAY_SIZE(parts)) ^ ds->protocols;
	json_t *v;

	if (ds->store_id == 0 || print == ds->store_print)
		return;
	ds->store_print = print;
	v = parts_json(parts, ARRAY_SIZE(parts));
	json_object_set_new(v, "protocols", protocols_json(ds->protocols));
	add_news(news, ds->store_id, slot, v);
}
