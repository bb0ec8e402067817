#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text.h"

#define MIN_WIDTH 20

static size_t
columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize w;
	unsigned long n = 0;

	if (text != NULL)
		n = strtoul(text, NULL, 10);
	if (n == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
		n = w.ws_col;
	if (n == 0)
		n = 80;
	return MAX(MIN(n, 1000), MIN_WIDTH);
}

struct term
term_of_stdout(void)
{
	const char *no_color = getenv("NO_COLOR"), *type = getenv("TERM");
	bool shows_utf8 = text_init();
	struct term t = { .width = 0 };

	if (!isatty(STDOUT_FILENO))
		return t;
	t.width = columns();
	t.ascii = !shows_utf8;
	t.color = (no_color == NULL || *no_color == '\0') && type != NULL &&
		strcmp(type, "dumb") != 0;
	return t;
}

const char *
term_on(const struct term *t, enum style s)
{
	static const char *const on[] = {
		[STYLE_PLAIN] = "",         [STYLE_HEAD] = "\x1b[1m",
		[STYLE_GOOD] = "\x1b[32m",  [STYLE_WARN] = "\x1b[33m",
		[STYLE_BAD] = "\x1b[1;31m", [STYLE_FAINT] = "\x1b[2m",
	};

	return t->color ? on[s] : "";
}

const char *
term_off(const struct term *t, enum style s)
{
	return t->color && s != STYLE_PLAIN ? "\x1b[0m" : "";
}
