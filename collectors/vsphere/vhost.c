#include "vhost.h"

#include <stdlib.h>

#include "dslat/mem.h"
#include "schedule.h"

struct vhost *
vhosts_get(struct map *vhosts, const char *moref)
{
	struct vhost *v = map_find_str(vhosts, moref);

	if (v != NULL)
		return v;
	v = xcalloc(1, sizeof(*v));
	v->moref = xstrdup(moref);
	v->fetched_slot = INT64_MIN;
	map_set(vhosts, moref, v);
	return v;
}

static void
vhost_free(struct vhost *v)
{
	free(v->moref);
	free(v);
}

void
vhosts_forget(struct map *vhosts, const struct target *t)
{
	const char *moref;
	void *v;

	for (size_t i = 0; map_next(vhosts, &i, &moref, &v);)
		if (map_find_str(t->hosts, moref) == NULL) {
			map_del(vhosts, moref);
			vhost_free(v);
		}
}

void
vhosts_free(struct map **vhosts)
{
	void *v;

	for (size_t i = 0; map_next(*vhosts, &i, NULL, &v);)
		vhost_free(v);
	map_free(vhosts);
}

struct perf_query
vhost_query(const struct vhost *v, const struct target *t, unsigned n_samples,
	    bool backfill)
{
	const struct host *h = target_find_host(t, v->moref);
	struct perf_query q = { .host = v->moref, .max_sample = n_samples };
	int64_t newest;

	if (backfill || v->empty >= 3 || h == NULL || h->suspect_stamp_us != 0)
		return q;
	newest = slot_of(target_now(t)) - h->shift_slots;
	q.start = slot_end(newest - n_samples);
	return q;
}

bool
vhost_leaves_gap(const struct vhost *v, const struct ingest *in)
{
	int64_t oldest = INT64_MAX;

	if (v->fetched_slot == INT64_MIN)
		return true;
	for (size_t i = 0; i < in->n_stamps; i++)
		oldest = MIN(oldest, in->slots[i]);
	return oldest > v->fetched_slot + 1;
}

void
vhost_failed(struct vhost *v, mono_t now)
{
	v->faults++;
	v->retry_at = mono_add_us(
		now,
		schedule_backoff_us(ERR_FAULT, v->faults + 1, v->faults * 37));
}

bool
vhost_is_due(const struct vhost *v, mono_t now)
{
	return v->faults == 0 || mono_diff_us(now, v->retry_at) >= 0;
}
