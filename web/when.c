#include "web/when.h"

#include <string.h>

#define END_S INT64_C(253402300800) /* the year 10000 */
#define TEXT_MAX_BYTES 64

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits of at most 15 places, so that nothing overflows; -1 for none. */
static int64_t
number(const char **s)
{
	const char *start = *s;
	int64_t n = 0;

	while (is_digit(**s) && *s - start < 16)
		n = n * 10 + (*(*s)++ - '0');
	return *s == start || *s - start > 15 ? -1 : n;
}

static int64_t
unit_us(char c)
{
	static const struct {
		char c;
		int64_t s;
	} units[] = {
		{ 's', 1 },     { 'm', 60 },     { 'h', 3600 },
		{ 'd', 86400 }, { 'w', 604800 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (units[i].c == c)
			return units[i].s * US_PER_S;
	return 0;
}

/* "-1h30m+5s" behind now; the sign holds until the next one. */
static int
parse_offset(const char *s, real_t now, real_t *t_r)
{
	int64_t sign = 0, total_us = 0;

	while (*s != '\0') {
		int64_t n, unit;

		if (*s == '-' || *s == '+' || *s == ' ')
			sign = *s++ == '-' ? -1 : 1;
		n = number(&s);
		unit = unit_us(*s);
		if (sign == 0 || n < 0 || unit == 0 ||
		    n > END_S * US_PER_S / unit)
			return -1;
		s++;
		if (__builtin_add_overflow(total_us, sign * n * unit,
					   &total_us))
			return -1;
	}
	if (__builtin_add_overflow(now.us, total_us, &t_r->us))
		return -1;
	return 0;
}

/* "1796040000", "1796040000.25", "1796040000250" */
static int
parse_epoch(const char *s, real_t *t_r)
{
	const char *start = s;
	int64_t n = number(&s), unit = US_PER_S;

	if (n < 0)
		return -1;
	if (s - start >= 12)
		unit = US_PER_MS;
	if (n > END_S * US_PER_S / unit)
		return -1;
	t_r->us = n * unit;
	if (*s == '.') {
		s++;
		if (!is_digit(*s))
			return -1;
		for (unit /= 10; is_digit(*s); s++, unit /= 10)
			t_r->us += (*s - '0') * unit;
	}
	return *s == '\0' ? 0 : -1;
}

static int
parse_rfc3339(const char *s, real_t *t_r)
{
	char text[TEXT_MAX_BYTES];
	size_t len = strlen(s);

	if (len >= sizeof(text))
		return -1;
	memcpy(text, s, len + 1);
	/* A + that was not escaped has become a space. */
	if (len > 6 && text[len - 6] == ' ' && text[len - 3] == ':')
		text[len - 6] = '+';
	return real_parse(text, len, t_r);
}

bool
when_is_relative(const char *s)
{
	return strncmp(s, "now", 3) == 0 || *s == '-' || *s == '+' || *s == ' ';
}

int
when_parse(const char *s, real_t now, real_t *t_r)
{
	int rc;

	if (strncmp(s, "now", 3) == 0)
		rc = parse_offset(s + 3, now, t_r);
	else if (when_is_relative(s))
		rc = parse_offset(s, now, t_r);
	else if (strchr(s, ':') != NULL)
		rc = parse_rfc3339(s, t_r);
	else
		rc = parse_epoch(s, t_r);
	if (rc == 0 && (t_r->us < 0 || t_r->us >= END_S * US_PER_S))
		return -1;
	return rc;
}
