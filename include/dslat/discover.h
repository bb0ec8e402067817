/*
 * discover.h - what a target answers, written down for a bug report.
 *
 * Logs in, reads what a poll reads (service content, counters, inventory, one
 * QueryPerf), writes every answer as it came but for names, addresses and
 * identifiers, which become pseudonyms, and logs out.  The login's own answer
 * is left out.  Runs the loop by itself until it is done.
 */
#ifndef DSLAT_DISCOVER_H
#define DSLAT_DISCOVER_H

#include "dslat/conf.h"
#include "dslat/loop.h"

typedef void (*discover_write_fn)(void *arg, const char *text, size_t len);

/* 0, or -1 and *e when it broke off: what came before was written. */
int discover_run(struct loop *l, const struct conf_target *conf,
		 discover_write_fn write, void *arg, struct err *e) must_check;

#endif
