#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "xsd.h"

#define QUERY "QueryPerf"
#define INTERVAL_S 20 /* realtime */
/* An hour is 180; hosts can be told to keep more. */
#define MAX_SAMPLES ((size_t)8192)

/* ---- request ---- */

static void
write_metric(struct buf *b, int32_t id, const char *instance)
{
	buf_addf(b, "<metricId><counterId>%d</counterId>", (int)id);
	soap_text(b, "instance", instance);
	buf_adds(b, "</metricId>");
}

static void
write_metrics(struct buf *b, const struct counters *c,
	      const struct perf_query *q)
{
	const bool wanted[N_COUNTER_SETS] = {
		[COUNTERS_PAIR] = true,
		[COUNTERS_LUN] = q->luns,
		[COUNTERS_LUN_IOS] = q->luns && q->lun_ios,
	};

	for (size_t i = 0; i < c->n; i++) {
		const struct counter *k = &c->list[i];
		enum counter_set set = counter_set(&k->meaning);

		if (!k->asked || !wanted[set])
			continue;
		if (set == COUNTERS_PAIR || q->n_lun_names == 0)
			write_metric(b, k->id, "*");
		else
			for (size_t n = 0; n < q->n_lun_names; n++)
				write_metric(b, k->id, q->lun_names[n]);
	}
}

void
perf_write_request(struct buf *b, const char *perf_manager,
		   const struct perf_query *queries, size_t n,
		   const struct counters *c)
{
	char time[REAL_TEXT_SIZE];

	soap_begin(b, QUERY, "PerformanceManager", perf_manager);
	for (size_t i = 0; i < n; i++) {
		buf_adds(b, "<querySpec>");
		soap_moref(b, "entity", "HostSystem", queries[i].host);
		if (queries[i].start.us != 0)
			soap_text(b, "startTime",
				  real_format(queries[i].start, time));
		if (queries[i].max_sample != 0)
			buf_addf(b, "<maxSample>%u</maxSample>",
				 queries[i].max_sample);
		write_metrics(b, c, &queries[i]);
		buf_addf(b,
			 "<intervalId>%d</intervalId><format>csv</format>"
			 "</querySpec>",
			 INTERVAL_S);
	}
	soap_end(b, QUERY);
}

/* ---- answer ---- */

enum {
	Q_ENTITY = 1, /* returnval */
	Q_MOREF,
	Q_STAMP,
	Q_INTERVAL,
	Q_STAMPS_CSV,
	Q_SERIES,
	Q_COUNTER,
	Q_INSTANCE,
	Q_VALUE, /* one number (normal) or all of them (csv) */
};

struct perf {
	const struct perf_sink *sink;
	void *arg;
	size_t n_entities, n_series;
	/* the entity being read */
	char *moref;
	bool announced; /* the sink has its stamps */
	real_t *stamps;
	size_t n_stamps, stamps_room;
	/* the series being read */
	int32_t counter_id;
	bool has_counter;
	struct buf instance;
	int64_t *values;
	size_t n_values, values_room;
};

