#include "dslat/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/units.h"
#include "query_private.h"

/* Which of two loads describes both together: busy before idle, a known rate
 * before an unknown one. */
static enum load
busier(enum load a, enum load b)
{
	static const int rank[] = {
		[LOAD_MISSING] = 0, [LOAD_IDLE] = 1,   [LOAD_UNKNOWN] = 2,
		[LOAD_SPARSE] = 3,  [LOAD_NORMAL] = 4,
	};

	return rank[a] >= rank[b] ? a : b;
}

void
sums_start(struct sums *s)
{
	*s = (struct sums){ .m = { .mean_us = -1,
				   .worst_us = -1,
				   .min_us = -1,
				   .ios = -1,
				   .bytes = -1 } };
}

void
sums_add_point(struct sums *s, const struct pair *p, const struct point *pt,
	       int64_t worst_us)
{
	struct merged *m = &s->m;

	if (pt->ios >= 0)
		m->ios = MAX(m->ios, 0) + pt->ios;
	if (pt->bytes >= 0)
		m->bytes = MAX(m->bytes, 0) + pt->bytes;
	if (pt->load == LOAD_MISSING)
		return;
	m->n++;
	m->load = busier(m->load, pt->load);
	if (!load_is_busy(pt->load))
		return;
	s->weighted_us += pt->us * pt->weight;
	s->weight += pt->weight;
	if (worst_us > m->worst_us) {
		m->worst_us = worst_us;
		m->worst_host = p->host;
	}
	if (m->min_us < 0 || pt->us < m->min_us)
		m->min_us = pt->us;
}

static void
sums_add(struct sums *s, const struct pair *p, int64_t slot, enum op op)
{
	const struct cell *c;
	struct point pt;

	if (p->ring == NULL || (c = ring_get(p->ring, slot)) == NULL)
		return;
	pt = cell_point(c, op);
	sums_add_point(s, p, &pt, pt.us);
	if (load_is_busy(pt.load))
		s->m.breach =
			MAX(s->m.breach,
			    threshold_check(&p->datastore->threshold, &pt));
}

/*
 * Idle is 0 throughout.  When no busy host has a known rate there is nothing
 * to weigh by: equal values have that mean, others none.
 */
struct merged
sums_end(struct sums *s)
{
	struct merged *m = &s->m;

	if (s->weight > 0)
		m->mean_us = (s->weighted_us + s->weight / 2) / s->weight;
	else if (m->worst_us >= 0 && m->min_us == m->worst_us)
		m->mean_us = m->worst_us;
	else if (m->load == LOAD_IDLE)
		m->mean_us = m->worst_us = m->min_us = 0;
	return *m;
}

struct merged
merge_hosts(const struct datastore *ds, int64_t slot, enum op op)
{
	struct sums s;

	sums_start(&s);
	for (size_t i = 0; i < ds->n_pairs; i++)
		sums_add(&s, ds->pairs[i], slot, op);
	return sums_end(&s);
}

struct merged
merge_one(const struct pair *p, int64_t slot, enum op op)
{
	struct sums s;

	sums_start(&s);
	sums_add(&s, p, slot, op);
	return sums_end(&s);
}

static bool
valid_at(const struct pair *p, int64_t slot)
{
	const struct cell *c;

	if (p->ring == NULL || slot > p->newest_valid)
		return false;
	c = ring_get(p->ring, slot);
	return c != NULL && cell_has_latency(c);
}

/* Slot and host counts of the newest usable slot over some pairs. */
static void
find_latest(const struct pair *const *pairs, size_t n, real_t now,
	    struct latest *l)
{
	int64_t newest = INT64_MIN, oldest;

	l->slot = INT64_MIN;
	l->hosts_n = l->hosts_expected = 0;
	for (size_t i = 0; i < n; i++) {
		l->hosts_expected += pair_is_expected(pairs[i]);
		if (pairs[i]->ring != NULL)
			newest = MAX(newest, pairs[i]->newest_valid);
	}
	if (newest == INT64_MIN)
		return;
	oldest = newest - RING_SLOTS;
	for (int64_t s = newest; s > oldest; s--) {
		size_t valid = 0, missing = 0;

		for (size_t i = 0; i < n; i++) {
			if (valid_at(pairs[i], s))
				valid++;
			else
				missing += pair_is_expected(pairs[i]);
		}
		if (valid == 0 ||
		    (missing != 0 &&
		     real_diff_us(now, slot_end(s)) <= 60 * US_PER_S))
			continue;
		l->slot = s;
		l->hosts_n = valid;
		return;
	}
}

