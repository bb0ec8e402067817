#include "dslat/silence.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/incident.h"
#include "dslat/mem.h"

#define MINUTES_PER_DAY (24 * 60)
#define DAYS_PER_WEEK 7

void
silence_fini(struct silence *s)
{
	free(s->match);
	free(s->protocol);
	free(s->kind);
	free(s->op);
	free(s->by);
	free(s->note);
	*s = (struct silence){ 0 };
}

void
silences_fini(struct silences *s)
{
	for (size_t i = 0; i < s->n; i++)
		silence_fini(&s->rows[i]);
	free(s->rows);
	*s = (struct silences){ 0 };
}

const struct silence *
silences_add(struct silences *s, struct silence *take)
{
	struct silence *row;

	s->rows = xreallocarray(s->rows, s->n + 1, sizeof(*s->rows));
	row = &s->rows[s->n++];
	*row = *take;
	*take = (struct silence){ 0 };
	if (row->id <= 0)
		row->id = s->last_id + 1;
	s->last_id = MAX(s->last_id, row->id);
	return row;
}

static void
drop(struct silences *s, size_t i)
{
	silence_fini(&s->rows[i]);
	s->n--;
	memmove(&s->rows[i], &s->rows[i + 1], (s->n - i) * sizeof(*s->rows));
}

bool
silences_remove(struct silences *s, int64_t id)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->rows[i].id == id) {
			drop(s, i);
			return true;
		}
	}
	return false;
}

size_t
silences_expire(struct silences *s, real_t t, int64_t keep_us)
{
	size_t dropped = 0;

	for (size_t i = s->n; i-- > 0;) {
		if (real_diff_us(t, s->rows[i].until) > keep_us) {
			drop(s, i);
			dropped++;
		}
	}
	return dropped;
}

/* ---- who is silenced ----------------------------------------------------- */

static bool
fits(const char *pattern, const char *text)
{
	if (pattern == NULL || *pattern == '\0')
		return true;
	return text != NULL && fnmatch(pattern, text, 0) == 0;
}

/* What a pattern may be on: the target as a whole, or what is in it. */
struct paths {
	const char *target;
	char *datastore, *host; /* "target/name", or NULL */
};

static struct paths
paths_of(const struct silence_subject *subject)
{
	const char *target = subject->target != NULL ? subject->target : "";
	struct paths p = { .target = target };

	if (subject->datastore != NULL)
		p.datastore = xasprintf("%s/%s", target, subject->datastore);
	if (subject->host != NULL)
		p.host = xasprintf("%s/%s", target, subject->host);
	return p;
}

static void
paths_fini(struct paths *p)
{
	free(p->datastore);
	free(p->host);
}

static bool
fits_paths(const char *pattern, const struct paths *p)
{
	return fits(pattern, p->target) || fits(pattern, p->datastore) ||
		fits(pattern, p->host);
}

static bool
in_force(const struct silence *s, real_t t)
{
	return s->from.us <= t.us && t.us < s->until.us;
}

static bool
window_is_open(const struct maintenance *m, int minute)
{
	int day = minute / MINUTES_PER_DAY, of_day = minute % MINUTES_PER_DAY;
	int yesterday = (day + DAYS_PER_WEEK - 1) % DAYS_PER_WEEK;
	bool over_midnight = m->end_min <= m->start_min;

	if ((m->weekdays & 1u << day) != 0 && of_day >= m->start_min &&
	    (over_midnight || of_day < m->end_min))
		return true;
	return over_midnight && (m->weekdays & 1u << yesterday) != 0 &&
		of_day < m->end_min;
}

static char *
match_paths(const struct silences *s, const struct silence_subject *subject,
	    const struct paths *p, real_t t)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct silence *row = &s->rows[i];

		if (in_force(row, t) &&
		    fits(row->protocol, subject->protocol) &&
		    fits(row->kind, subject->kind) &&
		    fits(row->op, subject->op) && fits_paths(row->match, p))
			return xasprintf("silence %lld", (long long)row->id);
	}
	for (size_t i = 0; i < s->n_windows; i++) {
		const struct maintenance *m = &s->windows[i];

		if (fits_paths(m->match, p) &&
		    window_is_open(m, s->minute_of_week(t, m->utc)))
			return xasprintf("maintenance %s", m->name);
	}
	return NULL;
}

char *
silences_match(const struct silences *s, const struct silence_subject *subject,
	       real_t t)
{
	struct paths p = paths_of(subject);
	char *by = match_paths(s, subject, &p, t);

	paths_fini(&p);
	return by;
}

bool
silence_fits(const struct silence *s, const struct silence_subject *subject)
{
	struct paths p = paths_of(subject);
	bool is = fits_paths(s->match, &p) &&
		(subject->protocol == NULL ||
		 fits(s->protocol, subject->protocol));

	paths_fini(&p);
	return is;
}

/* ---- JSON ---------------------------------------------------------------- */

static const char *
silence_state(const struct silence *s, real_t now)
{
	if (now.us < s->from.us)
		return "pending";
	return now.us < s->until.us ? "active" : "expired";
}

