/*
 * props.h - RetrievePropertiesEx: asking for properties and reading pages.
 *
 * A list of rows says which properties of which types are asked and how each
 * value is read: as text, or as a structure by a table of its own.  Values are
 * handed to a sink while they arrive; nothing is kept here but the token of
 * the next page.  Every property may be missing.  Pure; one thread at a time.
 */
#ifndef DSLAT_PROPS_H
#define DSLAT_PROPS_H

#include "answer.h"

/* One property of one type; a list ends with type NULL. */
struct props_row {
	const char *type;
	const char *path;             /* "summary.url" */
	unsigned id;                  /* for the sink; not 0 */
	unsigned pass;                /* mask: in which requests it is asked */
	const struct xml_node *nodes; /* of the value; NULL: text */
};

/* Ids of a row's nodes are the sink's own, below SOAP_ID_FIRST / 2. */
struct props_sink {
	/* An object begins. */
	int (*object)(void *arg, const char *type, const char *moref,
		      struct err *e);
	/* A text value ended, or a structured one (text "" then). */
	int (*value)(void *arg, const struct props_row *row, const char *text,
		     size_t len, struct err *e);
	/* Within a structured value; the value itself opens with row->id. */
	int (*open)(void *arg, struct xml *x, unsigned id, struct err *e);
	int (*close)(void *arg, unsigned id, const char *text, size_t len,
		     struct err *e);
	/* The server gives a reason why a property is not there. */
	void (*missing)(void *arg, const char *path,
			const struct soap_fault *f);
	/* The object ends. */
	int (*object_end)(void *arg, struct err *e);
	/* The answer is freed; NULL: arg is not the answer's. */
	void (*free)(void *arg);
};

/* The rows of the pass for all objects of a view; max_objects 0: no limit. */
void props_write_view(struct buf *b, const char *collector, const char *view,
		      const struct props_row *rows, unsigned pass,
		      unsigned max_objects);
/* The rows for one object. */
void props_write_object(struct buf *b, const char *collector, const char *type,
			const char *moref, const struct props_row *rows,
			unsigned pass);
/* The page behind the token, and giving the rest up. */
void props_write_next(struct buf *b, const char *collector, const char *token);
void props_write_cancel(struct buf *b, const char *collector,
			const char *token);

/* next: the answer of ContinueRetrievePropertiesEx.  rows and sink are
 * borrowed; any function of the sink may be NULL. */
struct answer *props_answer(const struct props_row *rows,
			    const struct props_sink *sink, void *arg, bool next)
	must_check;
/* Token of the next page, NULL behind the last one; borrowed. */
const char *props_token(const struct answer *r);
size_t props_objects(const struct answer *r);
/* The sink's arg, for the module whose sink it is (asserted). */
void *props_arg(const struct answer *r, const struct props_sink *sink);
struct answer *props_cancel_answer(void) must_check;

#endif
