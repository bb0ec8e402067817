#include "xsd.h"

#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

const char *
xsd_i64(const char *s, int64_t *v_r)
{
	const uint64_t max = INT64_MAX;
	uint64_t v = 0;
	bool negative;
	unsigned d;

	while (is_blank(*s))
		s++;
	negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	if ((unsigned)*s - '0' > 9)
		return NULL;
	for (; (d = (unsigned)*s - '0') <= 9; s++)
		v = v > (max - d) / 10 ? max : v * 10 + d;
	while (is_blank(*s))
		s++;
	*v_r = negative ? -(int64_t)v : (int64_t)v;
	return s;
}

bool
xsd_i64_all(const char *s, int64_t *v_r)
{
	s = xsd_i64(s, v_r);
	return s != NULL && *s == '\0';
}

bool
xsd_i32_all(const char *s, int32_t *v_r)
{
	int64_t v;

	if (!xsd_i64_all(s, &v) || v < INT32_MIN || v > INT32_MAX)
		return false;
	*v_r = (int32_t)v;
	return true;
}

bool
xsd_bool(const char *s)
{
	while (is_blank(*s))
		s++;
	return strncmp(s, "true", 4) == 0 || *s == '1';
}
