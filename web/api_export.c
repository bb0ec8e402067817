/*
 * GET /api/v1/export: every sample of a span as text, made while it is sent.
 *
 * The first piece is made before the answer begins, so that what cannot be
 * answered is a problem and not half a file.  After that a store that fails
 * cuts the connection: nobody shall take a part for the whole.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/chunk.h"
#include "dslat/log.h"
#include "dslat/mem.h"
#include "web/lookup.h"
#include "web/param.h"
#include "web/walk.h"

#define OUT_MAX_BYTES ((size_t)16 << 20)
#define PREFIX_MAX_BYTES ((size_t)64 << 10)

enum phase {
	PHASE_HOURS, /* the store's hours of all pairs */
	PHASE_ROW,   /* one pair: where its ring begins now */
	PHASE_STORE, /* the store's part of it */
	PHASE_RING,
	PHASE_END,
};

struct exporting {
	uint32_t magic;
	unsigned refs; /* of the job and of the source */
	struct web *web;
	struct time_range range;
	int64_t first, last; /* slots */
	struct history_export *x;
	struct lookup *lookup; /* owns x once there is one */
	enum phase phase;
	struct buf prefix; /* of the pair, as it is called now */
	size_t sent;       /* of x->out */
};
#define EXPORT_MAGIC OBJ_MAGIC('e', 'x', 'p', 'o')

/* ---- what is asked for ---- */

static int
check_id(const struct exporting *e, struct request *rq, const char *id,
	 bool is_host)
{
	if (api_has_store(e->web))
		return 0; /* it may know what the inventory does not */
	if (is_host)
		return api_find_host(e->web, rq, "host", id) != NULL ? 0 : -1;
	return api_find_datastore(e->web, rq, "datastore", id) != NULL ? 0 : -1;
}

static int
read_ids(struct exporting *e, struct request *rq)
{
	struct history_export *x = e->x;

	for (size_t i = 0; i < rq->uri.n_params; i++) {
		const struct uri_param *p = &rq->uri.params[i];
		bool is_host = strcmp(p->name, "host") == 0;
		char ***ids = is_host ? &x->hosts : &x->datastores;
		size_t *n = is_host ? &x->n_hosts : &x->n_datastores;

		if (!is_host && strcmp(p->name, "datastore") != 0)
			continue;
		if (check_id(e, rq, p->value, is_host) != 0)
			return -1;
		*ids = xgrow(*ids, *n, sizeof(char *));
		(*ids)[(*n)++] = xstrdup(p->value);
	}
	x->datastore_found = xcalloc(x->n_datastores, sizeof(bool));
	x->host_found = xcalloc(x->n_hosts, sizeof(bool));
	return 0;
}

static int
read_params(struct exporting *e, struct request *rq)
{
	const char *name;

	if (param_text(rq, "format", &name) != 0)
		return -1;
	if (!format_from_name(name != NULL ? name : "csv", &e->x->format)) {
		reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "format",
			      "format= is csv, ndjson, openmetrics or influx, "
			      "not \"%s\"",
			      name);
		return -1;
	}
	if (param_range(rq, api_now(e->web, NULL), &e->range) != 0)
		return -1;
	e->first = slot_of(e->range.from) + 1;
	e->last = slot_of(e->range.to);
	return read_ids(e, rq);
}

static bool
takes(char *const *ids, size_t n, bool *found, const char *id)
{
	bool any = n == 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(ids[i], id) == 0)
			any = found[i] = true;
	return any;
}

static void
list_pair(struct history_export *x, const struct pair *p)
{
	struct history_export_row *row;
	bool takes_ds = takes(x->datastores, x->n_datastores,
			      x->datastore_found, p->datastore->id);
	bool takes_host =
		takes(x->hosts, x->n_hosts, x->host_found, p->host->id);

	if (!takes_ds || !takes_host)
		return;
	x->rows = xgrow(x->rows, x->n_rows, sizeof(*row));
	row = &x->rows[x->n_rows++];
	*row = (struct history_export_row){
		.pair = store_pair_id(p),
		.target = xstrdup(p->host->target->name),
		.datastore_id = xstrdup(p->datastore->id),
		.host_id = xstrdup(p->host->id),
	};
}

/* The pairs of the inventory; how far everybody's hours go. */
static void
list_pairs(struct exporting *e)
{
	const struct site *site = e->web->site;
	int64_t from = INT64_MAX;
	void *v;

	for (size_t i = 0; i < site->n_targets; i++) {
		const struct target *t = site->targets[i];

		from = MIN(from, history_rings_from(t));
		for (size_t j = 0; map_next(t->datastores, &j, NULL, &v);) {
			const struct datastore *ds = v;

			for (size_t k = 0; k < ds->n_pairs; k++)
				list_pair(e->x, ds->pairs[k]);
		}
	}
	e->x->hours_end = from == INT64_MAX ? INT64_MAX : chunk_hour(from);
}

/* ---- text ---- */

