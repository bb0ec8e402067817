/*
 * GET /api/v1/peaks: the worst samples of a span.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/walk.h"

#define LIMIT_MAX 1000
#define LIMIT_FALLBACK 20

struct peaks {
	struct walk walk; /* first */
	size_t limit, n;
	struct history_peak *rows; /* worst first */
};

/* ---- the two halves ---- */

static void
clear_rows(struct peaks *p)
{
	for (size_t i = 0; i < p->n; i++)
		history_names_fini(&p->rows[i].names);
	free(p->rows);
	p->rows = NULL;
	p->n = 0;
}

static struct scan *
scan_rings(struct walk *w)
{
	return scan_peaks(w->web->site, w->range.from, w->range.to,
			  ((struct peaks *)w)->limit);
}

static void
take_rings(struct walk *w, struct scan *s)
{
	struct peaks *p = (struct peaks *)w;
	const struct peak *rows;

	clear_rows(p);
	rows = scan_peak_rows(s, &p->n);
	p->rows = xcalloc(p->n, sizeof(*p->rows));
	for (size_t i = 0; i < p->n; i++)
		p->rows[i] = (struct history_peak){
			.us = rows[i].us,
			.slot = rows[i].slot,
			.ios = rows[i].ios,
			.op = rows[i].op,
			.load = rows[i].load,
			.breach = rows[i].breach,
			.threshold_us =
				rows[i].pair->datastore->threshold.warning_us,
			.names = walk_names(rows[i].pair),
		};
}

static void *
past_new(struct walk *w, struct history_ask *ask)
{
	struct history_peaks *past = xcalloc(1, sizeof(*past));

	past->ask = ask;
	past->limit = ((struct peaks *)w)->limit;
	return past;
}

static int
past_step(void *arg, struct history *h, struct err *e)
{
	return history_peaks_step(h, arg, e);
}

static void
past_free(void *arg)
{
	struct history_peaks *past = arg;

	history_peaks_end(past);
	history_ask_free(&past->ask);
	free(past);
}

static bool
is_worse(const struct history_peak *a, const struct history_peak *b)
{
	return a->us != b->us ? a->us > b->us : a->slot > b->slot;
}

/* Two lists, each worst first, into one. */
static void
take_past(struct walk *w, void *arg)
{
	struct peaks *p = (struct peaks *)w;
	struct history_peaks *past = arg;
	size_t n = MIN(p->n + past->n, p->limit), i = 0, j = 0;
	struct history_peak *rows = xcalloc(n, sizeof(*rows));

	for (size_t k = 0; k < n; k++) {
		bool ring = j == past->n ||
			(i < p->n && !is_worse(&past->rows[j], &p->rows[i]));
		struct history_peak *from =
			ring ? &p->rows[i++] : &past->rows[j++];

		rows[k] = *from;
		from->names = (struct history_names){ 0 };
	}
	clear_rows(p);
	p->rows = rows;
	p->n = n;
}

/* ---- the answer ---- */

static json_t *
peak_json(const struct history_peak *pk)
{
	static const char *const breaches[] = { "none", "warning", "critical" };
	const struct history_names *n = &pk->names;
	json_t *v = json_object();

	json_object_set_new(v, "datastore", json_text(n->datastore_id));
	json_object_set_new(v, "datastore_name", json_text(n->datastore));
	json_object_set_new(v, "protocol",
			    json_string(protocol_name(n->protocol)));
	json_object_set_new(v, "host", json_text(n->host_id));
	json_object_set_new(v, "host_name", json_text(n->host));
	json_object_set_new(v, "op", json_string(op_name(pk->op)));
	json_object_set_new(v, "t", api_slot_time(pk->slot));
	json_object_set_new(v, "ms", json_ms(pk->us));
	json_object_set_new(v, "ios",
			    pk->ios < 0 ? json_null() : json_integer(pk->ios));
	json_object_set_new(v, "iops",
			    pk->ios < 0 ? json_null()
					: json_num((double)pk->ios / SLOT_S));
	json_object_set_new(v, "sparse", json_boolean(pk->load == LOAD_SPARSE));
	json_object_set_new(v, "ios_unknown",
			    json_boolean(pk->load == LOAD_UNKNOWN));
	json_object_set_new(v, "breach", json_string(breaches[pk->breach]));
	json_object_set_new(v, "threshold_ms", json_ms(pk->threshold_us));
	json_object_set_new(v, "worst_of_s",
			    json_integer(pk->bin_s != 0 ? pk->bin_s : SLOT_S));
	return v;
}

static void
reply(struct walk *w, struct request *rq)
{
	struct peaks *p = (struct peaks *)w;
	json_t *v = json_object(), *items = json_array();

	for (size_t i = 0; i < p->n; i++)
		json_array_append_new(items, peak_json(&p->rows[i]));
	json_object_set_new(v, "from", json_time(w->range.from));
	json_object_set_new(v, "to", json_time(w->range.to));
	json_object_set_new(v, "partial", json_text(w->trouble));
	json_object_set_new(v, "items", items);
	reply_json(&rq->reply, v);
}

static void
peaks_free(struct walk *w)
{
	struct peaks *p = (struct peaks *)w;

	clear_rows(p);
	free(p);
}

static const struct walk_ops ops = {
	.scan = scan_rings,
	.take_rings = take_rings,
	.past_new = past_new,
	.past = { past_step, past_free },
	.take_past = take_past,
	.reply = reply,
	.free = peaks_free,
};

void
api_peaks(void *arg, struct request *rq)
{
	static const struct param_int limit = { "limit", 1, LIMIT_MAX,
						LIMIT_FALLBACK };
	struct web *web = arg;
	struct peaks *p = xcalloc(1, sizeof(*p));
	int64_t n;

	p->walk.ops = &ops;
	if (param_int(rq, &limit, &n) != 0 ||
	    param_range(rq, api_now(web, NULL), &p->walk.range) != 0) {
		free(p);
		return;
	}
	p->limit = (size_t)n;
	walk_start(&p->walk, web, rq);
}
