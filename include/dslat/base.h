/*
 * base.h - compiler attributes and the few macros every module uses.
 *
 * No state, no units, usable from any thread.
 */
#ifndef DSLAT_BASE_H
#define DSLAT_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef NDEBUG
#error "dslat relies on its assertions: do not define NDEBUG"
#endif

/* The result must be looked at: every function that can fail carries it. */
#define must_check __attribute__((warn_unused_result))
/* Argument numbers of the format and of its first variadic argument. */
#define printf_like(fmt, args) __attribute__((format(printf, fmt, args)))
#define unused __attribute__((unused))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Objects that travel through a void pointer (curl private data, MHD closures,
 * timers) start with `uint32_t magic` and are recovered with OBJ_CAST, so that
 * a wrong closure stops the program at the line that is wrong.
 */
#define OBJ_MAGIC(a, b, c, d)                                                  \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 |      \
	 (uint32_t)(d))

static inline void *
obj_cast(void *p, uint32_t magic)
{
	assert(p != NULL && *(uint32_t *)p == magic);
	return p;
}

#define OBJ_CAST(type, magic, p) ((type *)obj_cast((p), (magic)))

#endif
