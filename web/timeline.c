#include "web/timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "web/page.h"
#include "web/param.h"

#define NUMBER_SIZE 24

bool
timeline_has_watch(const struct web *w, struct request *rq)
{
	if (w->watch != NULL)
		return true;
	reply_problem(&rq->reply, PROBLEM_NOT_READY, NULL,
		      "this dslatd keeps no incidents");
	return false;
}

int
timeline_range(struct request *rq, real_t now, struct timeline_range *r)
{
	const char *from, *to;
	struct time_range asked;

	if (param_text(rq, "from", &from) != 0 ||
	    param_text(rq, "to", &to) != 0 || param_range(rq, now, &asked) != 0)
		return -1;
	r->from.us = from != NULL ? asked.from.us : INT64_MIN;
	r->to.us = to != NULL ? asked.to.us : INT64_MAX;
	return 0;
}

/* A whole number, all of it; false: it is none. */
static bool
read_number(const char *s, int64_t *n_r)
{
	char *end;

	*n_r = strtoll(s, &end, 10);
	return *s != '\0' && *end == '\0';
}

int
timeline_cursor(struct request *rq, struct timeline_place *after_r)
{
	struct cursor c;
	int rc = page_cursor(rq, &c);

	*after_r = (struct timeline_place){ .id = 0 };
	if (rc == 0 && c.bytes != NULL &&
	    (!read_number(c.part[0], &after_r->t.us) ||
	     !read_number(c.part[1], &after_r->class) ||
	     !read_number(c.part[2], &after_r->id))) {
		reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, "cursor",
			      "cursor= takes the next_cursor of an earlier "
			      "answer");
		rc = -1;
	}
	cursor_fini(&c);
	return rc;
}

static int
newer_first(int64_t a, int64_t b)
{
	return a > b ? -1 : a < b;
}

int
timeline_compare(const struct timeline_place *a, const struct timeline_place *b)
{
	int d = newer_first(a->t.us, b->t.us);

	if (d == 0)
		d = newer_first(a->class, b->class);
	return d != 0 ? d : newer_first(a->id, b->id);
}

bool
timeline_is_behind(const struct timeline_place *place,
		   const struct timeline_place *after)
{
	return after->t.us == 0 || timeline_compare(place, after) > 0;
}

void
timeline_finish(struct json_rows *rows, struct request *rq,
		const struct timeline_place *last)
{
	char t[NUMBER_SIZE], class[NUMBER_SIZE], id[NUMBER_SIZE];
	const char *const parts[CURSOR_PARTS] = { t, class, id };

	if (last == NULL) {
		page_finish(rows, rq, NULL);
		return;
	}
	snprintf(t, sizeof(t), "%lld", (long long)last->t.us);
	snprintf(class, sizeof(class), "%lld", (long long)last->class);
	snprintf(id, sizeof(id), "%lld", (long long)last->id);
	page_finish(rows, rq, parts);
}
