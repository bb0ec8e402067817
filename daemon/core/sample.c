#include "dslat/sample.h"

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
