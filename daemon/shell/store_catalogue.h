/*
 * store_catalogue.h - the numbers of datastores, hosts and pairs.
 *
 * Filled from the tables when the file is opened, then the loop thread's: new
 * numbers are given here, at once, and written by the writer thread along with
 * the first samples that need them (struct store_news).
 */
#ifndef DSLAT_STORE_CATALOGUE_H
#define DSLAT_STORE_CATALOGUE_H

#include "store_schema.h"

struct news_object {
	uint32_t id;
	enum store_kind kind;
	char *target, *key;
};

struct news_pair {
	uint32_t id, datastore, host;
};

struct news_name {
	uint32_t object;
	int64_t since_slot;
	char *json;
};

struct news_gap {
	char *target;
	int64_t first_slot, last_slot;
	const char *reason; /* static */
};

/* Rows to write; all strings are owned. */
struct store_news {
	struct news_object *objects;
	struct news_pair *pairs;
	struct news_name *names;
	struct news_gap *gaps;
	size_t n_objects, n_pairs, n_names, n_gaps;
};

void news_fini(struct store_news *n);
bool news_is_empty(const struct store_news *n);
/* json is taken. */
void news_add_name(struct store_news *n, uint32_t object, int64_t since_slot,
		   char *json);
void news_add_gap(struct store_news *n, const char *target, int64_t first_slot,
		  int64_t last_slot, const char *reason);

struct catalogue;
struct catalogue *catalogue_new(void) must_check;
void catalogue_free(struct catalogue **c);

/* What is in the tables. */
void catalogue_load_object(struct catalogue *c, uint32_t id,
			   enum store_kind kind, const char *target,
			   const char *key);
void catalogue_load_pair(struct catalogue *c, uint32_t id, uint32_t datastore,
			 uint32_t host);

/*
 * The number of an object.  One that is not known by this key: have, which is
 * then known by it from now on (a datastore whose uuid is heard at last), or
 * when that is 0 a new number.
 */
uint32_t catalogue_object(struct catalogue *c, enum store_kind kind,
			  const char *target, const char *key, uint32_t have,
			  struct store_news *news);
/* 0: it has none yet. */
uint32_t catalogue_find_pair(const struct catalogue *c, uint32_t datastore,
			     uint32_t host);
/* 0: there are too many. */
uint32_t catalogue_pair(struct catalogue *c, uint32_t datastore, uint32_t host,
			struct store_news *news);

#endif