static const struct pair *
find_pair(const struct exporting *e, const struct history_export_row *row)
{
	const struct datastore *ds =
		site_find_datastore(e->web->site, row->datastore_id);

	for (size_t i = 0; ds != NULL && i < ds->n_pairs; i++)
		if (strcmp(ds->pairs[i]->host->id, row->host_id) == 0)
			return ds->pairs[i]->ring != NULL ? ds->pairs[i] : NULL;
	return NULL;
}

static void
make_prefix(struct exporting *e, const struct pair *p)
{
	const struct datastore *ds = p->datastore;
	const struct host *h = p->host;

	buf_reset(&e->prefix);
	format_prefix(e->x->format, e->x->family,
		      &(struct format_who){
			      .target = ds->target->name,
			      .datacenter = h->datacenter != NULL
				      ? h->datacenter
				      : ds->datacenter,
			      .cluster = h->cluster,
			      .host = h->name,
			      .host_id = h->id,
			      .datastore = ds->name,
			      .datastore_id = ds->id,
			      .protocol = ds->protocol,
		      },
		      &e->prefix);
}

static void
format_ring(struct exporting *e, const struct pair *p)
{
	int64_t first =
		MAX(MAX(e->first, e->x->before_slot), ring_oldest(p->ring));
	int64_t last = MIN(e->last, p->ring->newest);

	for (int64_t slot = first; slot <= last; slot++)
		format_cell(e->x->format, e->x->family, &e->prefix, slot,
			    ring_get(p->ring, slot), &e->x->out);
}

/* ---- the way ---- */

/* The store goes on; false: there is none to ask. */
static bool
ask_store(struct exporting *e)
{
	if (e->lookup == NULL)
		return false;
	lookup_again(e->lookup);
	return true;
}

static void
begin_row(struct exporting *e)
{
	struct history_export *x = e->x;
	const struct pair *p = find_pair(e, &x->rows[x->row]);
	int64_t asked_from = e->first;

	x->row_done = true;
	x->prefix = NULL;
	x->before_slot = INT64_MAX;
	if (p != NULL) {
		make_prefix(e, p);
		x->before_slot = history_ring_from(p->ring);
		if (x->format == FORMAT_OPENMETRICS)
			x->prefix = buf_str(&e->prefix);
	}
	if (e->lookup == NULL || x->rows[x->row].pair == 0) {
		x->before_slot = INT64_MIN;
	} else {
		if (x->format != FORMAT_OPENMETRICS)
			asked_from =
				MAX(asked_from, chunk_first_slot(x->hours_end));
		x->from_slot = asked_from;
		x->before_slot = MAX(x->before_slot, asked_from);
		x->row_done = asked_from == x->before_slot;
	}
	e->phase = PHASE_STORE;
}

/* The rest of a pair.  If its ring has moved on, or gone, meanwhile, the store
 * has what it lost. */
static void
end_row(struct exporting *e)
{
	struct history_export *x = e->x;
	const struct pair *p = find_pair(e, &x->rows[x->row]);
	int64_t from = p != NULL ? history_ring_from(p->ring) : INT64_MAX;

	if (e->lookup != NULL && x->rows[x->row].pair != 0 &&
	    from > x->before_slot) {
		x->from_slot = x->before_slot;
		x->before_slot = from;
		x->row_done = false;
		e->phase = PHASE_STORE;
		return;
	}
	if (p != NULL && x->before_slot != INT64_MAX)
		format_ring(e, p);
	e->phase = PHASE_ROW;
	if (++x->row < x->n_rows)
		return;
	x->row = 0;
	if (++x->family < format_families(x->format)) {
		format_begin_family(x->format, x->family, &x->out);
		return;
	}
	format_end(x->format, &x->out);
	e->phase = PHASE_END;
}

/* A bit further: true; false: the store is at work. */
static bool
advance(struct exporting *e)
{
	struct history_export *x = e->x;

	switch (e->phase) {
	case PHASE_HOURS:
		if (!x->hours_done && ask_store(e))
			return false;
		x->hours_done = true;
		e->phase = PHASE_ROW;
		if (x->n_rows == 0) {
			format_end(x->format, &x->out);
			e->phase = PHASE_END;
		}
		break;
	case PHASE_ROW:
		begin_row(e);
		break;
	case PHASE_STORE:
		if (!x->row_done && ask_store(e))
			return false;
		e->phase = PHASE_RING;
		break;
	case PHASE_RING:
		end_row(e);
		break;
	case PHASE_END:
		break;
	}
	return true;
}

static ssize_t
export_read(void *arg, char *out, size_t max)
{
	struct exporting *e = OBJ_CAST(struct exporting, EXPORT_MAGIC, arg);
	bool failed = false;
	const char *why;
	size_t n;

	for (;;) {
		if (e->lookup != NULL) {
			if (!lookup_is_done(e->lookup))
				return 0;
			why = lookup_trouble(e->lookup, &failed);
			if (failed) {
				log_warn("web", "export: cut: %s", why);
				return SOURCE_ERROR;
			}
		}
		n = MIN(max, e->x->out.len - e->sent);
		if (n != 0) {
			memcpy(out, e->x->out.data + e->sent, n);
			e->sent += n;
			return (ssize_t)n;
		}
		buf_reset(&e->x->out);
		e->sent = 0;
		if (e->phase == PHASE_END)
			return SOURCE_END;
		if (!advance(e) && !lookup_is_done(e->lookup))
			return 0;
	}
}

