#include "web/series_row.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

/* What the reader thread works on. */
struct series_read {
	struct history_ask *ask;
	char *datastore_id, *host_id;
	struct span span;
	struct roll *rolls;
	struct history_series series;
	bool is_known; /* else look whether anybody ever was */
	bool looked;
	struct history_known known;
};

static int
read_step(void *arg, struct history *h, struct err *e)
{
	struct series_read *r = arg;

	if (!r->is_known && !r->looked) {
		if (history_known(h, r->datastore_id, r->host_id, &r->known,
				  e) != 0)
			return -1;
		r->looked = true;
		if (!r->known.has_datastore ||
		    (r->host_id != NULL && !r->known.has_pair))
			return 1;
	}
	return history_series_step(h, &r->series, e);
}

static void
read_free(void *arg)
{
	struct series_read *r = arg;

	if (r == NULL)
		return;
	history_series_end(&r->series);
	history_ask_free(&r->ask);
	free(r->known.datastore_name);
	free(r->known.host_name);
	free(r->datastore_id);
	free(r->host_id);
	free(r->rolls);
	free(r);
}

static const struct lookup_ops read_ops = { read_step, read_free };

static struct series_read *
read_new(const struct series_row *row, const struct span *span)
{
	struct series_read *r = xcalloc(1, sizeof(*r));

	r->span = *span;
	r->datastore_id = xstrdup(row->datastore_id);
	xstrset(&r->host_id, row->host_id);
	r->rolls = xcalloc(span->n_bins, sizeof(*r->rolls));
	for (size_t i = 0; i < span->n_bins; i++)
		roll_init(&r->rolls[i], NULL);
	return r;
}

static const struct pair *
find_pair(const struct datastore *ds, const struct host *h)
{
	for (size_t i = 0; i < ds->n_pairs; i++)
		if (ds->pairs[i]->host == h)
			return ds->pairs[i];
	return NULL;
}

static int
reply_not_mounted(struct request *rq, const char *datastore_id,
		  const char *host_id)
{
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, "host",
		      "the host \"%s\" does not mount the datastore \"%s\"",
		      host_id, datastore_id);
	return -1;
}

int
series_row_check(const struct web *w, struct request *rq,
		 const char *datastore_id, const char *host_id)
{
	const struct datastore *ds =
		api_find_datastore(w, rq, "datastore", datastore_id);
	const struct host *h;

	if (ds == NULL)
		return -1;
	if (host_id == NULL)
		return 0;
	h = api_find_host(w, rq, "host", host_id);
	if (h == NULL)
		return -1;
	return find_pair(ds, h) != NULL
		? 0
		: reply_not_mounted(rq, datastore_id, host_id);
}

/* What is in the inventory of the row, as of this turn. */
struct live {
	const struct datastore *ds;
	const struct host *host;
	bool whole; /* all that the row is about */
};

static struct live
find_live(const struct series_row *r, const struct web *w)
{
	struct live l = { .ds = site_find_datastore(w->site, r->datastore_id) };

	if (r->host_id != NULL)
		l.host = site_find_host(w->site, r->host_id);
	l.whole = l.ds != NULL &&
		(r->host_id == NULL ||
		 (l.host != NULL && find_pair(l.ds, l.host) != NULL));
	return l;
}

void
series_row_begin(struct series_row *r, struct web *w, struct request *rq,
		 const struct span *span)
{
	struct live l = find_live(r, w);
	bool has_store = api_has_store(w);

	if (l.ds != NULL)
		xstrset(&r->datastore_name, l.ds->name);
	if (l.host != NULL)
		xstrset(&r->host_name, l.host->name);
	r->read = read_new(r, span);
	r->rolls = r->read->rolls;
	r->rings_from = INT64_MIN;
	if (l.ds != NULL && l.whole &&
	    span->first_slot >= history_rings_hold(l.ds->target) &&
	    (!has_store || !store_has_strays(w->store, span->first_slot)))
		has_store = false; /* the rings have all of it */
	if (has_store && l.ds != NULL)
		r->rings_from = history_rings_from(l.ds->target);
	if (l.whole)
		series_add_rings(l.ds, l.host, span, r->rings_from, INT64_MAX,
				 r->rolls);
	r->read->is_known = l.whole;
	if (!has_store)
		return;
	r->read->ask = history_ask_new(w->site, span->first_slot,
				       span_last_slot(span));
	r->read->series = (struct history_series){
		.ask = r->read->ask,
		.datastore_id = r->read->datastore_id,
		.host_id = r->read->host_id,
		.span = &r->read->span,
		.bins = r->rolls,
	};
	r->lookup = lookup_new(w->store, rq, &read_ops, r->read);
}

/* The store has answered, or does not. */
static int
take_answer(struct series_row *r, struct web *w, struct request *rq)
{
	struct live l = find_live(r, w);
	bool failed;
	const char *trouble = lookup_trouble(r->lookup, &failed);

	xstrset(&r->trouble, trouble);
	if (r->read->is_known) {
		if (failed && l.whole)
			series_add_rings(l.ds, l.host, &r->read->span,
					 INT64_MIN, r->rings_from - 1,
					 r->rolls);
		return 1;
	}
	if (failed) {
		reply_problem(&rq->reply, PROBLEM_NOT_READY, "datastore",
			      "this is not in the inventory, and the history "
			      "cannot be read: %s",
			      trouble);
		return -1;
	}
	if (!r->read->known
		     .has_datastore) /* then the inventory's word counts */
		return series_row_check(w, rq, r->datastore_id, r->host_id) == 0
			? 1
			: -1;
	if (r->host_id != NULL && !r->read->known.has_pair)
		return r->read->known.has_host ||
				api_find_host(w, rq, "host", r->host_id) != NULL
			? reply_not_mounted(rq, r->datastore_id, r->host_id)
			: -1;
	if (r->datastore_name == NULL)
		xstrset(&r->datastore_name, r->read->known.datastore_name);
	if (r->host_name == NULL)
		xstrset(&r->host_name, r->read->known.host_name);
	return 1;
}

int
series_row_step(struct series_row *r, struct web *w, struct request *rq)
{
	if (r->lookup != NULL)
		return lookup_is_done(r->lookup) ? take_answer(r, w, rq) : 0;
	if (r->read->is_known)
		return 1;
	return series_row_check(w, rq, r->datastore_id, r->host_id);
}

void
series_row_end(struct series_row *r)
{
	if (r->lookup != NULL)
		lookup_free(&r->lookup);
	else
		read_free(r->read);
	free(r->datastore_name);
	free(r->host_name);
	free(r->trouble);
	*r = (struct series_row){ 0 };
}
