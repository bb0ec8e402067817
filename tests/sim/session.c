#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "rng.h"

static char *
uuid_like(uint64_t a)
{
	uint64_t b = rng_mix(a);

	return xasprintf("52%06x-%04x-%04x-%04x-%012llx", (unsigned)(a >> 40),
			 (unsigned)(a >> 24 & 0xffff),
			 (unsigned)(a >> 8 & 0xffff), (unsigned)(b >> 48),
			 (unsigned long long)(b & 0xffffffffffffULL));
}

static void
view_free(struct view *v)
{
	for (size_t i = 0; i < v->n_types; i++)
		free(v->types[i]);
	free(v->types);
	free(v->id);
	free(v->container);
	free(v);
}

static void
paging_free(struct paging *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->objects[i]);
	free(p->objects);
	free(p->token);
	free(p);
}

static void
session_free(struct session *s)
{
	while (s->views != NULL) {
		struct view *v = s->views;

		s->views = v->next;
		view_free(v);
	}
	while (s->pagings != NULL)
		paging_end(s, s->pagings);
	free(s->cookie);
	free(s->key);
	free(s->user);
	free(s->agent);
	free(s->address);
	free(s);
}

struct session *
session_new(struct sessions *ss, uint64_t seed)
{
	struct session *s = xcalloc(1, sizeof(*s));
	uint64_t a = rng_mix(seed ^ ++ss->serial), b = rng_mix(a);

	s->cookie = xasprintf("%016llx%016llx%08x", (unsigned long long)a,
			      (unsigned long long)b, (unsigned)rng_mix(b));
	s->key = uuid_like(rng_mix(b));
	s->next = ss->first;
	ss->first = s;
	ss->n++;
	return s;
}

void
session_end(struct sessions *ss, struct session *s)
{
	struct session **p = &ss->first;

	while (*p != s)
		p = &(*p)->next;
	*p = s->next;
	ss->n--;
	session_free(s);
}

void
sessions_kill_all(struct sessions *ss)
{
	while (ss->first != NULL)
		session_end(ss, ss->first);
}

void
sessions_fini(struct sessions *ss)
{
	sessions_kill_all(ss);
}

void
sessions_expire(struct sessions *ss, mono_t now, int64_t idle_s)
{
	struct session *next;

	for (struct session *s = ss->first; s != NULL; s = next) {
		next = s->next;
		if (mono_diff_us(now, s->last_active) > idle_s * US_PER_S)
			session_end(ss, s);
	}
}

struct session *
session_find(struct sessions *ss, const char *header)
{
	static const char name[] = "vmware_soap_session=";
	const char *v = header != NULL ? strstr(header, name) : NULL;
	size_t len;

	if (v == NULL)
		return NULL;
	v += sizeof(name) - 1;
	if (*v == '"')
		v++;
	len = strcspn(v, "\"; ");
	for (struct session *s = ss->first; s != NULL; s = s->next)
		if (strlen(s->cookie) == len && strncmp(s->cookie, v, len) == 0)
			return s;
	return NULL;
}

struct view *
view_new_take(struct sessions *ss, struct session *s, char *container,
	      char **types, size_t n_types)
{
	struct view *v = xcalloc(1, sizeof(*v));
	char *unique = uuid_like(rng_mix(++ss->serial));

	v->id = xasprintf("session[%s]%s", s->key, unique);
	free(unique);
	v->self = (struct mo){
		.kind = MO_VIEW, .type = "ContainerView", .id = v->id, .view = v
	};
	v->container = container;
	v->types = types;
	v->n_types = n_types;
	v->next = s->views;
	s->views = v;
	return v;
}

struct view *
view_find(const struct session *s, const char *id)
{
	for (struct view *v = s->views; v != NULL; v = v->next)
		if (strcmp(v->id, id) == 0)
			return v;
	return NULL;
}

bool
view_destroy(struct session *s, const char *id)
{
	for (struct view **p = &s->views; *p != NULL; p = &(*p)->next)
		if (strcmp((*p)->id, id) == 0) {
			struct view *v = *p;

			*p = v->next;
			view_free(v);
			return true;
		}
	return false;
}

struct paging *
paging_new(struct sessions *ss, struct session *s)
{
	struct paging *p = xcalloc(1, sizeof(*p)), *last = s->pagings;
	size_t n = 1;

	for (; last != NULL && last->next_paging != NULL; n++)
		last = last->next_paging;
	if (n >= PAGINGS_MAX)
		paging_end(s, last);
	paging_renew(ss, p);
	p->next_paging = s->pagings;
	s->pagings = p;
	return p;
}

void
paging_renew(struct sessions *ss, struct paging *p)
{
	free(p->token);
	p->token = uuid_like(rng_mix(++ss->serial ^ 0x70616765));
}

struct paging *
paging_find(const struct session *s, const char *token)
{
	struct paging *p = s->pagings;

	while (p != NULL && strcmp(p->token, token) != 0)
		p = p->next_paging;
	return p;
}

void
paging_end(struct session *s, struct paging *p)
{
	struct paging **at = &s->pagings;

	while (*at != p)
		at = &(*at)->next_paging;
	*at = p->next_paging;
	paging_free(p);
}
