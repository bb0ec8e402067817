#include "strings.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

void
strings_add(struct strings *s, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], text) == 0)
			return;
	s->v = xgrow(s->v, s->n, sizeof(*s->v));
	s->v[s->n++] = xstrdup(text);
}

void
strings_add_all(struct strings *s, const struct strings *more)
{
	for (size_t i = 0; i < more->n; i++)
		strings_add(s, more->v[i]);
}

void
strings_fini(struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct strings){ 0 };
}

void
strings_join(const struct strings *s, struct buf *b, const char *between,
	     size_t max)
{
	for (size_t i = 0; i < s->n; i++) {
		if (i != 0)
			buf_adds(b, between);
		buf_adds(b, i < max ? s->v[i] : "...");
		if (i == max)
			break;
	}
}
