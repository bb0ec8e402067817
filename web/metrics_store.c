/*
 * What /metrics says of the history.
 */
#include "dslat/store.h"
#include "web/metrics.h"

/* Begins a line, if there is something to say. */
static bool
status_of(const struct metrics_scope *s, struct store_status *st_r)
{
	if (s->web->store == NULL)
		return false;
	*st_r = store_status(s->web->store);
	if (st_r->state == STORE_OFF)
		return false;
	expo_begin(s->out, "");
	return true;
}

void
metrics_add_store_up(const struct metrics_scope *s)
{
	struct store_status st;

	if (status_of(s, &st))
		expo_count(s->out, st.state == STORE_OK);
}

void
metrics_add_store_bytes(const struct metrics_scope *s)
{
	struct store_status st;

	if (status_of(s, &st))
		expo_count(s->out, (uint64_t)st.bytes);
}

void
metrics_add_store_commits(const struct metrics_scope *s)
{
	struct store_status st;

	if (status_of(s, &st))
		expo_count(s->out, st.commits);
}

void
metrics_add_store_failures(const struct metrics_scope *s)
{
	struct store_status st;

	if (status_of(s, &st))
		expo_count(s->out, st.failures);
}

void
metrics_add_store_jobs(const struct metrics_scope *s)
{
	struct store_status st;

	if (status_of(s, &st))
		expo_count(s->out, st.jobs);
}

void
metrics_add_store_written(const struct metrics_scope *s)
{
	struct store_status st;

	if (status_of(s, &st))
		expo_seconds(s->out, st.written.us);
}
