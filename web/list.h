/*
 * list.h - lists in pages: filtered, in a stable order, a few rows per turn.
 *
 * Order is target, name, id.  A cursor says behind which row the next page
 * begins, so rows that come and go between two pages neither repeat nor hide
 * others.  A page ends after limit= rows or some 4 MB.  The loop thread.
 */
#ifndef DSLAT_LIST_H
#define DSLAT_LIST_H

#include "web/handlers.h"

struct list_key {
	const char *target, *name, *id;
};

struct list_filter {
	char **targets;     /* names; owned */
	size_t n_targets;   /* 0: all */
	uint32_t protocols; /* mask of 1 << enum protocol; 0: all */
	uint32_t states;    /* mask of 1 << state; 0: all */
	const char *text;   /* part of the name, case ignored; or NULL */
};

/* What a list is of; items are pointers into the model. */
struct list_ops {
	size_t map_offset;  /* of the map in struct target */
	const char *expand; /* the word of expand= */
	/* The words of state=, from 0 on; NULL behind the last. */
	const char *(*state_name)(unsigned state);
	bool (*is_gone)(const void *item);
	struct list_key (*key_of)(const void *item);
	/* About how many (host, datastore) pairs are looked at for its row. */
	size_t (*cost_of)(const void *item, bool expand);
	/* Protocol and state; target and name are looked at here. */
	bool (*matches)(const void *item, const struct list_filter *f);
	json_t *(*row_of)(const struct web *w, const void *item, bool expand);
};

/* Answer with a page.  ops must stay. */
void list_reply(struct web *w, struct request *rq, const struct list_ops *ops);

#endif
