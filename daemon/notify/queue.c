#include "queue.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "render.h"

/* What the receiver knows of an incident. */
enum told { TOLD_NOTHING, TOLD_WARNING, TOLD_CRITICAL, TOLD_OVER };
static const char *const told_words[] = {
	[TOLD_NOTHING] = "nothing",
	[TOLD_WARNING] = "warning",
	[TOLD_CRITICAL] = "critical",
	[TOLD_OVER] = "over",
};

struct entry {
	struct incident in; /* a copy */
	enum told told;
	enum told sending; /* what the message under way says of it */
	bool in_message;
	bool queued;   /* it is to be told something else than it was */
	bool was_seen; /* since the start */
};

struct queue {
	const struct conf_notify *conf;
	const struct queue_ops *ops;
	void *arg;
	struct map *entries; /* number -> struct entry; owned */
	size_t n_queued;
	uint64_t dropped;
	mono_t due;       /* of what is queued */
	mono_t resend;    /* of what goes on; us INT64_MAX: never */
	mono_t retry;     /* not before this */
	unsigned n_fails; /* in a row */
	uint64_t random;
	struct message_item *items; /* of the message under way; owned */
};

struct queue *
queue_new(const struct conf_notify *c, const struct queue_ops *ops, void *arg)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->ops = ops;
	q->arg = arg;
	q->entries = map_new();
	for (const char *s = c->name; *s != '\0'; s++)
		q->random = q->random * 31 + (unsigned char)*s;
	q->resend.us = INT64_MAX;
	q->retry.us = INT64_MIN;
	queue_apply(q, c);
	return q;
}

static void
entry_free(struct entry *e)
{
	incident_fini(&e->in);
	free(e);
}

void
queue_free(struct queue **qp)
{
	struct queue *q = *qp;
	void *e;

	if (q == NULL)
		return;
	for (size_t i = 0; map_next(q->entries, &i, NULL, &e);)
		entry_free(e);
	map_free(&q->entries);
	free(q->items);
	free(q);
	*qp = NULL;
}

static bool
resends(const struct queue *q)
{
	return q->conf->type == NOTIFY_ALERTMANAGER;
}

void
queue_apply(struct queue *q, const struct conf_notify *c)
{
	q->conf = c;
	if (!resends(q))
		q->resend.us = INT64_MAX;
}

/* ---- who is to be told ------------------------------------------------------ */

static bool
matches(const struct conf_notify *c, const char *path)
{
	for (size_t i = 0; c->match[i] != NULL; i++)
		if (fnmatch(c->match[i], path, 0) == 0)
			return true;
	return false;
}

/* On "target", "target/datastore" or "target/host". */
static bool
wants_place(const struct conf_notify *c, const struct incident *in)
{
	const char *names[] = { in->datastore, in->host };
	bool wants = false, any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path;

		if (names[i] == NULL)
			continue;
		any = true;
		path = xasprintf("%s/%s", in->target, names[i]);
		wants = wants || matches(c, path);
		free(path);
	}
	return any ? wants : matches(c, in->target);
}

static bool
wants_kind(const struct conf_notify *c, const struct incident *in)
{
	const char *name = incident_kind_name(in->kind);

	if (c->kinds == NULL || c->kinds[0] == NULL)
		return true;
	for (size_t i = 0; c->kinds[i] != NULL; i++)
		if (strcmp(c->kinds[i], name) == 0)
			return true;
	return false;
}

static enum told
told_of(enum severity s)
{
	return s == SEVERITY_CRITICAL ? TOLD_CRITICAL : TOLD_WARNING;
}

/* What the receiver should know of it; what it knows already when there is no
 * reason to change that.  The filters only decide what is told at all: what was
 * told is followed to its end. */
