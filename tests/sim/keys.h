/*
 * keys.h - key=value texts into fields of a struct, by a table.
 *
 * Scene files and the control interface share it.  The table's rows give the
 * name, the type and the offset; strings are owned by the struct.
 */
#ifndef SIM_KEYS_H
#define SIM_KEYS_H

#include "dslat/err.h"

enum key_type { KEY_STR, KEY_INT, KEY_REAL, KEY_BOOL };

struct key {
	const char *name;
	enum key_type type;
	size_t offset; /* char *, int64_t, double or bool */
};

int keys_set(const struct key *keys, size_t n_keys, void *obj, const char *name,
	     const char *value, struct err *e) must_check;
/* Free the strings. */
void keys_fini(const struct key *keys, size_t n_keys, void *obj);

/* Shell pattern; several joined by ','.  NULL or "" match all. */
bool glob_match(const char *pattern, const char *name);

#endif
