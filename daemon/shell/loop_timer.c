#include <stdlib.h>

#include "dslat/mem.h"
#include "loop_parts.h"

#define TIMER_OFF SIZE_MAX

struct loop_timer {
	struct timers *timers;
	loop_timer_fn fn;
	void *arg;
	mono_t when;
	uint64_t seq;    /* first armed runs first at equal times */
	size_t heap_pos; /* TIMER_OFF: not armed */
};

static bool
is_before(const struct loop_timer *a, const struct loop_timer *b)
{
	return a->when.us != b->when.us ? a->when.us < b->when.us
					: a->seq < b->seq;
}

static void
heap_put(struct timers *s, size_t pos, struct loop_timer *t)
{
	s->heap[pos] = t;
	t->heap_pos = pos;
}

/* Put t where it belongs, beginning the search at pos, which is free. */
static void
heap_settle(struct timers *s, size_t pos, struct loop_timer *t)
{
	while (pos > 0 && is_before(t, s->heap[(pos - 1) / 2])) {
		heap_put(s, pos, s->heap[(pos - 1) / 2]);
		pos = (pos - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * pos + 1;

		if (child + 1 < s->n_heap &&
		    is_before(s->heap[child + 1], s->heap[child]))
			child++;
		if (child >= s->n_heap || !is_before(s->heap[child], t))
			break;
		heap_put(s, pos, s->heap[child]);
		pos = child;
	}
	heap_put(s, pos, t);
}

struct loop_timer *
loop_timer_new(struct loop *l, loop_timer_fn fn, void *arg)
{
	struct loop_timer *t = xcalloc(1, sizeof(*t));

	t->timers = loop_timers(l);
	t->fn = fn;
	t->arg = arg;
	t->heap_pos = TIMER_OFF;
	return t;
}

void
loop_timer_free(struct loop_timer **tp)
{
	struct loop_timer *t = *tp;

	if (t == NULL)
		return;
	*tp = NULL;
	loop_timer_off(t);
	free(t);
}

void
loop_timer_off(struct loop_timer *t)
{
	struct timers *s = t->timers;
	size_t pos = t->heap_pos;

	if (pos == TIMER_OFF)
		return;
	t->heap_pos = TIMER_OFF;
	s->n_heap--;
	if (pos != s->n_heap)
		heap_settle(s, pos, s->heap[s->n_heap]);
}

void
loop_timer_at(struct loop_timer *t, mono_t when)
{
	struct timers *s = t->timers;

	loop_timer_off(t);
	/* A timer armed by a timer waits for the next turn, so that one that
	 * always re-arms itself in the past cannot hold the loop. */
	if (s->running && when.us <= s->now.us)
		when = mono_add_us(s->now, 1);
	t->when = when;
	t->seq = s->seq++;
	if (s->n_heap == s->room) {
		s->room = s->room != 0 ? s->room * 2 : 16;
		s->heap = xreallocarray(s->heap, s->room, sizeof(*s->heap));
	}
	s->n_heap++;
	heap_settle(s, s->n_heap - 1, t);
}

void
loop_timer_in_us(struct loop_timer *t, int64_t delay_us)
{
	loop_timer_at(t, mono_add_us(t->timers->now, delay_us));
}

bool
loop_timer_armed(const struct loop_timer *t)
{
	return t->heap_pos != TIMER_OFF;
}

void
timers_fini(struct timers *s)
{
	assert(s->n_heap == 0);
	free(s->heap);
}

int64_t
timers_wait_us(const struct timers *s, mono_t now)
{
	if (s->n_heap == 0)
		return -1;
	return MAX(mono_diff_us(s->heap[0]->when, now), 0);
}

void
timers_run(struct timers *s, struct now now)
{
	s->now = now.mono;
	s->running = true;
	while (s->n_heap > 0 && s->heap[0]->when.us <= now.mono.us) {
		struct loop_timer *t = s->heap[0];

		loop_timer_off(t);
		t->fn(t->arg, now); /* may free t */
	}
	s->running = false;
}
