/*
 * The hosts of an incident, worst first, at most INCIDENT_MAX_HOSTS of them.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_private.h"

static size_t
index_of(const struct record *r, const char *id)
{
	const void *place =
		r->places != NULL ? map_find_str(r->places, id) : NULL;

	return place != NULL ? (size_t)(uintptr_t)place - 1 : r->in.n_listed;
}

/* From this index on the list is another. */
static void
place_from(struct record *r, size_t i, size_t end)
{
	if (r->places == NULL)
		r->places = map_new();
	for (; i < end; i++)
		map_set(r->places, r->in.hosts[i].id,
			(void *)(uintptr_t)(i + 1));
}

void
record_place_hosts(struct record *r)
{
	place_from(r, 0, r->in.n_listed);
}

struct incident_host *
record_find_host(const struct record *r, const char *id)
{
	size_t i = index_of(r, id);

	return i < r->in.n_listed ? &r->in.hosts[i] : NULL;
}

/* The last of the list makes room; it stays counted. */
static void
push_out(struct record *r)
{
	struct incident_host *last = &r->in.hosts[r->in.n_listed - 1];

	if (r->more == NULL)
		r->more = map_new();
	map_set(r->more, last->id, r);
	map_del(r->places, last->id);
	free(last->id);
	free(last->name);
	r->in.n_listed--;
}

/* The host's place in the list, or NULL: too many are worse. */
static struct incident_host *
enter(struct record *r, const struct host *h, int64_t us)
{
	struct incident *in = &r->in;
	bool is_counted =
		r->more != NULL && map_find_str(r->more, h->id) != NULL;
	struct incident_host *row;

	if (!is_counted)
		in->n_hosts++;
	if (in->n_listed == INCIDENT_MAX_HOSTS) {
		assert(in->hosts != NULL);
		if (us <= in->hosts[in->n_listed - 1].worst_us) {
			if (r->more == NULL)
				r->more = map_new();
			map_set(r->more, h->id, r);
			return NULL;
		}
		push_out(r);
	}
	if (is_counted)
		map_del(r->more, h->id);
	in->hosts =
		xreallocarray(in->hosts, in->n_listed + 1, sizeof(*in->hosts));
	row = &in->hosts[in->n_listed++];
	*row = (struct incident_host){ .id = xstrdup(h->id),
				       .worst_us = -1,
				       .worst_ios = -1 };
	place_from(r, in->n_listed - 1, in->n_listed);
	return row;
}

static void
move_up(struct record *r, size_t i)
{
	struct incident_host *hosts = r->in.hosts, row = hosts[i];
	size_t was = i;

	for (; i > 0 && hosts[i - 1].worst_us < row.worst_us; i--)
		hosts[i] = hosts[i - 1];
	hosts[i] = row;
	if (i < was)
		place_from(r, i, was + 1);
}

bool
record_note_host(struct record *r, const struct host *h,
		 const struct host_value *v)
{
	struct incident_host *row = record_find_host(r, h->id);
	bool is_new = row == NULL;

	if (is_new)
		row = enter(r, h, v->us);
	if (row == NULL)
		return false;
	xstrset(&row->name, h->name);
	row->severity = MAX(row->severity, v->severity);
	if (!is_new && v->us <= row->worst_us)
		return false;
	row->worst_us = v->us;
	row->worst_ios = v->ios;
	row->worst_t = v->t;
	move_up(r, (size_t)(row - r->in.hosts));
	return true;
}

void
record_drop_host(struct record *r, const char *id)
{
	struct incident *in = &r->in;
	size_t i = index_of(r, id);

	if (i < in->n_listed) {
		char *gone = in->hosts[i].id;

		map_del(r->places, gone);
		free(in->hosts[i].name);
		in->n_listed--;
		memmove(&in->hosts[i], &in->hosts[i + 1],
			(in->n_listed - i) * sizeof(*in->hosts));
		place_from(r, i, in->n_listed);
		free(gone); /* id may be this one */
	} else if (r->more == NULL || map_del(r->more, id) == NULL) {
		return;
	}
	in->n_hosts--;
}