struct latest
datastore_latest(const struct datastore *ds)
{
	struct latest l = { 0 };

	find_latest((const struct pair *const *)ds->pairs, ds->n_pairs,
		    target_now(ds->target), &l);
	for (enum op op = 0; op < N_OPS; op++)
		l.op[op] = merge_hosts(ds, l.slot, op);
	return l;
}

struct latest
pair_latest(const struct pair *p)
{
	struct latest l = { 0 };

	find_latest(&p, 1, target_now(p->host->target), &l);
	for (enum op op = 0; op < N_OPS; op++)
		l.op[op] = merge_one(p, l.slot, op);
	return l;
}

struct latest
host_latest(const struct host *h)
{
	struct latest l = { 0 };

	find_latest((const struct pair *const *)h->pairs, h->n_pairs,
		    target_now(h->target), &l);
	for (enum op op = 0; op < N_OPS; op++) {
		struct sums s;

		sums_start(&s);
		for (size_t i = 0; i < h->n_pairs; i++)
			sums_add(&s, h->pairs[i], l.slot, op);
		l.op[op] = sums_end(&s);
	}
	return l;
}

int64_t
latest_age_us(const struct target *t, const struct latest *l)
{
	if (l->slot == INT64_MIN)
		return INT64_MAX;
	return real_diff_us(target_now(t), slot_end(l->slot));
}

static const struct {
	const char *name;
	enum op op;
	enum field field;
} metrics[N_METRICS] = {
	[METRIC_READ_MS] = { "read_ms", OP_READ, FIELD_US },
	[METRIC_WRITE_MS] = { "write_ms", OP_WRITE, FIELD_US },
	[METRIC_READ_IOPS] = { "read_iops", OP_READ, FIELD_IOS },
	[METRIC_WRITE_IOPS] = { "write_iops", OP_WRITE, FIELD_IOS },
	[METRIC_READ_BYTES_PER_S] = { "read_bytes_per_s", OP_READ,
				      FIELD_KIB_PER_S },
	[METRIC_WRITE_BYTES_PER_S] = { "write_bytes_per_s", OP_WRITE,
				       FIELD_KIB_PER_S },
	/* see depth.c */
	[METRIC_READ_DEVICE_MS] = { .name = "read_device_ms" },
	[METRIC_WRITE_DEVICE_MS] = { .name = "write_device_ms" },
	[METRIC_DEVICE_MS] = { .name = "device_ms" },
	[METRIC_READ_KERNEL_MS] = { .name = "read_kernel_ms" },
	[METRIC_WRITE_KERNEL_MS] = { .name = "write_kernel_ms" },
	[METRIC_KERNEL_MS] = { .name = "kernel_ms" },
	[METRIC_READ_QUEUE_MS] = { .name = "read_queue_ms" },
	[METRIC_WRITE_QUEUE_MS] = { .name = "write_queue_ms" },
	[METRIC_QUEUE_MS] = { .name = "queue_ms" },
};

const char *
metric_name(enum metric m)
{
	assert((size_t)m < N_METRICS);
	return metrics[m].name;
}

bool
metric_from_name(const char *name, size_t len, enum metric *m_r)
{
	for (enum metric m = 0; m < N_METRICS; m++) {
		if (strlen(metrics[m].name) == len &&
		    memcmp(metrics[m].name, name, len) == 0) {
			*m_r = m;
			return true;
		}
	}
	return false;
}

/* Whole slots; each a multiple or a divisor of the bins that are kept (15 and
 * 180 slots).  Beyond the last they double. */
static const int64_t
	round_steps[] = {
		1,    2,    3,    6,     9,     15,    30,     45,
		60,   90,   135,  180,   360,   540,   720,    1080,
		2160, 4320, 8640, 17280, 30240, 60480, 120960, /* 28 days */
	};

static int64_t
round_step(int64_t least_slots)
{
	int64_t step = 0;

	for (size_t i = 0; i < ARRAY_SIZE(round_steps); i++) {
		step = round_steps[i];
		if (step >= least_slots)
			return step;
	}
	while (step < least_slots)
		step *= 2;
	return step;
}

