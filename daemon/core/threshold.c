#include "dslat/threshold.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "dslat/mem.h"

static const int64_t builtin[N_THRESHOLD_KEYS] = {
	[THRESHOLD_WARNING_US] = 50 * US_PER_MS,
	[THRESHOLD_CRITICAL_US] = 75 * US_PER_MS,
	[THRESHOLD_CLEAR_US] = 40 * US_PER_MS,
	[THRESHOLD_MIN_IOS] = 20,
	[THRESHOLD_SPARSE_US] = 1000 * US_PER_MS,
	[THRESHOLD_WINDOW_SAMPLES] = 5,
	[THRESHOLD_FOR_SAMPLES] = 3,
	[THRESHOLD_CLEAR_SAMPLES] = 15,
};

static void
row_unset(struct threshold_row *row)
{
	for (size_t i = 0; i < N_THRESHOLD_KEYS; i++)
		row->v[i] = THRESHOLD_UNSET;
	row->match = NULL;
}

void
threshold_rules_init(struct threshold_rules *rules)
{
	row_unset(&rules->fallback);
	for (size_t i = 0; i < N_THRESHOLD_KEYS; i++)
		rules->fallback.v[i] = builtin[i];
	for (size_t i = 0; i < N_PROTOCOLS; i++)
		row_unset(&rules->protocols[i]);
	rules->datastores = NULL;
	rules->n_datastores = 0;
}

void
threshold_rules_fini(struct threshold_rules *rules)
{
	for (size_t i = 0; i < rules->n_datastores; i++)
		free(rules->datastores[i].match);
	free(rules->datastores);
	rules->datastores = NULL;
	rules->n_datastores = 0;
}

struct threshold_row *
threshold_rules_add(struct threshold_rules *rules)
{
	struct threshold_row *row;

	rules->datastores =
		xreallocarray(rules->datastores, rules->n_datastores + 1,
			      sizeof(*rules->datastores));
	row = &rules->datastores[rules->n_datastores++];
	row_unset(row);
	return row;
}

bool
threshold_row_is_unset(const struct threshold_row *row)
{
	for (size_t i = 0; i < N_THRESHOLD_KEYS; i++)
		if (row->v[i] != THRESHOLD_UNSET)
			return false;
	return true;
}

void
threshold_row_imply(struct threshold_row *row)
{
	int64_t warning_us = row->v[THRESHOLD_WARNING_US];

	if (warning_us == THRESHOLD_UNSET)
		return;
	if (row->v[THRESHOLD_CLEAR_US] == THRESHOLD_UNSET)
		row->v[THRESHOLD_CLEAR_US] = warning_us * 4 / 5;
	/* No sample is above SAMPLE_MAX_US. */
	if (row->v[THRESHOLD_CRITICAL_US] == THRESHOLD_UNSET)
		row->v[THRESHOLD_CRITICAL_US] =
			MIN(warning_us * 3 / 2, SAMPLE_MAX_US);
}

void
threshold_row_merge(struct threshold_row *onto, const struct threshold_row *row)
{
	struct threshold_row full = *row;

	threshold_row_imply(&full);
	for (size_t i = 0; i < N_THRESHOLD_KEYS; i++)
		if (full.v[i] != THRESHOLD_UNSET)
			onto->v[i] = full.v[i];
}

static const struct threshold_row *
first_match(const struct threshold_rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->n_datastores; i++)
		if (fnmatch(rules->datastores[i].match, path, 0) == 0)
			return &rules->datastores[i];
	return NULL;
}

void
threshold_resolve(const struct threshold_rules *rules, enum protocol p,
		  const char *path, struct threshold *t_r,
		  const char **origin_r)
{
	struct threshold_row all = rules->fallback;
	const struct threshold_row *by_protocol, *by_name;
	const char *origin = "default";

	assert((size_t)p < N_PROTOCOLS);
	by_protocol = &rules->protocols[p];
	threshold_row_merge(&all, by_protocol);
	if (by_protocol->v[THRESHOLD_WARNING_US] != THRESHOLD_UNSET)
		origin = "protocol";
	by_name = first_match(rules, path);
	if (by_name != NULL) {
		threshold_row_merge(&all, by_name);
		if (by_name->v[THRESHOLD_WARNING_US] != THRESHOLD_UNSET)
			origin = by_name->match;
	}
	*t_r = (struct threshold){
		.warning_us = all.v[THRESHOLD_WARNING_US],
		.critical_us = all.v[THRESHOLD_CRITICAL_US],
		.clear_us = all.v[THRESHOLD_CLEAR_US],
		.min_ios = all.v[THRESHOLD_MIN_IOS],
		.sparse_us = all.v[THRESHOLD_SPARSE_US],
		.window_samples = (int)all.v[THRESHOLD_WINDOW_SAMPLES],
		.for_samples = (int)all.v[THRESHOLD_FOR_SAMPLES],
		.clear_samples = (int)all.v[THRESHOLD_CLEAR_SAMPLES],
	};
	if (origin_r != NULL)
		*origin_r = origin;
}

enum breach
threshold_check(const struct threshold *t, const struct point *p)
{
	int64_t from_us = t->warning_us;

	if (!load_is_busy(p->load))
		return BREACH_NONE;
	if (p->load == LOAD_NORMAL && p->ios < t->min_ios)
		return BREACH_NONE;
	if (p->load == LOAD_SPARSE)
		from_us = t->sparse_us;
	if (p->us < from_us)
		return BREACH_NONE;
	return p->us >= t->critical_us ? BREACH_CRITICAL : BREACH_WARNING;
}
