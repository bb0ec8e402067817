#include "stats.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dslat/mem.h"

void
stats_init(struct stats *s)
{
	*s = (struct stats){ .calls = map_new() };
}

void
stats_fini(struct stats *s)
{
	void *v;

	for (size_t i = 0; map_next(s->calls, &i, NULL, &v);)
		free(v);
	map_free(&s->calls);
}

void
stats_reset(struct stats *s)
{
	int64_t concurrent = s->concurrent;

	stats_fini(s);
	stats_init(s);
	s->concurrent = s->concurrent_max = concurrent;
}

void
stats_call(struct stats *s, const char *method)
{
	int64_t *n = map_find_str(s->calls, method);

	if (n == NULL) {
		n = xcalloc(1, sizeof(*n));
		map_set(s->calls, method, n);
	}
	(*n)++;
}

void
stats_json(const struct stats *s, size_t n_sessions, struct buf *out)
{
	const char *sep = "", *key;
	void *v;
	const struct {
		const char *name;
		int64_t value;
	} rows[] = {
		{ "requests", s->requests },
		{ "logins", s->logins },
		{ "logins_refused", s->logins_refused },
		{ "logouts", s->logouts },
		{ "requests_after_invalid_login", s->after_invalid_login },
		{ "concurrent", s->concurrent },
		{ "concurrent_max", s->concurrent_max },
		{ "faults", s->faults },
		{ "perf_series", s->perf_series },
		{ "perf_values", s->perf_values },
		{ "answer_bytes", s->answer_bytes },
		{ "sessions_expired", s->sessions_expired },
	};

	buf_adds(out, "{\"calls\":{");
	for (size_t i = 0; map_next(s->calls, &i, &key, &v);) {
		buf_addf(out, "%s\"%s\":%" PRId64, sep, key, *(int64_t *)v);
		sep = ",";
	}
	buf_addf(out, "},\"sessions\":%zu", n_sessions);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		buf_addf(out, ",\"%s\":%" PRId64, rows[i].name, rows[i].value);
	buf_adds(out, "}\n");
}
