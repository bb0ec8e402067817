#include "dslat/depth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/units.h"
#include "query_private.h"

/* Both NULL until a value comes. */
struct extent_ring {
	struct ring *us;
	struct ring *ios; /* of the same slots; where there are others */
};

struct extent_rings {
	size_t n;
	struct extent_ring v[];
};

const char *
layer_name(enum layer l)
{
	static const char *const names[N_LAYERS] = {
		[LAYER_DEVICE] = "device",
		[LAYER_KERNEL] = "kernel",
		[LAYER_QUEUE] = "queue",
	};

	assert((size_t)l < N_LAYERS);
	return names[l];
}

/* ---- reading ---- */

static int64_t
value_at(const struct ring *r, int64_t slot, unsigned field)
{
	const struct cell *c = r != NULL ? ring_get(r, slot) : NULL;

	return c != NULL ? c->v[field] : SAMPLE_NONE;
}

/* By the I/Os of the extent; fewer than it can count are one. */
static int64_t
weight_at(const struct extent_ring *x, int64_t slot, enum op op)
{
	int64_t ios = value_at(x->ios, slot, FIELD_IOS + op);

	if (ios != 0)
		return MAX(ios, 0);
	for (enum layer l = 0; l < N_LAYERS; l++)
		if (value_at(x->us, slot, layer_field(l, op)) > 0)
			return 1;
	return 0;
}

struct depth
depth_of(const struct pair *p, int64_t slot, enum layer l, enum op op)
{
	struct depth d = { -1, -1 };
	int64_t weighted_us = 0, weight = 0, least_us = INT64_MAX;

	for (size_t i = 0; p->depth != NULL && i < p->depth->n; i++) {
		const struct extent_ring *x = &p->depth->v[i];
		int64_t us = value_at(x->us, slot, layer_field(l, op)), w;

		if (us < 0)
			continue;
		w = weight_at(x, slot, op);
		weighted_us += us * w;
		weight += w;
		d.worst_us = MAX(d.worst_us, us);
		least_us = MIN(least_us, us);
	}
	if (least_us == d.worst_us)
		d.mean_us = d.worst_us; /* one extent, or all the same */
	else if (weight > 0)
		d.mean_us = (weighted_us + weight / 2) / weight;
	return d;
}

void
sums_add_layer(struct sums *s, const struct pair *p, int64_t slot, enum layer l,
	       enum op op)
{
	static const struct cell none = { { -1, -1, -1, -1, -1, -1 } };
	const struct cell *c = p->ring != NULL ? ring_get(p->ring, slot) : NULL;
	struct point pt = cell_point(c != NULL ? c : &none, op);
	struct depth d = depth_of(p, slot, l, op);

	if (d.worst_us < 0)
		return;
	if (pt.load == LOAD_MISSING)
		pt.load = LOAD_UNKNOWN; /* of the pair; the LUN has a value */
	pt.us = d.mean_us;
	if (pt.us < 0) {
		pt.us = d.worst_us;
		pt.weight = 0;
	}
	sums_add_point(s, p, &pt, d.worst_us);
}

static struct merged
merge(const struct datastore *ds, const struct host *host, int64_t slot,
      enum layer l, enum op op, struct sums *s)
{
	sums_start(s);
	for (size_t i = 0; i < ds->n_pairs; i++)
		if (host == NULL || ds->pairs[i]->host == host)
			sums_add_layer(s, ds->pairs[i], slot, l, op);
	return sums_end(s);
}

struct merged
depth_merge_hosts(const struct datastore *ds, int64_t slot, enum layer l,
		  enum op op)
{
	struct sums s;

	return merge(ds, NULL, slot, l, op, &s);
}

struct merged
depth_merge_one(const struct pair *p, int64_t slot, enum layer l, enum op op)
{
	struct sums s;

	sums_start(&s);
	sums_add_layer(&s, p, slot, l, op);
	return sums_end(&s);
}

/* ---- over time ---- */

/* The slots that any of the rings holds; none: last is below first. */
static void
held_slots(const struct datastore *ds, int64_t *first_r, int64_t *last_r)
{
	*first_r = INT64_MAX;
	*last_r = INT64_MIN;
	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct extent_rings *d = ds->pairs[i]->depth;

		for (size_t k = 0; d != NULL && k < d->n; k++) {
			const struct ring *r = d->v[k].us;

			if (r == NULL)
				continue;
			*first_r = MIN(*first_r, ring_oldest(r));
			*last_r = MAX(*last_r, r->newest);
		}
	}
}

static struct bin
bin_of_slots(const struct datastore *ds, const struct host *host, enum layer l,
	     enum op op, int64_t first, int64_t last)
{
	struct bin b = { NAN, NAN, NAN, 0 };
	int64_t weighted_us = 0, weight = 0;
	bool idle = false;

