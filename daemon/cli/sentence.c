#include "sentence.h"

#include <string.h>

#define API "/api/v1/"
#define SILENCES "silences" /* the one whose command is called otherwise */
#define LETTERS "abcdefghijklmnopqrstuvwxyz"

/* "a_from=" or "from=x", behind it; NULL: s is no parameter. */
static const char *
add_parameter(struct buf *b, const char *s)
{
	size_t n = strspn(s, LETTERS "_");

	if (n == 0 || s[n] != '=')
		return NULL;
	buf_adds(b, "--");
	for (size_t i = 0; i < n; i++)
		if (s[i] == '_')
			buf_addc(b, '-');
		else
			buf_addc(b, s[i]);
	s += n + 1;
	if (*s == ' ' || *s == '\0')
		return s;
	buf_addc(b, ' ');
	n = strcspn(s, " "); /* its value, whatever that is */
	buf_add(b, s, n);
	return s + n;
}

/* "/api/v1/status", behind it; NULL: s is no path, or one of no command. */
static const char *
add_path(struct buf *b, const char *s)
{
	size_t n;

	if (strncmp(s, API, strlen(API)) != 0)
		return NULL;
	s += strlen(API);
	n = strspn(s, LETTERS);
	if (s[n] != ' ' && s[n] != '\0')
		return NULL;
	buf_adds(b, "\"dslat ");
	if (n == strlen(SILENCES) && strncmp(s, SILENCES, n) == 0)
		buf_adds(b, "silence list");
	else
		buf_add(b, s, n);
	buf_addc(b, '"');
	return s + n;
}

void
sentence_add(struct buf *b, const char *s)
{
	bool quoted = false, word = true; /* a word begins here */

	while (*s != '\0') {
		const char *next = NULL;

		if (word && !quoted)
			next = add_parameter(b, s);
		if (word && !quoted && next == NULL)
			next = add_path(b, s);
		if (next == NULL) {
			quoted ^= *s == '"';
			buf_addc(b, *s);
			next = s + 1;
		}
		word = next[-1] == ' ' || next[-1] == '(';
		s = next;
	}
}
