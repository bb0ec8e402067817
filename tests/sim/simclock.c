#include "simclock.h"

void
simclock_init(struct simclock *c, bool manual, double speed, real_t start)
{
	*c = (struct simclock){ .manual = manual, .speed = speed };
	c->base = clock_sample();
	c->start = start.us != 0 ? start : c->base.real;
}

real_t
simclock_now(const struct simclock *c)
{
	int64_t us = c->offset_us;

	if (!c->manual) {
		struct now n = clock_sample();

		/* At speed 1 follow the machine's clock, steps included. */
		us += c->speed == 1.0
			? real_diff_us(n.real, c->base.real)
			: (int64_t)((double)mono_diff_us(n.mono, c->base.mono) *
				    c->speed);
	}
	return real_add_us(c->start, us);
}

void
simclock_advance_us(struct simclock *c, int64_t us)
{
	c->start = real_add_us(c->start, us);
}