	for (int64_t slot = first; slot <= last; slot++) {
		struct sums s;
		struct merged m = merge(ds, host, slot, l, op, &s);

		b.n += (uint32_t)m.n;
		idle |= m.load == LOAD_IDLE;
		if (!load_is_busy(m.load))
			continue;
		b.max = fmax(b.max, us_to_ms(m.worst_us)); /* NaN is less */
		b.min = fmin(b.min, us_to_ms(m.min_us));
		weighted_us += s.weighted_us;
		weight += s.weight;
	}
	if (weight > 0)
		b.mean = us_to_ms(weighted_us) / (double)weight;
	else if (b.max == b.min) /* not so while both are NaN */
		b.mean = b.max;
	else if (idle && isnan(b.max))
		b.mean = b.max = b.min = 0;
	return b;
}

/* Figure by figure; a direction without a sample is the less. */
static struct bin
worse_of(const struct bin *a, const struct bin *b)
{
	return (struct bin){
		.mean = fmax(a->mean, b->mean),
		.max = fmax(a->max, b->max),
		.min = fmax(a->min, b->min),
		.n = MAX(a->n, b->n),
	};
}

void
depth_series(const struct datastore *ds, const struct host *host, enum metric m,
	     const struct span *span, struct bin *bins)
{
	unsigned nth = (unsigned)(m - METRIC_READ_DEVICE_MS);
	enum layer l = nth / (N_OPS + 1);
	enum op op = nth % (N_OPS + 1);
	int64_t held_first, held_last;

	static_assert(METRIC_READ_KERNEL_MS ==
			      METRIC_READ_DEVICE_MS + N_OPS + 1,
		      "read, write, the worse of both");
	assert(metric_is_layer(m));
	held_slots(ds, &held_first, &held_last);
	for (size_t i = 0; i < span->n_bins; i++) {
		int64_t first =
			span->first_slot + (int64_t)i * span->step_slots;
		int64_t last = MIN(first + span->step_slots - 1, held_last);
		struct bin both[N_OPS] = { { 0 } };

		first = MAX(first, held_first);
		for (enum op o = 0; o < N_OPS; o++)
			if (op == o || op == N_OPS)
				both[o] = bin_of_slots(ds, host, l, o, first,
						       last);
		bins[i] = op != N_OPS
			? both[op]
			: worse_of(&both[OP_READ], &both[OP_WRITE]);
	}
}

/* ---- filling ---- */

static void
add_use(struct host *h, const char *name, struct pair *p, size_t extent)
{
	struct lun *lun = map_find_str(h->luns, name);

	if (lun == NULL) {
		lun = xcalloc(1, sizeof(*lun));
		map_set(h->luns, name, lun);
	}
	lun->uses = xgrow(lun->uses, lun->n, sizeof(*lun->uses));
	lun->uses[lun->n++] = (struct lun_use){ p, extent };
}

void
depth_link(struct host *h)
{
	depth_unlink(h);
	h->luns = map_new();
	for (size_t i = 0; i < h->n_pairs; i++) {
		const struct datastore *ds = h->pairs[i]->datastore;
		size_t n = MIN(ds->n_extents, (size_t)DEPTH_MAX_EXTENTS);

		for (size_t j = 0; j < n; j++)
			add_use(h, ds->extents[j], h->pairs[i], j);
	}
}

void
depth_unlink(struct host *h)
{
	void *v;

	for (size_t i = 0; map_next(h->luns, &i, NULL, &v);) {
		struct lun *lun = v;

		free(lun->uses);
		free(lun);
	}
	map_free(&h->luns);
}

struct lun *
depth_find(const struct host *h, const char *name, size_t len)
{
	return map_find(h->luns, name, len);
}

void
depth_forget(struct pair *p)
{
	for (size_t i = 0; p->depth != NULL && i < p->depth->n; i++) {
		free(p->depth->v[i].us);
		free(p->depth->v[i].ios);
	}
	free(p->depth);
	p->depth = NULL;
}

/* The extent's rings; there may be more extents than before. */
static struct extent_ring *
get_extent(struct pair *p, size_t extent)
{
	size_t had = p->depth != NULL ? p->depth->n : 0;

	assert(extent < DEPTH_MAX_EXTENTS);
	if (extent >= had) {
		size_t n = extent + 1;

		p->depth = xreallocarray(p->depth, 1,
					 sizeof(*p->depth) +
						 n * sizeof(p->depth->v[0]));
		memset(&p->depth->v[had], 0,
		       (n - had) * sizeof(p->depth->v[0]));
		p->depth->n = n;
	}
	return &p->depth->v[extent];
}

enum ring_put
depth_put(const struct lun_use *u, int64_t slot, unsigned field, bool is_ios,
	  int32_t value)
{
	struct extent_ring *x;
	struct ring **r;

	if (is_ios && u->pair->datastore->n_extents < 2)
		return RING_KEPT; /* nothing to weigh */
	x = get_extent(u->pair, u->extent);
	r = is_ios ? &x->ios : &x->us;
	if (*r == NULL) {
		*r = xmalloc(sizeof(**r));
		ring_init(*r);
	}
	return ring_put(*r, slot, field, value);
}
