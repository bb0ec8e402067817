#include "web/route.h"

#include <string.h>

static const struct {
	const char *name;
	enum http_method method;
} methods[] = {
	{ "GET", HTTP_GET },
	{ "HEAD", HTTP_HEAD },
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
route_find(const struct route *rows, size_t n, const struct uri *u,
	   const char **id_r)
{
	for (size_t i = 0; i < n; i++) {
		*id_r = NULL;
		if (fits(rows[i].path, u, id_r))
			return &rows[i];
	}
	return NULL;
}

static unsigned
all_methods(const struct route *r)
{
	return r->methods | HTTP_OPTIONS |
		((r->methods & HTTP_GET) != 0 ? HTTP_HEAD : 0);
}

bool
route_allows(const struct route *r, enum http_method m)
{
	return (all_methods(r) & m) != 0;
}

const char *
route_allow(const struct route *r, char out[ROUTE_ALLOW_SIZE])
{
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if ((all_methods(r) & methods[i].method) == 0)
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
