#include "web/param.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "web/when.h"

#define HOUR_US (3600 * US_PER_S)

int
param_text(struct request *rq, const char *name, const char **value_r)
{
	*value_r = NULL;
	for (size_t i = 0; i < rq->uri.n_params; i++) {
		if (strcmp(rq->uri.params[i].name, name) != 0)
			continue;
		if (*value_r != NULL) {
			reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, name,
				      "%s= may be given once only", name);
			return -1;
		}
		*value_r = rq->uri.params[i].value;
	}
	return 0;
}

int
param_int(struct request *rq, const struct param_int *p, int64_t *value_r)
{
	const char *s;
	char *end;
	long long v;

	if (param_text(rq, p->name, &s) != 0)
		return -1;
	*value_r = p->fallback;
	if (s == NULL)
		return 0;
	v = strtoll(s, &end, 10); /* saturates: the range check sees it */
	if (*s < '0' || *s > '9' || *end != '\0') {
		reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, p->name,
			      "%s= must be a whole number, not \"%s\"", p->name,
			      s);
		return -1;
	}
	if (v < p->min || v > p->max) {
		reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, p->name,
			      "%s= must be from %lld to %lld", p->name,
			      (long long)p->min, (long long)p->max);
		return -1;
	}
	*value_r = v;
	return 0;
}

static int
param_time(struct request *rq, const char *name, real_t now, real_t *t_r,
	   bool *is_relative_r)
{
	const char *s;

	if (param_text(rq, name, &s) != 0)
		return -1;
	if (s == NULL)
		return 0;
	*is_relative_r = when_is_relative(s);
	if (when_parse(s, now, t_r) == 0)
		return 0;
	reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, name,
		      "%s=%s is no time; write 2026-11-30T12:00:00Z, seconds "
		      "or milliseconds since 1970, now or now-1h",
		      name, s);
	return -1;
}

/* range_r holds what counts without them. */
static int
param_span(struct request *rq, real_t now, const char *from_name,
	   const char *to_name, struct time_range *range_r)
{
	if (param_time(rq, to_name, now, &range_r->to,
		       &range_r->to_is_relative) != 0 ||
	    param_time(rq, from_name, now, &range_r->from,
		       &range_r->from_is_relative) != 0)
		return -1;
	if (range_r->from.us < range_r->to.us)
		return 0;
	reply_problem(&rq->reply, PROBLEM_UNPROCESSABLE, from_name,
		      "%s= must be before %s=", from_name, to_name);
	return -1;
}

int
param_range(struct request *rq, real_t now, struct time_range *range_r)
{
	range_r->to = now;
	range_r->to_is_relative = true;
	if (param_time(rq, "to", now, &range_r->to, &range_r->to_is_relative) !=
	    0)
		return -1;
	range_r->from = real_add_us(range_r->to, -HOUR_US);
	range_r->from_is_relative = range_r->to_is_relative;
	return param_span(rq, now, "from", "to", range_r);
}

int
param_range_of(struct request *rq, real_t now, char side,
	       const struct time_range *fallback, struct time_range *range_r)
{
	char from[] = "?_from", to[] = "?_to";

	from[0] = to[0] = side;
	*range_r = *fallback;
	return param_span(rq, now, from, to, range_r);
}

int
param_words(struct request *rq, const char *name, param_word_fn fn, void *arg)
{
	for (size_t i = 0; i < rq->uri.n_params; i++) {
		const char *s = rq->uri.params[i].value;

		if (strcmp(rq->uri.params[i].name, name) != 0)
			continue;
		for (;;) {
			size_t len = strcspn(s, ",");
			char *word = xstrndup(s, len);
			int rc = fn(arg, rq, name, word);

			free(word);
			if (rc != 0)
				return -1;
			if (s[len] == '\0')
				break;
			s += len + 1;
		}
	}
	return 0;
}

struct flag {
	const char *word;
	bool *set;
};

static int
check_flag(void *arg, struct request *rq, const char *name, const char *word)
{
	const struct flag *f = arg;

	if (strcmp(word, f->word) == 0) {
		*f->set = true;
		return 0;
	}
	reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, name,
		      "%s= knows \"%s\" only", name, f->word);
	return -1;
}

int
param_flag(struct request *rq, const char *name, const char *word, bool *set_r)
{
	struct flag f = { word, set_r };

	*set_r = false;
	return param_words(rq, name, check_flag, &f);
}
