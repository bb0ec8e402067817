/*
 * text.h - text of other machines, made fit for a terminal.
 *
 * Names may hold escape sequences, line ends, marks that reverse the direction
 * of writing, or bytes that are no text: all of them are shown as \x1b,
 * \u{202e}, never sent.  Widths are columns of a terminal: some characters
 * take two, some none.  text_init() once, before all others.
 */
#ifndef DSLAT_TEXT_H
#define DSLAT_TEXT_H

#include "dslat/buf.h"

/* Sets LC_CTYPE of the process to UTF-8; true if it was UTF-8 before, that is
 * if the user's terminal shows it. */
bool text_init(void);

/* ascii: all that is not ASCII is shown as \u{...} as well. */
void text_add_safe(struct buf *b, const char *s, bool ascii);

/* Columns that safe text takes. */
size_t text_width(const char *safe);

/* As much of safe text as fits into `width` columns, with a mark at its end if
 * it was cut.  Returns the columns used. */
size_t text_add_cut(struct buf *b, const char *safe, size_t width, bool ascii);

#endif
