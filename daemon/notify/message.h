/*
 * message.h - what is told: incidents, ready for one of the renderers.
 *
 * A message holds what changed since the last one and, behind that, what was
 * told before and is still going on: a webhook wants the whole, a person only
 * the news.  Names of datastores and hosts come from other machines and may
 * hold anything; what is made of them here is valid UTF-8 without control
 * characters.  Pure; all is borrowed; any thread.
 */
#ifndef DSLAT_MESSAGE_H
#define DSLAT_MESSAGE_H

#include "dslat/buf.h"
#include "dslat/incident.h"

struct message_item {
	const struct incident *in;
	/* What it is told with: the one it has; of what is over the one that
	 * the receiver knows, so that it finds what it knows. */
	enum severity severity;
	/* It goes on, but was told with another one: that one is over. */
	bool was_other;
	enum severity other;
};

struct message {
	const char *receiver; /* name of the notifier */
	const char *page_url; /* "http://host:9969/", or NULL */
	real_t now;
	const struct message_item *items; /* changed ones first, worst first */
	size_t n_changed, n;
	bool is_test;
};

/* "firing", "resolved" */
const char *message_status(const struct incident *in);
/* "critical", "warning", "over" or "test", for people. */
const char *message_word(const struct message *m, const struct incident *in);
/* What it is about: "lab/nfs01", "lab/esx3" or "lab".  Caller owns, as below. */
char *message_place(const struct incident *in) must_check;
/* One incident in a line, with how long it took if it is over. */
char *message_line(const struct message *m, const struct incident *in)
	must_check;
/* The whole message in a line: of one incident that, of many how many. */
char *message_title(const struct message *m) must_check;
/* The page of it; NULL when nobody knows where pages are. */
char *message_link(const struct message *m, const struct incident *in)
	must_check;
/* From the start to the end, or to now: "40 s", "12 min", "3 h 5 min". */
char *message_lasted(const struct message *m, const struct incident *in)
	must_check;
/* "83 ms", "0.4 ms" */
char *message_ms(int64_t us) must_check;

/* s without control characters, as valid UTF-8. */
void message_add_clean(struct buf *b, const char *s);
char *message_clean(const char *s) must_check;

#endif
