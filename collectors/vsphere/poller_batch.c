/*
 * Which hosts are asked, and how many in one request.
 */
#include <string.h>

#include "dslat/mem.h"
#include "poller_private.h"

void
job_push_front(struct job **list, struct job *j)
{
	j->next = *list;
	*list = j;
}

static void
push_back(struct job **list, struct job *j)
{
	while (*list != NULL)
		list = &(*list)->next;
	j->next = NULL;
	*list = j;
}

struct job *
job_new(struct poller *p, struct vhost *const *hosts, size_t n, bool backfill)
{
	struct job *j = xcalloc(1, sizeof(*j));

	j->magic = JOB_MAGIC;
	j->poller = p;
	j->backfill = backfill;
	j->n = n;
	j->hosts = xcalloc(n, sizeof(struct vhost *));
	memcpy(j->hosts, hosts, n * sizeof(struct vhost *));
	return j;
}

unsigned
poller_samples(const struct poller *p, bool backfill)
{
	return backfill ? SCHEDULE_HOUR_SAMPLES : p->live_samples;
}

struct batch {
	struct vhost *hosts[SCHEDULE_MAX_HOSTS];
	size_t n, elements;
};

static void
flush(struct poller *p, struct batch *b, bool backfill)
{
	if (b->n != 0)
		push_back(&p->waiting, job_new(p, b->hosts, b->n, backfill));
	b->n = b->elements = 0;
}

static void
add_to_batch(struct poller *p, struct batch *b, struct vhost *v,
	     const struct host *h, bool backfill)
{
	const struct counters *c = session_counters(p->session);
	unsigned samples = poller_samples(p, backfill);
	size_t elements =
		schedule_elements(h->n_pairs, counters_count(c, COUNTERS_PAIR),
				  samples) +
		luns_elements(&v->luns, h, c, samples);

	if (b->n == SCHEDULE_MAX_HOSTS ||
	    b->elements + elements > SCHEDULE_MAX_ELEMENTS)
		flush(p, b, backfill);
	b->hosts[b->n++] = v;
	b->elements += elements;
}

void
poller_make_batches(struct poller *p, bool backfill)
{
	mono_t now = p->target->site->now.mono;
	struct batch b = { .n = 0 };
	void *value;

	for (size_t i = 0; map_next(p->target->hosts, &i, NULL, &value);) {
		struct host *h = value;
		struct vhost *v;

		if (!h->connected || h->gone)
			continue;
		v = vhosts_get(p->vhosts, h->moref);
		if (!vhost_is_due(v, now) || (backfill && !v->behind))
			continue;
		if (backfill)
			v->behind = false; /* tried once per need */
		else
			v->answered = false;
		if (v->faults != 0)
			push_back(&p->waiting, job_new(p, &v, 1, backfill));
		else
			add_to_batch(p, &b, v, h, backfill);
	}
	flush(p, &b, backfill);
}
