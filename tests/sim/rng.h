/*
 * rng.h - repeatable random numbers: pure functions of a key.
 *
 * splitmix64's finalizer (Steele, Lea, Flood 2014).  Any thread.
 */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include "dslat/base.h"

static inline uint64_t
rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static inline uint64_t
rng_text(const char *s, uint64_t key)
{
	for (; *s != '\0'; s++)
		key = rng_mix(key ^ (unsigned char)*s);
	return key;
}

/* 0 <= x < 1 */
static inline double
rng_unit(uint64_t key)
{
	return (double)(key >> 11) * 0x1p-53;
}

#endif
