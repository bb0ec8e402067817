/*
 * GET /api/v1/compare: two sides of the site, and which is slower.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/compare.h"
#include "dslat/mem.h"
#include "dslat/units.h"
#include "web/api.h"
#include "web/param.h"

#define PAIRS_PER_TURN 256
#define TEXT_BYTES 65536

static const char side_names[N_COMPARE_SIDES] = { 'a', 'b' };

/* A comparison under way: side A is collected, then B, then it is reckoned. */
struct work {
	uint32_t magic;
	struct web *web;
	struct time_range range[N_COMPARE_SIDES];
	enum compare_side collecting; /* N_COMPARE_SIDES: done */
	struct scan *scan;            /* of that side, once begun */
	struct compare *compare;
};
#define WORK_MAGIC OBJ_MAGIC('c', 'o', 'm', 'p')

/* ---- the answer ---------------------------------------------------------- */

static const int64_t shares_ms[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };

/* For drawing: which part of the samples was as long or longer. */
static json_t *
exceedance_json(const struct roll_op *r)
{
	json_t *v = json_object(), *ms = json_array(), *share = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(shares_ms) && r->busy_n != 0; i++) {
		uint64_t n = hist_at_least(r->hist, ms_to_us(shares_ms[i]));

		json_array_append_new(ms, json_integer(shares_ms[i]));
		json_array_append_new(share,
				      json_num((double)n / (double)r->busy_n));
	}
	json_object_set_new(v, "ms", ms);
	json_object_set_new(v, "share_ratio", share);
	return v;
}

static void
set_figures(json_t *v, const struct roll_op *r)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
		{ "p50_ms", 0.5 },
		{ "p90_ms", 0.9 },
		{ "p95_ms", 0.95 },
		{ "p99_ms", 0.99 },
	};

	json_object_set_new(v, "n", json_integer((json_int_t)r->busy_n));
	json_object_set_new(v, "ios", json_integer(r->weight));
	json_object_set_new(v, "mean_ms",
			    r->weight > 0 ? json_num(us_to_ms(r->sum_us) /
						     (double)r->weight)
					  : json_null());
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		json_object_set_new(
			v, quantiles[i].key,
			json_ms(hist_quantile_us(r->hist, quantiles[i].q,
						 r->max_us)));
	json_object_set_new(v, "max_ms", json_ms(r->max_us));
	json_object_set_new(v, "max_t",
			    r->max_us >= 0 ? api_slot_time(r->max_slot)
					   : json_null());
	json_object_set_new(v, "over_s",
			    json_integer((json_int_t)(r->over_n * SLOT_S)));
}

static json_t *
figures_json(const struct compare_figures *f)
{
	const struct roll_op *r = f->all;
	json_t *v = json_object();

	set_figures(v, r);
	json_object_set_new(v, "max_host", json_text(f->place.host_name));
	json_object_set_new(v, "max_host_id", json_text(f->place.host));
	json_object_set_new(v, "max_datastore",
			    json_text(f->place.datastore_name));
	json_object_set_new(v, "max_datastore_id",
			    json_text(f->place.datastore));
	json_object_set_new(v, "threshold_ms", json_ms(f->threshold_us));
	json_object_set_new(v, "samples_n",
			    json_integer((json_int_t)f->samples_n));
	json_object_set_new(v, "hosts_n", json_integer((json_int_t)f->hosts_n));
	json_object_set_new(v, "exceedance", exceedance_json(r));
	return v;
}

static json_t *
side_json(const struct compare *c, enum compare_side s)
{
	const struct compare_span *span = compare_span(c, s);
	json_t *v = json_object();
	struct buf name;

	buf_init(&name, TEXT_BYTES);
	compare_name(c, s, &name);
	json_object_set_new(v, "side", json_text(compare_side(c, s)->text));
	json_object_set_new(v, "name", json_text(buf_str(&name)));
	json_object_set_new(v, "from", json_time(span->from));
	json_object_set_new(v, "to", json_time(span->to));
	json_object_set_new(v, "pairs_n",
			    json_integer((json_int_t)compare_pairs_n(c, s)));
	for (enum op op = 0; op < N_OPS; op++)
		json_object_set_new(
			v, op_name(op),
			figures_json(&compare_result(c, op)->side[s]));
	buf_fini(&name);
	return v;
}

