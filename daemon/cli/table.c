#include "table.h"

#include <stdarg.h>
#include <stdlib.h>

#include "dslat/buf.h"
#include "dslat/mem.h"
#include "text.h"

#define CELL_BYTES ((size_t)4096)
#define GAP 2       /* between columns */
#define MIN_FLEX 16 /* a name is not cut below this */
#define MAX_COLUMNS 32

struct cell {
	char *text; /* as given; owned */
	enum style style;
};

struct table {
	const struct column *columns;
	size_t n_columns;
	bool hidden[MAX_COLUMNS];
	struct cell *cells; /* row after row, the heads first */
	size_t n_cells, room;
};

struct table *
table_new(const struct column *columns, size_t n)
{
	struct table *t = xcalloc(1, sizeof(*t));

	assert(n > 0 && n <= MAX_COLUMNS);
	t->columns = columns;
	t->n_columns = n;
	for (size_t i = 0; i < n; i++)
		table_cell(t, STYLE_HEAD, columns[i].head);
	return t;
}

void
table_free(struct table **tp)
{
	struct table *t = *tp;

	if (t == NULL)
		return;
	*tp = NULL;
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i].text);
	free(t->cells);
	free(t);
}

void
table_row(struct table *t)
{
	assert(t->n_cells % t->n_columns == 0); /* the last one is complete */
}

void
table_cell(struct table *t, enum style style, const char *text)
{
	if (t->n_cells == t->room) {
		t->room = t->room != 0 ? t->room * 2 : 256;
		t->cells = xreallocarray(t->cells, t->room, sizeof(*t->cells));
	}
	t->cells[t->n_cells++] = (struct cell){
		.text = xstrdup(text != NULL ? text : "-"),
		.style = style,
	};
}

void
table_cellf(struct table *t, enum style style, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	table_cell(t, style, text);
}

void
table_hide(struct table *t, size_t column)
{
	t->hidden[column] = true;
}

/* What the columns of a table come to on a terminal. */
struct layout {
	size_t width[MAX_COLUMNS];
	bool hidden[MAX_COLUMNS];
	size_t dropped; /* columns left out for want of room */
};

static size_t
total_width(const struct table *t, const struct layout *l)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		if (!l->hidden[i])
			sum += l->width[i] + (sum != 0 ? GAP : 0);
	return sum;
}

static bool
drop_one(const struct table *t, struct layout *l)
{
	size_t worst = t->n_columns;

	for (size_t i = 0; i < t->n_columns; i++)
		if (!l->hidden[i] && t->columns[i].rank > 0 &&
		    (worst == t->n_columns ||
		     t->columns[i].rank >= t->columns[worst].rank))
			worst = i;
	if (worst == t->n_columns)
		return false;
	l->hidden[worst] = true;
	l->dropped++;
	return true;
}

/* Take one column of the terminal from the widest flexible column. */
static bool
shrink_one(const struct table *t, struct layout *l)
{
	size_t widest = t->n_columns;

	for (size_t i = 0; i < t->n_columns; i++)
		if (!l->hidden[i] && t->columns[i].flexible &&
		    l->width[i] > MIN_FLEX &&
		    (widest == t->n_columns || l->width[i] > l->width[widest]))
			widest = i;
	if (widest == t->n_columns)
		return false;
	l->width[widest]--;
	return true;
}

static void
fit(const struct table *t, struct layout *l, size_t width)
{
	for (;;) {
		struct layout cut = *l;

		while (total_width(t, &cut) > width && shrink_one(t, &cut))
			;
		if (total_width(t, &cut) <= width || !drop_one(t, l)) {
			*l = cut; /* too narrow for all: lines will wrap */
			return;
		}
	}
}

static struct layout
lay_out(const struct table *t, const struct term *term)
{
	struct layout l = { .dropped = 0 };
	struct buf b;

	assert(t->n_columns > 0);
	buf_init(&b, CELL_BYTES);
	for (size_t i = 0; i < t->n_columns; i++)
		l.hidden[i] = t->hidden[i];
	for (size_t i = 0; i < t->n_cells; i++) {
		size_t *w = &l.width[i % t->n_columns], n;

		buf_reset(&b);
		text_add_safe(&b, t->cells[i].text, term->ascii);
		n = text_width(buf_str(&b));
		*w = MAX(*w, n);
	}
	buf_fini(&b);
	if (term->width != 0)
		fit(t, &l, term->width);
	return l;
}

/* The cell, filled up to its column's width; without spaces at a line's end. */
static void
add_cell(struct buf *line, const struct cell *cell, size_t width, bool right,
	 const struct term *term)
{
	struct buf safe, text;
	size_t pad;

	buf_init(&safe, CELL_BYTES);
	buf_init(&text, CELL_BYTES);
	text_add_safe(&safe, cell->text, term->ascii);
	pad = width - text_add_cut(&text, buf_str(&safe), width, term->ascii);
	if (right)
		buf_addf(line, "%*s", (int)pad, "");
	buf_addf(line, "%s%s%s", term_on(term, cell->style), buf_str(&text),
		 term_off(term, cell->style));
	if (!right)
		buf_addf(line, "%*s", (int)pad, "");
	buf_fini(&safe);
	buf_fini(&text);
}

static void
print_line(const struct table *t, const struct layout *l,
	   const struct cell *cells, const struct term *term, FILE *out)
{
	struct buf line;

	buf_init(&line, CELL_BYTES * MAX_COLUMNS);
	for (size_t i = 0; i < t->n_columns; i++) {
		if (l->hidden[i])
			continue;
		if (line.len != 0)
			buf_addf(&line, "%*s", GAP, "");
		add_cell(&line, &cells[i], l->width[i], t->columns[i].right,
			 term);
	}
	while (line.len > 0 && line.data[line.len - 1] == ' ')
		line.data[--line.len] = '\0';
	fprintf(out, "%s\n", buf_str(&line));
	buf_fini(&line);
}

void
table_print(const struct table *t, const struct term *term, FILE *out)
{
	struct layout l = lay_out(t, term);

	assert(t->n_cells % t->n_columns == 0);
	for (size_t i = 0; i < t->n_cells; i += t->n_columns)
		print_line(t, &l, &t->cells[i], term, out);
	if (l.dropped != 0)
		fprintf(out,
			"(%zu more column%s in a wider terminal, or with"
			" --json)\n",
			l.dropped, l.dropped == 1 ? "" : "s");
}
