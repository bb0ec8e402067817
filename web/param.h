/*
 * param.h - a request's parameters, checked.
 *
 * Each function answers 0, or fills rq->reply with a problem that names the
 * parameter and says the cure, and answers -1.  Malformed is 400, impossible
 * is 422.  The loop thread.
 */
#ifndef DSLAT_PARAM_H
#define DSLAT_PARAM_H

#include "web/http.h"

/* The only value of that name; NULL when it is not there. */
int param_text(struct request *rq, const char *name, const char **value_r)
	must_check;

/* A whole number from min to max. */
struct param_int {
	const char *name;
	int64_t min, max, fallback;
};
int param_int(struct request *rq, const struct param_int *p, int64_t *value_r)
	must_check;

/* from= and to=; the last hour when they are not there.  now: of the clock
 * that the samples carry.  Relative: written as "now-1h" or not at all. */
struct time_range {
	real_t from, to;
	bool from_is_relative, to_is_relative;
};
int param_range(struct request *rq, real_t now, struct time_range *range_r)
	must_check;
/* The same for a_from= and a_to= (side 'a'), each of which is that of fallback
 * when it is not there. */
int param_range_of(struct request *rq, real_t now, char side,
		   const struct time_range *fallback,
		   struct time_range *range_r) must_check;

/* Every word of all parameters of that name, which hold words with commas
 * between them.  fn fills rq->reply itself when it returns -1. */
typedef int (*param_word_fn)(void *arg, struct request *rq, const char *name,
			     const char *word);
int param_words(struct request *rq, const char *name, param_word_fn fn,
		void *arg) must_check;

/* One word of a list of flags: expand=hosts. */
int param_flag(struct request *rq, const char *name, const char *word,
	       bool *set_r) must_check;

#endif