/* As it is: three decimals say nothing of a small p. */
static json_t *
real_or_null(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static void
add_warning(void *arg, const char *text)
{
	json_array_append_new(arg, json_text(text));
}

static json_t *
verdict_json(const struct compare *c, enum op op)
{
	const struct compare_op *o = compare_result(c, op);
	const struct stats_result *r = &o->stats;
	const struct compare_figures *a = &o->side[COMPARE_A];
	const struct compare_figures *b = &o->side[COMPARE_B];
	json_t *v = json_object(), *warnings = json_array();
	struct buf text;

	buf_init(&text, TEXT_BYTES);
	compare_sentence(c, op, &text);
	compare_warnings(c, op, add_warning, warnings);
	json_object_set_new(v, "a_n", json_integer((json_int_t)r->a_n));
	json_object_set_new(v, "b_n", json_integer((json_int_t)r->b_n));
	json_object_set_new(v, "a_median_ms", json_num(r->a_median_ms));
	json_object_set_new(v, "b_median_ms", json_num(r->b_median_ms));
	json_object_set_new(v, "a_mean_ms", json_num(r->a_mean_ms));
	json_object_set_new(v, "b_mean_ms", json_num(r->b_mean_ms));
	json_object_set_new(v, "a_iops",
			    json_num(r->a_n != 0 ? a->iops : (double)NAN));
	json_object_set_new(v, "b_iops",
			    json_num(r->b_n != 0 ? b->iops : (double)NAN));
	json_object_set_new(v, "ratio", json_num(r->ratio));
	json_object_set_new(v, "difference_ms", json_num(r->difference_ms));
	json_object_set_new(v, "low_ms", json_num(r->range.low_ms));
	json_object_set_new(v, "high_ms", json_num(r->range.high_ms));
	json_object_set_new(v, "least_ms", json_num(r->least_ms));
	json_object_set_new(v, "u", real_or_null(r->u));
	json_object_set_new(v, "p", real_or_null(r->p));
	json_object_set_new(v, "effect", real_or_null(r->effect));
	json_object_set_new(v, "verdict",
			    json_string(verdict_name(r->verdict)));
	json_object_set_new(v, "sentence", json_text(buf_str(&text)));
	json_object_set_new(v, "warnings", warnings);
	buf_fini(&text);
	return v;
}

static void
reply(const struct compare *c, struct request *rq)
{
	json_t *v = json_object();

	json_object_set_new(v, "paired", json_boolean(compare_is_paired(c)));
	json_object_set_new(v, "resolution_s",
			    json_integer(compare_step_slots(c) * SLOT_S));
	json_object_set_new(v, "a", side_json(c, COMPARE_A));
	json_object_set_new(v, "b", side_json(c, COMPARE_B));
	for (enum op op = 0; op < N_OPS; op++)
		json_object_set_new(v, op_name(op), verdict_json(c, op));
	reply_json(&rq->reply, v);
}

/* ---- the work ------------------------------------------------------------ */

static void
on_restart(void *arg)
{
	struct work *w = arg;

	compare_reset(w->compare, w->collecting);
}

static bool
on_pair(void *arg, const struct pair *p)
{
	struct work *w = arg;
	const struct side_pair sp = {
		.target = p->host->target->name,
		.cluster = p->host->cluster,
		.datastore = p->datastore->id,
		.datastore_name = p->datastore->name,
		.host = p->host->id,
		.host_name = p->host->name,
		.protocol = p->datastore->protocol,
	};

	return compare_pair(w->compare, w->collecting, &sp,
			    &p->datastore->threshold);
}

static void
on_cell(void *arg, int64_t slot, const struct cell *c)
{
	struct work *w = arg;

	compare_cell(w->compare, w->collecting, slot, c);
}

static const struct scan_visitor visitor = { on_restart, on_pair, on_cell };

static void
begin_scan(struct work *w)
{
	const struct time_range *r = &w->range[w->collecting];

	w->scan = scan_visit(w->web->site, r->from, r->to, &visitor, w);
	/* "now-1h" is an hour by the clock of whoever stamped the samples. */
	scan_by_each_clock(w->scan, api_now(w->web, NULL), r->from_is_relative,
			   r->to_is_relative);
}

static bool
step(void *arg, struct request *rq)
{
	struct work *w = OBJ_CAST(struct work, WORK_MAGIC, arg);

	if (w->collecting < N_COMPARE_SIDES) {
		if (w->scan == NULL)
			begin_scan(w);
		if (scan_step(w->scan, PAIRS_PER_TURN)) {
			scan_free(&w->scan);
			w->collecting++;
		}
		return false;
	}
	if (!compare_step(w->compare))
		return false;
	reply(w->compare, rq);
	return true;
}

static void
work_free(void *arg)
{
	struct work *w = OBJ_CAST(struct work, WORK_MAGIC, arg);

	scan_free(&w->scan);
	compare_free(&w->compare);
	free(w);
}

/* ---- the question -------------------------------------------------------- */

/* What the IDs name must be there: a typing error deserves an answer. */
static int
check_ids(const struct web *web, struct request *rq, const char *parameter,
	  const struct side *s)
{
	const char *const *v = (const char *const *)s->value;

	if (v[SIDE_DATASTORE] != NULL &&
	    api_find_datastore(web, rq, parameter, v[SIDE_DATASTORE]) == NULL)
		return -1;
	if (v[SIDE_HOST] != NULL &&
	    api_find_host(web, rq, parameter, v[SIDE_HOST]) == NULL)
		return -1;
	if (v[SIDE_TARGET] != NULL &&
	    site_find_target(web->site, v[SIDE_TARGET]) == NULL) {
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_TARGET, parameter,
			      "there is no target \"%s\"; /api/v1/status lists "
			      "all",
			      v[SIDE_TARGET]);
		return -1;
	}
	return 0;
}

