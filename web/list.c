#include "web/list.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/nearest.h"
#include "web/page.h"
#include "web/param.h"

#define PAIRS_PER_TURN 256

struct list {
	uint32_t magic;
	struct web *web;
	const struct list_ops *ops;
	struct list_filter filter;
	bool expand;
	size_t limit;
	struct json_rows rows; /* into the reply's body; buf NULL at first */
	const void **items;    /* sorted; behind `after` */
	size_t n_items, at;
	uint64_t freed;      /* site->freed when items was made */
	struct cursor after; /* the last row; bytes NULL: none yet */
};
#define LIST_MAGIC OBJ_MAGIC('l', 'i', 's', 't')

/* ---- parameters ---- */

static int
add_target(void *arg, struct request *rq, const char *name, const char *word)
{
	struct list *l = OBJ_CAST(struct list, LIST_MAGIC, arg);
	struct list_filter *f = &l->filter;

	if (site_find_target(l->web->site, word) == NULL) {
		reply_problem(&rq->reply, PROBLEM_UNKNOWN_TARGET, name,
			      "there is no target \"%s\"; /api/v1/status lists "
			      "all",
			      word);
		return -1;
	}
	f->targets = xreallocarray(f->targets, f->n_targets + 1,
				   sizeof(*f->targets));
	f->targets[f->n_targets++] = xstrdup(word);
	return 0;
}

/* A protocol's name, or a family's for all its protocols. */
static int
add_protocol(void *arg, struct request *rq, const char *name, const char *word)
{
	struct list *l = OBJ_CAST(struct list, LIST_MAGIC, arg);
	uint32_t mask = 0;
	struct nearest n;

	nearest_init(&n, word);
	for (enum protocol p = 0; p < N_PROTOCOLS; p++) {
		if (strcmp(protocol_name(p), word) == 0 ||
		    strcmp(protocol_family(p), word) == 0)
			mask |= 1u << p;
		nearest_try(&n, protocol_name(p), protocol_name(p));
	}
	l->filter.protocols |= mask;
	if (mask != 0)
		return 0;
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, name,
		      "\"%s\" is neither a protocol nor a family; the nearest "
		      "is \"%s\"",
		      word, n.best != NULL ? n.best : "nfs");
	return -1;
}

static int
add_state(void *arg, struct request *rq, const char *name, const char *word)
{
	struct list *l = OBJ_CAST(struct list, LIST_MAGIC, arg);
	const char *state;
	struct buf all;

	buf_init(&all, 1024);
	for (unsigned i = 0; (state = l->ops->state_name(i)) != NULL; i++) {
		if (strcmp(state, word) == 0) {
			l->filter.states |= 1u << i;
			buf_fini(&all);
			return 0;
		}
		buf_addf(&all, "%s%s", i != 0 ? ", " : "", state);
	}
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, name,
		      "\"%s\" is no state; the states are %s", word,
		      buf_str(&all));
	buf_fini(&all);
	return -1;
}

static int
read_params(struct list *l, struct request *rq)
{
	static const struct param_int limit = { "limit", 1, PAGE_LIMIT_MAX,
						PAGE_LIMIT_MAX };
	int64_t n;

	if (param_int(rq, &limit, &n) != 0)
		return -1;
	l->limit = (size_t)n;
	if (param_words(rq, "target", add_target, l) != 0 ||
	    param_words(rq, "protocol", add_protocol, l) != 0 ||
	    param_words(rq, "state", add_state, l) != 0 ||
	    param_text(rq, "name", &l->filter.text) != 0 ||
	    param_flag(rq, "expand", l->ops->expand, &l->expand) != 0)
		return -1;
	return page_cursor(rq, &l->after);
}

/* ---- rows ---- */

static bool
wants_target(const struct list_filter *f, const struct target *t)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (strcmp(f->targets[i], t->name) == 0)
			return true;
	return f->n_targets == 0;
}

static bool
is_candidate(const struct list *l, const void *item)
{
	struct list_key k = l->ops->key_of(item);
	const char *const part[CURSOR_PARTS] = { k.target, k.name, k.id };

	if (l->ops->is_gone(item))
		return false;
	if (l->filter.text != NULL &&
	    strcasestr(k.name, l->filter.text) == NULL)
		return false;
	return l->after.bytes == NULL || cursor_compare(part, &l->after) > 0;
}

static int
by_key(const void *a, const void *b, void *arg)
{
	const struct list *l = arg;
	struct list_key x = l->ops->key_of(*(const void *const *)a);
	struct list_key y = l->ops->key_of(*(const void *const *)b);
	int d = strcmp(x.target, y.target);

	if (d == 0)
		d = strcmp(x.name, y.name);
	return d != 0 ? d : strcmp(x.id, y.id);
}

/* Everything that may become a row behind `after`, in order. */
static void
collect(struct list *l)
{
	const struct site *site = l->web->site;
	size_t room = 0;
	void *v;

	l->freed = site->freed;
	l->n_items = l->at = 0;
	free(l->items);
	l->items = NULL;
	for (size_t i = 0; i < site->n_targets; i++) {
		const struct target *t = site->targets[i];
		const void *field = (const char *)t + l->ops->map_offset;
		const struct map *map = *(struct map *const *)field;

		if (!wants_target(&l->filter, t))
			continue;
		room += map_count(map);
		l->items = xreallocarray(l->items, room, sizeof(*l->items));
		for (size_t j = 0; map_next(map, &j, NULL, &v);)
			if (is_candidate(l, v))
				l->items[l->n_items++] = v;
	}
	if (l->n_items > 1)
		qsort_r(l->items, l->n_items, sizeof(*l->items), by_key, l);
}

static void
add_row(struct list *l, const void *item)
{
	struct list_key k = l->ops->key_of(item);
	const char *const part[CURSOR_PARTS] = { k.target, k.name, k.id };

	json_rows_add(&l->rows, l->ops->row_of(l->web, item, l->expand));
	cursor_set(&l->after, part);
}

static bool
step(void *arg, struct request *rq)
{
	struct list *l = OBJ_CAST(struct list, LIST_MAGIC, arg);
	size_t spent = 0;

	if (l->rows.buf == NULL)
		json_rows_begin(&l->rows, &rq->reply.body, NULL, "items");
	if (l->items == NULL || l->freed != l->web->site->freed)
		collect(l);
	for (; l->at < l->n_items; l->at++) {
		const void *item = l->items[l->at];

		if (spent >= PAIRS_PER_TURN)
			return false;
		spent += l->ops->cost_of(item, l->expand);
		if (l->ops->is_gone(item) || !l->ops->matches(item, &l->filter))
			continue;
		if (l->rows.n == l->limit || rq->reply.body.len > PAGE_BYTES) {
			page_finish(&l->rows, rq, l->after.part);
			return true;
		}
		add_row(l, item);
	}
	page_finish(&l->rows, rq, NULL);
	return true;
}

static void
list_free(void *arg)
{
	struct list *l = OBJ_CAST(struct list, LIST_MAGIC, arg);

	for (size_t i = 0; i < l->filter.n_targets; i++)
		free(l->filter.targets[i]);
	free(l->filter.targets);
	free(l->items);
	cursor_fini(&l->after);
	free(l);
}

void
list_reply(struct web *w, struct request *rq, const struct list_ops *ops)
{
	struct list *l = xcalloc(1, sizeof(*l));

	l->magic = LIST_MAGIC;
	l->web = w;
	l->ops = ops;
	if (read_params(l, rq) != 0) {
		list_free(l);
		return;
	}
	rq->reply.job = (struct job){ step, list_free, l };
}
