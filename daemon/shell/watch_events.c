/*
 * The time line: what people and programs noted.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "dslat/utf8.h"
#include "watch_private.h"

#define KIND "event"
#define MAX_DOC_BYTES 65536

void
watch_put(struct watch *w, const char *kind, int64_t id, real_t t, json_t *v)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	if (w->store != NULL && json_append(&b, v) == 0)
		store_doc_put(w->store, kind, id, t, buf_str(&b));
	buf_fini(&b);
	json_decref(v);
}

void
watch_drop(struct watch *w, const char *kind, int64_t id)
{
	if (w->store != NULL)
		store_doc_delete(w->store, kind, id);
}

static void
event_free(struct event *e)
{
	free(e->kind);
	free(e->text);
	free(e->by);
	free(e->target);
	free(e->datastore_id);
	free(e->host_id);
	free(e);
}

void
watch_free_events(struct watch *w)
{
	for (size_t i = 0; i < w->n_events; i++)
		event_free(w->events[i]);
	free(w->events);
	free(w->source);
}

/* ---- JSON ---------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "kind", offsetof(struct event, kind) },
	{ "text", offsetof(struct event, text) },
	{ "by", offsetof(struct event, by) },
	{ "target", offsetof(struct event, target) },
	{ "datastore", offsetof(struct event, datastore_id) },
	{ "host", offsetof(struct event, host_id) },
};

static char **
text_at(struct event *e, size_t i)
{
	return (char **)(void *)((char *)e + texts[i].offset);
}

json_t *
event_json(const struct event *e)
{
	struct event copy = *e; /* the strings are only looked at */
	json_t *v = json_object();

	json_object_set_new(v, "id", json_integer(e->id));
	json_object_set_new(v, "t", json_time(e->t));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		json_object_set_new(v, texts[i].name,
				    json_text(*text_at(&copy, i)));
	return v;
}

/* NULL: not one. */
static struct event *
event_from_json(const json_t *v)
{
	struct event *e = xcalloc(1, sizeof(*e));
	const json_t *t = json_object_get(v, "t");

	e->id = json_integer_value(json_object_get(v, "id"));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		xstrset(text_at(e, i),
			json_string_value(json_object_get(v, texts[i].name)));
	if (e->id > 0 && e->kind != NULL && e->text != NULL &&
	    json_is_string(t) &&
	    real_parse(json_string_value(t), json_string_length(t), &e->t) == 0)
		return e;
	event_free(e);
	return NULL;
}

/* ---- the list ------------------------------------------------------------ */

static bool
comes_before(const struct event *a, const struct event *b)
{
	return a->t.us != b->t.us ? a->t.us < b->t.us : a->id < b->id;
}

static void
insert(struct watch *w, struct event *e)
{
	size_t at = w->n_events;

	w->events = xgrow(w->events, w->n_events, sizeof(*w->events));
	for (; at > 0 && comes_before(e, w->events[at - 1]); at--)
		w->events[at] = w->events[at - 1];
	w->events[at] = e;
	w->n_events++;
	w->last_event = MAX(w->last_event, e->id);
}

static void
drop_oldest(struct watch *w)
{
	watch_drop(w, KIND, w->events[0]->id);
	event_free(w->events[0]);
	w->n_events--;
	memmove(&w->events[0], &w->events[1],
		w->n_events * sizeof(struct event *));
}

void
watch_expire_events(struct watch *w, real_t t)
{
	while (w->n_events > 0 && w->events[0]->t.us < t.us)
		drop_oldest(w);
}

/* At most EVENT_MAX_TEXT bytes, cut between characters. */
static char *
shortened(const char *text)
{
	size_t len = 0;

	while (text[len] != '\0') {
		uint32_t cp;
		bool valid;
		size_t n = utf8_next(text + len, &cp, &valid);

		if (len + n > EVENT_MAX_TEXT)
			break;
		len += n;
	}
	return xstrndup(text, len);
}

const struct event *
watch_add_event(struct watch *w, const struct event *e)
{
	struct event from = *e, *mine = xcalloc(1, sizeof(*mine));

	while (w->n_events >= EVENTS_KEPT)
		drop_oldest(w);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		xstrset(text_at(mine, i), *text_at(&from, i));
	assert(mine->kind != NULL && mine->text != NULL);
	free(mine->text);
	mine->text = shortened(e->text);
	mine->id = w->last_event + 1;
	mine->t = e->t.us != 0 ? e->t : w->site->now.real;
	insert(w, mine);
	watch_put(w, KIND, mine->id, mine->t, event_json(mine));
	for (size_t i = 0; i < w->n_subs; i++)
		if (w->subs[i].ops->event != NULL)
			w->subs[i].ops->event(w->subs[i].arg, mine);
	return mine;
}

void
watch_set_source(struct watch *w, const char *from)
{
	xstrset(&w->source, from);
}

void
watch_audit(struct watch *w, const struct event *about, const char *fmt, ...)
{
	struct event e = *about;
	char *what, *text;
	va_list ap;

	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	text = w->source != NULL ? xasprintf("%s (from %s)", what, w->source)
				 : xstrdup(what);
	free(what);
	e.kind = (char[]){ "audit" };
	e.text = text;
	watch_add_event(w, &e);
	free(text);
}

const struct event *
watch_event_at(const struct watch *w, size_t i)
{
	return i < w->n_events ? w->events[w->n_events - 1 - i] : NULL;
}

void
watch_put_events(struct watch *w)
{
	for (size_t i = 0; i < w->n_events; i++)
		watch_put(w, KIND, w->events[i]->id, w->events[i]->t,
			  event_json(w->events[i]));
}

static void
restore(void *arg, int64_t id, real_t t unused, const char *text)
{
	struct watch *w = arg;
	json_t *v = json_loadb(text, strnlen(text, MAX_DOC_BYTES), 0, NULL);
	struct event *e = event_from_json(v);

	json_decref(v);
	if (e == NULL)
		return;
	e->id = id;
	insert(w, e);
}

void
watch_restore_events(struct watch *w)
{
	if (w->store == NULL)
		return;
	store_doc_each(w->store, KIND, restore, w);
	while (w->n_events > EVENTS_KEPT)
		drop_oldest(w);
}
