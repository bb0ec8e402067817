/* Answers to QueryPerf, csv and normal. */
#include "fuzz.h"

#include "replies.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_replies((const char *const[]){ "perf", NULL }, data, size);
	return 0;
}
