/*
 * term.h - what standard output is, and how to mark text there.
 *
 * On a terminal: its width, and colours unless NO_COLOR is set or TERM is
 * "dumb".  In a pipe or file: no limit, no colour, UTF-8 as it is.
 */
#ifndef DSLAT_TERM_H
#define DSLAT_TERM_H

#include "dslat/base.h"

struct term {
	bool color;
	bool ascii;   /* a terminal that does not show UTF-8 */
	size_t width; /* columns; 0: no limit */
};

/* Meaning, never a colour alone: words say the same. */
enum style {
	STYLE_PLAIN,
	STYLE_HEAD,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_FAINT
};

/* COLUMNS of the environment wins over the terminal's own width. */
struct term term_of_stdout(void);
/* The sequences around text of that style; "" without colour. */
const char *term_on(const struct term *t, enum style s);
const char *term_off(const struct term *t, enum style s);

#endif
