#include "dslat/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

void
buf_init(struct buf *b, size_t max_bytes)
{
	*b = (struct buf){ .max = max_bytes };
}

void
buf_fini(struct buf *b)
{
	free(b->data);
	buf_init(b, b->max);
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
	b->full = false;
	if (b->data != NULL)
		b->data[0] = '\0';
}

/* Room for n more bytes and the NUL, or -1 at the ceiling. */
static int
reserve(struct buf *b, size_t n)
{
	size_t room = b->room != 0 ? b->room : 256;

	if (b->full || n > b->max - b->len) {
		b->full = true;
		return -1;
	}
	while (room < b->len + n + 1)
		room *= 2;
	if (room != b->room) {
		b->data = xreallocarray(b->data, room, 1);
		b->room = room;
	}
	return 0;
}

int
buf_add(struct buf *b, const void *data, size_t len_bytes)
{
	if (reserve(b, len_bytes) != 0)
		return -1;
	if (len_bytes != 0)
		memcpy(b->data + b->len, data, len_bytes);
	b->len += len_bytes;
	b->data[b->len] = '\0';
	return 0;
}

int
buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int
buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int
buf_addf(struct buf *b, const char *fmt, ...)
{
	char small[256], *large = NULL;
	va_list ap;
	int n, rc;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	assert(n >= 0);
	if ((size_t)n >= sizeof(small)) {
		large = xmalloc((size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(large, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	rc = buf_add(b, large != NULL ? large : small, (size_t)n);
	free(large);
	return rc;
}

int
buf_add_xml(struct buf *b, const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		switch (c) {
		case '&':
			buf_adds(b, "&amp;");
			break;
		case '<':
			buf_adds(b, "&lt;");
			break;
		case '>':
			buf_adds(b, "&gt;");
			break;
		case '"':
			buf_adds(b, "&quot;");
			break;
		case '\'':
			buf_adds(b, "&apos;");
			break;
		case '\t':
		case '\n':
		case '\r':
			buf_addf(b, "&#%d;", c);
			break;
		default: /* other control characters do not exist in XML 1.0 */
			if (c >= 0x20)
				buf_addc(b, (char)c);
		}
	}
	return b->full ? -1 : 0;
}

const char *
buf_str(const struct buf *b)
{
	return b->data != NULL ? b->data : "";
}

char *
buf_take(struct buf *b)
{
	char *s = b->data != NULL ? b->data : xstrdup("");

	buf_init(b, b->max);
	return s;
}
