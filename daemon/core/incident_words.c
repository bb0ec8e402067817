/*
 * What an incident is about, in names and in one line.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/mem.h"
#include "incident_private.h"

void
record_name(struct record *r, const struct target *t,
	    const struct datastore *ds, const struct host *h)
{
	struct incident *in = &r->in;

	xstrset(&in->target, t->name);
	if (ds != NULL) {
		xstrset(&in->datastore_id, ds->id);
		xstrset(&in->datastore, ds->name);
		xstrset(&in->datacenter, ds->datacenter);
		xstrset(&in->cluster, ds->cluster);
		xstrset(&in->protocol, protocol_name(ds->protocol));
		xstrset(&in->backing, ds->backing);
	}
	if (h != NULL) {
		xstrset(&in->host_id, h->id);
		xstrset(&in->host, h->name);
		if (ds == NULL) {
			xstrset(&in->datacenter, h->datacenter);
			xstrset(&in->cluster, h->cluster);
		}
	}
}

/* Milliseconds with as many decimals as there are, three at most. */
char *
incident_text_ms(int64_t us)
{
	char *text = xasprintf("%lld.%03lld", (long long)(us / US_PER_MS),
			       (long long)(us % US_PER_MS));
	size_t len = strlen(text);

	while (text[len - 1] == '0')
		len--;
	if (text[len - 1] == '.')
		len--;
	text[len] = '\0';
	return text;
}

static bool
is_judged(const struct pair *p)
{
	return !p->gone && p->mounted && p->ring != NULL &&
		!p->host->maintenance;
}

/* Did the pair carry I/O in the window, and enough of it to tell? */
static void
look_at_io(const struct record *r, const struct pair *p, struct where_host *w)
{
	const struct threshold *t = &p->datastore->threshold;
	int64_t last = r->in.window_slot;

	for (int64_t s = last; s > last - t->window_samples; s--) {
		const struct cell *c = ring_get(p->ring, s);
		struct point pt;

		if (c == NULL)
			continue;
		pt = cell_point(c, r->in.op);
		w->has_io |= load_is_busy(pt.load);
		w->is_fine |= pt.load == LOAD_UNKNOWN ||
			(pt.load == LOAD_NORMAL && pt.ios >= t->min_ios);
	}
}

static int64_t
layer_us(const struct pair *p, real_t t, enum layer l, enum op op)
{
	struct depth d = depth_of(p, slot_of(t), l, op);

	return d.mean_us >= 0 ? d.mean_us : d.worst_us;
}

static void
look_at_depth(const struct pair *p, real_t worst_t, enum op op,
	      struct where_host *w)
{
	w->device_us = layer_us(p, worst_t, LAYER_DEVICE, op);
	w->kernel_us = layer_us(p, worst_t, LAYER_KERNEL, op);
	w->queue_us = layer_us(p, worst_t, LAYER_QUEUE, op);
}

/* The worst host comes first: it says whose time it was. */
static int
by_worst(const void *a, const void *b)
{
	const struct where_host *x = a, *y = b;

	if (x->is_slow != y->is_slow)
		return x->is_slow ? -1 : 1;
	return strcmp(x->name, y->name);
}

static char *
where_of(const struct record *r, const struct datastore *ds)
{
	struct where_host *hosts = xcalloc(ds->n_pairs, sizeof(*hosts)), first;
	size_t n = 0, worst = SIZE_MAX;
	char *text;

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct pair *p = ds->pairs[i];
		const struct incident_host *h =
			record_find_host(r, p->host->id);
		struct where_host *w = &hosts[n];

		if (!is_judged(p))
			continue;
		*w = (struct where_host){ .name = p->host->name,
					  .device_us = -1,
					  .kernel_us = -1,
					  .queue_us = -1 };
		w->is_slow = h != NULL ||
			(r->more != NULL &&
			 map_find_str(r->more, p->host->id) != NULL);
		look_at_io(r, p, w);
		if (h != NULL && h == &r->in.hosts[0]) {
			look_at_depth(p, h->worst_t, r->in.op, w);
			worst = n;
		}
		n++;
	}
	if (worst != SIZE_MAX) {
		first = hosts[worst];
		hosts[worst] = hosts[0];
		hosts[0] = first;
		qsort(hosts + 1, n - 1, sizeof(*hosts), by_worst);
	}
	text = incident_where(hosts, n);
	free(hosts);
	return text;
}

