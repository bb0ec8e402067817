/* The counter table. */
#include "fuzz.h"

#include "replies.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_replies((const char *const[]){ "counters", NULL }, data, size);
	return 0;
}
