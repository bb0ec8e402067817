#include "web/uri.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/buf.h"
#include "dslat/mem.h"
#include "dslat/utf8.h"

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int
check_utf8(const char *s, struct err *e)
{
	while (*s != '\0') {
		uint32_t cp;
		bool valid;

		s += utf8_next(s, &cp, &valid);
		if (!valid)
			return err_set(e, ERR_PROTO,
				       "the address is not UTF-8");
	}
	return 0;
}

/* Decode one NUL-terminated piece in place. */
static int
decode(char *s, bool plus_is_space, struct err *e)
{
	const char *piece = s;
	char *out = s;

	for (; *s != '\0'; s++) {
		int high, low;

		if (*s == '+' && plus_is_space) {
			*out++ = ' ';
			continue;
		}
		if (*s != '%') {
			*out++ = *s;
			continue;
		}
		high = hex_digit(s[1]);
		low = high < 0 ? -1 : hex_digit(s[2]);
		if (low < 0)
			return err_set(
				e, ERR_PROTO,
				"a %% in the address must be followed by "
				"two hexadecimal digits; write a percent "
				"sign as %%25");
		if (high == 0 && low == 0)
			return err_set(e, ERR_PROTO,
				       "%%00 has no place in an address");
		*out++ = (char)(high << 4 | low);
		s += 2;
	}
	*out = '\0';
	return check_utf8(piece, e);
}

/* Cut s at the next character of the set; NULL when there is none. */
static char *
cut(char *s, char at)
{
	char *end = strchr(s, at);

	if (end != NULL)
		*end++ = '\0';
	return end;
}

static int
parse_path(struct uri *u, char *path, struct err *e)
{
	if (*path == '\0')
		return 0; /* "/" */
	for (char *next; path != NULL; path = next) {
		next = cut(path, '/');
		if (u->n_segments == URI_MAX_SEGMENTS)
			return err_set(e, ERR_LIMIT,
				       "the path has more than %d segments",
				       URI_MAX_SEGMENTS);
		if (decode(path, false, e) != 0)
			return -1;
		u->segments[u->n_segments++] = path;
	}
	return 0;
}

static int
parse_query(struct uri *u, char *query, struct err *e)
{
	static char nothing[] = "";

	for (char *next, *value; query != NULL; query = next) {
		next = cut(query, '&');
		if (*query == '\0')
			continue; /* "a=1&&b=2", or a final & */
		if (u->n_params == URI_MAX_PARAMS)
			return err_set(e, ERR_LIMIT,
				       "the query has more than %d parameters",
				       URI_MAX_PARAMS);
		value = cut(query, '=');
		if (value == NULL)
			value = nothing;
		if (decode(query, true, e) != 0 || decode(value, true, e) != 0)
			return -1;
		u->params[u->n_params++] = (struct uri_param){ query, value };
	}
	return 0;
}

/* Behind the authority of an absolute form, else s itself. */
static char *
skip_authority(char *s)
{
	char *end;

	if (strncasecmp(s, "http://", 7) == 0)
		s += 7;
	else if (strncasecmp(s, "https://", 8) == 0)
		s += 8;
	else
		return s;
	end = s + strcspn(s, "/?");
	if (*end == '/')
		return end;
	/* "http://host?q" means "/?q": make room over the authority. */
	*--end = '/';
	return end;
}

int
uri_parse(struct uri *u, const char *raw, struct err *e)
{
	char *path, *query;

	*u = (struct uri){ .text = xstrdup(raw) };
	for (const char *s = raw; *s != '\0'; s++)
		if ((unsigned char)*s <= 0x20 || *s == 0x7f)
			return err_set(e, ERR_PROTO,
				       "the address holds a control character "
				       "or a space");
	if (strcmp(raw, "*") == 0) {
		u->asterisk = true;
		return 0;
	}
	path = skip_authority(u->text);
	if (*path != '/')
		return err_set(e, ERR_PROTO,
			       "the address does not begin with /");
	query = cut(++path, '?');
	if (parse_path(u, path, e) != 0)
		return -1;
	return query != NULL ? parse_query(u, query, e) : 0;
}

void
uri_fini(struct uri *u)
{
	free(u->text);
	*u = (struct uri){ 0 };
}

const char *
uri_param(const struct uri *u, const char *name)
{
	for (size_t i = 0; i < u->n_params; i++)
		if (strcmp(u->params[i].name, name) == 0)
			return u->params[i].value;
	return NULL;
}

int
uri_add_escaped(struct buf *b, const char *piece)
{
	static const char unreserved[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz"
		"0123456789-._~";

	for (; *piece != '\0'; piece++) {
		if (strchr(unreserved, *piece) != NULL)
			buf_addc(b, *piece);
		else
			buf_addf(b, "%%%02X", (unsigned char)*piece);
	}
	return b->full ? -1 : 0;
}
