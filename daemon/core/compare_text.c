/*
 * A comparison in words.
 */
#include <math.h>
#include <string.h>

#include "dslat/compare.h"

#define NAME_BYTES 4096
#define LOAD_RATIO 2.0 /* of I/Os per second, worth a warning */
/* A correlation of 0.85 from one to the next, if normal; blocks of 15 samples
 * do not hold much more (HACKING.md). */
#define SLOW_RATIO 0.82
#define FEW_HOSTS 3 /* times as many hosts on the other side */

static void
add_ms(struct buf *b, double ms)
{
	double size = fabs(ms);

	buf_addf(b, "%.*f", size < 0.995 ? 2 : size < 99.95 ? 1 : 0, ms);
}

static bool
same_names(const struct compare *c)
{
	struct buf a, b;
	bool same;

	buf_init(&a, NAME_BYTES);
	buf_init(&b, NAME_BYTES);
	side_name(compare_side(c, COMPARE_A), &a);
	side_name(compare_side(c, COMPARE_B), &b);
	same = strcmp(buf_str(&a), buf_str(&b)) == 0;
	buf_fini(&a);
	buf_fini(&b);
	return same;
}

void
compare_name(const struct compare *c, enum compare_side s, struct buf *out)
{
	int64_t a_us = compare_span(c, COMPARE_A)->from.us;
	int64_t b_us = compare_span(c, COMPARE_B)->from.us;

	side_name(compare_side(c, s), out);
	if (!same_names(c))
		return;
	if (a_us == b_us)
		buf_adds(out, s == COMPARE_A ? " (A)" : " (B)");
	else
		buf_adds(out,
			 (s == COMPARE_A) == (a_us < b_us) ? " (before)"
							   : " (after)");
}

struct words {
	struct buf name[N_COMPARE_SIDES];
	const char *ops; /* "reads" */
	const char *samples;
};

static void
words_init(struct words *w, const struct compare *c, enum op op)
{
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		buf_init(&w->name[s], NAME_BYTES);
		compare_name(c, s, &w->name[s]);
	}
	w->ops = op == OP_READ ? "reads" : "writes";
	w->samples = compare_step_slots(c) == 1            ? "20 s samples"
		: compare_step_slots(c) == ROLL_5MIN_SLOTS ? "means of 5 min"
							   : "means of 1 h";
}

static void
words_fini(struct words *w)
{
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++)
		buf_fini(&w->name[s]);
}

static const char *
name(const struct words *w, enum compare_side s)
{
	return buf_str(&w->name[s]);
}

/* "(95 % interval 2.1 to 4.4 ms, n = 540 paired 20 s samples)" */
static void
add_interval(struct buf *out, const struct words *w,
	     const struct stats_result *r, bool turned)
{
	buf_adds(out, " (95 % interval ");
	add_ms(out, turned ? -r->range.high_ms : r->range.low_ms);
	buf_adds(out, " to ");
	add_ms(out, turned ? -r->range.low_ms : r->range.high_ms);
	if (r->paired)
		buf_addf(out, " ms, n = %zu paired %s)", r->a_n, w->samples);
	else
		buf_addf(out, " ms, n = %zu and %zu %s, not paired)", r->a_n,
			 r->b_n, w->samples);
}

static void
say_slower(struct buf *out, const struct words *w, const struct stats_result *r)
{
	bool b = r->verdict == VERDICT_B_SLOWER;
	enum compare_side slow = b ? COMPARE_B : COMPARE_A;
	enum compare_side fast = b ? COMPARE_A : COMPARE_B;

	buf_addf(out, "%s %s were ", name(w, slow), w->ops);
	add_ms(out, fabs(r->difference_ms));
	buf_addf(out, " ms slower than %s", name(w, fast));
	add_interval(out, w, r, b);
	buf_adds(out, "; the medians are ");
	add_ms(out, b ? r->b_median_ms : r->a_median_ms);
	buf_adds(out, " and ");
	add_ms(out, b ? r->a_median_ms : r->b_median_ms);
	buf_addf(out, " ms; of two samples at random, %s is slower in %.0f %%",
		 name(w, slow), 100 * (b ? 1 - r->effect : r->effect));
}

