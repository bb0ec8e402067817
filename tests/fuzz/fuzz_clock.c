/* Times as a server writes them; what is understood survives a round trip. */
#include "fuzz.h"

#include <string.h>

#include "dslat/clock.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[REAL_TEXT_SIZE];
	real_t t, back;

	if (real_parse((const char *)data, size, &t) != 0)
		return 0;
	real_format(t, text);
	/* An offset can lead out of the years 0 to 9999. */
	if (t.us < INT64_C(-62167219200000000) ||
	    t.us >= INT64_C(253402300800000000))
		return 0;
	assert(real_parse(text, strlen(text), &back) == 0);
	assert(t.us - back.us >= 0 && t.us - back.us < US_PER_MS);
	return 0;
}
