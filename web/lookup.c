#include "web/lookup.h"

#include <stdlib.h>

#include "dslat/mem.h"

struct lookup {
	uint32_t magic;
	struct store *store;
	struct request *rq; /* NULL: nobody waits any more */
	const struct lookup_ops *ops;
	void *arg;
	uint64_t ticket; /* 0: no job of the store has it */
	bool done, failed;
	char *trouble;
	/* Written by the reader thread, read when its job is done. */
	bool more;
	uint64_t damaged;
};
#define LOOKUP_MAGIC OBJ_MAGIC('l', 'o', 'o', 'k')

static void on_done(void *arg, const char *error);

static int
run(void *arg, struct history *h, struct err *e)
{
	struct lookup *l = OBJ_CAST(struct lookup, LOOKUP_MAGIC, arg);
	uint64_t damaged = history_damaged(h);
	int rc = l->ops->step(l->arg, h, e);

	l->more = rc == 0;
	l->damaged += history_damaged(h) - damaged;
	return rc < 0 ? -1 : 0;
}

static void
destroy(struct lookup *l)
{
	l->ops->free(l->arg);
	free(l->trouble);
	free(l);
}

static void
finish(struct lookup *l, const char *error)
{
	l->done = true;
	l->failed = error != NULL;
	if (error != NULL)
		xstrset(&l->trouble, error);
	else if (l->damaged != 0 && l->trouble == NULL)
		l->trouble = xasprintf(
			"%llu damaged pieces of the history are "
			"left out",
			(unsigned long long)l->damaged);
	request_wake(l->rq);
}

static void
submit(struct lookup *l)
{
	const struct store_job job = { run, on_done, l };
	struct store_status st;

	l->ticket = store_submit(l->store, &job);
	if (l->ticket != 0)
		return;
	st = store_status(l->store);
	finish(l,
	       st.error != NULL ? st.error
				: "the store has too much to read already");
}

static void
on_done(void *arg, const char *error)
{
	struct lookup *l = OBJ_CAST(struct lookup, LOOKUP_MAGIC, arg);

	l->ticket = 0;
	if (l->rq == NULL)
		destroy(l);
	else if (error == NULL && l->more)
		submit(l);
	else
		finish(l, error);
}

struct lookup *
lookup_new(struct store *s, struct request *rq, const struct lookup_ops *ops,
	   void *arg)
{
	struct lookup *l = xcalloc(1, sizeof(*l));

	l->magic = LOOKUP_MAGIC;
	l->store = s;
	l->rq = rq;
	l->ops = ops;
	l->arg = arg;
	request_park(rq);
	submit(l);
	return l;
}

void
lookup_free(struct lookup **lp)
{
	struct lookup *l = *lp;

	if (l == NULL)
		return;
	*lp = NULL;
	l->rq = NULL;
	if (l->ticket != 0)
		store_job_cancel(l->store, l->ticket); /* on_done() frees it */
	else
		destroy(l);
}

void
lookup_again(struct lookup *l)
{
	assert(l->done && !l->failed);
	l->done = false;
	request_park(l->rq);
	submit(l);
}

bool
lookup_is_done(const struct lookup *l)
{
	return l->done;
}

const char *
lookup_trouble(const struct lookup *l, bool *failed_r)
{
	assert(l->done);
	*failed_r = l->failed;
	return l->trouble;
}
