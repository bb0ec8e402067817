/* Answers around a session: envelope, faults, service content, times. */
#include "fuzz.h"

#include "replies.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_replies((const char *const[]){ "content", NULL }, data, size);
	fuzz_replies((const char *const[]){ "login", NULL }, data, size);
	fuzz_replies((const char *const[]){ "logout", NULL }, data, size);
	fuzz_replies((const char *const[]){ "time", NULL }, data, size);
	fuzz_replies((const char *const[]){ "view", NULL }, data, size);
	return 0;
}
