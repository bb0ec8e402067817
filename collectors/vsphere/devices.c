#include "devices.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

struct device *
devices_find(const struct devices *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->v[i].name, name) == 0)
			return &d->v[i];
	return NULL;
}

struct device *
devices_get(struct devices *d, const char *name)
{
	struct device *device = devices_find(d, name);

	if (device != NULL)
		return device;
	d->v = xgrow(d->v, d->n, sizeof(*d->v));
	d->v[d->n] = (struct device){ .name = xstrdup(name) };
	return &d->v[d->n++];
}

void
devices_fini(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].name);
		strings_fini(&d->v[i].via);
	}
	free(d->v);
	*d = (struct devices){ 0 };
}
