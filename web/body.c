#include "web/body.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dslat/utf8.h"

#define DETAIL_BYTES 1024

int
body_check_headers(struct request *rq)
{
	static const char json[] = "application/json";
	const char *type = request_header(rq, "Content-Type");
	const char *len = request_header(rq, "Content-Length");
	size_t n = sizeof(json) - 1;

	if (type == NULL || strncasecmp(type, json, n) != 0 ||
	    (type[n] != '\0' && type[n] != ';' && type[n] != ' ')) {
		reply_problem(&rq->reply, PROBLEM_MEDIA_TYPE, NULL,
			      "a body must be JSON; send it with "
			      "Content-Type: application/json");
		return -1;
	}
	if (len != NULL && strtoull(len, NULL, 10) > HTTP_MAX_BODY_BYTES) {
		reply_problem(&rq->reply, PROBLEM_BODY, NULL,
			      "a body may have %zu bytes", HTTP_MAX_BODY_BYTES);
		return -1;
	}
	return 0;
}

int
body_problem(struct request *rq, const char *member, const char *fmt, ...)
{
	char text[DETAIL_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	reply_problem(&rq->reply, PROBLEM_BAD_BODY, member, "%s", text);
	return -1;
}

/* How deep brackets nest, those in strings apart; before a parser that calls
 * itself for each gets to see them. */
static size_t
depth_of(const struct buf *b)
{
	size_t depth = 0, max = 0;
	bool in_text = false;

	for (size_t i = 0; i < b->len; i++) {
		char c = b->data[i];

		if (in_text && c == '\\')
			i++;
		else if (c == '"')
			in_text = !in_text;
		else if (!in_text && (c == '[' || c == '{'))
			depth++;
		else if (!in_text && (c == ']' || c == '}') && depth > 0)
			depth--;
		max = MAX(max, depth);
	}
	return max;
}

static bool
is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = list; *s != '\0'; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		if (n == len && strncmp(s, word, n) == 0)
			return true;
		s += n;
	}
	return false;
}

static int
check_members(struct request *rq, json_t *v, const char *members)
{
	const char *key;
	json_t *member;

	json_object_foreach(v, key, member) if (
		!is_listed(
			members,
			key)) return body_problem(rq, key,
						  "there is no member \"%s\" here; "
						  "known: %s",
						  key,
						  *members != '\0' ? members
								   : "none");
	return 0;
}

int
body_object(struct request *rq, const char *members, json_t **v_r)
{
	json_error_t je;
	json_t *v;

	*v_r = NULL;
	if (rq->body.len == 0)
		return body_problem(rq, NULL,
				    "the body is missing; send a JSON object "
				    "with Content-Type: application/json");
	if (depth_of(&rq->body) > BODY_MAX_DEPTH)
		return body_problem(rq, NULL,
				    "the body nests deeper than %d levels",
				    BODY_MAX_DEPTH);
	v = json_loadb(rq->body.data, rq->body.len, JSON_REJECT_DUPLICATES,
		       &je);
	if (v == NULL)
		return body_problem(rq, NULL, "line %d, column %d: %s", je.line,
				    je.column, je.text);
	if (!json_is_object(v)) {
		json_decref(v);
		return body_problem(rq, NULL,
				    "the body must be a JSON object: {...}");
	}
	if (check_members(rq, v, members) != 0) {
		json_decref(v);
		return -1;
	}
	*v_r = v;
	return 0;
}

/* C0, DEL and C1: what a terminal or a log would act on. */
static bool
has_control(const char *s)
{
	uint32_t cp;

	for (; *s != '\0'; s += utf8_next(s, &cp, NULL)) {
		utf8_next(s, &cp, NULL);
		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			return true;
	}
	return false;
}

int
body_text(struct request *rq, const json_t *v, const char *member,
	  size_t max_bytes, const char **text_r)
{
	const json_t *m = json_object_get(v, member);
	const char *s = json_string_value(m);

	*text_r = NULL;
	if (m == NULL || json_is_null(m))
		return 0;
	if (s == NULL)
		return body_problem(rq, member, "\"%s\" must be a text",
				    member);
	if (json_string_length(m) > max_bytes)
		return body_problem(rq, member,
				    "\"%s\" may have %zu bytes, this has %zu",
				    member, max_bytes, json_string_length(m));
	if (has_control(s))
		return body_problem(rq, member,
				    "\"%s\" has a control character, such as "
				    "a line end; leave it out",
				    member);
	*text_r = s;
	return 0;
}
