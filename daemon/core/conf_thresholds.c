#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/mem.h"

/* low must be below high, or at most equal. */
static const struct {
	const char *low, *high;
	bool may_be_equal;
} orders[] = {
	{ "clear_ms", "warning_ms", false },
	{ "warning_ms", "critical_ms", true },
	{ "for_samples", "window_samples", true },
};

/* A row, and where the file has it: "thresholds.datastores[0]". */
struct layer {
	const struct threshold_row *row;
	char *path; /* owned */
};
#define MAX_LAYERS 3 /* default, protocol, datastore */

struct stack {
	struct layer layers[MAX_LAYERS];
	size_t n;
	struct threshold_row all; /* merged */
};

static void
push(struct stack *s, const struct threshold_row *row, char *path_taken)
{
	assert(s->n < MAX_LAYERS);
	s->layers[s->n] = (struct layer){ row, path_taken };
	if (s->n++ == 0)
		s->all = *row;
	else
		threshold_row_merge(&s->all, row);
}

static void
stack_fini(struct stack *s)
{
	while (s->n > 0)
		free(s->layers[--s->n].path);
}

static const struct conf_key *
key_of(const char *name)
{
	return conf_key_find(conf_key_get("thresholds.default"), name);
}

static int64_t
value_of(const struct stack *s, const char *name)
{
	int64_t v;

	memcpy(&v, (const char *)&s->all + key_of(name)->offset, sizeof(v));
	return v;
}

/* The place of one of the two keys in the uppermost row that has one. */
static struct mark
place_of(const struct conf *c, const struct stack *s, size_t order)
{
	const char *const keys[] = { orders[order].low, orders[order].high };
	struct mark at = { 0 };
	bool found = false;

	for (size_t i = s->n; i-- > 0 && !found;) {
		for (size_t j = 0; j < ARRAY_SIZE(keys) && !found; j++) {
			char *path =
				xasprintf("%s.%s", s->layers[i].path, keys[j]);

			found = conf_is_set(c, path, &at);
			free(path);
		}
	}
	return at;
}

static bool
is_ordered(struct conf_reader *r, const struct stack *s, const char *where)
{
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		int64_t low = value_of(s, orders[i].low);
		int64_t high = value_of(s, orders[i].high);
		char *low_text, *high_text;

		if (low < high || (low == high && orders[i].may_be_equal))
			continue;
		low_text = conf_number_text(key_of(orders[i].low), low);
		high_text = conf_number_text(key_of(orders[i].high), high);
		fault_add(r->faults, place_of(r->conf, s, i),
			  "\"%s\" (%s) must be %s \"%s\" (%s)%s; "
			  "change one of them",
			  orders[i].low, low_text,
			  orders[i].may_be_equal ? "at most" : "below",
			  orders[i].high, high_text, where);
		free(low_text);
		free(high_text);
		return false;
	}
	return true;
}

/* default, the row of p if it has one, the datastore's row if there is. */
static bool
check_stack(struct conf_reader *r, enum protocol p,
	    const struct threshold_row *row, size_t i)
{
	const struct threshold_rules *rules = &r->conf->thresholds;
	struct stack s = { .n = 0 };
	char *where = xstrdup("");
	bool is_good;

	push(&s, &rules->fallback, xstrdup("thresholds.default"));
	if (!threshold_row_is_unset(&rules->protocols[p])) {
		push(&s, &rules->protocols[p],
		     xasprintf("thresholds.protocols.%s", protocol_name(p)));
		free(where);
		where = xasprintf(" on %s datastores", protocol_name(p));
	}
	if (row != NULL)
		push(&s, row, xasprintf("thresholds.datastores[%zu]", i));
	is_good = is_ordered(r, &s, where);
	stack_fini(&s);
	free(where);
	return is_good;
}

/* value is the struct threshold_rules. */
void
conf_check_thresholds(struct conf_reader *r, const struct yaml_node *n unused,
		      void *value)
{
	const struct threshold_rules *rules = value;
	bool is_good = true;

	for (size_t p = 0; p < N_PROTOCOLS; p++) {
		if (p == 0 || !threshold_row_is_unset(&rules->protocols[p]))
			is_good &= check_stack(r, (enum protocol)p, NULL, 0);
		if (!is_good && p == 0)
			return; /* the default: all others would repeat it */
	}
	for (size_t i = 0; i < rules->n_datastores; i++) {
		is_good = true;
		for (size_t p = 0; p < N_PROTOCOLS && is_good; p++)
			if (p == 0 ||
			    !threshold_row_is_unset(&rules->protocols[p]))
				is_good = check_stack(r, (enum protocol)p,
						      &rules->datastores[i], i);
	}
}

/* value is the default row: what the file sets is to imply the rest, as in
 * other rows, though the rest has built-in values. */
void
conf_check_default(struct conf_reader *r, const struct yaml_node *n unused,
		   void *value)
{
	struct threshold_row *row = value;

	if (!conf_is_set(r->conf, "thresholds.default.warning_ms", NULL))
		return;
	if (!conf_is_set(r->conf, "thresholds.default.clear_ms", NULL))
		row->v[THRESHOLD_CLEAR_US] = THRESHOLD_UNSET;
	if (!conf_is_set(r->conf, "thresholds.default.critical_ms", NULL))
		row->v[THRESHOLD_CRITICAL_US] = THRESHOLD_UNSET;
	threshold_row_imply(row);
}

/* value is the row's match. */
void
conf_check_match(struct conf_reader *r, const struct yaml_node *n, void *value)
{
	const struct threshold_rules *rules = &r->conf->thresholds;
	const char *match = *(char **)value;

	if (strpbrk(match, "/*?[") == NULL)
		fault_add(r->faults, n->at,
			  "\"match\" is \"%.*s\", without a target; "
			  "write \"*/%.*s\"",
			  CONF_SHOWN_MAX, match, CONF_SHOWN_MAX, match);
	else if (strchr(match, '/') == NULL && match[0] != '*')
		fault_warn(r->faults, n->at,
			   "\"match\" is \"%.*s\", which is compared with "
			   "target/datastore; write \"*/%.*s\" for any target",
			   CONF_SHOWN_MAX, match, CONF_SHOWN_MAX, match);
	for (size_t i = 0; i + 1 < rules->n_datastores; i++)
		if (rules->datastores[i].match != NULL &&
		    strcmp(rules->datastores[i].match, match) == 0)
			fault_add(r->faults, n->at,
				  "a second row for \"%.*s\", never reached; "
				  "remove one",
				  CONF_SHOWN_MAX, match);
}
