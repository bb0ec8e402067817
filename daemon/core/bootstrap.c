#include "bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

struct window {
	uint32_t first; /* of its points in the band, in band_ranks[] */
	uint8_t n;      /* points */
	uint8_t n_below, n_band; /* of them below and inside the band */
};

struct boot {
	double *sorted; /* the values */
	size_t n;
	struct window *windows;
	size_t n_windows;
	size_t band; /* rank of the band's lowest */
	size_t band_n;
	uint32_t *band_ranks; /* minus `band`, by time */
	uint32_t *counts;     /* per rank of the band, of one resample */
};

struct ranked {
	double v;
	uint32_t i; /* by time */
};

static int
by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->v != y->v)
		return x->v < y->v ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* The ranks by time; fills b->sorted. */
static uint32_t *
rank_all(struct boot *b, const struct stats_point *points)
{
	struct ranked *order = xcalloc(b->n, sizeof(*order));
	uint32_t *ranks = xcalloc(b->n, sizeof(*ranks));

	for (size_t i = 0; i < b->n; i++)
		order[i] = (struct ranked){ points[i].ms, (uint32_t)i };
	qsort(order, b->n, sizeof(*order), by_value);
	b->sorted = xcalloc(b->n, sizeof(*b->sorted));
	for (size_t i = 0; i < b->n; i++) {
		b->sorted[i] = order[i].v;
		ranks[order[i].i] = (uint32_t)i;
	}
	free(order);
	return ranks;
}

static void
choose_band(struct boot *b)
{
	size_t half =
		(size_t)ceil(4 * sqrt((double)BOOT_BLOCK_SLOTS * (double)b->n));
	size_t middle = b->n / 2;

	b->band = middle > half ? middle - half : 0;
	b->band_n = MIN(middle + half, b->n) - b->band;
	b->counts = xcalloc(b->band_n, sizeof(*b->counts));
}

/* Points of the time order, as far as a window has come. */
struct edge {
	size_t i, below, band;
};

static void
edge_pass(struct edge *e, const struct boot *b, const uint32_t *ranks)
{
	uint32_t rank = ranks[e->i++];

	if (rank < b->band)
		e->below++;
	else if (rank - b->band < b->band_n)
		e->band++;
}

static void
make_windows(struct boot *b, const struct stats_point *points,
	     const uint32_t *ranks)
{
	struct edge lo = { 0 }, hi = { 0 };
	int64_t start = points[0].slot - (BOOT_BLOCK_SLOTS - 1);

	while (lo.i < b->n) {
		while (hi.i < b->n &&
		       points[hi.i].slot < start + BOOT_BLOCK_SLOTS)
			edge_pass(&hi, b, ranks);
		if (lo.i == hi.i) { /* a gap: on to its end */
			start = points[lo.i].slot - (BOOT_BLOCK_SLOTS - 1);
			continue;
		}
		b->windows =
			xgrow(b->windows, b->n_windows, sizeof(*b->windows));
		b->windows[b->n_windows++] = (struct window){
			.first = (uint32_t)lo.band,
			.n = (uint8_t)(hi.i - lo.i),
			.n_below = (uint8_t)(hi.below - lo.below),
			.n_band = (uint8_t)(hi.band - lo.band),
		};
		start++;
		while (lo.i < b->n && points[lo.i].slot < start)
			edge_pass(&lo, b, ranks);
	}
}

struct boot *
boot_new(const struct stats_point *points, size_t n)
{
	struct boot *b = xcalloc(1, sizeof(*b));
	uint32_t *ranks;
	size_t in = 0;

	assert(n > 0 && n < UINT32_MAX / BOOT_BLOCK_SLOTS);
	b->n = n;
	ranks = rank_all(b, points);
	choose_band(b);
	b->band_ranks = xcalloc(b->band_n, sizeof(*b->band_ranks));
	for (size_t i = 0; i < n; i++)
		if (ranks[i] >= b->band && ranks[i] - b->band < b->band_n)
			b->band_ranks[in++] = ranks[i] - (uint32_t)b->band;
	make_windows(b, points, ranks);
	free(ranks);
	return b;
}

void
boot_free(struct boot **bp)
{
	struct boot *b = *bp;

	if (b == NULL)
		return;
	free(b->sorted);
	free(b->windows);
	free(b->band_ranks);
	free(b->counts);
	free(b);
	*bp = NULL;
}

double
boot_median(const struct boot *b)
{
	return (b->sorted[(b->n - 1) / 2] + b->sorted[b->n / 2]) / 2;
}

double
boot_blocks(const struct boot *b)
{
	/* Each point is in BOOT_BLOCK_SLOTS of them. */
	return (double)b->n_windows / BOOT_BLOCK_SLOTS;
}

/* splitmix64 (Steele, Lea, Flood 2014; public domain code by S. Vigna). */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The k-th and the l-th (k <= l <= k + 1) smallest of the resample, whose
 * `below` smallest are below the band. */
static double
mean_of_ranks(const struct boot *b, size_t below, size_t k, size_t l)
{
	size_t seen = below, r = 0;
	double low;

	while (r < b->band_n - 1 && seen + b->counts[r] <= k)
		seen += b->counts[r++];
	low = b->sorted[b->band + r];
	while (r < b->band_n - 1 && seen + b->counts[r] <= l)
		seen += b->counts[r++];
	return (low + b->sorted[b->band + r]) / 2;
}

double
boot_resample(struct boot *b, uint64_t *random)
{
	size_t n = 0, below = 0;

	memset(b->counts, 0, b->band_n * sizeof(*b->counts));
	while (n < b->n) {
		/* 32 random bits times a count that is far smaller */
		uint64_t pick = (next_random(random) >> 32) * b->n_windows;
		const struct window *w = &b->windows[pick >> 32];
		const uint32_t *ranks = &b->band_ranks[w->first];

		n += w->n;
		below += w->n_below;
		for (unsigned i = 0; i < w->n_band; i++)
			b->counts[ranks[i]]++;
	}
	return mean_of_ranks(b, below, (n - 1) / 2, n / 2);
}
