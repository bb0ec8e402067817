#include "dslat/sample.h"

struct point
cell_point(const struct cell *c, enum op op)
{
	int32_t us = c->v[FIELD_US + op], ios = c->v[FIELD_IOS + op];
	int32_t kib_per_s = c->v[FIELD_KIB_PER_S + op];
	struct point p = { LOAD_MISSING, us, ios, 0, SAMPLE_NONE };

	if (kib_per_s >= 0)
		p.bytes = (int64_t)kib_per_s * 1024 * SLOT_S;
	if (us < 0)
		return p;
	if (ios < 0) {
		p.load = LOAD_UNKNOWN;
	} else if (ios > 0) {
		p.load = LOAD_NORMAL;
		p.weight = ios;
	} else if (us > 0 || kib_per_s > 0) {
		p.load = LOAD_SPARSE;
		p.weight = 1;
	} else {
		p.load = LOAD_IDLE;
	}
	return p;
}

bool
cell_complete(const struct cell *c, unsigned mask)
{
	for (unsigned f = 0; f < N_FIELDS; f++)
		if ((mask & 1u << f) != 0 && c->v[f] < 0)
			return false;
	return true;
}

bool
cell_has_latency(const struct cell *c)
{
	return c->v[FIELD_US + OP_READ] >= 0 || c->v[FIELD_US + OP_WRITE] >= 0;
}

const char *
op_name(enum op op)
{
	return op == OP_READ ? "read" : "write";
}
