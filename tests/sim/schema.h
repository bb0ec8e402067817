/*
 * schema.h - the vim25 types this simulator can speak of.
 *
 * Tables of text, parsed once at start: a type with its base and the API
 * version it appeared in, then its fields in wire order with type, array mark
 * and version.  They decide three things: whether a property path exists for
 * a client's version, in which order children go, and what an old client is
 * sent in place of a type it does not know.
 *
 * A line: "Type : Base @7.0.3.0", then "\tfield type[] @8.0.1.0"; '=' before a
 * type marks an enum, '&' a managed object reference.  Never freed before
 * schema_fini(); read-only afterwards, any thread.
 * Protocol source: vSphere Web Services API reference.
 */
#ifndef SIM_SCHEMA_H
#define SIM_SCHEMA_H

#include "dslat/base.h"

enum schema_kind {
	SCHEMA_DATA,   /* a data object of the tables */
	SCHEMA_SIMPLE, /* string int long boolean dateTime ... */
	SCHEMA_ENUM,
	SCHEMA_REF, /* ManagedObjectReference */
};

struct schema_field {
	char *name;
	char *type_name;
	const struct schema_type *type; /* NULL: not in the tables, never set */
	enum schema_kind kind;
	bool is_array;
	uint32_t since; /* version_parse() form; 0 = always */
};

struct schema_type {
	char *name;
	const struct schema_type *base;
	uint32_t since;
	struct schema_field *fields; /* the base's first */
	size_t n_fields;
};

extern const char *const schema_entities[];
extern const char *const schema_storage[];
extern const char *const schema_managers[];

void schema_init(void);
void schema_fini(void);

/* NULL when the tables do not have it. */
const struct schema_type *schema_find(const char *name);
/* The field or NULL; *i_r, when not NULL, is where the search starts and where
 * it ended, so that fields set in order are found at once. */
const struct schema_field *schema_field(const struct schema_type *t,
					const char *name, size_t *i_r);
bool schema_is_a(const struct schema_type *t, const char *base_name);
/* t, or its nearest base that a client of this version knows. */
const struct schema_type *schema_known(const struct schema_type *t,
				       uint32_t version);

/* "8.0.2.0" -> comparable number; one that is no dotted number -> UINT32_MAX. */
uint32_t version_parse(const char *s);

#endif
