/*
 * api.h - ask dslatd's HTTP API and wait for the answer.
 *
 * Errors are complete sentences: dslatd's own (RFC 9457), or why it cannot be
 * reached and what to do.  The json_t are the caller's.
 */
#ifndef DSLAT_API_H
#define DSLAT_API_H

#include "dslat/err.h"
#include "dslat/fetch.h"
#include "dslat/json.h"

struct api;

/* url: of dslatd, with a path if it is behind a proxy; unix:/path too. */
struct api *api_new(const char *url, const struct fetch_tls *tls, struct err *e)
	must_check;
/* Shown with every request from now on: what the file holds. */
int api_set_token_file(struct api *a, const char *path, struct err *e)
	must_check;
void api_free(struct api **a);
const char *api_url(const struct api *a);

/* "?name=value" or "&name=value"; nothing when value is NULL. */
void api_add_param(struct buf *path, const char *name, const char *value);
/* A segment of a path. */
void api_add_segment(struct buf *path, const char *text);

/* The answer as it is, into body. */
int api_get(struct api *a, const char *path, struct buf *body, struct err *e)
	must_check;
/* An answer of this type (all before its first ";"), of any length, piece by
 * piece; one that ends early is an error. */
int api_get_stream(struct api *a, const char *path, const char *type,
		   int (*on_data)(void *arg, const char *data, size_t len,
				  struct err *e),
		   void *arg, struct err *e) must_check;
json_t *api_json(struct api *a, const char *path, struct err *e) must_check;
/* POST or DELETE, with a body (taken; NULL: none): the answer, null when there
 * is nothing to say. */
json_t *api_write(struct api *a, const char *method, const char *path,
		  json_t *body, struct err *e) must_check;
/* All pages of a list, as one: {"items": [...], "next": null, ...}. */
json_t *api_list(struct api *a, const char *path, struct err *e) must_check;

/* Values of an answer: "" or NULL when absent or of another type. */
const char *js_text(const json_t *v, const char *key);
bool js_true(const json_t *v, const char *key);
/* NaN when null or absent. */
double js_num(const json_t *v, const char *key);

#endif
