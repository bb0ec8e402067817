/*
 * silence.h - who is not to be told, and when: silences and maintenance.
 *
 * A silence is made by hand, has patterns and an end; a maintenance window
 * comes from the configuration and returns every week.  Both only keep
 * notifiers quiet: incidents are recorded and shown all the same.  Patterns
 * are those of the shell; one that is not there matches everything.  Pure; owned by
 * the loop thread.
 */
#ifndef DSLAT_SILENCE_H
#define DSLAT_SILENCE_H

#include "dslat/clock.h"
#include "dslat/err.h"
#include "dslat/json.h"

#define SILENCE_MAX_TEXT 1000 /* bytes of a pattern, name or note */

struct silence {
	int64_t id;
	char *match;    /* on "target/datastore", "target/host" or "target" */
	char *protocol; /* pattern on the protocol, or NULL */
	char *kind;     /* pattern on the kind's name, or NULL */
	char *op;       /* "read", "write" or NULL */
	real_t from, until;
	char *by, *note;
};

/* From `maintenance:` of the configuration; times are of the named zone. */
struct maintenance {
	char *name, *match;
	unsigned weekdays; /* bit 0 Monday ... bit 6 Sunday: of the start */
	int start_min, end_min; /* of the day; end <= start: on the next day */
	bool utc;               /* else the local time of this machine */
};

struct silences {
	struct silence *rows; /* owned */
	size_t n;
	int64_t last_id;                   /* ids are not used twice */
	const struct maintenance *windows; /* borrowed from the conf */
	size_t n_windows;
	/* Minute of the week (Monday 0:00 is 0) of t; of the shell, since pure
	 * code knows no zones. */
	int (*minute_of_week)(real_t t, bool utc);
};

/* What an incident shows to silences; NULL where it has none. */
struct silence_subject {
	const char *target, *datastore, *host, *protocol, *kind, *op;
};

void silences_fini(struct silences *s);
/* Takes the strings; gives it an id if it has none (0); borrowed until the next
 * call that adds or removes. */
const struct silence *silences_add(struct silences *s, struct silence *take);
bool silences_remove(struct silences *s, int64_t id) must_check;
/* Those that ended before t - keep_us. */
size_t silences_expire(struct silences *s, real_t t, int64_t keep_us);
/* "silence 12" or "maintenance NAME"; caller owns; NULL: nobody is silenced. */
char *silences_match(const struct silences *s,
		     const struct silence_subject *subject, real_t t)
	must_check;
/* Its pattern is on this target, datastore or host (NULL where there is none);
 * whatever the time, the kind and the direction. */
bool silence_fits(const struct silence *s,
		  const struct silence_subject *subject) must_check;

json_t *silence_json(const struct silence *s, real_t now);
/* From a request's body or the store: an unknown member is refused, since a
 * silence that lacks what was meant matches more.  false: e says what is wrong;
 * e->text is for people.  A body may leave out id, from and by (0, NULL). */
bool silence_from_json(const json_t *v, struct silence *s_r, struct err *e)
	must_check;
void silence_fini(struct silence *s);

#endif
