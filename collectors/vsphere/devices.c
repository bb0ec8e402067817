#include "devices.h"

#include <stdlib.h>

#include "dslat/mem.h"

struct device *
devices_find(const struct devices *d, const char *name)
{
	return d->by_name != NULL ? map_find_str(d->by_name, name) : NULL;
}

struct device *
devices_get(struct devices *d, const char *name)
{
	struct device *device = devices_find(d, name);

	if (device != NULL)
		return device;
	if (d->by_name == NULL)
		d->by_name = map_new();
	device = xcalloc(1, sizeof(*device));
	map_set(d->by_name, name, device);
	return device;
}

void
devices_fini(struct devices *d)
{
	void *v;

	if (d->by_name == NULL)
		return;
	for (size_t i = 0; map_next(d->by_name, &i, NULL, &v);) {
		struct device *device = v;

		strings_fini(&device->via);
		free(device);
	}
	map_free(&d->by_name);
}
