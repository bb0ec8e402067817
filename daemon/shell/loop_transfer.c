#include <stdlib.h>

#include "loop_parts.h"

void
transfers_init(struct transfers *s)
{
	s->multi = curl_multi_init();
	if (s->multi == NULL)
		abort(); /* out of memory, as in mem.c */
}

void
transfers_fini(struct transfers *s)
{
	assert(s->n == 0);
	curl_multi_cleanup(s->multi);
}

void
loop_transfer_start(struct loop *l, struct loop_transfer *t)
{
	struct transfers *s = loop_transfers(l);

	assert(t->magic == LOOP_TRANSFER_MAGIC && t->state == TRANSFER_IDLE);
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	t->state = TRANSFER_QUEUED;
	t->next = s->queued;
	s->queued = t;
	s->n++;
}

static void
unlink_queued(struct transfers *s, const struct loop_transfer *t)
{
	struct loop_transfer **p = &s->queued;

	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
}

static void
unlink_paused(struct transfers *s, const struct loop_transfer *t)
{
	struct loop_transfer **p = &s->paused;

	while (*p != NULL && *p != t)
		p = &(*p)->next_paused;
	if (*p != NULL)
		*p = t->next_paused;
}

/* The loop forgets it. */
static void
leave(struct transfers *s, struct loop_transfer *t)
{
	if (t->state == TRANSFER_QUEUED)
		unlink_queued(s, t);
	else
		curl_multi_remove_handle(s->multi, t->easy);
	unlink_paused(s, t);
	t->state = TRANSFER_IDLE;
	s->n--;
}

void
loop_transfer_drop(struct loop *l, struct loop_transfer *t)
{
	struct transfers *s = loop_transfers(l);

	assert(t->magic == LOOP_TRANSFER_MAGIC);
	assert(t->state == TRANSFER_QUEUED || t->state == TRANSFER_RUNNING);
	if (t->state == TRANSFER_RUNNING && s->in_perform) {
		t->state = TRANSFER_DROPPED;
		t->next = s->dropped;
		s->dropped = t;
		return;
	}
	leave(s, t);
	t->dropped(t);
}

bool
loop_transfer_may(struct loop *l, struct loop_transfer *t, size_t n_bytes)
{
	struct transfers *s = loop_transfers(l);
	struct loop_transfer **p = &s->paused;

	if (s->turn_bytes < LOOP_TURN_BYTES) {
		s->turn_bytes += n_bytes;
		return true;
	}
	while (*p != NULL)
		p = &(*p)->next_paused;
	*p = t;
	t->next_paused = NULL;
	return false;
}

void
transfers_prepare(struct transfers *s)
{
	struct loop_transfer *t, *in_order = NULL;

	while ((t = s->queued) != NULL) {
		s->queued = t->next;
		t->next = in_order;
		in_order = t;
	}
	while ((t = in_order) != NULL) {
		in_order = t->next;
		t->state = TRANSFER_RUNNING;
		if (curl_multi_add_handle(s->multi, t->easy) != CURLM_OK)
			abort(); /* a bug of ours, or out of memory */
	}
}

/*
 * What had to wait goes first.  The write callbacks are called from inside
 * curl_easy_pause(), which ends nothing: one that refuses its bytes is called
 * again with the next ones, or the transfer is complete.
 */
static void
resume_paused(struct transfers *s)
{
	struct loop_transfer *t, *all = s->paused;

	s->paused = NULL;
	while ((t = all) != NULL) {
		all = t->next_paused;
		curl_easy_pause(t->easy, CURLPAUSE_CONT);
	}
}

static void
remove_dropped(struct transfers *s)
{
	struct loop_transfer *t;

	while ((t = s->dropped) != NULL) {
		s->dropped = t->next;
		leave(s, t);
		t->dropped(t);
	}
}

void
transfers_run(struct transfers *s)
{
	int running, left;
	CURLMsg *m;

	s->turn_bytes = 0;
	s->in_perform = true;
	resume_paused(s);
	if (curl_multi_perform(s->multi, &running) != CURLM_OK)
		abort();
	s->in_perform = false;
	remove_dropped(s);
	while ((m = curl_multi_info_read(s->multi, &left)) != NULL) {
		struct loop_transfer *t;
		CURLcode result = m->data.result;
		char *arg;

		assert(m->msg == CURLMSG_DONE);
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &arg);
		t = OBJ_CAST(struct loop_transfer, LOOP_TRANSFER_MAGIC, arg);
		leave(s, t); /* ends *m */
		t->done(t, result);
	}
}
