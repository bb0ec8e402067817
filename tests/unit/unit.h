/*
 * unit.h - cmocka and the headers it wants before it.
 *
 * Included by the tests of tests/unit only.  A case in a table is one row; the
 * row's name goes to print_message() before its asserts, so that a failure
 * names it.
 */
#ifndef DSLAT_UNIT_H
#define DSLAT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
