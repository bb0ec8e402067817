#include "dslat/faults.h"

#include <stdarg.h>
#include <stdlib.h>

#include "dslat/mem.h"

#define LINE_MAX_BYTES 8192

static void add(struct faults *f, struct mark at, bool is_warning,
		const char *fmt, va_list ap) printf_like(4, 0);

void
faults_init(struct faults *f, const char *path)
{
	*f = (struct faults){ .path = path };
}

void
faults_fini(struct faults *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].text);
	free(f->v);
	faults_init(f, f->path);
}

static void
add(struct faults *f, struct mark at, bool is_warning, const char *fmt,
    va_list ap)
{
	if (!is_warning)
		f->n_errors++;
	if (f->n == FAULTS_MAX) {
		f->n_dropped++;
		return;
	}
	f->v = xreallocarray(f->v, f->n + 1, sizeof(*f->v));
	f->v[f->n++] = (struct fault){
		.at = at,
		.is_warning = is_warning,
		.text = xvasprintf(fmt, ap),
	};
}

void
fault_add(struct faults *f, struct mark at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(f, at, false, fmt, ap);
	va_end(ap);
}

void
fault_warn(struct faults *f, struct mark at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(f, at, true, fmt, ap);
	va_end(ap);
}

/* Insertion sort: stable, and the list is short and almost sorted. */
static void
sort(struct faults *f)
{
	for (size_t i = 1; i < f->n; i++) {
		struct fault one = f->v[i];
		size_t j = i;

		for (; j > 0; j--) {
			const struct mark *prev = &f->v[j - 1].at;

			if (prev->line < one.at.line ||
			    (prev->line == one.at.line &&
			     prev->column <= one.at.column))
				break;
			f->v[j] = f->v[j - 1];
		}
		f->v[j] = one;
	}
}

/* Names and values in a text may hold anything; a line stays a line. */
static void
add_line(struct buf *out, const struct faults *f, const struct fault *one)
{
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	buf_adds(&line, f->path);
	if (one->at.line > 0)
		buf_addf(&line, ":%d:%d", one->at.line, one->at.column);
	buf_addf(&line, ": %s%s", one->is_warning ? "warning: " : "",
		 one->text);
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.data[i] < ' ' || line.data[i] == 0x7f)
			line.data[i] = '?';
	buf_adds(out, buf_str(&line));
	buf_fini(&line);
}

void
faults_print(struct faults *f, struct buf *out)
{
	sort(f);
	for (size_t i = 0; i < f->n; i++) {
		add_line(out, f, &f->v[i]);
		buf_addc(out, '\n');
	}
	if (f->n_dropped != 0)
		buf_addf(out, "%s: %zu more not shown\n", f->path,
			 f->n_dropped);
}

int
faults_result(struct faults *f, struct err *e)
{
	const struct fault *first = NULL;
	struct buf line;

	if (f->n_errors == 0)
		return 0;
	sort(f);
	for (size_t i = 0; i < f->n && first == NULL; i++)
		if (!f->v[i].is_warning)
			first = &f->v[i];
	buf_init(&line, LINE_MAX_BYTES);
	if (first != NULL)
		add_line(&line, f, first);
	if (f->n_errors == 1)
		err_set(e, ERR_CONF, "%s", buf_str(&line));
	else
		err_set(e, ERR_CONF, "%zu faults, the first: %s", f->n_errors,
			buf_str(&line));
	buf_fini(&line);
	return -1;
}
