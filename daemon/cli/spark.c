#include "spark.h"

#include <math.h>

#define LEVELS 8

void
spark_add(struct buf *b, const double *values, size_t n, bool ascii)
{
	/* U+2581 to U+2588, lower one eighth block to full block */
	static const char *const bars[LEVELS] = {
		"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
	};
	static const char *const plain[LEVELS] = { "_", ".", ":", "-",
						   "=", "+", "*", "#" };
	double top = 0;

	for (size_t i = 0; i < n; i++)
		if (values[i] > top) /* false for NaN */
			top = values[i];
	for (size_t i = 0; i < n; i++) {
		size_t level = 0;

		if (isnan(values[i])) {
			buf_addc(b, ' ');
			continue;
		}
		if (top > 0)
			level = (size_t)(values[i] / top * (LEVELS - 1) + 0.5);
		buf_adds(b, ascii ? plain[level] : bars[level]);
	}
}
