/*
 * format.h - samples as text for other programs.
 *
 * csv (RFC 4180 with bare LF; one line per sample of a pair, columns as in
 * design section 7), ndjson (one object per line), influx (line protocol,
 * nanoseconds) and OpenMetrics, which wants all samples of a metric together:
 * family by family, and in each pair by pair.  Latencies are ms in csv and
 * ndjson, seconds in the others.  An empty cell, null or an absent field is "no
 * sample"; idle is 0 ms with 0 iops, but absent in OpenMetrics.
 *
 * Names come from vCenter and may hold anything: they are escaped as each format
 * wants; in csv a cell that a spreadsheet would take for a formula gets a '
 * before it.  Pure; any thread.
 */
#ifndef DSLAT_FORMAT_H
#define DSLAT_FORMAT_H

#include "dslat/buf.h"
#include "dslat/protocol.h"
#include "dslat/sample.h"

enum format {
	FORMAT_CSV,
	FORMAT_NDJSON,
	FORMAT_OPENMETRICS,
	FORMAT_INFLUX,
};
bool format_from_name(const char *name, enum format *f_r);
const char *format_type(enum format f);   /* media type */
const char *format_suffix(enum format f); /* of a file: "csv" */

/* Whose samples; NULL: not known. */
struct format_who {
	const char *target, *datacenter, *cluster;
	const char *host, *host_id, *datastore, *datastore_id;
	enum protocol protocol;
};

/* How many times everything is gone through: once, or for each family. */
size_t format_families(enum format f);

/* Before everything, and before a family. */
void format_begin(enum format f, struct buf *out);
void format_begin_family(enum format f, size_t family, struct buf *out);
/* What all lines of a pair (and a family) have in common; begin with an empty
 * buffer. */
void format_prefix(enum format f, size_t family, const struct format_who *w,
		   struct buf *prefix);
/* One sample; nothing when it has no value. */
void format_cell(enum format f, size_t family, const struct buf *prefix,
		 int64_t slot, const struct cell *c, struct buf *out);
void format_end(enum format f, struct buf *out);

#endif
