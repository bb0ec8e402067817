#include <stdarg.h>

#include "cli.h"
#include "text.h"

#define LINE_BYTES 65536
#define ANSWER_BYTES ((size_t)64 << 20)

static void printf_like(3, 0)
	say(FILE *out, bool ascii, const char *fmt, va_list ap)
{
	char text[LINE_BYTES];
	struct buf safe;

	vsnprintf(text, sizeof(text), fmt, ap);
	buf_init(&safe, (size_t)LINE_BYTES * 10);
	text_add_safe(&safe, text, ascii);
	fprintf(out, "%s\n", buf_str(&safe));
	buf_fini(&safe);
}

void
cli_say(const struct cli *c, FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(out, c->term.ascii, fmt, ap);
	va_end(ap);
}

int
cli_fail(const struct cli *c, const struct err *e)
{
	cli_say(c, stderr, "dslat: %s", e->text);
	return e->code == ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

int
cli_usage(const struct cli *c, const char *fmt, ...)
{
	struct err e = { .code = ERR_USAGE };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	return cli_fail(c, &e);
}

void
cli_say_partial(const struct cli *c, const json_t *v)
{
	const char *why = js_text(v, "partial");

	if (*why != '\0')
		cli_say(c, stderr, "dslat: not all of it: %s", why);
}

int
cli_pass(struct cli *c, const char *path)
{
	int status = CLI_OK;
	struct buf body;
	struct err e;

	buf_init(&body, ANSWER_BYTES);
	if (api_get(c->api, path, &body, &e) != 0)
		status = cli_fail(c, &e);
	else
		fwrite(buf_str(&body), 1, body.len, stdout);
	buf_fini(&body);
	return status;
}

int
cli_print_json(json_t *v)
{
	struct buf b;

	buf_init(&b, ANSWER_BYTES);
	json_append(&b, v);
	json_decref(v);
	puts(buf_str(&b));
	buf_fini(&b);
	return CLI_OK;
}
