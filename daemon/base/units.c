#include "dslat/units.h"

#include <string.h>

static const struct {
	const char *key;
	enum unit unit;
} units[] = {
	{ "millisecond", UNIT_MILLISECOND },
	{ "microsecond", UNIT_MICROSECOND },
	{ "number", UNIT_NUMBER },
	{ "kiloBytesPerSecond", UNIT_KIB_PER_S },
};

enum unit
unit_from_key(const char *key, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].key) == len &&
		    memcmp(units[i].key, key, len) == 0)
			return units[i].unit;
	return UNIT_UNKNOWN;
}

int64_t
unit_to_us(enum unit u, int64_t value)
{
	int64_t us;

	assert(u == UNIT_MILLISECOND || u == UNIT_MICROSECOND);
	if (u == UNIT_MICROSECOND)
		return value;
	if (__builtin_mul_overflow(value, INT64_C(1000), &us))
		return value < 0 ? INT64_MIN : INT64_MAX;
	return us;
}
