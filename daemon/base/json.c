#include "dslat/json.h"

#include <math.h>
#include <string.h>

#include "dslat/utf8.h"

/* From here on a double has no fraction. */
#define NO_FRACTION 9007199254740992.0 /* 2^53 */

json_t *
json_ms(int64_t us)
{
	if (us < 0)
		return json_null();
	if (us % US_PER_MS == 0)
		return json_integer(us / US_PER_MS);
	return json_real((double)us / (double)US_PER_MS);
}

json_t *
json_num(double v)
{
	if (!isfinite(v))
		return json_null();
	if (fabs(v) >= NO_FRACTION)
		return json_real(v);
	v = round(v * 1000) / 1000;
	if (v == trunc(v))
		return json_integer((json_int_t)v);
	return json_real(v);
}

json_t *
json_text(const char *s)
{
	struct buf b;
	json_t *v;

	if (s == NULL)
		return json_null();
	buf_init(&b, strlen(s) * 3); /* a bad byte becomes three */
	while (*s != '\0') {
		uint32_t cp;
		bool valid;
		size_t n = utf8_next(s, &cp, &valid);

		if (valid)
			buf_add(&b, s, n);
		else
			buf_adds(&b, UTF8_REPLACEMENT_TEXT);
		s += n;
	}
	v = json_stringn_nocheck(buf_str(&b), b.len);
	buf_fini(&b);
	return v;
}

json_t *
json_time(real_t t)
{
	char text[REAL_TEXT_SIZE];

	if (t.us == 0)
		return json_null();
	return json_string_nocheck(real_format(t, text));
}

static int
append(const char *data, size_t len, void *arg)
{
	return buf_add(arg, data, len);
}

int
json_append(struct buf *b, const json_t *v)
{
	/* 15 digits are what every double keeps: "12.3", not
	 * "12.300000000000001". */
	return json_dump_callback(v, append, b,
				  JSON_COMPACT | JSON_ENCODE_ANY |
					  JSON_REAL_PRECISION(15));
}

/* What is between the braces of an object; takes it. */
static int
append_members(struct buf *b, json_t *v)
{
	size_t start = b->len;

	json_append(b, v);
	json_decref(v);
	if (b->full)
		return -1;
	assert(b->data[start] == '{');
	memmove(b->data + start, b->data + start + 1, b->len - start);
	b->len -= 2; /* both braces */
	b->data[b->len] = '\0';
	return 0;
}

int
json_rows_begin(struct json_rows *r, struct buf *b, json_t *head,
		const char *key)
{
	json_t *name = json_text(key);

	*r = (struct json_rows){ .buf = b };
	buf_addc(b, '{');
	if (head != NULL && json_object_size(head) == 0)
		json_decref(head);
	else if (head != NULL && append_members(b, head) == 0)
		buf_addc(b, ',');
	json_append(b, name);
	json_decref(name);
	return buf_adds(b, ":[");
}

int
json_rows_add(struct json_rows *r, json_t *row)
{
	if (r->n++ != 0)
		buf_addc(r->buf, ',');
	json_append(r->buf, row);
	json_decref(row);
	return r->buf->full ? -1 : 0;
}

int
json_rows_end(struct json_rows *r, json_t *tail)
{
	buf_addc(r->buf, ']');
	if (tail != NULL && json_object_size(tail) == 0) {
		json_decref(tail);
	} else if (tail != NULL) {
		buf_addc(r->buf, ',');
		append_members(r->buf, tail);
	}
	return buf_addc(r->buf, '}');
}
