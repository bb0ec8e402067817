#include "dslat/hist.h"

#define SUB_BITS 5 /* 32 buckets per power of two */
#define SUB (1 << SUB_BITS)

size_t
hist_bucket(int64_t us)
{
	int octave;

	if (us < SUB)
		return us < 0 ? 0 : (size_t)us;
	octave = 63 - __builtin_clzll((unsigned long long)us);
	if (octave >= 30)
		return HIST_BUCKETS - 1;
	return (size_t)(octave - SUB_BITS) * SUB +
		(size_t)(us >> (octave - SUB_BITS));
}

int64_t
hist_upper_us(size_t bucket)
{
	size_t octave, sub;

	if (bucket < SUB)
		return (int64_t)bucket;
	octave = bucket / SUB - 1;
	sub = bucket % SUB + SUB;
	return (int64_t)((sub + 1) << octave) - 1;
}

void
hist_add(struct hist *h, int64_t us, uint64_t times)
{
	h->n += times;
	h->count[hist_bucket(us)] += times;
}

void
hist_merge(struct hist *into, const struct hist *from)
{
	into->n += from->n;
	for (size_t i = 0; i < HIST_BUCKETS; i++)
		into->count[i] += from->count[i];
}

int64_t
hist_quantile_us(const struct hist *h, double q, int64_t max_us)
{
	double want = q * (double)h->n;
	uint64_t seen = 0;

	assert(q > 0 && q <= 1);
	if (h->n == 0)
		return -1;
	for (size_t i = 0; i < HIST_BUCKETS; i++) {
		seen += h->count[i];
		if (seen != 0 && (double)seen >= want)
			return MIN(hist_upper_us(i), max_us);
	}
	return max_us;
}

uint64_t
hist_at_least(const struct hist *h, int64_t us)
{
	uint64_t n = 0;

	for (size_t i = hist_bucket(us); i < HIST_BUCKETS; i++)
		n += h->count[i];
	return n;
}
