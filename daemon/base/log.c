#include "dslat/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int max_level = LOG_LVL_INFO;
static atomic_bool with_prefix;
static log_sink_fn sink;
static void *sink_arg;

void
log_set_level(enum log_level level)
{
	max_level = (int)level;
}

void
log_set_prefix(bool on)
{
	with_prefix = on;
}

void
log_set_sink(log_sink_fn fn, void *arg)
{
	sink = fn;
	sink_arg = arg;
}

static const char *
level_word(enum log_level level)
{
	switch (level) {
	case LOG_LVL_ERR:
		return "error: ";
	case LOG_LVL_WARN:
		return "warning: ";
	case LOG_LVL_DEBUG:
		return "debug: ";
	case LOG_LVL_INFO:
		break;
	}
	return "";
}

void
log_msg(enum log_level level, const char *subsystem, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if ((int)level > max_level)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	if (sink != NULL)
		sink(sink_arg, level, subsystem, text);
	else if (with_prefix)
		fprintf(stderr, "<%d>%s: %s\n", (int)level, subsystem, text);
	else
		fprintf(stderr, "%s%s: %s\n", level_word(level), subsystem,
			text);
}
