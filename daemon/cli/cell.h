/*
 * cell.h - values of the API as cells of a table.
 *
 * "-" is no sample, "idle" no I/O, "<1" a latency below what vSphere counts
 * (whole milliseconds).
 */
#ifndef DSLAT_CELL_H
#define DSLAT_CELL_H

#include "api.h"
#include "table.h"

/* iops NaN: unknown. */
void cell_ms(struct table *t, double ms, double iops, enum style style);
/* Not below 0; a fraction of one is "<1". */
void cell_count(struct table *t, double n);
void cell_mib(struct table *t, double bytes);
/* A field of v: a number without decimals, a text, or "-". */
void cell_num(struct table *t, const json_t *v, const char *key);
void cell_text(struct table *t, const json_t *v, const char *key);

/* "lab/nfs01", "lab/esx3", "lab": what v is about; the ID where it has no name;
 * "-" for nothing. */
void cell_subject(struct table *t, const json_t *v);

/* The style of a state's or a breach's word. */
enum style style_of(const char *word);
/* A cell with that word. */
void cell_state(struct table *t, const char *word);

#endif
