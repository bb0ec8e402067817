/*
 * page.h - the end of a page of a list, and where the next one begins.
 *
 * A page is {"items":[...],"next":...,"next_cursor":...} and the header Link.
 * The loop thread.
 */
#ifndef DSLAT_PAGE_H
#define DSLAT_PAGE_H

#include "web/cursor.h"
#include "web/http.h"

#define PAGE_BYTES ((size_t)4 << 20) /* a page with more ends */
#define PAGE_LIMIT_MAX 1000

/* cursor=, if it is there; 0, or -1 with the problem in rq->reply.
 * cursor_fini() in either case. */
int page_cursor(struct request *rq, struct cursor *c) must_check;
/* The rows are whole; last: the key of the last one when there are more, else
 * NULL. */
void page_finish(struct json_rows *rows, struct request *rq,
		 const char *const last[CURSOR_PARTS]);

#endif
