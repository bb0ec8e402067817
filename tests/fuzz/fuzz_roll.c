/* Rolls as the database holds them; what is understood survives a round trip
 * and merges with itself. */
#include "fuzz.h"

#include <string.h>

#include "dslat/roll.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hist hists[N_OPS], again_h[N_OPS];
	const uint8_t *p = data, *q;
	struct roll r, again;
	struct buf a, b;

	buf_init(&a, 1 << 20);
	buf_init(&b, 1 << 20);
	roll_init(&r, hists);
	roll_init(&again, again_h);
	while (roll_decode(&p, data + size, 1000, &r)) {
		buf_reset(&a);
		buf_reset(&b);
		roll_encode(&r, 1000, &a);
		q = (const uint8_t *)a.data;
		assert(roll_decode(&q, q + a.len, 1000, &again));
		roll_encode(&again, 1000, &b);
		assert(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
		assert(memcmp(hists, again_h, sizeof(hists)) == 0);
		roll_merge(&again, &r);
		for (enum op op = 0; op < N_OPS; op++)
			(void)roll_mean_us(&again.op[op]);
	}
	buf_fini(&b);
	buf_fini(&a);
	return 0;
}
