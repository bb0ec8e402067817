/*
 * json.h - the one door to jansson, and the few forms the API adds to it.
 *
 * References are jansson's: json_object_set_new() and friends take the value.
 * Latencies are numbers in ms with at most 3 decimals, null without a sample.
 * Any thread, as long as no value is shared.
 */
#ifndef DSLAT_JSON_H
#define DSLAT_JSON_H

#include <jansson.h>

#include "dslat/buf.h"
#include "dslat/clock.h"

/* Microseconds as milliseconds; null below 0. */
json_t *json_ms(int64_t us);
/* A finite number rounded to 3 decimals, else null. */
json_t *json_num(double v);
/* A string, or null; bytes that are not UTF-8 become U+FFFD. */
json_t *json_text(const char *s);
/* RFC 3339; null when t.us is 0. */
json_t *json_time(real_t t);
/*
 * An object too large for one value: {head..., "key":[row, ...], tail...},
 * appended piece by piece.  head and tail are objects (NULL: none); they and
 * the rows are taken.
 */
struct json_rows {
	struct buf *buf; /* borrowed */
	size_t n;        /* rows so far */
};
int json_rows_begin(struct json_rows *r, struct buf *b, json_t *head,
		    const char *key);
int json_rows_add(struct json_rows *r, json_t *row);
int json_rows_end(struct json_rows *r, json_t *tail);

/* Append compact JSON; numbers come out short ("12.5", not "12.499999"). */
int json_append(struct buf *b, const json_t *v);

#endif
