#include "history_parts.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/json.h"
#include "dslat/mem.h"

#define BODY_MAX_BYTES ((size_t)16 << 20)

/* ---- the question ---- */

static int64_t
since_slot(real_t since)
{
	return since.us != 0 ? slot_of(since) : INT64_MAX;
}

int64_t
history_least_slots(const struct store_status *st, int64_t first_slot)
{
	int64_t raw = since_slot(st->raw_since);
	int64_t five = since_slot(st->five_minute_since);
	int64_t hours = since_slot(st->hour_since);
	const int64_t day = (int64_t)STORE_HOURS_PER_DAY * CHUNK_SLOTS;
	int64_t from;

	/* Hours are kept by the day: the first may begin with nothing. */
	if (five != INT64_MAX && hours <= five && five - hours < day)
		hours = five;
	/* Nothing is finer where there is nothing at all. */
	from = MAX(first_slot - 1, MIN(raw, MIN(five, hours)));
	if (raw <= from)
		return 1;
	if (five <= from)
		return ROLL_5MIN_SLOTS;
	return hours <= from ? ROLL_HOUR_SLOTS : 1;
}

void
history_ask_free(struct history_ask **ap)
{
	struct history_ask *ask = *ap;
	void *v;

	if (ask == NULL)
		return;
	for (size_t i = 0; i < ask->n_parts; i++)
		free(ask->parts[i].target);
	for (size_t i = 0; map_next(ask->thresholds, &i, NULL, &v);)
		free(v);
	map_free(&ask->thresholds);
	free(ask->parts);
	free(ask->live);
	free(ask);
	*ap = NULL;
}

struct history_part
history_part_of(const struct history_ask *ask, const char *target)
{
	for (size_t i = 0; i < ask->n_parts; i++)
		if (strcmp(ask->parts[i].target, target) == 0)
			return ask->parts[i];
	return (struct history_part){ NULL, ask->first, ask->last, INT64_MAX };
}

struct history_hours
history_asked(const struct history_ask *ask)
{
	int64_t first = ask->first, last = ask->last;

	for (size_t i = 0; i < ask->n_parts; i++) {
		first = MIN(first, ask->parts[i].first);
		last = MAX(last, ask->parts[i].last);
	}
	return (struct history_hours){ chunk_hour(first), chunk_hour(last) };
}

bool
history_is_live(const struct history_ask *ask, uint32_t pair)
{
	return pair < ask->n_live &&
		(ask->live[pair / 8] & 1u << pair % 8) != 0;
}

const struct threshold *
history_threshold(const struct history_ask *ask, const struct object *datastore)
{
	const struct object_name *n = object_name_at(datastore, INT64_MAX);
	const struct threshold *t = n != NULL && n->id != NULL
		? map_find_str(ask->thresholds, n->id)
		: NULL;

	return t != NULL ? t : &ask->threshold;
}

/* ---- objects, their names, pairs ---- */

struct history *
history_new(struct db *db)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->magic = HISTORY_MAGIC;
	h->db = db;
	h->version = -1;
	buf_init(&h->body, BODY_MAX_BYTES);
	return h;
}

static void
drop_lists(struct history *h)
{
	for (size_t i = 0; i < h->n_objects; i++) {
		struct object *o = &h->objects[i];

		for (size_t j = 0; j < o->n_names; j++) {
			free(o->names[j].id);
			free(o->names[j].name);
			free(o->names[j].datacenter);
			free(o->names[j].cluster);
		}
		free(o->names);
		free(o->target);
	}
	free(h->objects);
	free(h->pairs);
	h->objects = NULL;
	h->pairs = NULL;
	h->n_objects = h->n_pairs = 0;
	h->version = -1;
}

void
history_free(struct history **hp)
{
	struct history *h = *hp;

	if (h == NULL)
		return;
	drop_lists(h);
	buf_fini(&h->body);
	free(h);
	*hp = NULL;
}

static struct object *
find_object(const struct history *h, int64_t id)
{
	size_t low = 0, high = h->n_objects;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (h->objects[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < h->n_objects && h->objects[low].id == id ? &h->objects[low]
							      : NULL;
}

static int
load_objects(struct history *h, struct err *e)
{
	struct db_stmt *st = db_prepare(
		h->db, "SELECT id, kind, target FROM object ORDER BY id", e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1) {
		struct object *o;

		h->objects = xgrow(h->objects, h->n_objects, sizeof(*o));
		o = &h->objects[h->n_objects++];
		*o = (struct object){
			.id = (uint32_t)db_int(st, 0),
			.kind = (enum store_kind)db_int(st, 1),
			.target = xstrdup(db_text(st, 2)),
		};
	}
	return rc;
}

static char *
member(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));

	return s != NULL ? xstrdup(s) : NULL;
}