static enum told
wanted(const struct queue *q, const struct entry *e)
{
	const struct conf_notify *c = q->conf;
	const struct incident *in = &e->in;
	bool is_new = e->told == TOLD_NOTHING;

	if (in->state == INCIDENT_ENDED)
		return c->send_resolved && (!is_new || e->queued) ? TOLD_OVER
								  : e->told;
	if (in->state != INCIDENT_ANNOUNCED || in->nested_in != NULL ||
	    in->silenced_by != NULL)
		return e->told;
	if (is_new &&
	    (!wants_place(c, in) || !wants_kind(c, in) ||
	     (c->critical_only && in->severity != SEVERITY_CRITICAL)))
		return e->told;
	return told_of(in->severity);
}

/* ---- entries ---------------------------------------------------------------- */

static const char *
key_of(int64_t id, char room[24])
{
	char *end = room + 23;

	assert(id >= 0);
	*end = '\0';
	do {
		*--end = (char)('0' + id % 10);
		id /= 10;
	} while (id != 0);
	return end;
}

static struct entry *
find(const struct queue *q, int64_t id)
{
	char room[24];

	return map_find_str(q->entries, key_of(id, room));
}

static void
keep(const struct queue *q, const struct entry *e, struct now now)
{
	json_t *v = json_object();
	struct buf b;

	json_object_set_new(v, "told", json_string(told_words[e->told]));
	json_object_set_new(v, "queued",
			    json_boolean(e->queued || e->in_message));
	json_object_set_new(v, "incident", incident_json(&e->in));
	buf_init(&b, (size_t)1 << 20);
	if (json_append(&b, v) == 0)
		q->ops->keep(q->arg, e->in.id, now.real, buf_str(&b));
	buf_fini(&b);
	json_decref(v);
}

static void
drop(struct queue *q, struct entry *e, struct now now)
{
	char room[24];
	int64_t id = e->in.id;

	assert(!e->in_message);
	q->n_queued -= e->queued;
	map_del(q->entries, key_of(id, room));
	entry_free(e);
	q->ops->keep(q->arg, id, now.real, NULL);
}

/* Bring `queued` up to date; entries with nothing left to say go. */
static void
settle(struct queue *q, struct entry *e, struct now now)
{
	enum told told = e->told, want;
	bool queued;

	/* what is under way counts as told, until it turns out otherwise */
	if (e->in_message)
		e->told = e->sending;
	want = wanted(q, e);
	queued = want != e->told;
	e->told = told;
	if (queued && !e->queued && q->n_queued++ == 0)
		q->due = mono_add_us(now.mono, q->conf->group_s * US_PER_S);
	if (!queued && e->queued)
		q->n_queued--;
	if (e->queued && !queued && told == TOLD_NOTHING &&
	    e->in.state == INCIDENT_ENDED)
		q->dropped++; /* over before it could be told */
	e->queued = queued;
	if (!queued && !e->in_message &&
	    (e->told == TOLD_NOTHING || e->in.state == INCIDENT_ENDED))
		drop(q, e, now);
}

static struct entry *
add(struct queue *q, int64_t id)
{
	struct entry *e = xcalloc(1, sizeof(*e));
	char room[24];

	map_set(q->entries, key_of(id, room), e);
	return e;
}

/* A receiver knows what it was told by its labels: under another name it would
 * be another alert, and the one before would never be over.  What was renamed
 * keeps its old name there; the summary has the new one. */
static void
keep_labels(struct incident *known, struct incident *fresh)
{
	static const size_t texts[] = {
		offsetof(struct incident, datastore),
		offsetof(struct incident, datacenter),
		offsetof(struct incident, cluster),
		offsetof(struct incident, protocol),
		offsetof(struct incident, host),
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char **a = (void *)((char *)known + texts[i]);
		char **b = (void *)((char *)fresh + texts[i]), *text = *a;

		*a = *b;
		*b = text;
	}
}

/* Something that the document says changed. */
static bool
differs(const struct incident *a, const struct incident *b)
{
	return a->state != b->state || a->severity != b->severity ||
		(a->silenced_by == NULL) != (b->silenced_by == NULL) ||
		(a->nested_in == NULL) != (b->nested_in == NULL);
}

