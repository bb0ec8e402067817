/*
 * route.h - which function answers which path.
 *
 * Routes are one const table; rows of one path stand together, and behind the
 * last is one whose path is NULL.  A pattern is a path whose segments stand
 * for themselves, except "{id}", which takes any one segment that is not
 * empty.  Pure; any thread.
 */
#ifndef DSLAT_ROUTE_H
#define DSLAT_ROUTE_H

#include "web/uri.h"

enum http_method {
	HTTP_OTHER = 0,
	HTTP_GET = 1,
	HTTP_HEAD = 2,
	HTTP_OPTIONS = 4,
	HTTP_POST = 8,
	HTTP_DELETE = 16,
};

struct request;

struct route {
	const char *path;   /* "/api/v1/datastores/{id}" */
	unsigned methods;   /* mask; GET implies HEAD, all have OPTIONS; what
			     * takes POST takes a body, JSON */
	const char *params; /* names known, with a space between them; NULL:
			     * whatever comes is ignored */
	void (*handle)(void *arg, struct request *rq);
};
#define ROUTE_OPEN                                                             \
	0x100u /* beside methods: needs no token, whatever else does */

enum http_method http_method_from_name(const char *name);

/* The first of the rows whose path fits, or NULL.  id_r: what {id} stands
 * for, or NULL; borrowed from u. */
const struct route *route_find(const struct route *rows, const struct uri *u,
			       const char **id_r);

/* Of the rows of r's path, r the first of them, the one that answers the
 * method; NULL: none.  (OPTIONS: r.) */
const struct route *route_by_method(const struct route *r, enum http_method m);

/* All methods of r's path, r the first row of it, for the header of that name:
 * "GET, HEAD, OPTIONS". */
#define ROUTE_ALLOW_SIZE 64
const char *route_allow(const struct route *r, char out[ROUTE_ALLOW_SIZE]);

/* The first parameter that the route does not know, or NULL. */
const char *route_unknown_param(const struct route *r, const struct uri *u);

#endif
