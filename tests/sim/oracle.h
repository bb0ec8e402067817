/*
 * oracle.h - what a client that polled well must have: csv from the model.
 *
 * Columns host,datastore_uuid,slot_end_time,read_ms,write_ms,read_per_s,
 * write_per_s,read_kib_per_s,write_kib_per_s; -1 = missing.  The time is the
 * host's stamp.  Values are as if everything late had come.
 */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include "dslat/buf.h"
#include "model.h"

/* Slots that end in (from, to]. */
void oracle_csv(const struct model *m, real_t from, real_t to, struct buf *out);

#endif