void
queue_see(struct queue *q, const struct incident *in, struct now now)
{
	struct entry *e = find(q, in->id), probe = { .in = *in };
	bool queued, changed;
	struct incident fresh;

	if (e == NULL && wanted(q, &probe) == TOLD_NOTHING)
		return;
	if (e == NULL && map_count(q->entries) >= QUEUE_MAX_ENTRIES) {
		q->dropped++;
		return;
	}
	incident_copy(in, &fresh);
	if (e == NULL)
		e = add(q, in->id);
	queued = e->queued;
	changed = e->in.id == 0 || differs(&e->in, &fresh);
	if (e->told != TOLD_NOTHING || e->in_message)
		keep_labels(&e->in, &fresh);
	incident_fini(&e->in);
	e->in = fresh;
	e->was_seen = true;
	settle(q, e, now);
	e = find(q, in->id);
	if (e != NULL && (changed || queued != e->queued))
		keep(q, e, now);
}

void
queue_restore(struct queue *q, int64_t id, const char *text)
{
	json_t *v = json_loads(text, 0, NULL);
	const char *told = json_string_value(json_object_get(v, "told"));
	struct incident in;
	struct entry *e;

	if (told == NULL || find(q, id) != NULL ||
	    !incident_from_json(json_object_get(v, "incident"), &in))
		goto out;
	e = add(q, id);
	e->in = in;
	for (size_t i = 0; i < ARRAY_SIZE(told_words); i++)
		if (strcmp(told, told_words[i]) == 0)
			e->told = (enum told)i;
	e->queued = json_is_true(json_object_get(v, "queued"));
	q->n_queued += e->queued;
out:
	json_decref(v);
}

void
queue_settle(struct queue *q, struct now now)
{
	void *v;

	for (size_t i = 0; map_next(q->entries, &i, NULL, &v);) {
		struct entry *e = v;

		if (!e->was_seen && e->in.state != INCIDENT_ENDED) {
			e->in.state = INCIDENT_ENDED;
			e->in.ended = now.real;
			e->in.end_reason = "gone";
		}
		if (resends(q) && e->told != TOLD_NOTHING)
			q->resend = now.mono;
		settle(q, e, now);
	}
	if (q->n_queued != 0)
		q->due = mono_add_us(now.mono, q->conf->group_s * US_PER_S);
}

void
queue_keep_all(const struct queue *q, struct now now)
{
	void *e;

	for (size_t i = 0; map_next(q->entries, &i, NULL, &e);)
		keep(q, e, now);
}

/* ---- messages ----------------------------------------------------------------- */

bool
queue_due(const struct queue *q, mono_t *when_r)
{
	int64_t us = q->resend.us;

	if (q->items != NULL)
		return false; /* one at a time */
	if (q->n_queued != 0)
		us = MIN(us, q->due.us);
	if (us == INT64_MAX)
		return false;
	when_r->us = MAX(us, q->retry.us);
	return true;
}

