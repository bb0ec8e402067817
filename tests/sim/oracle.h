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

/*
 * The LUNs of every host, those too that no datastore of the inventory has:
 * host,lun,slot_end_time,device_read_ms,device_write_ms,kernel_read_ms,
 * kernel_write_ms,queue_read_ms,queue_write_ms,total_read_ms,total_write_ms,
 * read_per_s,write_per_s
 */
struct sim;
void oracle_luns_csv(const struct sim *sim, real_t from, real_t to,
		     struct buf *out);

#endif
