#include "control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "oracle.h"

#define ARGS_MAX 32

struct args {
	const char *name[ARGS_MAX], *value[ARGS_MAX];
	size_t n;
};

static enum MHD_Result
collect(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct args *a = arg;

	(void)kind;
	if (a->n == ARGS_MAX)
		return MHD_NO;
	a->name[a->n] = name;
	a->value[a->n++] = value != NULL ? value : "";
	return MHD_YES;
}

static const char *
get(const struct args *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->name[i], name) == 0)
			return a->value[i];
	return NULL;
}

static int
do_fault(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	const char *name = get(a, "name"), *count = get(a, "count");

	(void)out;
	if (name == NULL)
		return err_set(e, ERR_USAGE, "name= is missing");
	return faults_set(&s->faults, name, get(a, "arg"), get(a, "method"),
			  count != NULL ? strtoll(count, NULL, 10) : -1, e);
}

static int
do_clear(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	(void)a;
	(void)out;
	(void)e;
	faults_clear(&s->faults);
	return 0;
}

static int
set_pair(struct scene *sc, struct pair *p, const char *key, const char *value,
	 struct err *e)
{
	bool on = strcmp(value, "true") == 0;

	sc->generation++;
	if (strcmp(key, "accessible") == 0)
		p->accessible = on;
	else if (strcmp(key, "mounted") == 0)
		p->mounted = p->accessible = on;
	else
		return err_set(e, ERR_USAGE, "a pair has no \"%s\"", key);
	return 0;
}

/* A new name or place in the tree moves nothing else: refresh what depends on
 * values that scene_complete() derived. */
static int
do_set(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	struct scene *sc = &s->scene;
	const char *host = get(a, "host"), *ds = get(a, "datastore");
	struct scene_host *h = host != NULL ? scene_host(sc, host) : NULL;
	struct scene_ds *d = ds != NULL ? scene_ds(sc, ds) : NULL;
	int rc = 0;

	(void)out;
	if ((host != NULL && h == NULL) || (ds != NULL && d == NULL))
		return err_set(e, ERR_USAGE, "no such host or datastore");
	for (size_t i = 0; i < a->n && rc == 0; i++) {
		const char *k = a->name[i], *v = a->value[i];

		if (strcmp(k, "host") == 0 || strcmp(k, "datastore") == 0)
			continue;
		if (h != NULL && d != NULL)
			rc = set_pair(sc, &d->pairs[h - sc->hosts], k, v, e);
		else if (h != NULL)
			rc = scene_set_host(sc, h, k, v, e);
		else if (d != NULL)
			rc = scene_set_ds(sc, d, k, v, e);
		else
			rc = scene_set_server(sc, k, v, e);
	}
	s->clock.offset_us = sc->server.clock_offset_s * US_PER_S;
	return rc;
}

/* at_s counts from now here, not from the scene's start. */
static int
do_event(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	struct scene *sc = &s->scene;
	const char *kind = get(a, "kind");
	struct scene_event *ev;
	char *line;
	int rc;

	(void)out;
	if (kind == NULL)
		return err_set(e, ERR_USAGE, "kind= is missing");
	line = xasprintf("event \"%s\"", kind);
	rc = scene_line(sc, line, e);
	free(line);
	if (rc != 0)
		return -1;
	ev = &sc->events[sc->n_events - 1];
	for (size_t i = 0; i < a->n && rc == 0; i++)
		if (strcmp(a->name[i], "kind") != 0)
			rc = scene_set_event(ev, a->name[i], a->value[i], e);
	ev->at_s +=
		(double)real_diff_us(simclock_now(&s->clock), s->model.start) /
		(double)US_PER_S;
	scene_bind_events(sc);
	return rc;
}

static int
do_clock(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	const char *advance = get(a, "advance_s");
	char text[REAL_TEXT_SIZE];

	if (advance != NULL && !s->clock.manual)
		return err_set(e, ERR_USAGE,
			       "only --clock manual can be advanced");
	if (advance != NULL)
		simclock_advance_us(
			&s->clock,
			(int64_t)(strtod(advance, NULL) * (double)US_PER_S));
	buf_addf(out, "{\"now\":\"%s\",\"start\":\"",
		 real_format(simclock_now(&s->clock), text));
	buf_addf(out, "%s\"}\n", real_format(s->model.start, text));
	return 0;
}

static int
do_oracle(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	const char *from = get(a, "from"), *to = get(a, "to");
	const char *luns = get(a, "luns");
	real_t f, t;

	if (from == NULL || to == NULL ||
	    real_parse(from, strlen(from), &f) != 0 ||
	    real_parse(to, strlen(to), &t) != 0)
		return err_set(e, ERR_USAGE,
			       "from= and to= want RFC 3339 times");
	if (luns != NULL && strcmp(luns, "true") == 0)
		oracle_luns_csv(s, f, t, out);
	else
		oracle_csv(&s->model, f, t, out);
	return out->full ? err_set(e, ERR_LIMIT, "the answer is too large") : 0;
}

static int
do_stats(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	(void)a;
	(void)e;
	stats_json(&s->stats, s->sessions.n, out);
	return 0;
}

static int
do_stats_reset(struct sim *s, const struct args *a, struct buf *out,
	       struct err *e)
{
	(void)a;
	(void)out;
	(void)e;
	stats_reset(&s->stats);
	return 0;
}

static int
do_faults(struct sim *s, const struct args *a, struct buf *out, struct err *e)
{
	(void)s;
	(void)a;
	(void)e;
	faults_help(out);
	return 0;
}

static const struct {
	const char *method, *path, *type;
	int (*fn)(struct sim *s, const struct args *a, struct buf *out,
		  struct err *e);
} rows[] = {
	{ "POST", "fault", NULL, do_fault },
	{ "POST", "fault/clear", NULL, do_clear },
	{ "POST", "set", NULL, do_set },
	{ "POST", "event", NULL, do_event },
	{ "POST", "clock", "application/json", do_clock },
	{ "GET", "clock", "application/json", do_clock },
	{ "GET", "oracle", "text/csv; charset=utf-8", do_oracle },
	{ "GET", "stats", "application/json", do_stats },
	{ "POST", "stats/reset", NULL, do_stats_reset },
	{ "GET", "faults", NULL, do_faults },
};

int
control_answer(struct sim *s, struct MHD_Connection *c, const char *method,
	       const char *path, struct buf *out, const char **type_r)
{
	struct args a = { .n = 0 };
	struct err e;

	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, collect, &a);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int rc;

		if (strcmp(rows[i].path, path) != 0 ||
		    strcmp(rows[i].method, method) != 0)
			continue;
		pthread_mutex_lock(&s->lock);
		rc = rows[i].fn(s, &a, out, &e);
		pthread_mutex_unlock(&s->lock);
		if (rc == 0) {
			if (rows[i].type != NULL)
				*type_r = rows[i].type;
			return 200;
		}
		buf_reset(out);
		buf_addf(out, "%s\n", e.text);
		return 400;
	}
	buf_addf(out, "no such control: %s %s\n", method, path);
	return 404;
}
