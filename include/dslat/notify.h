/*
 * notify.h - tell systemd how the service is: sd_notify(3) without libsystemd.
 *
 * The protocol is one datagram of "NAME=value" lines to $NOTIFY_SOCKET.  Every
 * function does nothing when that is not set.  While the object exists and the
 * loop turns, WATCHDOG=1 is sent at half of $WATCHDOG_USEC: a loop that hangs
 * is restarted.  Loop thread only.
 */
#ifndef DSLAT_NOTIFY_H
#define DSLAT_NOTIFY_H

#include "dslat/loop.h"

struct notify;

/* Takes the variables out of the environment: child processes have no business
 * with them. */
struct notify *notify_new(struct loop *l) must_check;
/* Before the loop. */
void notify_free(struct notify **n);

/* Serving, after the start and again after a reload. */
void notify_ready(struct notify *n);
void notify_reloading(struct notify *n);
void notify_stopping(struct notify *n);
/* One line for `systemctl status`; control characters are replaced. */
void notify_status(struct notify *n, const char *fmt, ...) printf_like(2, 3);

#endif
