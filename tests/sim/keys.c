#include "keys.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

static int
set_value(const struct key *k, char *field, const char *value, struct err *e)
{
	char *end = NULL;

	errno = 0;
	switch (k->type) {
	case KEY_STR:
		xstrset((char **)(void *)field, value);
		return 0;
	case KEY_INT:
		*(int64_t *)(void *)field = strtoll(value, &end, 10);
		break;
	case KEY_REAL:
		*(double *)(void *)field = strtod(value, &end);
		break;
	case KEY_BOOL:
		if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
			return err_set(e, ERR_CONF,
				       "%s wants true or false, not \"%s\"",
				       k->name, value);
		*(bool *)field = strcmp(value, "true") == 0;
		return 0;
	}
	if (errno != 0 || end == value || *end != '\0')
		return err_set(e, ERR_CONF, "%s wants a number, not \"%s\"",
			       k->name, value);
	return 0;
}

int
keys_set(const struct key *keys, size_t n_keys, void *obj, const char *name,
	 const char *value, struct err *e)
{
	for (size_t i = 0; i < n_keys; i++)
		if (strcmp(keys[i].name, name) == 0)
			return set_value(&keys[i], (char *)obj + keys[i].offset,
					 value, e);
	return err_set(e, ERR_CONF, "unknown key \"%s\"", name);
}

void
keys_fini(const struct key *keys, size_t n_keys, void *obj)
{
	for (size_t i = 0; i < n_keys; i++)
		if (keys[i].type == KEY_STR)
			xstrset((char **)(void *)((char *)obj + keys[i].offset),
				NULL);
}

bool
glob_match(const char *pattern, const char *name)
{
	bool hit = false;
	char *copy, *rest, *p;

	if (pattern == NULL || *pattern == '\0')
		return true;
	copy = rest = xstrdup(pattern);
	while (!hit && (p = strsep(&rest, ",")) != NULL)
		hit = fnmatch(p, name, 0) == 0;
	free(copy);
	return hit;
}
