#include "web/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#define BYTES_MAX 4096

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	"abcdefghijklmnopqrstuvwxyz0123456789-_";

static void
join(struct buf *b, const char *const part[CURSOR_PARTS])
{
	buf_init(b, BYTES_MAX);
	for (size_t i = 0; i < CURSOR_PARTS; i++)
		buf_add(b, part[i], strlen(part[i]) + 1);
}

/* The parts of bytes that must be exactly as many strings. */
static int
split(struct cursor *c, size_t len)
{
	const char *s = c->bytes, *end = s + len;

	for (size_t i = 0; i < CURSOR_PARTS; i++) {
		size_t n = strnlen(s, (size_t)(end - s));

		if (s + n == end)
			return -1; /* no NUL */
		c->part[i] = s;
		s += n + 1;
	}
	return s == end ? 0 : -1;
}

int
cursor_append(struct buf *b, const char *const part[CURSOR_PARTS])
{
	uint32_t bits = 0;
	unsigned n = 0;
	struct buf bytes;

	join(&bytes, part);
	for (size_t i = 0; i < bytes.len; i++) {
		bits = bits << 8 | (unsigned char)bytes.data[i];
		for (n += 8; n >= 6; n -= 6)
			buf_addc(b, digits[bits >> (n - 6) & 63]);
	}
	if (n != 0)
		buf_addc(b, digits[bits << (6 - n) & 63]);
	buf_fini(&bytes);
	return b->full ? -1 : 0;
}

int
cursor_parse(struct cursor *c, const char *text)
{
	size_t len = strlen(text), used = 0;
	uint32_t bits = 0;
	unsigned n = 0;

	*c = (struct cursor){ 0 };
	if (len > BYTES_MAX)
		return -1;
	c->bytes = xmalloc(len + 1);
	for (; *text != '\0'; text++) {
		const char *digit = strchr(digits, *text);

		if (digit == NULL)
			return -1;
		bits = bits << 6 | (uint32_t)(digit - digits);
		n += 6;
		if (n < 8)
			continue;
		n -= 8;
		c->bytes[used++] = (char)(bits >> n);
	}
	return split(c, used);
}

void
cursor_set(struct cursor *c, const char *const part[CURSOR_PARTS])
{
	struct buf bytes;
	size_t len;

	join(&bytes, part);
	cursor_fini(c);
	len = bytes.len;
	c->bytes = buf_take(&bytes);
	if (split(c, len) != 0)
		cursor_fini(c); /* longer than any key: begin anew */
}

void
cursor_fini(struct cursor *c)
{
	free(c->bytes);
	*c = (struct cursor){ 0 };
}

int
cursor_compare(const char *const part[CURSOR_PARTS], const struct cursor *c)
{
	for (size_t i = 0; i < CURSOR_PARTS; i++) {
		int d = strcmp(part[i], c->part[i]);

		if (d != 0)
			return d;
	}
	return 0;
}
