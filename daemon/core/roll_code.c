/*
 * Rolls as bytes: per direction a byte of marks, then varints.  What is usual
 * costs nothing: latencies in whole ms, I/Os in twenties (rates x 20 s), bytes
 * in 20 KiB, a weight that is the number of I/Os, every sample with all of its
 * fields.
 *
 *	marks n [busy_n] [ios.n bytes.n] [ios: sum min max-min] [bytes: ...]
 *	if busy: over_n [weight] sum min max-min max_slot-base max_ios+1
 *		[max_pair] [histogram]
 *
 * The histogram: from the bucket of min on, steps to the next bucket in use,
 * doubled; odd when its count is not 1: then the count follows.  The counts
 * add up to busy_n, which ends it.
 */
#include <string.h>

#include "dslat/roll.h"
#include "dslat/varint.h"

#define MARK_EMPTY 0x01u      /* nothing else */
#define MARK_MS 0x02u         /* latencies are whole ms */
#define MARK_TWENTY 0x04u     /* I/Os are multiples of SLOT_S */
#define MARK_KIB 0x08u        /* bytes are multiples of SLOT_S x 1024 */
#define MARK_WEIGHT_IOS 0x10u /* weight is ios.sum */
#define MARK_ALL_N 0x20u      /* all samples are busy, rates as many */
#define MARK_HIST 0x40u
#define MARK_SAME_PAIR 0x80u /* max_pair is that of the direction before */

#define BYTES_UNIT ((int64_t)SLOT_S * 1024)
/* Of max_slot from base, either way. */
#define SLOT_REACH (INT64_C(1) << 40)
#define N_LIMIT (UINT64_C(1) << 48)

static uint64_t
scaled(int64_t v, int64_t unit)
{
	assert(v >= 0 && v % unit == 0);
	return (uint64_t)(v / unit);
}

static bool
rate_divides(const struct roll_rate *r, int64_t unit)
{
	return r->n == 0 ||
		(r->sum % unit == 0 && r->min % unit == 0 &&
		 r->max % unit == 0);
}

static unsigned
marks_of(const struct roll_op *r, const struct roll_op *before)
{
	unsigned m = 0;

	if (r->n == 0 && r->ios.n == 0 && r->bytes.n == 0)
		return MARK_EMPTY;
	if (rate_divides(&r->ios, SLOT_S) &&
	    (r->max_ios < 0 || r->max_ios % SLOT_S == 0))
		m |= MARK_TWENTY;
	if (rate_divides(&r->bytes, BYTES_UNIT))
		m |= MARK_KIB;
	if (r->busy_n == r->n && r->ios.n == r->n && r->bytes.n == r->n)
		m |= MARK_ALL_N;
	if (r->busy_n == 0)
		return m;
	if (r->sum_us % US_PER_MS == 0 && r->min_us % US_PER_MS == 0 &&
	    r->max_us % US_PER_MS == 0)
		m |= MARK_MS;
	if (r->weight == r->ios.sum)
		m |= MARK_WEIGHT_IOS;
	if (r->hist != NULL && r->hist->n == r->busy_n)
		m |= MARK_HIST;
	if (before != NULL && r->max_pair == before->max_pair)
		m |= MARK_SAME_PAIR;
	return m;
}

static void
put_rate(const struct roll_rate *r, int64_t unit, struct buf *out)
{
	if (r->n == 0)
		return;
	varint_put(out, scaled(r->sum, unit));
	varint_put(out, scaled(r->min, unit));
	varint_put(out, scaled(r->max - r->min, unit));
}

static void
put_hist(const struct roll_op *r, struct buf *out)
{
	size_t at = hist_bucket(r->min_us);

	for (uint64_t left = r->busy_n; left != 0;) {
		size_t next = at;
		uint64_t count;

		while (r->hist->count[next] == 0)
			next++;
		count = r->hist->count[next];
		varint_put(out, (next - at) << 1 | (count != 1));
		if (count != 1)
			varint_put(out, count);
		left -= count;
		at = next + 1;
	}
}

static void
put_busy(const struct roll_op *r, unsigned marks, int64_t base, struct buf *out)
{
	int64_t unit = (marks & MARK_MS) != 0 ? US_PER_MS : 1;
	int64_t twenty = (marks & MARK_TWENTY) != 0 ? SLOT_S : 1;

	varint_put(out, r->over_n);
	if ((marks & MARK_WEIGHT_IOS) == 0)
		varint_put(out, (uint64_t)r->weight);
	varint_put(out, scaled(r->sum_us, unit));
	varint_put(out, scaled(r->min_us, unit));
	varint_put(out, scaled(r->max_us - r->min_us, unit));
	varint_put(out, zigzag(r->max_slot - base));
	varint_put(out, r->max_ios < 0 ? 0 : scaled(r->max_ios, twenty) + 1);
	if ((marks & MARK_SAME_PAIR) == 0)
		varint_put(out, r->max_pair);
	if ((marks & MARK_HIST) != 0)
		put_hist(r, out);
}

void
roll_encode(const struct roll *r, int64_t base, struct buf *out)
{
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *o = &r->op[op];
		unsigned marks = marks_of(o, op != 0 ? o - 1 : NULL);

		buf_addc(out, (char)marks);
		if ((marks & MARK_EMPTY) != 0)
			continue;
		varint_put(out, o->n);
		if ((marks & MARK_ALL_N) == 0) {
			varint_put(out, o->busy_n);
			varint_put(out, o->ios.n);
			varint_put(out, o->bytes.n);
		}
		put_rate(&o->ios, (marks & MARK_TWENTY) != 0 ? SLOT_S : 1, out);
		put_rate(&o->bytes, (marks & MARK_KIB) != 0 ? BYTES_UNIT : 1,
			 out);
		if (o->busy_n != 0)
			put_busy(o, marks, base, out);
	}
}

