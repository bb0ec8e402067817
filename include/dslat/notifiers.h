/*
 * notifiers.h - telling people: webhook, Alertmanager, mail, command, syslog.
 *
 * Each notifier of the configuration has its own queue, kept as documents of
 * the store, its own back-off and its own state.  What one incident became
 * while a message waits is folded into it, and everything that changed within
 * a few seconds is one message: 100 datastores that cross at once make one
 * message per notifier.  A message that was delivered is not sent again after
 * a restart.  Nested and silenced incidents are not sent; of an incident that
 * was told, the end always is.  The loop thread; exec runs as a child process.
 */
#ifndef DSLAT_NOTIFIERS_H
#define DSLAT_NOTIFIERS_H

#include "dslat/watch.h"

enum notifier_state {
	NOTIFIER_IDLE,    /* nothing sent yet */
	NOTIFIER_OK,      /* the last message arrived */
	NOTIFIER_FAILING, /* see error; tried again with back-off */
};
const char *notifier_state_name(enum notifier_state s);

struct notifier_status {
	const char *name, *type;
	enum notifier_state state;
	const char *error; /* NULL when fine */
	size_t queued;     /* incidents not told yet */
	uint64_t sent, failures, dropped;
	real_t last_success, next_try; /* us 0: never, not waiting */
};

struct conf;
struct notifiers;
struct notifiers *notifiers_new(struct loop *l, struct watch *w,
				struct store *store) must_check;
/* Stops what is under way; queues stay in the store. */
void notifiers_free(struct notifiers **n);
/* At the start, behind watch_restore(), and after a reload: queues of names
 * that stay go on.  c may go afterwards. */
void notifiers_apply(struct notifiers *n, const struct conf *c);
/* Where pages are, for links in messages: "http://host:9969/"; copied. */
void notifiers_set_address(struct notifiers *n, const char *url);

size_t notifiers_count(const struct notifiers *n);
struct notifier_status notifiers_status(const struct notifiers *n, size_t i);
/*
 * Send a test message now, whatever waits.  done comes exactly once, later (in
 * notifiers_apply() or notifiers_free() at the latest): error NULL when the
 * other side took it.  -1: no notifier has that name (e says which
 * there are).
 */
int notifiers_test(struct notifiers *n, const char *name,
		   void (*done)(void *arg, const char *error), void *arg,
		   struct err *e) must_check;

#endif
