/*
 * map.h - a hash map from strings to pointers.
 *
 * Keys are copied; values are borrowed (the caller frees them).  Iteration
 * order is the order of insertion, so output is stable; deletion keeps the
 * order of the rest.  Not safe to change while iterating, except by deleting
 * the current key.  One thread at a time.
 */
#ifndef DSLAT_MAP_H
#define DSLAT_MAP_H

#include "dslat/base.h"

struct map;

struct map *map_new(void) must_check;
/* Frees keys and map, not the values; *m becomes NULL. */
void map_free(struct map **m);

size_t map_count(const struct map *m);
/* Set or replace. */
void map_set(struct map *m, const char *key, void *value);
/* NULL when absent.  key need not be NUL-terminated. */
void *map_find(const struct map *m, const char *key, size_t len);
void *map_find_str(const struct map *m, const char *key);
/* The value that was there, or NULL. */
void *map_del(struct map *m, const char *key);

/*
 * for (size_t i = 0; map_next(m, &i, &key, &value);) ...
 * key_r may be NULL.
 */
bool map_next(const struct map *m, size_t *i, const char **key_r,
	      void **value_r);

#endif