static void
say_none(struct buf *out, const struct words *w, const struct stats_result *r)
{
	double size = fabs(r->difference_ms);
	bool a = r->difference_ms > 0;

	buf_addf(out, "no difference shown: %s of %s and %s ", w->ops,
		 name(w, COMPARE_A), name(w, COMPARE_B));
	if (r->difference_ms == 0) {
		buf_adds(out, "do not differ");
	} else {
		buf_adds(out, "differ by ");
		add_ms(out, size);
		buf_addf(out, " ms, %s slower",
			 name(w, a ? COMPARE_A : COMPARE_B));
	}
	add_interval(out, w, r, r->difference_ms < 0);
	if (size < r->least_ms) {
		buf_adds(out, "; less than ");
		add_ms(out, r->least_ms);
		buf_adds(out, " ms does not count");
	} else {
		/* Intervals shrink with the root of the number. */
		double arm = a ? r->difference_ms - r->range.low_ms
			       : r->range.high_ms - r->difference_ms;
		double more = arm / size * (arm / size);

		buf_addf(out,
			 "; the interval includes 0; about %.0f %s like "
			 "these could tell",
			 ceil(more * (double)MIN(r->a_n, r->b_n)), w->samples);
	}
}

/* One side has nothing at all; true if that was said. */
static bool
say_nothing(struct buf *out, const struct words *w, const struct compare *c,
	    const struct compare_op *r)
{
	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		if (r->side[s].samples_n != 0)
			continue;
		if (compare_pairs_n(c, s) == 0) {
			buf_adds(out, "no host and datastore belong to ");
			side_name(compare_side(c, s), out);
			return true;
		}
		buf_addf(out, "%s has no %s of %s with enough I/O (min_ios)",
			 name(w, s), w->samples, w->ops);
		return true;
	}
	return false;
}

static void
say_too_few(struct buf *out, const struct words *w, const struct compare *c,
	    const struct compare_op *r)
{
	size_t have[] = { r->side[COMPARE_A].samples_n,
			  r->side[COMPARE_B].samples_n };

	buf_adds(out, "no difference shown: ");
	if (say_nothing(out, w, c, r))
		return;
	if (!r->stats.paired) {
		buf_addf(out,
			 "%s has %zu and %s %zu %s of %s with enough I/O "
			 "(min_ios); %d of each are needed",
			 name(w, COMPARE_A), have[COMPARE_A],
			 name(w, COMPARE_B), have[COMPARE_B], w->samples,
			 w->ops, STATS_LEAST_PAIRS);
		return;
	}
	buf_addf(out,
		 "%zu paired %s in which %s of both %s and %s have enough I/O "
		 "(min_ios); %d are needed",
		 r->stats.a_n, w->samples, w->ops, name(w, COMPARE_A),
		 name(w, COMPARE_B), STATS_LEAST_PAIRS);
	if (have[COMPARE_A] >= STATS_LEAST_PAIRS &&
	    have[COMPARE_B] >= STATS_LEAST_PAIRS)
		buf_addf(out,
			 "; they have %zu and %zu, but at other times: compare "
			 "those, each with its own from and to",
			 have[COMPARE_A], have[COMPARE_B]);
}

void
compare_sentence(const struct compare *c, enum op op, struct buf *out)
{
	const struct compare_op *r = compare_result(c, op);
	struct words w;

	words_init(&w, c, op);
	switch (r->stats.verdict) {
	case VERDICT_TOO_FEW:
		say_too_few(out, &w, c, r);
		break;
	case VERDICT_NONE:
		say_none(out, &w, &r->stats);
		break;
	case VERDICT_A_SLOWER:
	case VERDICT_B_SLOWER:
		say_slower(out, &w, &r->stats);
		break;
	}
	words_fini(&w);
}

/* ---- warnings ------------------------------------------------------------ */

struct warning {
	const struct compare *c;
	const struct compare_op *r;
	const struct words *w;
	struct buf text;
};

/* Which is larger by the ratio; false: neither. */
static bool
larger(double a, double b, double ratio, enum compare_side *large_r)
{
	*large_r = a > b ? COMPARE_A : COMPARE_B;
	return MIN(a, b) > 0 && MAX(a, b) >= ratio * MIN(a, b);
}

static void
warn_load(struct warning *wn)
{
	double a = wn->r->side[COMPARE_A].iops, b = wn->r->side[COMPARE_B].iops;
	enum compare_side large;

	if (!larger(a, b, LOAD_RATIO, &large))
		return;
	buf_addf(&wn->text,
		 "%s did %.3g times as many %s per second as %s (%.0f against "
		 "%.0f): the difference may come from the load",
		 name(wn->w, large), MAX(a, b) / MIN(a, b), wn->w->ops,
		 name(wn->w, (enum compare_side) !large), MAX(a, b), MIN(a, b));
}

