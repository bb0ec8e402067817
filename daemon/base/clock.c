#include "dslat/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t
read_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * US_PER_S + ts.tv_nsec / 1000;
}

struct now
clock_sample(void)
{
	return (struct now){
		.mono = { read_us(CLOCK_MONOTONIC) },
		.real = { read_us(CLOCK_REALTIME) },
	};
}

/* Days since 1970-01-01 of a proleptic Gregorian date (years from March, in
 * cycles of 400 years = 146,097 days). */
static int64_t
days_from_civil(int64_t y, int m, int d)
{
	int64_t era, yoe, doy;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static int
days_in_month(int y, int m)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);

	return days[m - 1] + (m == 2 && leap);
}

const char *
real_format(real_t t, char out[REAL_TEXT_SIZE])
{
	time_t s = (time_t)(t.us / US_PER_S);
	int64_t us = t.us % US_PER_S;
	struct tm tm;
	size_t n;

	if (us < 0) {
		us += US_PER_S;
		s--;
	}
	if (gmtime_r(&s, &tm) == NULL)
		memset(&tm, 0, sizeof(tm));
	/* not %Y: the C library prints the year 1 as "1" */
	n = (size_t)snprintf(out, REAL_TEXT_SIZE, "%04d", tm.tm_year + 1900);
	n += strftime(out + n, REAL_TEXT_SIZE - n, "-%m-%dT%H:%M:%S", &tm);
	if (us / US_PER_MS != 0)
		snprintf(out + n, REAL_TEXT_SIZE - n, ".%03dZ",
			 (int)(us / US_PER_MS));
	else
		snprintf(out + n, REAL_TEXT_SIZE - n, "Z");
	return out;
}

/* Exactly n digits at *s, value in *v_r; moves *s. */
static int
digits(const char **s, const char *end, int n, int *v_r)
{
	int v = 0;

	if (end - *s < n)
		return -1;
	for (int i = 0; i < n; i++, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		v = v * 10 + (**s - '0');
	}
	*v_r = v;
	return 0;
}

static int
literal(const char **s, const char *end, char c)
{
	if (*s == end || **s != c)
		return -1;
	(*s)++;
	return 0;
}

/* The digits behind the point, at least one. */
static int
fraction(const char **s, const char *end, int64_t *us_r)
{
	int64_t us = 0, unit = US_PER_S / 10;
	const char *first = *s;

	for (; *s < end && **s >= '0' && **s <= '9'; (*s)++, unit /= 10)
		us += unit * (**s - '0');
	*us_r = us;
	return *s != first ? 0 : -1;
}

static int
zone_s(const char **s, const char *end, int64_t *offset_s_r)
{
	int sign, h, m;

	*offset_s_r = 0;
	if (*s == end)
		return 0;
	if (**s == 'Z' || **s == 'z') {
		(*s)++;
		return 0;
	}
	if (**s != '+' && **s != '-')
		return -1;
	sign = *(*s)++ == '-' ? -1 : 1;
	if (digits(s, end, 2, &h) != 0 || literal(s, end, ':') != 0 ||
	    digits(s, end, 2, &m) != 0 || h > 23 || m > 59)
		return -1;
	*offset_s_r = (int64_t)sign * (h * 3600 + m * 60);
	return 0;
}

int
real_parse(const char *s, size_t len, real_t *t_r)
{
	const char *end = s + len;
	int y, mo, d, h, mi, sec;
	int64_t us = 0, offset_s, day_s;

	if (digits(&s, end, 4, &y) != 0 || literal(&s, end, '-') != 0 ||
	    digits(&s, end, 2, &mo) != 0 || literal(&s, end, '-') != 0 ||
	    digits(&s, end, 2, &d) != 0 || s == end ||
	    (*s != 'T' && *s != 't' && *s != ' '))
		return -1;
	s++;
	if (digits(&s, end, 2, &h) != 0 || literal(&s, end, ':') != 0 ||
	    digits(&s, end, 2, &mi) != 0 || literal(&s, end, ':') != 0 ||
	    digits(&s, end, 2, &sec) != 0)
		return -1;
	if (literal(&s, end, '.') == 0 && fraction(&s, end, &us) != 0)
		return -1;
	if (zone_s(&s, end, &offset_s) != 0 || s != end)
		return -1;
	if (mo < 1 || mo > 12 || d < 1 || d > days_in_month(y, mo) || h > 24 ||
	    mi > 59 || sec > 60 || (h == 24 && (mi != 0 || sec != 0)))
		return -1;
	day_s = h * 3600 + mi * 60 + sec - offset_s;
	t_r->us = (days_from_civil(y, mo, d) * 86400 + day_s) * US_PER_S + us;
	return 0;
}
