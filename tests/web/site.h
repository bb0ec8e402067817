/*
 * site.h - a small site whose every value is known.
 *
 * One target "lab", three hosts, four datastores (nfs3, iscsi, nfs41, vsan)
 * with names and ids full of traps, and 180 slots of values from the formulas
 * in site.c.  tests/web/expect.py has the same formulas and does the
 * arithmetic of design section 4 on them by itself.  The loop thread.
 */
#ifndef DSLAT_SITE_H
#define DSLAT_SITE_H

#include "dslat/model.h"

#define SITE_T0_S INT64_C(1796040000) /* 2026-11-30T12:00:00Z, slot 179's end */
#define SITE_SLOTS 180

/* An empty site at T0 with built-in thresholds.  rules must outlive it. */
struct site *test_site_new(struct threshold_rules *rules);
/* Target "lab" with its inventory, and slots 0..179 polled. */
void test_site_fill(struct site *site);
/* Poll slot k (180 ends 20 s after T0) of all hosts and tell the bus. */
void test_site_poll(struct site *site, int64_t k);
/* Target "big" with this many hosts and datastores, every pair with a full
 * ring of values. */
void test_site_big(struct site *site, size_t n_hosts, size_t n_datastores);

#endif
