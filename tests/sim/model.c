#include "model.h"

#include <math.h>
#include <string.h>

#include "rng.h"

#define DAY_S 86400
#define WOBBLE_SLOTS 16

static double
seconds(real_t t)
{
	return (double)t.us / (double)US_PER_S;
}

int64_t
model_newest_slot(const struct model *m, const struct scene_host *h,
		  real_t server_now)
{
	(void)m;
	return (server_now.us / US_PER_S + h->clock_offset_s) / SLOT_S;
}

real_t
model_slot_end(const struct scene_host *h, int64_t slot)
{
	return (real_t){ (slot * SLOT_S - h->clock_offset_s) * US_PER_S };
}

/* How far into the event a time is: 0 outside, 1 fully in; ramps at the ends. */
static double
event_level(const struct model *m, const struct scene_event *ev, double t_s)
{
	double x = t_s - seconds(m->start) - ev->at_s;

	if (ev->every_s > 0 && (x >= 0 || ev->past))
		x -= floor(x / ev->every_s) * ev->every_s;
	if (x <= 0 || x > ev->for_s)
		return 0;
	if (ev->ramp_s <= 0)
		return 1;
	return fmin(1, fmin(x, ev->for_s - x + 1) / ev->ramp_s);
}

/* The next event of the kind at the slot's end, from index *i on. */
static const struct scene_event *
next_event(const struct model *m, const struct pair *p, int64_t slot,
	   const char *kind, size_t *i)
{
	const struct scene *s = m->scene;
	real_t end = model_slot_end(&s->hosts[p->host], slot);

	for (; *i < s->n_events; (*i)++) {
		const struct scene_event *ev = &s->events[*i];

		if ((p->events >> *i & 1) != 0 && strcmp(ev->kind, kind) == 0 &&
		    event_level(m, ev, seconds(end)) > 0) {
			(*i)++;
			return ev;
		}
	}
	return NULL;
}

bool
model_may(const struct model *m, const struct pair *p, const char *kind)
{
	for (size_t i = 0; i < m->scene->n_events; i++)
		if ((p->events >> i & 1) != 0 &&
		    strcmp(m->scene->events[i].kind, kind) == 0)
			return true;
	return false;
}

/* 0 at 03:00 UTC, 1 at 15:00: two parabolas, near enough to a sine. */
static double
daylight(double t_s)
{
	double x = (fmod(t_s, DAY_S) - 9.0 * 3600) / (DAY_S / 2.0);
	double y;

	x -= 2 * floor(x / 2); /* 0..2, 0 at 09:00 */
	y = x < 1 ? 4 * x * (1 - x) : -4 * (x - 1) * (2 - x);
	return 0.5 + 0.5 * y;
}

/* Noise that wanders: -1..1, straight lines between random corners. */
static double
wobble(uint64_t key, int64_t slot)
{
	int64_t corner = slot / WOBBLE_SLOTS;
	double a = rng_unit(rng_mix(key ^ (uint64_t)corner));
	double b = rng_unit(rng_mix(key ^ (uint64_t)(corner + 1)));
	double f = (double)(slot % WOBBLE_SLOTS) / WOBBLE_SLOTS;

	return 2 * (a + (b - a) * f) - 1;
}

struct work {
	double read_ms, write_ms, read_iops, write_iops, kernel_ratio;
	bool missing, idle, hung;
};

static void
apply_event(const struct scene_event *ev, double level, struct work *w)
{
	const char *k = ev->kind;

	if (strcmp(k, "latency") == 0) {
		w->read_ms *= 1 + (ev->read_x - 1) * level;
		w->write_ms *= 1 + (ev->write_x - 1) * level;
		w->read_ms += ev->read_ms * level;
		w->write_ms += ev->write_ms * level;
		w->kernel_ratio = fmax(w->kernel_ratio, ev->kernel_pct / 100);
	}
	if (strcmp(k, "latency") == 0 || strcmp(k, "load") == 0) {
		w->read_iops *= 1 + (ev->iops_x - 1) * level;
		w->write_iops *= 1 + (ev->iops_x - 1) * level;
	}
	w->idle = w->idle || strcmp(k, "idle") == 0;
	if (strcmp(k, "hung") == 0) {
		w->hung = true;
		w->write_ms = ev->write_ms;
		w->read_ms = ev->read_ms;
	}
	w->missing = w->missing || strcmp(k, "missing") == 0 ||
		strcmp(k, "lost") == 0;
}

static void
undisturbed(const struct pair *p, double io_x, double t_s, int64_t slot,
	    struct work *w)
{
	const struct io_model *io = p->io;
	uint64_t k = rng_mix(p->key ^ (uint64_t)slot);
	double share = 0.6 + 0.8 * rng_unit(p->key);
	double day = 1 - io->day + io->day * 1.4 * daylight(t_s);
	double load = day * (1 + io->noise * wobble(p->key, slot)) *
		(1 + io->noise * 0.5 * (2 * rng_unit(k) - 1));
	double lat = 0.75 + 0.25 * load;
	double r1 = rng_unit(rng_mix(k + 1)), r2 = rng_unit(rng_mix(k + 2));
	double tail = rng_unit(rng_mix(k + 3));

