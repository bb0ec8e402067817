/*
 * timeline.h - lists in the order of time, newest first, in pages.
 *
 * What the lists of incidents and events share.  The loop thread.
 */
#ifndef DSLAT_TIMELINE_H
#define DSLAT_TIMELINE_H

#include "dslat/json.h"
#include "web/handlers.h"

/* A row's place; us 0: before the first. */
struct timeline_place {
	real_t t;
	int64_t class; /* of rows of one moment */
	int64_t id;
};

/* from= and to=; all of time where they are not there. */
struct timeline_range {
	real_t from, to;
};
int timeline_range(struct request *rq, real_t now, struct timeline_range *r)
	must_check;
int timeline_cursor(struct request *rq, struct timeline_place *after_r)
	must_check;

/* Below 0: a comes first, which is the newer one. */
int timeline_compare(const struct timeline_place *a,
		     const struct timeline_place *b);
bool timeline_is_behind(const struct timeline_place *place,
			const struct timeline_place *after);
/* last: of the last row when there are more, else NULL. */
void timeline_finish(struct json_rows *rows, struct request *rq,
		     const struct timeline_place *last);
/* false: there is no watch, and the reply says so. */
bool timeline_has_watch(const struct web *w, struct request *rq);

#endif
