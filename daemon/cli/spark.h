/*
 * spark.h - a line of small bars.
 */
#ifndef DSLAT_SPARK_H
#define DSLAT_SPARK_H

#include "dslat/buf.h"

/* One character per value, its height from 0 to the largest of them; a space
 * where the value is NaN. */
void spark_add(struct buf *b, const double *values, size_t n, bool ascii);

#endif
