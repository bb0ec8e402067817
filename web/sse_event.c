#include "web/sse_event.h"

#include <math.h>
#include <stdio.h>

#include "dslat/query.h"
#include "web/sse.h"

static json_t *
mean(const struct merged *m)
{
	return json_ms(m->mean_us);
}

static json_t *
worst(const struct merged *m)
{
	return json_ms(m->worst_us);
}

static json_t *
worst_host(const struct merged *m)
{
	return json_text(m->worst_host != NULL ? m->worst_host->name : NULL);
}

static json_t *
iops(const struct merged *m)
{
	return json_num(m->ios < 0 ? NAN : (double)m->ios / SLOT_S);
}

/* The columns of one direction, one value per slot. */
static const struct {
	const char *suffix;
	json_t *(*value)(const struct merged *m);
} columns[] = {
	{ "_ms", mean },
	{ "_worst_ms", worst },
	{ "_worst_host", worst_host },
	{ "_iops", iops },
};

struct slots {
	int64_t first, last;
};

/* The changed slots of a datastore; none: last is below first. */
static struct slots
changed_slots(const struct datastore *ds)
{
	struct slots s = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < ds->n_pairs; i++) {
		const struct pair *p = ds->pairs[i];

		s.first = MIN(s.first, p->dirty_slot);
		if (p->ring != NULL)
			s.last = MAX(s.last, p->newest_valid);
	}
	if (s.last > INT64_MIN + SSE_MAX_SLOTS)
		s.first = MAX(s.first, s.last - SSE_MAX_SLOTS + 1);
	return s;
}

static void
add_columns(json_t *v, const struct datastore *ds, struct slots s, enum op op,
	    json_t *hosts_n)
{
	struct merged m[SSE_MAX_SLOTS];
	size_t n = (size_t)(s.last - s.first + 1);
	char key[40];

	for (size_t i = 0; i < n; i++) {
		m[i] = merge_hosts(ds, s.first + (int64_t)i, op);
		if (hosts_n != NULL)
			json_array_append_new(hosts_n,
					      json_integer((json_int_t)m[i].n));
	}
	for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
		json_t *column = json_array();

		for (size_t i = 0; i < n; i++)
			json_array_append_new(column, columns[c].value(&m[i]));
		snprintf(key, sizeof(key), "%s%s", op_name(op),
			 columns[c].suffix);
		json_object_set_new(v, key, column);
	}
}

static json_int_t
n_expected(const struct datastore *ds)
{
	json_int_t n = 0;

	for (size_t i = 0; i < ds->n_pairs; i++)
		n += pair_is_expected(ds->pairs[i]);
	return n;
}

static json_t *
datastore_json(const struct datastore *ds, struct slots s)
{
	json_t *v = json_object(), *t = json_array(), *hosts_n = json_array();

	for (int64_t slot = s.first; slot <= s.last; slot++)
		json_array_append_new(
			t, json_integer(slot_end(slot).us / US_PER_MS));
	json_object_set_new(v, "id", json_text(ds->id));
	json_object_set_new(v, "t", t);
	add_columns(v, ds, s, OP_READ, hosts_n);
	add_columns(v, ds, s, OP_WRITE, NULL);
	json_object_set_new(v, "hosts_n", hosts_n);
	json_object_set_new(v, "hosts_expected", json_integer(n_expected(ds)));
	json_object_set_new(v, "state",
			    json_string(ds_state_name(datastore_state(ds))));
	return v;
}

json_t *
sse_sample_event(const struct target *t)
{
	json_t *v = json_object(), *list = json_array();
	int64_t newest = INT64_MIN;
	void *item;

	for (size_t i = 0; map_next(t->datastores, &i, NULL, &item);) {
		const struct datastore *ds = item;
		struct slots s = changed_slots(ds);

		if (ds->gone || s.last < s.first)
			continue;
		newest = MAX(newest, s.last);
		json_array_append_new(list, datastore_json(ds, s));
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		json_decref(v);
		return NULL;
	}
	json_object_set_new(v, "target", json_text(t->name));
	json_object_set_new(v, "t", json_time(slot_end(newest)));
	json_object_set_new(v, "datastores", list);
	return v;
}

json_t *
sse_incident_event(const struct incident *in, enum incident_change what)
{
	struct incident brief = *in; /* borrows all */
	json_t *v = json_object();

	brief.n_listed = MIN(in->n_listed, INCIDENT_TOLD_HOSTS);
	json_object_set_new(v, "change", json_text(incident_change_name(what)));
	json_object_set_new(v, "incident", incident_json(&brief));
	return v;
}