/* ---- its life ---- */

static int
past_step(void *arg, struct history *h, struct err *e)
{
	return history_export_step(h, arg, e);
}

static void
past_free(void *arg)
{
	struct history_export *x = arg;

	history_export_end(x);
	history_ask_free(&x->ask);
	free(x);
}

static const struct lookup_ops past_ops = { past_step, past_free };

static void
export_unref(void *arg)
{
	struct exporting *e = OBJ_CAST(struct exporting, EXPORT_MAGIC, arg);

	if (--e->refs != 0)
		return;
	if (e->lookup != NULL)
		lookup_free(&e->lookup);
	else
		past_free(e->x);
	buf_fini(&e->prefix);
	free(e);
}

/* "20261130T120000Z" */
static void
compact_time(real_t t, char out[REAL_TEXT_SIZE])
{
	char text[REAL_TEXT_SIZE];
	size_t n = 0;

	real_format((real_t){ t.us - t.us % US_PER_S }, text);
	for (const char *s = text; *s != '\0'; s++)
		if (*s != '-' && *s != ':')
			out[n++] = *s;
	out[n] = '\0';
}

static void
begin_reply(struct exporting *e, struct reply *r)
{
	char from[REAL_TEXT_SIZE], to[REAL_TEXT_SIZE];

	compact_time(e->range.from, from);
	compact_time(e->range.to, to);
	reply_header_take(r, "Content-Disposition",
			  xasprintf("attachment; filename=\"dslat-%s-%s.%s\"",
				    from, to, format_suffix(e->x->format)));
	r->status = 200;
	r->type = format_type(e->x->format);
	r->cache_control = "no-store";
	r->compress = true;
	r->source = (struct source){ export_read, export_unref, e };
	e->refs++;
}

/* Is each id known to somebody? */
static int
check_found(const struct exporting *e, struct request *rq)
{
	const struct history_export *x = e->x;

	for (size_t i = 0; i < x->n_datastores; i++)
		if (!x->datastore_found[i] &&
		    api_find_datastore(e->web, rq, "datastore",
				       x->datastores[i]) == NULL)
			return -1;
	for (size_t i = 0; i < x->n_hosts; i++)
		if (!x->host_found[i] &&
		    api_find_host(e->web, rq, "host", x->hosts[i]) == NULL)
			return -1;
	return 0;
}

static bool
step(void *arg, struct request *rq)
{
	struct exporting *e = OBJ_CAST(struct exporting, EXPORT_MAGIC, arg);
	bool failed = false;
	const char *why;

	if (e->lookup != NULL) {
		if (!lookup_is_done(e->lookup))
			return false;
		why = lookup_trouble(e->lookup, &failed);
		if (failed) {
			reply_problem(&rq->reply, PROBLEM_NOT_READY, NULL,
				      "the history cannot be read: %s", why);
			return true;
		}
	}
	if (check_found(e, rq) == 0)
		begin_reply(e, &rq->reply);
	return true;
}

/* The first slot that all rings hold. */
static int64_t
rings_hold(const struct site *site)
{
	int64_t first = INT64_MIN;

	for (size_t i = 0; i < site->n_targets; i++)
		first = MAX(first, history_rings_hold(site->targets[i]));
	return first;
}

/* While it does not work, rings alone are enough for the newest hour. */
static bool
wants_store(const struct exporting *e)
{
	const struct history_export *x = e->x;

	if (!api_has_store(e->web))
		return false;
	for (size_t i = 0; i < x->n_datastores; i++)
		if (!x->datastore_found[i])
			return true;
	for (size_t i = 0; i < x->n_hosts; i++)
		if (!x->host_found[i])
			return true;
	return store_status(e->web->store).state == STORE_OK ||
		e->first < rings_hold(e->web->site);
}

void
api_export(void *arg, struct request *rq)
{
	struct exporting *e = xcalloc(1, sizeof(*e));

	e->magic = EXPORT_MAGIC;
	e->refs = 1;
	e->web = arg;
	e->x = xcalloc(1, sizeof(*e->x));
	buf_init(&e->prefix, PREFIX_MAX_BYTES);
	buf_init(&e->x->out, OUT_MAX_BYTES);
	if (read_params(e, rq) != 0) {
		export_unref(e);
		return;
	}
	list_pairs(e);
	format_begin(e->x->format, &e->x->out);
	format_begin_family(e->x->format, 0, &e->x->out);
	e->x->hours_done = e->x->format == FORMAT_OPENMETRICS;
	rq->reply.job = (struct job){ step, export_unref, e };
	if (!wants_store(e))
		return;
	e->x->ask = history_ask_new(e->web->site, e->first, e->last);
	e->lookup = lookup_new(e->web->store, rq, &past_ops, e->x);
}