static const struct xml_node id_nodes[] = {
	{ "counterId", Q_COUNTER, NULL },
	{ "instance", Q_INSTANCE, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node series_nodes[] = {
	{ "value", Q_VALUE, NULL },
	{ "id", 0, id_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node sample_nodes[] = {
	{ "timestamp", Q_STAMP, NULL },
	{ "interval", Q_INTERVAL, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node entity_nodes[] = {
	{ "value", Q_SERIES, series_nodes },
	{ "sampleInfo", 0, sample_nodes },
	{ "sampleInfoCSV", Q_STAMPS_CSV, NULL },
	{ "entity", Q_MOREF, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node answer_nodes[] = {
	{ "returnval", Q_ENTITY, entity_nodes },
	{ NULL, 0, NULL },
};

/* The array of n, which is full, with room for more; NULL at the limit. */
static void *
more_room(void *array, size_t n, size_t *room, size_t size_bytes, struct err *e)
{
	if (n == MAX_SAMPLES) {
		err_set(e, ERR_LIMIT, "more than %zu samples of one host", n);
		return NULL;
	}
	*room = n != 0 ? n * 2 : 256;
	return xreallocarray(array, *room, size_bytes);
}

static int
add_stamp(struct perf *p, const char *text, size_t len, struct err *e)
{
	real_t *more;

	if (p->n_stamps == p->stamps_room) {
		more = more_room(p->stamps, p->n_stamps, &p->stamps_room,
				 sizeof(*more), e);
		if (more == NULL)
			return -1;
		p->stamps = more;
	}
	if (p->announced)
		return err_set(e, ERR_PROTO,
			       "%s: times of samples behind their values",
			       p->moref);
	if (real_parse(text, len, &p->stamps[p->n_stamps]) != 0)
		return err_set(e, ERR_PROTO, "\"%.40s\" is not a time", text);
	p->n_stamps++;
	return 0;
}

static int
check_interval(const char *text, struct err *e)
{
	int64_t interval_s;

	if (xsd_i64(text, &interval_s) == NULL || interval_s != INTERVAL_S)
		return err_set(e, ERR_PROTO,
			       "samples of \"%.*s\" s where %d s were asked",
			       (int)MIN(strcspn(text, ","), (size_t)20), text,
			       INTERVAL_S);
	return 0;
}

/* "20,2024-05-17T17:25:00Z,20,2024-05-17T17:25:20Z,..." */
static int
add_stamps_csv(struct perf *p, const char *text, struct err *e)
{
	size_t n;

	while (*text != '\0') {
		n = strcspn(text, ",");
		if (check_interval(text, e) != 0)
			return -1;
		text += n;
		if (*text != ',')
			return err_set(e, ERR_PROTO,
				       "an interval without its time");
		n = strcspn(++text, ",");
		if (add_stamp(p, text, n, e) != 0)
			return -1;
		text += n;
		text += *text == ',';
	}
	return 0;
}

/*
 * One value up to a comma or the end: returns where that is.  Nearly all are a
 * few digits and nothing else.
 */
static const char *
read_value(const char *s, int64_t *v_r)
{
	const char *first = s, *end;
	uint64_t v = 0;
	unsigned d;

	for (; (d = (unsigned)*s - '0') <= 9; s++)
		v = v * 10 + d;
	if ((*s == ',' || *s == '\0') && s > first && s - first <= 18) {
		*v_r = (int64_t)v;
		return s;
	}
	end = xsd_i64(first, v_r);
	if (end != NULL && (*end == ',' || *end == '\0'))
		return end;
	end = first + strcspn(first, ",");
	*v_r = end == first ? -1 : INT64_MIN;
	return end;
}

/* "1,2,-1" or a single number: csv and normal differ in nothing else. */
static int
add_values(struct perf *p, const char *text, struct err *e)
{
	int64_t *more;

	for (;; text++) {
		if (p->n_values == p->values_room) {
			more = more_room(p->values, p->n_values,
					 &p->values_room, sizeof(*more), e);
			if (more == NULL)
				return -1;
			p->values = more;
		}
		text = read_value(text, &p->values[p->n_values++]);
		if (*text == '\0')
			return 0;
	}
}

/* Before the first series, and for an entity that has none. */
static int
announce(struct perf *p, struct err *e)
{
	if (p->announced)
		return 0;
	if (p->moref == NULL)
		return err_set(e, ERR_PROTO, "samples of no entity");
	p->announced = true;
	p->n_entities++;
	p->sink->entity(p->arg, p->moref, p->stamps, p->n_stamps);
	return 0;
}

static int
end_series(struct perf *p, struct err *e)
{
	if (!p->has_counter)
		return err_set(e, ERR_PROTO, "values of no counter");
	if (announce(p, e) != 0)
		return -1;
	p->n_series++;
	p->sink->series(p->arg, p->counter_id, buf_str(&p->instance),
			p->instance.len, p->values, p->n_values);
	return 0;
}

static int
end_entity(struct perf *p, struct err *e)
{
	if (announce(p, e) != 0)
		return -1;
	p->sink->entity_end(p->arg);
	return 0;
}

static int
on_open(void *arg, struct xml *x unused, unsigned id, struct err *e unused)
{
	struct perf *p = arg;

	if (id == Q_SERIES) {
		p->has_counter = false;
		p->n_values = 0;
		buf_reset(&p->instance);
	} else if (id == Q_ENTITY) {
		p->announced = false;
		p->n_stamps = 0;
		free(p->moref);
		p->moref = NULL;
	}
	return 0;
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len, struct err *e)
{
	struct perf *p = arg;

	switch (id) {
	case Q_VALUE:
		return add_values(p, text, e);
	case Q_COUNTER:
		p->has_counter = xsd_i32_all(text, &p->counter_id);
		return 0;
	case Q_INSTANCE:
		if (buf_add(&p->instance, text, len) != 0)
			return err_set(e, ERR_LIMIT,
				       "an instance longer than %zu bytes",
				       p->instance.max);
		return 0;
	case Q_SERIES:
		return end_series(p, e);
	case Q_STAMP:
		return add_stamp(p, text, len, e);
	case Q_INTERVAL:
		return check_interval(text, e);
	case Q_STAMPS_CSV:
		return add_stamps_csv(p, text, e);
	case Q_MOREF:
		if (len != 0 && !p->announced)
			xstrset(&p->moref, text);
		return 0;
	case Q_ENTITY:
		return end_entity(p, e);
	default:
		return 0;
	}
}

static void
perf_free(void *arg)
{
	struct perf *p = arg;

	free(p->moref);
	free(p->stamps);
	free(p->values);
	buf_fini(&p->instance);
	free(p);
}

static const struct answer_method perf_method = {
	.name = QUERY,
	.nodes = answer_nodes,
	.open = on_open,
	.close = on_close,
	.free = perf_free,
};

struct answer *
perf_answer(const struct perf_sink *sink, void *arg)
{
	struct perf *p = xcalloc(1, sizeof(*p));

	p->sink = sink;
	p->arg = arg;
	buf_init(&p->instance, 4096);
	return answer_new(&perf_method, p);
}

size_t
perf_entities(const struct answer *r)
{
	return ((const struct perf *)answer_arg(r, &perf_method))->n_entities;
}

size_t
perf_series(const struct answer *r)
{
	return ((const struct perf *)answer_arg(r, &perf_method))->n_series;
}
