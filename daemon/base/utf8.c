#include "dslat/utf8.h"

/* The lead bytes and what may follow as second byte (Unicode table 3-7); all
 * further bytes are 80..BF. */
static const struct lead {
	unsigned char first, last, second_min, second_max;
	size_t len;
} leads[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
	{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

/* How many bytes of the sequence are right, at least the lead itself. */
static size_t
good_bytes(const unsigned char *u, const struct lead *l)
{
	size_t n;

	if (u[1] < l->second_min || u[1] > l->second_max)
		return 1;
	for (n = 2; n < l->len; n++)
		if (u[n] < 0x80 || u[n] > 0xbf)
			break;
	return n;
}

size_t
utf8_next(const char *s, uint32_t *cp_r, bool *valid_r)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = 1;
	uint32_t cp = UTF8_REPLACEMENT;
	bool valid = false;

	assert(*u != 0);
	if (*u < 0x80) {
		cp = *u;
		valid = true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++) {
		const struct lead *l = &leads[i];

		if (*u < l->first || *u > l->last)
			continue;
		n = good_bytes(u, l);
		if (n < l->len)
			break;
		cp = *u & (0x7fU >> n);
		for (size_t j = 1; j < n; j++)
			cp = cp << 6 | (u[j] & 0x3f);
		valid = true;
	}
	*cp_r = cp;
	if (valid_r != NULL)
		*valid_r = valid;
	return n;
}
