/*
 * table.h - rows of text in columns that fit the terminal.
 *
 * Numbers stand on the right of their column.  When the terminal is too narrow,
 * `flexible` columns are cut, down to a length at which names can be told
 * apart; then the column with the highest `rank` is left out, and so on.  A
 * last line says how many are missing.  Cells are made safe here (text.h).
 */
#ifndef DSLAT_TABLE_H
#define DSLAT_TABLE_H

#include <stdio.h>

#include "dslat/base.h"
#include "term.h"

struct column {
	const char *head;
	bool right;
	bool flexible; /* may be cut */
	int rank;      /* 0: always there */
};

struct table;

/* columns is borrowed until table_free(). */
struct table *table_new(const struct column *columns, size_t n) must_check;
void table_free(struct table **t);

/* Begin a row, then add its cells from left to right; NULL is "-". */
void table_row(struct table *t);
void table_cell(struct table *t, enum style style, const char *text);
void table_cellf(struct table *t, enum style style, const char *fmt, ...)
	printf_like(3, 4);
/* The column is empty in every row: leave it out. */
void table_hide(struct table *t, size_t column);

void table_print(const struct table *t, const struct term *term, FILE *out);

#endif