json_t *
silence_json(const struct silence *s, real_t now)
{
	json_t *v = json_object();

	json_object_set_new(v, "id", json_integer(s->id));
	json_object_set_new(v, "state", json_text(silence_state(s, now)));
	json_object_set_new(v, "match", json_text(s->match));
	json_object_set_new(v, "protocol", json_text(s->protocol));
	json_object_set_new(v, "kind", json_text(s->kind));
	json_object_set_new(v, "op", json_text(s->op));
	json_object_set_new(v, "from", json_time(s->from));
	json_object_set_new(v, "until", json_time(s->until));
	json_object_set_new(v, "by", json_text(s->by));
	json_object_set_new(v, "note", json_text(s->note));
	return v;
}

enum member_type { MEMBER_TEXT, MEMBER_TIME, MEMBER_ID, MEMBER_STATE };

static const struct member {
	const char *name;
	enum member_type type;
	size_t offset;
} members[] = {
	{ "id", MEMBER_ID, offsetof(struct silence, id) },
	{ "state", MEMBER_STATE, 0 },
	{ "match", MEMBER_TEXT, offsetof(struct silence, match) },
	{ "protocol", MEMBER_TEXT, offsetof(struct silence, protocol) },
	{ "kind", MEMBER_TEXT, offsetof(struct silence, kind) },
	{ "op", MEMBER_TEXT, offsetof(struct silence, op) },
	{ "from", MEMBER_TIME, offsetof(struct silence, from) },
	{ "until", MEMBER_TIME, offsetof(struct silence, until) },
	{ "by", MEMBER_TEXT, offsetof(struct silence, by) },
	{ "note", MEMBER_TEXT, offsetof(struct silence, note) },
};

static int
read_text(const struct member *m, const json_t *v, void *field, struct err *e)
{
	char **text_r = field;

	if (!json_is_string(v))
		return err_set(e, ERR_USAGE, "\"%s\" must be a text", m->name);
	if (json_string_length(v) > SILENCE_MAX_TEXT)
		return err_set(e, ERR_USAGE,
			       "\"%s\" is longer than %d bytes; shorten it",
			       m->name, SILENCE_MAX_TEXT);
	free(*text_r);
	*text_r = xstrdup(json_string_value(v));
	return 0;
}

static int
read_time(const struct member *m, const json_t *v, void *field, struct err *e)
{
	if (!json_is_string(v) ||
	    real_parse(json_string_value(v), json_string_length(v), field) != 0)
		return err_set(e, ERR_USAGE,
			       "\"%s\" must be a time as in "
			       "\"2026-11-30T22:00:00Z\"",
			       m->name);
	return 0;
}

static int
read_member(const char *key, const json_t *v, struct silence *s, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct member *m = &members[i];
		void *field = (char *)s + m->offset;

		if (strcmp(m->name, key) != 0)
			continue;
		if (json_is_null(v) || m->type == MEMBER_STATE)
			return 0;
		if (m->type == MEMBER_TEXT)
			return read_text(m, v, field, e);
		if (m->type == MEMBER_TIME)
			return read_time(m, v, field, e);
		s->id = json_integer_value(v);
		return s->id > 0 ? 0
				 : err_set(e, ERR_USAGE,
					   "\"id\" must be a number from 1");
	}
	return err_set(e, ERR_USAGE,
		       "there is no \"%.*s\"; a silence has match, protocol, "
		       "kind, op, from, until and note",
		       60, key);
}

/* A pattern that no word fits was mistyped. */
static bool
fits_some_kind(const char *pattern)
{
	for (enum incident_kind k = 0; k < N_INCIDENT_KINDS; k++)
		if (fits(pattern, incident_kind_name(k)))
			return true;
	return false;
}

static bool
fits_some_protocol(const char *pattern)
{
	for (enum protocol p = 0; p < N_PROTOCOLS; p++)
		if (fits(pattern, protocol_name(p)))
			return true;
	return false;
}

static int
check_silence(const struct silence *s, struct err *e)
{
	/* an empty one is a variable of a script that was not set */
	if (s->match == NULL || s->match[0] == '\0')
		return err_set(e, ERR_USAGE,
			       "\"match\" is %s: a pattern on "
			       "target/datastore, target/host or target; \"*\" "
			       "is all",
			       s->match == NULL ? "missing" : "empty");
	if (s->until.us == 0)
		return err_set(e, ERR_USAGE,
			       "\"until\" is missing: when the silence ends");
	if (s->until.us <= s->from.us)
		return err_set(e, ERR_USAGE, "\"until\" is not after \"from\"");
	if (!fits_some_kind(s->kind))
		return err_set(e, ERR_USAGE,
			       "\"kind\" fits none of slow, no_data, "
			       "inaccessible, unreachable and login");
	if (!fits_some_protocol(s->protocol))
		return err_set(e, ERR_USAGE,
			       "\"protocol\" fits no protocol; they are nfs3, "
			       "iscsi, fc, ...");
	if (!fits(s->op, "read") && !fits(s->op, "write"))
		return err_set(e, ERR_USAGE, "\"op\" is read or write");
	return 0;
}

bool
silence_from_json(const json_t *v, struct silence *s_r, struct err *e)
{
	const char *key;
	const json_t *member;
	int rc = 0;

	*s_r = (struct silence){ 0 };
	if (!json_is_object(v)) {
		err_set(e, ERR_USAGE, "a silence is an object");
		return false;
	}
	json_object_foreach((json_t *)(uintptr_t)v, key, member)
	{
		rc = read_member(key, member, s_r, e);
		if (rc != 0)
			break;
	}
	if (rc == 0)
		rc = check_silence(s_r, e);
	if (rc != 0)
		silence_fini(s_r);
	return rc == 0;
}