/* Worst first, what is over last; among equals the oldest. */
static int
by_weight(const void *a, const void *b)
{
	const struct incident *x = ((const struct message_item *)a)->in;
	const struct incident *y = ((const struct message_item *)b)->in;
	int wx = x->state == INCIDENT_ENDED ? -1 : (int)x->severity;
	int wy = y->state == INCIDENT_ENDED ? -1 : (int)y->severity;

	if (wx != wy)
		return wx > wy ? -1 : 1;
	if (x->started.us != y->started.us)
		return x->started.us < y->started.us ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

static struct message_item
item_of(const struct entry *e)
{
	const struct incident *in = &e->in;
	bool over = in->state == INCIDENT_ENDED;
	bool was = e->told == TOLD_WARNING || e->told == TOLD_CRITICAL;
	enum severity known =
		e->told == TOLD_CRITICAL ? SEVERITY_CRITICAL : SEVERITY_WARNING;

	return (struct message_item){
		.in = in,
		.severity = !over ? in->severity
			: was     ? known
				  : in->worst_severity,
		.was_other = !over && was && known != in->severity,
		.other = known,
	};
}

void
queue_take(struct queue *q, struct message *m)
{
	struct entry *e;
	void *v;

	assert(q->items == NULL);
	q->items = xcalloc(map_count(q->entries) + 1, sizeof(*q->items));
	m->n = 0;
	for (size_t i = 0; map_next(q->entries, &i, NULL, &v);) {
		e = v;
		if (e->queued && m->n < QUEUE_MAX_CHANGES) {
			e->sending = wanted(q, e);
			e->in_message = true;
			e->queued = false;
			q->n_queued--;
			q->items[m->n++] = item_of(e);
		}
	}
	m->n_changed = m->n;
	qsort(q->items, m->n, sizeof(*q->items), by_weight);
	for (size_t i = 0; map_next(q->entries, &i, NULL, &v);) {
		e = v;
		if (!e->in_message && e->told != TOLD_NOTHING &&
		    e->in.state != INCIDENT_ENDED)
			q->items[m->n++] = item_of(e);
	}
	qsort(q->items + m->n_changed, m->n - m->n_changed, sizeof(*q->items),
	      by_weight);
	m->items = q->items;
}

/* 80 to 120 %, so that many daemons do not knock at once. */
static int64_t
jitter(struct queue *q, int64_t us, struct now now)
{
	q->random += (uint64_t)now.real.us;
	q->random *= UINT64_C(6364136223846793005);
	return us * 80 / 100 +
		us * 40 / 100 * (int64_t)(q->random >> 44) / (INT64_C(1) << 20);
}

static void
failed(struct queue *q, const struct queue_result *r, struct now now)
{
	int64_t us = QUEUE_RETRY_MAX_US;

	if (!r->is_refused && q->n_fails < 6)
		us = MIN(QUEUE_RETRY_MIN_US << q->n_fails, us);
	q->n_fails++;
	us = jitter(q, us, now); /* not inside MIN(), which takes it twice */
	us = MIN(us, QUEUE_RETRY_MAX_US);
	us = MAX(us, MIN(r->retry_after_us, QUEUE_RETRY_AFTER_MAX_US));
	q->retry = mono_add_us(now.mono, us);
}

void
queue_done(struct queue *q, const struct queue_result *r, struct now now)
{
	bool goes_on = false;
	void *v;

	assert(q->items != NULL);
	free(q->items);
	q->items = NULL;
	if (r->ok) {
		q->n_fails = 0;
		q->retry.us = INT64_MIN;
	} else {
		failed(q, r, now);
	}
	for (size_t i = 0; map_next(q->entries, &i, NULL, &v);) {
		struct entry *e = v;
		int64_t id = e->in.id;
		bool in_message = e->in_message;

		e->in_message = false;
		if (in_message && r->ok) {
			e->told = e->sending;
		} else if (in_message && !e->queued) {
			e->queued = true; /* as it was */
			q->n_queued++;
		}
		if (in_message)
			settle(q, e, now);
		e = find(q, id);
		if (e != NULL && in_message)
			keep(q, e, now);
		if (e != NULL && e->told != TOLD_NOTHING)
			goes_on = true;
	}
	if (resends(q) && goes_on)
		q->resend = mono_add_us(now.mono, r->ok ? ALERT_RESEND_US : 0);
	else
		q->resend.us = INT64_MAX;
}

struct queue_counts
queue_counts(const struct queue *q)
{
	struct queue_counts c = { q->n_queued, map_count(q->entries),
				  q->dropped };
	void *v;

	for (size_t i = 0; map_next(q->entries, &i, NULL, &v);) {
		const struct entry *e = v;

		if (e->in_message && !e->queued)
			c.queued++;
	}
	return c;
}
