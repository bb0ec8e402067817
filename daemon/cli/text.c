#include "text.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "dslat/utf8.h"

/* Characters without a shape of their own that change how others look. */
static const struct {
	uint32_t first, last;
} unseen[] = {
	{ 0x00ad, 0x00ad },   /* soft hyphen */
	{ 0x061c, 0x061c },   /* Arabic letter mark */
	{ 0x180e, 0x180e },   /* Mongolian vowel separator */
	{ 0x200b, 0x200f },   /* zero width, direction marks */
	{ 0x2028, 0x202e },   /* line and paragraph ends, embeddings */
	{ 0x2060, 0x206f },   /* joiners, isolates */
	{ 0xfe00, 0xfe0f },   /* variation selectors */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xfff9, 0xfffb },   /* annotations */
	{ 0xe0000, 0xe0fff }, /* tags */
};

bool
text_init(void)
{
	bool was_utf8 = setlocale(LC_CTYPE, "") != NULL &&
		strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	/* wcwidth() needs it; without one it knows ASCII only, and everything
	 * else is escaped */
	if (!was_utf8)
		setlocale(LC_CTYPE, "C.UTF-8");
	return was_utf8;
}

static bool
is_shown(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(unseen); i++)
		if (cp >= unseen[i].first && cp <= unseen[i].last)
			return false;
	return cp < 0x7f || wcwidth((wchar_t)cp) >= 0;
}

void
text_add_safe(struct buf *b, const char *s, bool ascii)
{
	while (*s != '\0') {
		uint32_t cp;
		bool valid;
		size_t n = utf8_next(s, &cp, &valid);

		if (!valid)
			for (size_t i = 0; i < n; i++)
				buf_addf(b, "\\x%02x", (unsigned char)s[i]);
		else if (is_shown(cp) && (!ascii || cp < 0x7f))
			buf_add(b, s, n);
		else if (cp < 0x80)
			buf_addf(b, "\\x%02x", cp);
		else
			buf_addf(b, "\\u{%x}", cp);
		s += n;
	}
}

static size_t
columns_of(uint32_t cp)
{
	int w = cp < 0x7f ? 1 : wcwidth((wchar_t)cp);

	return w > 0 ? (size_t)w : 0;
}

size_t
text_width(const char *safe)
{
	size_t width = 0;
	uint32_t cp;

	while (*safe != '\0') {
		safe += utf8_next(safe, &cp, NULL);
		width += columns_of(cp);
	}
	return width;
}

size_t
text_add_cut(struct buf *b, const char *safe, size_t width, bool ascii)
{
	size_t used = 0;

	if (text_width(safe) <= width) {
		buf_adds(b, safe);
		return text_width(safe);
	}
	while (*safe != '\0' && width > 0) {
		uint32_t cp;
		size_t n = utf8_next(safe, &cp, NULL);

		if (used + columns_of(cp) > width - 1)
			break;
		buf_add(b, safe, n);
		used += columns_of(cp);
		safe += n;
	}
	if (width > 0) {
		buf_adds(b, ascii ? "~" : "\xe2\x80\xa6");
		used++;
	}
	return used;
}
