/* Pages of properties, and the inventory made of them. */
#include "fuzz.h"

#include "replies.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const first[] = { "basic", "storage", "nvme", NULL };

	fuzz_replies(first, data, size);
	fuzz_replies((const char *const[]){ "basicnext", NULL }, data, size);
	return 0;
}
