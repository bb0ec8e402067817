#include "schema.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"

static struct map *types;

static const char *const simple_types[] = {
	"string", "int",    "long",     "short",   "boolean",
	"byte",   "double", "dateTime", "anyType", "Binary",
};

uint32_t
version_parse(const char *s)
{
	uint32_t v = 0;
	char *end;

	for (int i = 0; i < 4; i++) {
		unsigned long part = 0;

		if (i == 0 && (*s < '0' || *s > '9'))
			return UINT32_MAX;
		if (*s >= '0' && *s <= '9') {
			part = strtoul(s, &end, 10);
			s = *end == '.' ? end + 1 : end;
		}
		v = v << 8 | (uint32_t)(part & 0xff);
	}
	return v;
}

/* Take " @7.0" off the end of the line, in place. */
static uint32_t
take_since(char *line)
{
	char *at = strrchr(line, '@');

	if (at == NULL)
		return 0;
	*at = '\0';
	if (at > line && at[-1] == ' ')
		at[-1] = '\0';
	return version_parse(at + 1);
}

static void
add_field(struct schema_type *t, const char *text)
{
	struct schema_field *f;
	char *line = xstrdup(text);
	uint32_t since = take_since(line);
	char *type = strchr(line, ' ');
	size_t len;

	assert(type != NULL);
	*type++ = '\0';
	len = strlen(type);
	t->fields = xreallocarray(t->fields, t->n_fields + 1, sizeof(*f));
	f = &t->fields[t->n_fields++];
	*f = (struct schema_field){ .kind = SCHEMA_DATA, .since = since };
	if (len > 2 && strcmp(type + len - 2, "[]") == 0) {
		f->is_array = true;
		type[len - 2] = '\0';
	}
	if (*type == '&')
		f->kind = SCHEMA_REF;
	else if (*type == '=')
		f->kind = SCHEMA_ENUM;
	for (size_t i = 0; i < ARRAY_SIZE(simple_types); i++)
		if (strcmp(type, simple_types[i]) == 0)
			f->kind = SCHEMA_SIMPLE;
	f->name = xstrdup(line);
	f->type_name = xstrdup(type + (*type == '&' || *type == '='));
	free(line);
}

static struct schema_type *
add_type(const char *text)
{
	struct schema_type *t = xcalloc(1, sizeof(*t));
	char *line = xstrdup(text);
	char *base;

	t->since = take_since(line);
	base = strstr(line, " : ");
	if (base != NULL) {
		*base = '\0';
		t->base = schema_find(base + 3);
		assert(t->base != NULL);
		for (size_t i = 0; i < t->base->n_fields; i++) {
			struct schema_field *f = &t->base->fields[i];

			t->fields = xreallocarray(t->fields, t->n_fields + 1,
						  sizeof(*f));
			t->fields[t->n_fields] = *f;
			t->fields[t->n_fields].name = xstrdup(f->name);
			t->fields[t->n_fields].type_name =
				xstrdup(f->type_name);
			t->n_fields++;
		}
	}
	t->name = xstrdup(line);
	map_set(types, t->name, t);
	free(line);
	return t;
}

void
schema_init(void)
{
	const char *const *tables[] = { schema_entities, schema_storage,
					schema_managers };
	struct schema_type *t = NULL;
	void *v;

	types = map_new();
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const char *const *l = tables[i]; *l != NULL; l++) {
			if ((*l)[0] != '\t')
				t = add_type(*l);
			else {
				assert(t != NULL);
				add_field(t, *l + 1);
			}
		}
	for (size_t i = 0; map_next(types, &i, NULL, &v);) {
		t = v;
		for (size_t j = 0; j < t->n_fields; j++)
			if (t->fields[j].kind == SCHEMA_DATA)
				t->fields[j].type =
					schema_find(t->fields[j].type_name);
	}
}

void
schema_fini(void)
{
	void *v;

	for (size_t i = 0; map_next(types, &i, NULL, &v);) {
		struct schema_type *t = v;

		for (size_t j = 0; j < t->n_fields; j++) {
			free(t->fields[j].name);
			free(t->fields[j].type_name);
		}
		free(t->fields);
		free(t->name);
		free(t);
	}
	map_free(&types);
}

const struct schema_type *
schema_find(const char *name)
{
	return map_find_str(types, name);
}

const struct schema_field *
schema_field(const struct schema_type *t, const char *name, size_t *i_r)
{
	for (size_t i = i_r != NULL ? *i_r : 0; i < t->n_fields; i++)
		if (strcmp(t->fields[i].name, name) == 0) {
			if (i_r != NULL)
				*i_r = i;
			return &t->fields[i];
		}
	return NULL;
}

bool
schema_is_a(const struct schema_type *t, const char *base_name)
{
	for (; t != NULL; t = t->base)
		if (strcmp(t->name, base_name) == 0)
			return true;
	return false;
}

const struct schema_type *
schema_known(const struct schema_type *t, uint32_t version)
{
	while (t->base != NULL && t->since > version)
		t = t->base;
	return t;
}