static void
add_name(struct object *o, int64_t since_slot, const char *text)
{
	json_t *v = json_loads(text, 0, NULL);
	const char *protocol =
		json_string_value(json_object_get(v, "protocol"));
	struct object_name *n;

	o->names = xgrow(o->names, o->n_names, sizeof(*n));
	n = &o->names[o->n_names++];
	*n = (struct object_name){
		.since_slot = since_slot,
		.id = member(v, "id"),
		.name = member(v, "name"),
		.datacenter = member(v, "datacenter"),
		.cluster = member(v, "cluster"),
	};
	if (protocol == NULL || !protocol_from_name(protocol, &n->protocol))
		n->protocol = PROTO_UNKNOWN;
	json_decref(v);
}

static int
load_names(struct history *h, struct err *e)
{
	struct db_stmt *st =
		db_prepare(h->db,
			   "SELECT object, since_slot, json FROM object_name "
			   "ORDER BY object, since_slot",
			   e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1) {
		struct object *o = find_object(h, db_int(st, 0));

		if (o != NULL)
			add_name(o, db_int(st, 1), db_text(st, 2));
	}
	return rc;
}

static int
load_pairs(struct history *h, struct err *e)
{
	struct db_stmt *st = db_prepare(
		h->db, "SELECT id, datastore, host FROM pair ORDER BY id", e);
	int rc;

	if (st == NULL)
		return -1;
	while ((rc = db_step(st, e)) == 1) {
		struct object_pair p = {
			.id = (uint32_t)db_int(st, 0),
			.datastore = find_object(h, db_int(st, 1)),
			.host = find_object(h, db_int(st, 2)),
		};

		if (p.datastore == NULL || p.host == NULL)
			continue;
		h->pairs = xgrow(h->pairs, h->n_pairs, sizeof(p));
		h->pairs[h->n_pairs++] = p;
	}
	return rc;
}

int
history_refresh(struct history *h, struct err *e)
{
	int64_t version;

	assert(h->magic == HISTORY_MAGIC);
	if (db_number(h->db, "PRAGMA data_version", &version, e) != 0)
		return -1;
	if (version == h->version)
		return 0;
	drop_lists(h);
	if (load_objects(h, e) != 0 || load_names(h, e) != 0 ||
	    load_pairs(h, e) != 0) {
		drop_lists(h);
		return -1;
	}
	h->version = version;
	return 0;
}

const struct object_name *
object_name_at(const struct object *o, int64_t slot)
{
	size_t i = o->n_names;

	while (i > 1 && o->names[i - 1].since_slot > slot)
		i--;
	return i != 0 ? &o->names[i - 1] : NULL;
}

const struct object *
history_find(const struct history *h, enum store_kind kind, const char *id)
{
	const struct object *found = NULL;
	int64_t since = INT64_MIN;

	for (size_t i = 0; i < h->n_objects; i++) {
		const struct object *o = &h->objects[i];

		for (size_t j = 0; o->kind == kind && j < o->n_names; j++) {
			const struct object_name *n = &o->names[j];

			if (n->id != NULL && strcmp(n->id, id) == 0 &&
			    (found == NULL || n->since_slot >= since)) {
				found = o;
				since = n->since_slot;
			}
		}
	}
	return found;
}

const struct object_pair *
history_pair(const struct history *h, uint32_t id)
{
	size_t low = 0, high = h->n_pairs;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (h->pairs[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < h->n_pairs && h->pairs[low].id == id ? &h->pairs[low]
							  : NULL;
}

bool
history_who(struct history *h, uint32_t pair, int64_t slot,
	    struct history_who *who_r)
{
	const struct object_pair *p = history_pair(h, pair);
	const struct object_name *ds, *host;

	*who_r = (struct history_who){ 0 };
	if (p == NULL)
		return false;
	ds = object_name_at(p->datastore, slot);
	host = object_name_at(p->host, slot);
	who_r->target = p->datastore->target;
	if (ds != NULL) {
		who_r->datastore_id = ds->id;
		who_r->datastore = ds->name;
		who_r->datacenter = ds->datacenter;
		who_r->protocol = ds->protocol;
	}
	if (host != NULL) {
		who_r->host_id = host->id;
		who_r->host = host->name;
		who_r->cluster = host->cluster;
		if (host->datacenter != NULL)
			who_r->datacenter = host->datacenter;
	}
	return true;
}

static char *
newest_name(const struct object *o)
{
	const struct object_name *n =
		o != NULL ? object_name_at(o, INT64_MAX) : NULL;

	return n != NULL && n->name != NULL ? xstrdup(n->name) : NULL;
}

int
history_known(struct history *h, const char *datastore_id, const char *host_id,
	      struct history_known *k_r, struct err *e)
{
	const struct object *ds, *host = NULL;

	*k_r = (struct history_known){ 0 };
	if (history_refresh(h, e) != 0)
		return -1;
	ds = history_find(h, STORE_DATASTORE, datastore_id);
	if (host_id != NULL)
		host = history_find(h, STORE_HOST, host_id);
	k_r->has_datastore = ds != NULL;
	k_r->has_host = host != NULL;
	k_r->datastore_name = newest_name(ds);
	k_r->host_name = newest_name(host);
	for (size_t i = 0; i < h->n_pairs; i++)
		k_r->has_pair |=
			h->pairs[i].datastore == ds && h->pairs[i].host == host;
	return 0;
}

uint64_t
history_damaged(const struct history *h)
{
	return h->damaged;
}
