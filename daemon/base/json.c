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