static int64_t
floor_to(int64_t slot, int64_t step)
{
	int64_t rest = slot % step;

	return slot - rest - (rest < 0 ? step : 0);
}

struct span
span_make(real_t from, real_t to, size_t points, int64_t least_slots)
{
	struct span s = { .step_slots = round_step(least_slots) };
	int64_t first = slot_of(from) + 1, last = slot_of(to), slots;

	if (slot_end(last).us < to.us)
		last++; /* the slot that `to` lies in */
	assert(points > 0);
	slots = MAX(last - first + 1, 0);
	if (slots > (int64_t)points * s.step_slots)
		s.step_slots = round_step((slots + (int64_t)points - 1) /
					  (int64_t)points);
	/* Bins end on multiples of the step: the same whatever `from` is. */
	s.first_slot = floor_to(first - 1, s.step_slots) + 1;
	s.n_bins = slots == 0
		? 0
		: (size_t)((last - s.first_slot) / s.step_slots + 1);
	return s;
}

int64_t
span_last_slot(const struct span *s)
{
	return s->first_slot - 1 + (int64_t)s->n_bins * s->step_slots;
}

real_t
span_bin_end(const struct span *s, size_t bin)
{
	return slot_end(s->first_slot - 1 + ((int64_t)bin + 1) * s->step_slots);
}

static struct bin
latency_bin(const struct roll_op *r)
{
	struct bin b = { NAN, NAN, NAN, r->n };
	int64_t mean_us = roll_mean_us(r);

	if (mean_us >= 0)
		b.mean = us_to_ms(mean_us);
	if (r->busy_n != 0) {
		b.max = us_to_ms(r->max_us);
		b.min = us_to_ms(r->min_us);
	} else if (r->n != 0) { /* idle */
		b.max = b.min = 0;
	}
	return b;
}

static struct bin
rate_bin(const struct roll_rate *r)
{
	if (r->n == 0)
		return (struct bin){ NAN, NAN, NAN, 0 };
	return (struct bin){
		.mean = (double)r->sum / SLOT_S / (double)r->n,
		.max = (double)r->max / SLOT_S,
		.min = (double)r->min / SLOT_S,
		.n = r->n,
	};
}

struct bin
bin_of(const struct roll *r, enum metric m)
{
	const struct roll_op *o = &r->op[metrics[m].op];

	switch (metrics[m].field) {
	case FIELD_US:
		return latency_bin(o);
	case FIELD_IOS:
		return rate_bin(&o->ios);
	case FIELD_KIB_PER_S:
		break;
	}
	return rate_bin(&o->bytes);
}

/* The slots that any of the rings in question still holds; none: last is
 * below first. */
static void
held_slots(const struct datastore *ds, const struct host *host,
	   int64_t *first_r, int64_t *last_r)
{
	*first_r = INT64_MAX;
	*last_r = INT64_MIN;
	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct pair *p = ds->pairs[i];

		if (p->ring == NULL || (host != NULL && p->host != host))
			continue;
		*first_r = MIN(*first_r, ring_oldest(p->ring));
		*last_r = MAX(*last_r, p->ring->newest);
	}
}

void
series_add_rings(const struct datastore *ds, const struct host *host,
		 const struct span *span, int64_t first, int64_t last,
		 struct roll *bins)
{
	struct roll_cell *cells = xcalloc(ds->n_pairs, sizeof(*cells));
	int64_t held_first, held_last;

	held_slots(ds, host, &held_first, &held_last);
	first = MAX(first, MAX(held_first, span->first_slot));
	last = MIN(last, MIN(held_last, span_last_slot(span)));
	for (int64_t slot = first; slot <= last; slot++) {
		size_t bin =
			(size_t)((slot - span->first_slot) / span->step_slots);
		size_t n = 0;

		for (size_t i = 0; i < ds->n_pairs; i++) {
			const struct pair *p = ds->pairs[i];
			const struct cell *c;

			if (p->ring == NULL ||
			    (host != NULL && p->host != host))
				continue;
			c = ring_get(p->ring, slot);
			if (c != NULL)
				cells[n++].cell = c;
		}
		roll_add_slot(&bins[bin], slot, cells, n, &ds->threshold);
	}
	free(cells);
}