static void
warn_hosts(struct warning *wn)
{
	size_t a = wn->r->side[COMPARE_A].hosts_n;
	size_t b = wn->r->side[COMPARE_B].hosts_n;
	enum compare_side large;

	if (!larger((double)a, (double)b, FEW_HOSTS, &large) &&
	    (MIN(a, b) != 1 || MAX(a, b) == 1))
		return;
	buf_addf(&wn->text,
		 "%s was used by %zu host%s only, %s by %zu: the difference "
		 "may be that of the hosts",
		 name(wn->w, (enum compare_side) !large), MIN(a, b),
		 MIN(a, b) == 1 ? "" : "s", name(wn->w, large), MAX(a, b));
}

static void
warn_changed_load(struct warning *wn, enum compare_side s)
{
	const double *half = wn->r->side[s].half_iops;
	enum compare_side unneeded;

	if (MIN(wn->r->stats.a_n, wn->r->stats.b_n) < 2 ||
	    !larger(half[0], half[1], LOAD_RATIO, &unneeded))
		return;
	buf_addf(&wn->text,
		 "the load of %s changed: %.0f %s per second in the first half "
		 "of the samples, %.0f in the second",
		 name(wn->w, s), half[0], wn->w->ops, half[1]);
}

static void
warn_changed_a(struct warning *wn)
{
	warn_changed_load(wn, COMPARE_A);
}

static void
warn_changed_b(struct warning *wn)
{
	warn_changed_load(wn, COMPARE_B);
}

static void
warn_changed_difference(struct warning *wn)
{
	const struct stats_result *r = &wn->r->stats;
	const double *half = wn->r->half_difference_ms;

	/* not so while they are NaN */
	if (!(fabs(half[0] - half[1]) >
	      MAX(r->least_ms, fabs(r->difference_ms))))
		return;
	buf_addf(&wn->text, "the difference changed: %s minus %s is ",
		 name(wn->w, COMPARE_A), name(wn->w, COMPARE_B));
	add_ms(&wn->text, half[0]);
	buf_adds(&wn->text, " ms in the first half of the samples, ");
	add_ms(&wn->text, half[1]);
	buf_adds(&wn->text, " ms in the second");
}

static void
warn_slow(struct warning *wn)
{
	double r = wn->r->same_side_ratio;

	if (!(r > SLOW_RATIO))
		return;
	buf_addf(&wn->text,
		 "the difference changes slowly (in %.0f %% of cases it is on "
		 "the same side of its median as just before): the interval "
		 "may be too narrow",
		 100 * r);
}

static void
warn_whole(struct warning *wn)
{
	const struct stats_result *r = &wn->r->stats;

	if (!wn->r->whole_ms || fabs(r->difference_ms) > 1 ||
	    (r->verdict != VERDICT_A_SLOWER && r->verdict != VERDICT_B_SLOWER))
		return;
	buf_adds(&wn->text,
		 "vSphere counts whole milliseconds: 1 ms may be rounding");
}

static void
warn_shared(struct warning *wn)
{
	size_t n = compare_shared_n(wn->c);

	if (n == 0 || !compare_is_paired(wn->c))
		return;
	buf_addf(&wn->text,
		 "%zu (host, datastore) pair%s on both sides: what they share "
		 "cannot differ",
		 n, n == 1 ? " is" : "s are");
}

void
compare_warnings(const struct compare *c, enum op op,
		 void (*fn)(void *arg, const char *text), void *arg)
{
	static void (*const all[])(struct warning * wn) = {
		warn_load,      warn_hosts,     warn_shared,
		warn_changed_a, warn_changed_b, warn_changed_difference,
		warn_slow,      warn_whole,
	};
	struct words w;
	struct warning wn = { c, compare_result(c, op), &w, { 0 } };

	words_init(&w, c, op);
	buf_init(&wn.text, (size_t)4 * NAME_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		all[i](&wn);
		if (wn.text.len != 0)
			fn(arg, buf_str(&wn.text));
		buf_reset(&wn.text);
	}
	buf_fini(&wn.text);
	words_fini(&w);
}
