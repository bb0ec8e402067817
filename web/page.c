#include "web/page.h"

#include <string.h>

#include "dslat/mem.h"
#include "web/param.h"

#define LINK_BYTES ((size_t)4 * URI_MAX_BYTES)

int
page_cursor(struct request *rq, struct cursor *c)
{
	const char *text;

	*c = (struct cursor){ .bytes = NULL };
	if (param_text(rq, "cursor", &text) != 0)
		return -1;
	if (text == NULL || cursor_parse(c, text) == 0)
		return 0;
	reply_problem(&rq->reply, PROBLEM_BAD_PARAMETER, "cursor",
		      "cursor= takes the next_cursor of an earlier answer");
	return -1;
}

/* The address of the next page, relative to this one's. */
static void
add_next(const char *const last[CURSOR_PARTS], const struct uri *u,
	 struct buf *next, struct buf *cursor)
{
	cursor_append(cursor, last);
	buf_addc(next, '?');
	for (size_t i = 0; i < u->n_params; i++) {
		if (strcmp(u->params[i].name, "cursor") == 0)
			continue;
		uri_add_escaped(next, u->params[i].name);
		buf_addc(next, '=');
		uri_add_escaped(next, u->params[i].value);
		buf_addc(next, '&');
	}
	buf_addf(next, "cursor=%s", buf_str(cursor));
}

void
page_finish(struct json_rows *rows, struct request *rq,
	    const char *const last[CURSOR_PARTS])
{
	json_t *tail = json_object();
	struct buf next, cursor;

	buf_init(&next, LINK_BYTES);
	buf_init(&cursor, LINK_BYTES);
	if (last != NULL) {
		add_next(last, &rq->uri, &next, &cursor);
		reply_header_take(
			&rq->reply, "Link",
			xasprintf("<%s>; rel=\"next\"", buf_str(&next)));
	}
	json_object_set_new(tail, "next",
			    json_text(last != NULL ? buf_str(&next) : NULL));
	json_object_set_new(tail, "next_cursor",
			    json_text(last != NULL ? buf_str(&cursor) : NULL));
	buf_fini(&next);
	buf_fini(&cursor);
	json_rows_end(rows, tail);
	reply_json_body(&rq->reply);
}
