/*
 * expo.h - lines of the exposition formats: heads, labels, values.
 *
 * Label values are escaped, bytes that are not UTF-8 become U+FFFD.  A family
 * begins with expo_head(); each line is expo_begin(), labels, and one value.
 * Pure; one thread at a time.
 */
#ifndef DSLAT_EXPO_H
#define DSLAT_EXPO_H

#include "dslat/buf.h"

enum expo_type { EXPO_COUNTER, EXPO_GAUGE, EXPO_HISTOGRAM, EXPO_INFO };

struct expo {
	struct buf *buf;
	bool openmetrics;
	const char *family; /* of the last head */
	enum expo_type type;
	bool in_labels;
};

/* # HELP, # TYPE and, for OpenMetrics, # UNIT (NULL: none). */
void expo_head(struct expo *x, const char *name, enum expo_type type,
	       const char *unit, const char *help);
/* Begin a line.  The suffix of a counter (_total) and of an info metric
 * (_info) is put by itself; "_bucket" and the like are given, else "". */
void expo_begin(struct expo *x, const char *suffix);
void expo_label(struct expo *x, const char *name, const char *value);
/* End the line with a value: a count, or microseconds as seconds. */
void expo_count(struct expo *x, uint64_t value);
void expo_seconds(struct expo *x, int64_t us);
/* "# EOF" where the format wants it. */
void expo_end(struct expo *x);

/* Microseconds as decimal seconds, exact and short: "0.05", "3", "-1.5". */
#define EXPO_SECONDS_SIZE 32
const char *expo_format_seconds(int64_t us, char out[EXPO_SECONDS_SIZE]);

#endif
