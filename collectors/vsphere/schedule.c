#include "schedule.h"

#define MINUTE_US (60 * US_PER_S)

int64_t
schedule_next_us(real_t server_now, int64_t interval_us, int64_t offset_us)
{
	int64_t phase = (server_now.us - offset_us) % interval_us;

	assert(interval_us > 0 && offset_us >= 0 && offset_us < interval_us);
	if (phase < 0)
		phase += interval_us;
	return interval_us - phase;
}

int64_t
schedule_offset_us(const char *target_name)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (const char *s = target_name; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return 2 * US_PER_S + (h ^ h >> 16) % 3000 * US_PER_MS;
}

int64_t
schedule_interval_us(int64_t current_us, int64_t poll_us, size_t n_pairs)
{
	bool was_slow = current_us > SLOT_US;

	if (n_pairs > 20000 || poll_us > 5 * US_PER_S)
		return MINUTE_US;
	if (was_slow && poll_us >= 3 * US_PER_S)
		return MINUTE_US;
	return SLOT_US;
}

int64_t
schedule_backoff_us(enum err_code code, unsigned failures, unsigned seed)
{
	int64_t wait = 5 * US_PER_S;

	assert(failures > 0);
	if (code == ERR_AUTH)
		return 15 * MINUTE_US;
	if (code == ERR_TLS || code == ERR_PERM)
		return 5 * MINUTE_US;
	for (unsigned i = 1; i < failures && wait < 5 * MINUTE_US; i++)
		wait *= 2;
	wait = MIN(wait, 5 * MINUTE_US);
	return wait - wait / 4 * (seed % 1024) / 1024;
}

size_t
schedule_elements(size_t n_instances, size_t n_counters, size_t n_samples)
{
	return MAX(n_instances, 1) * n_counters * (n_samples + 4) +
		3 * n_samples + 4;
}

unsigned
schedule_live_samples(int64_t interval_us)
{
	int64_t n = SCHEDULE_MIN_SAMPLES + interval_us / SLOT_US;

	return (unsigned)MIN(n, SCHEDULE_LIVE_SAMPLES);
}
