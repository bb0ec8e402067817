/*
 * fuzz.h - what every fuzz target defines.
 *
 * With --enable-fuzzers libFuzzer calls it; otherwise replay.c does, with each
 * file of the target's corpus.  One thread.
 */
#ifndef DSLAT_FUZZ_H
#define DSLAT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feed size bytes to the decoder under test.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
