/*
 * GET /api/v1/compare: two sides of the site, and which is slower.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/compare.h"
#include "dslat/mem.h"
#include "dslat/units.h"
#include "web/walk.h"

#define TEXT_BYTES 65536

static const char side_names[N_COMPARE_SIDES] = { 'a', 'b' };

struct work;

struct collecting {       /* of one side */
	struct walk walk; /* begun when the side before is through */
	struct work *work;
	enum compare_side side;
	bool begun;
};

/* A comparison under way: side A is collected, then B, then it is reckoned. */
struct work {
	uint32_t magic;
	struct web *web;
	struct collecting sides[N_COMPARE_SIDES];
	enum compare_side at;    /* N_COMPARE_SIDES: all is here */
	struct compare *compare; /* NULL while the reader thread has it */
	int64_t step_slots;
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

static json_t *
figures_json(const struct compare_figures *f)
{
	const struct roll_op *r = f->all;
	json_t *v = json_object();

	api_set_roll(v, r);
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
reply(const struct work *w, struct request *rq)
{
	const struct compare *c = w->compare;
	const char *trouble = NULL;
	json_t *v = json_object();

	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
		if (trouble == NULL)
			trouble = w->sides[s].walk.trouble;

	json_object_set_new(v, "paired", json_boolean(compare_is_paired(c)));
	json_object_set_new(v, "resolution_s",
			    json_integer(compare_step_slots(c) * SLOT_S));
	json_object_set_new(v, "partial", json_text(trouble));
	json_object_set_new(v, "a", side_json(c, COMPARE_A));
	json_object_set_new(v, "b", side_json(c, COMPARE_B));
	for (enum op op = 0; op < N_OPS; op++)
		json_object_set_new(v, op_name(op), verdict_json(c, op));
	reply_json(&rq->reply, v);
}

/* ---- the rings ----------------------------------------------------------- */

static void
on_restart(void *arg)
{
	struct collecting *side = arg;

	compare_reset(side->work->compare, side->side);
}

static bool
on_pair(void *arg, const struct pair *p)
{
	struct collecting *side = arg;
	const struct side_pair sp = {
		.target = p->host->target->name,
		.cluster = p->host->cluster,
		.datastore = p->datastore->id,
		.datastore_name = p->datastore->name,
		.host = p->host->id,
		.host_name = p->host->name,
		.protocol = p->datastore->protocol,
	};

	return compare_pair(side->work->compare, side->side, &sp,
			    &p->datastore->threshold);
}

static void
on_cell(void *arg, int64_t slot, const struct cell *c)
{
	struct collecting *side = arg;

	compare_cell(side->work->compare, side->side, slot, c);
}

static struct scan *
scan_rings(struct walk *walk)
{
	static const struct scan_visitor visitor = { on_restart, on_pair,
						     on_cell };
	struct collecting *side = (struct collecting *)walk;

	compare_reset(side->work->compare, side->side);
	return scan_visit(walk->web->site, walk->range.from, walk->range.to,
			  &visitor, side);
}

/* The cells went into the comparison as they came. */
static void
take_rings(struct walk *walk, struct scan *s)
{
	(void)walk, (void)s;
}

/* ---- the past, on the reader thread -------------------------------------- */

static void *
past_new(struct walk *walk, struct history_ask *ask)
{
	struct collecting *side = (struct collecting *)walk;
	struct history_compare *past = xcalloc(1, sizeof(*past));

	past->ask = ask;
	past->compare = side->work->compare;
	past->side = side->side;
	past->step_slots = side->work->step_slots;
	side->work->compare = NULL;
	return past;
}

static int
past_step(void *arg, struct history *h, struct err *e)
{
	return history_compare_step(h, arg, e);
}

static void
past_free(void *arg)
{
	struct history_compare *past = arg;

	history_compare_end(past);
	history_ask_free(&past->ask);
	compare_free(&past->compare);
	free(past);
}

static void
take_past(struct walk *walk, void *arg)
{
	struct collecting *side = (struct collecting *)walk;
	struct history_compare *past = arg;

	side->work->compare = past->compare;
	past->compare = NULL;
}

static const struct walk_ops ops = {
	.scan = scan_rings,
	.take_rings = take_rings,
	.past_new = past_new,
	.past = { past_step, past_free },
	.take_past = take_past,
	.past_failed = take_past, /* the rings are walked from nothing */
};

/* ---- the work ------------------------------------------------------------ */

static int check_ids(const struct work *w, struct request *rq);

static bool
step(void *arg, struct request *rq)
{
	struct work *w = OBJ_CAST(struct work, WORK_MAGIC, arg);

	if (w->at < N_COMPARE_SIDES) {
		struct collecting *side = &w->sides[w->at];

		if (!side->begun) {
			walk_begin(&side->walk, w->web);
			side->begun = true;
		}
		if (walk_step(&side->walk, rq))
			w->at++;
		return false;
	}
	if (check_ids(w, rq) != 0)
		return true;
	if (!compare_step(w->compare))
		return false;
	reply(w, rq);
	return true;
}

static void
work_free(void *arg)
{
	struct work *w = OBJ_CAST(struct work, WORK_MAGIC, arg);

	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
		if (w->sides[s].begun)
			walk_end(&w->sides[s].walk);
	compare_free(&w->compare);
	free(w);
}

/* ---- the question -------------------------------------------------------- */

/* A side of nothing whose ID or name is unknown: a typing error deserves an
 * answer. */
static int
check_side(const struct work *w, struct request *rq, enum compare_side which)
{
	const struct side *s = compare_side(w->compare, which);
	const char *const *v = (const char *const *)s->value;
	const char name[] = { side_names[which], '\0' };

	if (compare_pairs_n(w->compare, which) != 0)
		return 0;
	if (v[SIDE_DATASTORE] != NULL &&
	    api_find_datastore(w->web, rq, name, v[SIDE_DATASTORE]) == NULL)
		return -1;
	if (v[SIDE_HOST] != NULL &&
	    api_find_host(w->web, rq, name, v[SIDE_HOST]) == NULL)
		return -1;
	if (v[SIDE_TARGET] == NULL ||
	    site_find_target(w->web->site, v[SIDE_TARGET]) != NULL)
		return 0;
	reply_problem(&rq->reply, PROBLEM_UNKNOWN_TARGET, name,
		      "there is no target \"%s\"; /api/v1/status lists all",
		      v[SIDE_TARGET]);
	return -1;
}

static int
check_ids(const struct work *w, struct request *rq)
{
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
		if (check_side(w, rq, s) != 0)
			return -1;
	return 0;
}

static int
param_side(struct request *rq, enum compare_side which, struct side *s)
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
	return 0;
}

/* How fine the history is where it is oldest: both sides get the same. */
static int64_t
common_slots(const struct work *w)
{
	struct store_status st;
	int64_t slots = 1;

	if (!api_has_store(w->web))
		return 1;
	st = store_status(w->web->store);
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		int64_t first = slot_of(w->sides[s].walk.range.from) + 1;

		slots = MAX(slots, history_least_slots(&st, first));
	}
	return slots;
}

