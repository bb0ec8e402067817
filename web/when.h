/*
 * when.h - points of time as people write them into an address.
 *
 * RFC 3339 ("2026-11-30T12:00:00Z"; a + of the zone may arrive as a space),
 * seconds since 1970 ("1796040000", "1796040000.5"), milliseconds when there
 * are 12 digits or more, or relative to now: "now", "now-1h", "-90s",
 * "-1h30m" with the units s m h d w.  Pure; any thread.
 */
#ifndef DSLAT_WHEN_H
#define DSLAT_WHEN_H

#include "dslat/clock.h"

/* 0, or -1 when it is none of these or outside 1970-9999. */
int when_parse(const char *s, real_t now, real_t *t_r) must_check;

/* "now-1h", "-90s": does it move with the clock? */
bool when_is_relative(const char *s);

#endif