/* Bytes being read; ok turns false for good when they make no sense. */
struct input {
	const uint8_t *p, *end;
	bool ok;
};

static uint64_t
get(struct input *in, uint64_t max)
{
	uint64_t v = 0;

	if (in->ok && (!varint_get(&in->p, in->end, &v) || v > max))
		in->ok = false;
	return in->ok ? v : 0;
}

static int64_t
get_scaled(struct input *in, int64_t unit, int64_t max)
{
	return (int64_t)get(in, (uint64_t)(max / unit)) * unit;
}

static void
get_rate(struct input *in, int64_t unit, struct roll_rate *r)
{
	if (r->n == 0)
		return;
	r->sum = get_scaled(in, unit, INT64_MAX);
	r->min = get_scaled(in, unit, INT64_MAX);
	r->max = r->min + get_scaled(in, unit, INT64_MAX - r->min);
}

/* One histogram, of n samples, into h (NULL: only looked at). */
static void
get_hist(struct input *in, size_t at, uint64_t n, struct hist *h)
{
	while (in->ok && n != 0) {
		uint64_t step = get(in, UINT64_C(2) * HIST_BUCKETS), count = 1;

		at += step >> 1;
		if ((step & 1) != 0)
			count = get(in, n);
		if (at >= HIST_BUCKETS || count == 0)
			in->ok = false;
		if (!in->ok)
			return;
		if (h != NULL) {
			h->count[at] += count;
			h->n += count;
		}
		n -= count;
		at++;
	}
}

static void
get_busy(struct input *in, unsigned marks, int64_t base, struct roll_op *r)
{
	int64_t unit = (marks & MARK_MS) != 0 ? US_PER_MS : 1;
	int64_t twenty = (marks & MARK_TWENTY) != 0 ? SLOT_S : 1;
	int64_t away;
	uint64_t ios;

	r->over_n = get(in, r->busy_n);
	r->weight = (marks & MARK_WEIGHT_IOS) != 0
		? r->ios.sum
		: (int64_t)get(in, INT64_MAX);
	r->sum_us = get_scaled(in, unit, INT64_MAX);
	r->min_us = get_scaled(in, unit, INT32_MAX);
	r->max_us = r->min_us + get_scaled(in, unit, INT32_MAX - r->min_us);
	away = unzigzag(get(in, UINT64_MAX));
	if (away < -SLOT_REACH || away > SLOT_REACH)
		in->ok = false;
	else
		r->max_slot = base + away;
	ios = get(in, (uint64_t)(INT64_MAX / twenty));
	r->max_ios = ios == 0 ? -1 : (int64_t)(ios - 1) * twenty;
	if ((marks & MARK_SAME_PAIR) == 0)
		r->max_pair = (uint32_t)get(in, UINT32_MAX);
}

static void
get_op(struct input *in, int64_t base, struct roll_op *r, const uint8_t **hist)
{
	unsigned marks;

	*hist = NULL;
	if (in->p == in->end)
		in->ok = false;
	if (!in->ok)
		return;
	marks = *in->p++;
	if ((marks & MARK_EMPTY) != 0)
		return;
	r->n = r->busy_n = r->ios.n = r->bytes.n = get(in, N_LIMIT);
	if ((marks & MARK_ALL_N) == 0) {
		r->busy_n = get(in, r->n);
		r->ios.n = get(in, N_LIMIT);
		r->bytes.n = get(in, N_LIMIT);
	}
	get_rate(in, (marks & MARK_TWENTY) != 0 ? SLOT_S : 1, &r->ios);
	get_rate(in, (marks & MARK_KIB) != 0 ? BYTES_UNIT : 1, &r->bytes);
	if (r->busy_n == 0)
		return;
	get_busy(in, marks, base, r);
	if (in->ok && (marks & MARK_HIST) != 0) {
		*hist = in->p;
		get_hist(in, hist_bucket(r->min_us), r->busy_n, NULL);
	}
}

bool
roll_decode_merge(const uint8_t **p, const uint8_t *end, int64_t base,
		  struct roll *r)
{
	struct input in = { *p, end, true };
	const uint8_t *hists[N_OPS] = { NULL };
	struct roll one;

	roll_init(&one, NULL);
	for (enum op op = 0; op < N_OPS; op++) {
		if (op != 0)
			one.op[op].max_pair = one.op[op - 1].max_pair;
		get_op(&in, base, &one.op[op], &hists[op]);
	}
	if (!in.ok)
		return false;
	*p = in.p;
	roll_merge(r, &one);
	for (enum op op = 0; op < N_OPS; op++) {
		const struct roll_op *o = &one.op[op];
		struct input again = { hists[op], end, true };

		if (hists[op] != NULL && r->op[op].hist != NULL)
			get_hist(&again, hist_bucket(o->min_us), o->busy_n,
				 r->op[op].hist);
	}
	return true;
}

bool
roll_decode(const uint8_t **p, const uint8_t *end, int64_t base, struct roll *r)
{
	for (enum op op = 0; op < N_OPS; op++) {
		struct hist *h = r->op[op].hist;
		struct roll empty;

		if (h != NULL)
			memset(h, 0, sizeof(*h));
		roll_init(&empty, NULL);
		r->op[op] = empty.op[op];
		r->op[op].hist = h;
	}
	return roll_decode_merge(p, end, base, r);
}