/* From the beginning of a bin to the end of one. */
static void
widen(struct time_range *r, int64_t step_slots)
{
	int64_t step_us = step_slots * SLOT_US;

	if (step_slots == 1)
		return;
	r->from.us -= r->from.us % step_us;
	r->to.us += (step_us - r->to.us % step_us) % step_us;
	r->from_is_relative = r->to_is_relative = false;
}

static int
read_question(struct work *w, struct request *rq, struct compare_conf *conf)
{
	real_t now = api_now(w->web, NULL);
	struct time_range both;
	struct time_range *a = &w->sides[COMPARE_A].walk.range;
	struct time_range *b = &w->sides[COMPARE_B].walk.range;

	if (param_range(rq, now, &both) != 0)
		return -1;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
		if (param_side(rq, s, &conf->side[s]) != 0 ||
		    param_range_of(rq, now, side_names[s], &both,
				   &w->sides[s].walk.range) != 0)
			return -1;
	w->step_slots = common_slots(w);
	widen(a, w->step_slots);
	widen(b, w->step_slots);
	conf->span[COMPARE_A] = (struct compare_span){ a->from, a->to };
	conf->span[COMPARE_B] = (struct compare_span){ b->from, b->to };
	conf->paired = a->from.us == b->from.us && a->to.us == b->to.us;
	conf->step_slots = w->step_slots;
	return 0;
}

void
api_compare(void *arg, struct request *rq)
{
	struct compare_conf conf = { .paired = false };
	struct work *w = xcalloc(1, sizeof(*w));

	w->magic = WORK_MAGIC;
	w->web = arg;
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		w->sides[s].walk.ops = &ops;
		w->sides[s].work = w;
		w->sides[s].side = s;
	}
	if (read_question(w, rq, &conf) != 0) {
		side_fini(&conf.side[COMPARE_A]);
		side_fini(&conf.side[COMPARE_B]);
		work_free(w);
		return;
	}
	w->compare = compare_new(&conf);
	rq->reply.job = (struct job){ step, work_free, w };
}