static char *
summary_of(const struct incident *in)
{
	const struct threshold *t = &in->threshold;
	char *ms = incident_text_ms(in->worst_us), *limit, *text;

	limit = incident_text_ms(in->worst_us >= t->critical_us
					 ? t->critical_us
					 : t->warning_us);
	text = xasprintf("%s/%s %s %s ms on %s (>= %s)", in->target,
			 in->datastore, op_name(in->op), ms, in->worst_host,
			 limit);
	free(ms);
	free(limit);
	return text;
}

/* Take the text; true when it is another. */
static bool
replace(char **dst, char *text)
{
	bool is_other = xstrset(dst, text);

	free(text);
	return is_other;
}

bool
record_describe_slow(struct record *r, const struct datastore *ds)
{
	bool is_other;

	record_name(r, ds->target, ds, NULL);
	is_other = replace(&r->in.summary, summary_of(&r->in));
	return replace(&r->in.where, where_of(r, ds)) || is_other;
}

/* ---- all but latency ----------------------------------------------------- */

/* "on esx3", "on 3 of 8 hosts", "on all 8 hosts". */
static char *
on_hosts(const struct incident *in, size_t n_all)
{
	if (in->n_hosts >= n_all && n_all != 1)
		return xasprintf("all %zu hosts", n_all);
	if (in->n_hosts == 1 && in->n_listed == 1)
		return xstrdup(in->hosts[0].name);
	return xasprintf("%zu of %zu hosts", in->n_hosts, n_all);
}

static char *
state_summary(const struct incident *in, size_t n_all)
{
	char *path, *hosts = on_hosts(in, n_all), *text;

	path = in->datastore != NULL
		? xasprintf("%s/%s", in->target, in->datastore)
		: in->host != NULL ? xasprintf("%s/%s", in->target, in->host)
				   : xstrdup(in->target);
	switch (in->kind) {
	case INCIDENT_INACCESSIBLE:
		text = xasprintf("%s is inaccessible on %s", path, hosts);
		break;
	case INCIDENT_NO_DATA:
		text = in->datastore != NULL
			? xasprintf("%s: no data from %s", path, hosts)
			: xasprintf("%s: no data", path);
		break;
	case INCIDENT_LOGIN:
		text = xasprintf("%s refuses the login", path);
		break;
	default:
		text = in->host != NULL ? xasprintf("%s is not connected", path)
					: xasprintf("%s does not answer", path);
	}
	free(path);
	free(hosts);
	return text;
}

/* Of an inaccessible datastore; others have what the target said. */
static char *
state_where(const struct incident *in, size_t n_all)
{
	if (in->kind != INCIDENT_INACCESSIBLE || in->n_hosts == 0)
		return NULL;
	if (in->n_hosts >= n_all)
		return n_all == 1 ? xasprintf("%s is the only host that has it",
					      in->hosts[0].name)
				  : xasprintf(
					    "all %zu hosts: the array or its "
					    "network",
					    n_all);
	if (in->n_hosts == 1 && n_all > 2)
		return xasprintf(
			"only %s, the other %zu hosts reach it: its "
			"path",
			in->hosts[0].name, n_all - 1);
	if (in->n_hosts == 1)
		return xasprintf("only %s, the other host reaches it: its path",
				 in->hosts[0].name);
	return xasprintf("%zu of %zu hosts: what these have in common",
			 in->n_hosts, n_all);
}

void
record_describe(struct record *r, size_t n_all, const char *detail)
{
	struct incident *in = &r->in;
	char *where = state_where(in, n_all), *both;

	if (detail != NULL && where != NULL) {
		both = xasprintf("%s (%s)", where, detail);
		free(where);
		where = both;
	} else if (detail != NULL) {
		where = xstrdup(detail);
	}
	free(in->where);
	in->where = where;
	free(in->summary);
	in->summary = state_summary(in, n_all);
}
