#include "web/origin.h"

#include <string.h>
#include <strings.h>

bool
origin_is_ours(const struct origin *o)
{
	const char *at;

	if (o->fetch_site != NULL)
		return strcmp(o->fetch_site, "same-origin") == 0 ||
			strcmp(o->fetch_site, "none") == 0;
	if (o->origin == NULL)
		return !o->by_cookie;
	at = strstr(o->origin, "://"); /* "null" has none */
	return at != NULL && o->host != NULL &&
		strcasecmp(at + 3, o->host) == 0;
}