	w->read_iops = io->read_iops * share * load * io_x;
	w->write_iops = io->write_iops * share * load * io_x;
	w->read_ms = io->read_ms * lat * (1 + io->noise * (r1 - 0.5));
	w->write_ms = io->write_ms * lat * (1 + io->noise * (r2 - 0.5));
	if (tail < 0.01 * io->noise) {
		w->read_ms *= 2 + 200 * tail;
		w->write_ms *= 2 + 200 * tail;
	}
	w->kernel_ratio = io->kernel_pct / 100;
}

static void
to_wire(const struct work *w, const struct io_model *io,
	struct model_sample *out)
{
	double kib[2] = { floor(w->read_iops) * io->read_kib,
			  floor(w->write_iops) * io->write_kib };

	if (w->missing) {
		for (size_t i = 0; i < MODEL_FIELDS; i++)
			out->v[i] = -1;
		return;
	}
	memset(out->v, 0, sizeof(out->v));
	if (w->idle && !w->hung)
		return;
	out->read_ms = w->read_iops >= 1 || w->hung ? w->read_ms : 0;
	out->write_ms = w->write_iops >= 1 || w->hung ? w->write_ms : 0;
	out->kernel_ratio = w->kernel_ratio;
	out->v[MODEL_READ_MS] = (int64_t)out->read_ms;
	out->v[MODEL_WRITE_MS] = (int64_t)out->write_ms;
	if (w->hung)
		return;
	out->v[MODEL_READ_PER_S] = (int64_t)w->read_iops;
	out->v[MODEL_WRITE_PER_S] = (int64_t)w->write_iops;
	out->v[MODEL_READ_KIB_PER_S] = (int64_t)kib[0];
	out->v[MODEL_WRITE_KIB_PER_S] = (int64_t)kib[1];
}

void
model_sample(const struct model *m, const struct pair *p, int64_t slot,
	     struct model_sample *out)
{
	const struct scene *s = m->scene;
	const struct scene_host *h = &s->hosts[p->host];
	double t_s = seconds(model_slot_end(h, slot));
	struct work w = { 0 };

	undisturbed(p, h->io_x, t_s, slot, &w);
	for (size_t i = 0; i < s->n_events; i++) {
		double level = 0;

		if ((p->events >> i & 1) != 0)
			level = event_level(m, &s->events[i], t_s);
		if (level > 0)
			apply_event(&s->events[i], level, &w);
	}
	*out = (struct model_sample){ 0 };
	to_wire(&w, p->io, out);
}

bool
model_has_slot(const struct model *m, size_t host_i, int64_t slot)
{
	const struct scene *s = m->scene;
	const struct scene_host *h = &s->hosts[host_i];
	double t_s = seconds(model_slot_end(h, slot));

	for (size_t i = 0; i < s->n_events; i++)
		if (strcmp(s->events[i].kind, "gap") == 0 &&
		    glob_match(s->events[i].host, h->name) &&
		    event_level(m, &s->events[i], t_s) > 0)
			return false;
	return true;
}

int64_t
model_delay_s(const struct model *m, const struct pair *p, int64_t slot,
	      uint32_t series)
{
	const struct scene_server *v = &m->scene->server;
	uint64_t k = rng_mix(p->key ^ ((uint64_t)series << 48));
	const struct scene_event *ev;
	int64_t delay_s = 0;

	if ((int64_t)(k % 100) < v->late_pct)
		delay_s = v->late_min_s +
			(int64_t)(rng_mix(k) %
				  (uint64_t)(v->late_max_s - v->late_min_s +
					     1));
	if (p->events == 0)
		return delay_s;
	for (size_t i = 0; (ev = next_event(m, p, slot, "late", &i)) != NULL;)
		delay_s = MAX(delay_s, (int64_t)ev->delay_s);
	return delay_s;
}

bool
model_mounted(const struct model *m, const struct pair *p, real_t server_now)
{
	const struct scene *s = m->scene;
	double t_s = seconds(server_now);

	if (!p->accessible)
		return false;
	for (size_t i = 0; i < s->n_events; i++)
		if ((p->events >> i & 1) != 0 &&
		    strcmp(s->events[i].kind, "lost") == 0 &&
		    event_level(m, &s->events[i], t_s) > 0)
			return false;
	return true;
}

bool
model_raw(const struct model *m, const struct pair *p, int64_t slot,
	  const char *counter, int64_t *value_r)
{
	const struct scene_event *ev;

	for (size_t i = 0; (ev = next_event(m, p, slot, "raw", &i)) != NULL;)
		if (ev->counter != NULL && strcmp(ev->counter, counter) == 0) {
			*value_r = ev->value;
			return true;
		}
	return false;
}
