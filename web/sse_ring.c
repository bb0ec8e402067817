#include "web/sse_ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#define EVENT_MAX_BYTES ((size_t)64 << 20)

struct sse_event *
event_new(const struct sse_ring *r, const char *type, uint64_t id,
	  const char *data)
{
	struct sse_event *e;
	struct buf b;

	buf_init(&b, EVENT_MAX_BYTES);
	if (id != 0)
		buf_addf(&b, "id: %s-%" PRIu64 "\n", r->boot, id);
	if (type != NULL)
		buf_addf(&b, "event: %s\n", type);
	buf_addf(&b, "%s%s\n\n", type != NULL ? "data: " : "", data);
	e = xmalloc(sizeof(*e) + b.len);
	*e = (struct sse_event){ .refs = 1, .len = b.len };
	memcpy(e->data, buf_str(&b), b.len);
	buf_fini(&b);
	return e;
}

void
event_unref(struct sse_event **e)
{
	if (*e != NULL && --(*e)->refs == 0)
		free(*e);
	*e = NULL;
}

void
sse_ring_init(struct sse_ring *r, real_t started)
{
	*r = (struct sse_ring){ 0 };
	snprintf(r->boot, sizeof(r->boot), "%" PRIx64,
		 (uint64_t)started.us / US_PER_MS);
}

static void
drop_oldest(struct sse_ring *r)
{
	struct sse_event **e = &r->events[sse_ring_oldest(r) % SSE_RING_EVENTS];

	r->bytes -= (*e)->len;
	r->n--;
	event_unref(e);
}

void
sse_ring_fini(struct sse_ring *r)
{
	while (r->n != 0)
		drop_oldest(r);
}

void
sse_ring_add(struct sse_ring *r, const char *type, const char *data, mono_t now)
{
	struct sse_event *e = event_new(r, type, r->newest + 1, data);

	e->made = now;
	while (r->n == SSE_RING_EVENTS ||
	       (r->n != 0 && r->bytes + e->len > SSE_RING_BYTES))
		drop_oldest(r);
	r->newest++;
	r->events[r->newest % SSE_RING_EVENTS] = e;
	r->n++;
	r->bytes += e->len;
}

void
sse_ring_skip(struct sse_ring *r)
{
	sse_ring_fini(r);
	r->newest++;
}

uint64_t
sse_ring_oldest(const struct sse_ring *r)
{
	return r->newest + 1 - r->n;
}

struct sse_event *
sse_ring_get(const struct sse_ring *r, uint64_t number)
{
	struct sse_event *e;

	assert(number >= sse_ring_oldest(r) && number <= r->newest);
	e = r->events[number % SSE_RING_EVENTS];
	e->refs++;
	return e;
}

uint64_t
sse_ring_since(const struct sse_ring *r, mono_t t)
{
	uint64_t number = r->newest + 1;

	while (number > sse_ring_oldest(r) &&
	       r->events[(number - 1) % SSE_RING_EVENTS]->made.us >= t.us)
		number--;
	return number;
}

bool
sse_ring_resume(const struct sse_ring *r, const char *id, uint64_t *number_r)
{
	size_t len = strlen(r->boot);
	char *end;

	if (strncmp(id, r->boot, len) != 0 || id[len] != '-' ||
	    id[len + 1] < '0' || id[len + 1] > '9')
		return false;
	*number_r = strtoull(id + len + 1, &end, 10);
	return *end == '\0' && *number_r <= r->newest &&
		*number_r + 1 >= sse_ring_oldest(r);
}
