#include "web/route.h"

#include <string.h>

static const struct {
	const char *name;
	enum http_method method;
} methods[] = {
	{ "GET", HTTP_GET },         { "HEAD", HTTP_HEAD },
	{ "POST", HTTP_POST },       { "DELETE", HTTP_DELETE },
	{ "OPTIONS", HTTP_OPTIONS },
};

enum http_method
http_method_from_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return methods[i].method;
	return HTTP_OTHER;
}

static bool
fits(const char *pattern, const struct uri *u, const char **id_r)
{
	size_t i = 0;

	for (pattern++; *pattern != '\0'; i++) {
		size_t len = strcspn(pattern, "/");

		if (i == u->n_segments)
			return false;
		if (len == 4 && strncmp(pattern, "{id}", len) == 0) {
			if (*u->segments[i] == '\0')
				return false;
			*id_r = u->segments[i];
		} else if (strlen(u->segments[i]) != len ||
			   strncmp(pattern, u->segments[i], len) != 0) {
			return false;
		}
		pattern += len;
		if (*pattern == '/')
			pattern++;
	}
	return i == u->n_segments;
}

const struct route *
route_find(const struct route *rows, const struct uri *u, const char **id_r)
{
	for (; rows->path != NULL; rows++) {
		*id_r = NULL;
		if (fits(rows->path, u, id_r))
			return rows;
	}
	return NULL;
}

static unsigned
all_methods(const struct route *r)
{
	return r->methods | HTTP_OPTIONS |
		((r->methods & HTTP_GET) != 0 ? HTTP_HEAD : 0);
}

/* Is the row one more of the path? */
static bool
is_of(const struct route *r, const char *path)
{
	return r->path != NULL && strcmp(r->path, path) == 0;
}

const struct route *
route_by_method(const struct route *r, enum http_method m)
{
	for (const char *path = r->path; is_of(r, path); r++)
		if ((all_methods(r) & m) != 0)
			return r;
	return NULL;
}

const char *
route_allow(const struct route *r, char out[ROUTE_ALLOW_SIZE])
{
	unsigned mask = 0;
	size_t at = 0;

	for (const char *path = r->path; is_of(r, path); r++)
		mask |= all_methods(r);
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if ((mask & methods[i].method) == 0)
			continue;
		for (const char *s = at != 0 ? ", " : ""; *s != '\0'; s++)
			out[at++] = *s;
		for (const char *s = methods[i].name; *s != '\0'; s++)
			out[at++] = *s;
	}
	assert(at < ROUTE_ALLOW_SIZE);
	out[at] = '\0';
	return out;
}

/* Is the word one of a list with spaces between them? */
static bool
is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list != '\0') {
		size_t n = strcspn(list, " ");

		if (n == len && strncmp(list, word, len) == 0)
			return true;
		list += n;
		list += strspn(list, " ");
	}
	return false;
}

const char *
route_unknown_param(const struct route *r, const struct uri *u)
{
	if (r->params == NULL)
		return NULL;
	for (size_t i = 0; i < u->n_params; i++)
		if (!is_listed(r->params, u->params[i].name))
			return u->params[i].name;
	return NULL;
}
