/*
 * outcome.h - run one request and keep what came of it; for tests.
 */
#ifndef DSLAT_OUTCOME_H
#define DSLAT_OUTCOME_H

#include "dslat/fetch.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

struct outcome {
	int heads, dones, head_status;
	struct fetch_result r; /* content_type: see type */
	char type[64];
	struct buf body;
};

static inline int
outcome_head(void *arg, int status, const char *content_type unused)
{
	struct outcome *o = arg;

	assert(o->dones == 0 && o->body.len == 0);
	o->heads++;
	o->head_status = status;
	return 0;
}

static inline int
outcome_data(void *arg, const char *data, size_t len, struct err *e unused)
{
	return buf_add(&((struct outcome *)arg)->body, data, len);
}

static inline void
outcome_done(void *arg, const struct fetch_result *r)
{
	struct outcome *o = arg;

	o->dones++;
	o->r = *r;
	o->r.content_type = NULL;
	snprintf(o->type, sizeof(o->type), "%s", r->content_type);
}

static const struct fetch_ops outcome_ops = {
	.on_head = outcome_head,
	.on_data = outcome_data,
	.on_done = outcome_done,
};

static inline void
outcome_init(struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	buf_init(&o->body, 1000000);
}

static inline void
outcome_fini(struct outcome *o)
{
	buf_fini(&o->body);
}

static inline void
nap_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* Turns of the loop until *n_dones >= n; false after 10 s. */
static inline bool
turns_until(struct loop *l, const int *n_dones, int n)
{
	mono_t start = clock_sample().mono;

	while (*n_dones < n) {
		if (mono_diff_us(clock_sample().mono, start) > 10 * US_PER_S)
			return false;
		loop_turn(l, 100);
	}
	return true;
}

#endif