static int
param_side(const struct web *web, struct request *rq, enum compare_side which,
	   struct side *s)
{
	const char name[] = { side_names[which], '\0' };
	const char *text;
	struct err e;

	if (param_text(rq, name, &text) != 0)
		return -1;
	if (text == NULL) {
		reply_problem(
			&rq->reply, PROBLEM_MISSING_PARAMETER, name,
			"%s= is missing: one side of the comparison, such "
			"as family:nfs, protocol:iscsi or datastore:ID",
			name);
		return -1;
	}
	if (side_parse(text, s, &e) != 0) {
		reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, name, "%s",
			      e.text);
		return -1;
	}
	return check_ids(web, rq, name, s);
}

static int
read_question(struct work *w, struct request *rq, struct compare_conf *conf)
{
	real_t now = api_now(w->web, NULL);
	struct time_range both;
	const struct time_range *a = &w->range[COMPARE_A];
	const struct time_range *b = &w->range[COMPARE_B];

	if (param_range(rq, now, &both) != 0)
		return -1;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		struct time_range *r = &w->range[s];

		if (param_side(w->web, rq, s, &conf->side[s]) != 0 ||
		    param_range_of(rq, now, side_names[s], &both, r) != 0)
			return -1;
		conf->span[s] = (struct compare_span){ r->from, r->to };
	}
	conf->paired = a->from.us == b->from.us && a->to.us == b->to.us;
	conf->step_slots = 1;
	return 0;
}

void
api_compare(void *arg, struct request *rq)
{
	struct compare_conf conf = { .paired = false };
	struct work *w = xcalloc(1, sizeof(*w));

	w->magic = WORK_MAGIC;
	w->web = arg;
	if (read_question(w, rq, &conf) != 0) {
		side_fini(&conf.side[COMPARE_A]);
		side_fini(&conf.side[COMPARE_B]);
		work_free(w);
		return;
	}
	w->compare = compare_new(&conf);
	rq->reply.job = (struct job){ step, work_free, w };
}
