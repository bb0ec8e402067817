#include "web/accept.h"

#include <string.h>

/* "0.75" in thousandths; anything odd counts as 1. */
static int
parse_q(const char *s)
{
	int q, unit = 100;

	if (*s != '0' && *s != '1')
		return 1000;
	q = (*s++ - '0') * 1000;
	if (*s != '.')
		return q;
	for (s++; *s >= '0' && *s <= '9' && unit != 0; s++, unit /= 10)
		q += (*s - '0') * unit;
	return MIN(q, 1000);
}

/* How specific an entry of len bytes is for the word: 0 (not meant) to 3. */
static int
rank(const char *entry, size_t len, const char *word)
{
	const char *slash = strchr(word, '/');
	size_t major = slash != NULL ? (size_t)(slash - word) + 1 : 0;

	if (len == strlen(word) && strncasecmp(entry, word, len) == 0)
		return 3;
	if (major != 0 && len == major + 1 && entry[major] == '*' &&
	    strncasecmp(entry, word, major) == 0)
		return 2;
	if (len == 1 && entry[0] == '*')
		return 1;
	if (len == 3 && strncmp(entry, "*/*", 3) == 0)
		return 1;
	return 0;
}

/* The q among an entry's parameters, which begin at a semicolon. */
static int
entry_q(const char *s, const char *end)
{
	while (s < end) {
		s++;
		s += strspn(s, " \t");
		if ((*s == 'q' || *s == 'Q') && s[1] == '=')
			return parse_q(s + 2);
		while (s < end && *s != ';')
			s++;
	}
	return 1000;
}

int
accept_quality(const char *list, const char *word)
{
	int best = 0, q = 0;

	while (*list != '\0') {
		const char *end, *params;
		size_t len;
		int n;

		list += strspn(list, " \t,");
		len = strcspn(list, " \t,;");
		end = list + strcspn(list, ",");
		params = list + strcspn(list, ",;");
		n = rank(list, len, word);
		if (n != 0) {
			int this_q = entry_q(params, end);

			if (n > best || (n == best && this_q > q)) {
				best = n;
				q = this_q;
			}
		}
		list = end;
	}
	return q;
}
