/*
 * log.h - one line per event on stderr, with a syslog priority prefix.
 *
 * "<4>vsphere: target=lab poll failed: ...; retry in 40 s".  journald keeps
 * time, rotation and rate.  Levels: err = a person must act, warn = degraded
 * and self-healing, info = start, stop, reload and changes of state, debug =
 * per subsystem, off unless asked.  Core and decoders do not log.  Values from
 * the network are printed with control characters replaced, so a name cannot
 * forge a line.  Any thread.
 */
#ifndef DSLAT_LOG_H
#define DSLAT_LOG_H

#include "dslat/base.h"

enum log_level {
	LOG_LVL_ERR = 3,
	LOG_LVL_WARN = 4,
	LOG_LVL_INFO = 6,
	LOG_LVL_DEBUG = 7
};

void log_msg(enum log_level level, const char *subsystem, const char *fmt, ...)
	printf_like(3, 4);

#define log_err(sub, ...) log_msg(LOG_LVL_ERR, sub, __VA_ARGS__)
#define log_warn(sub, ...) log_msg(LOG_LVL_WARN, sub, __VA_ARGS__)
#define log_info(sub, ...) log_msg(LOG_LVL_INFO, sub, __VA_ARGS__)
#define log_debug(sub, ...) log_msg(LOG_LVL_DEBUG, sub, __VA_ARGS__)

/* Print messages up to this level; INFO at the start. */
void log_set_level(enum log_level level);
/* True: the prefix "<4>" for journald; false: none, for a person's terminal. */
void log_set_prefix(bool on);

/* Tests and fuzzers take the lines instead of stderr; NULL restores it. */
typedef void (*log_sink_fn)(void *arg, enum log_level level,
			    const char *subsystem, const char *text);
void log_set_sink(log_sink_fn fn, void *arg);

#endif
