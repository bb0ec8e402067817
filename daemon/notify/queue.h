/*
 * queue.h - what one notifier has to tell, and what it has told.
 *
 * One entry per incident: what the receiver was told last, and whether that is
 * still so.  A newer state of an incident replaces an older one that waits, so
 * the queue is bounded by the incidents.  What changes within group_us is one
 * message; after a failure the next attempt waits 5 s, then twice as long, up
 * to 5 minutes.  Entries are kept as documents, so that after a restart nothing
 * is lost and nothing is told again.  Pure; the loop thread.
 */
#ifndef DSLAT_QUEUE_H
#define DSLAT_QUEUE_H

#include "dslat/conf.h"
#include "message.h"

#define QUEUE_MAX_ENTRIES 10000
#define QUEUE_MAX_CHANGES 1000 /* of one message; the rest is the next one */
#define QUEUE_RETRY_MIN_US (5 * US_PER_S)
#define QUEUE_RETRY_MAX_US (300 * US_PER_S)
#define QUEUE_RETRY_AFTER_MAX_US (3600 * US_PER_S)

struct queue_ops {
	/* Keep this text under the incident's number, or forget it (NULL). */
	void (*keep)(void *arg, int64_t id, real_t t, const char *text);
};

struct queue;
/* c is borrowed and must outlive the queue, or the next queue_apply(). */
struct queue *queue_new(const struct conf_notify *c,
			const struct queue_ops *ops, void *arg) must_check;
void queue_free(struct queue **q);
/* After a reload. */
void queue_apply(struct queue *q, const struct conf_notify *c);

/* At the start: first what was kept, then every incident there is, then
 * settle: an incident of which only the document is left is over. */
void queue_restore(struct queue *q, int64_t id, const char *text);
void queue_see(struct queue *q, const struct incident *in, struct now now);
void queue_settle(struct queue *q, struct now now);
/* Give every entry to keep() again: the store lost them. */
void queue_keep_all(const struct queue *q, struct now now);

/* When the next message is due; false: nothing is to be told. */
bool queue_due(const struct queue *q, mono_t *when_r) must_check;
/* The items of the message to send now (the queue's, valid until queue_done()
 * or the next queue_see()); m's other fields are the caller's. */
void queue_take(struct queue *q, struct message *m);

struct queue_result {
	bool ok;
	bool is_refused;        /* the other side will not want it either */
	int64_t retry_after_us; /* as it asked; 0: it did not */
};
/* What became of what was taken. */
void queue_done(struct queue *q, const struct queue_result *r, struct now now);

struct queue_counts {
	size_t queued, entries;
	uint64_t dropped;
};
struct queue_counts queue_counts(const struct queue *q);

#endif
