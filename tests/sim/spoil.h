/*
 * spoil.h - faults of transport and XML, laid on an answer.
 *
 * Taken under the lock before the request is answered, applied to the body
 * afterwards; waiting and dripping is http.c's part.
 */
#ifndef SIM_SPOIL_H
#define SIM_SPOIL_H

#include "sim.h"

struct spoil {
	int status;         /* not 0: this status with an HTML body instead */
	char location[256]; /* with a redirect */
	bool blackhole, endless, empty;
	int64_t delay_ms;
	int64_t drip_bytes_per_s; /* 0: at once */
	int64_t truncate_bytes;   /* -1: not; 0: half */
	int64_t close_bytes;      /* -1: not; 0: half */
	int64_t huge_bytes;
	int64_t gzip_bomb_bytes;
	bool dtd, entity_bomb, wrong_namespace, type_prefix, bad_utf8;
	int64_t nesting;
};

void spoil_take(struct faults *f, const char *method, struct spoil *out);
/* The page that stands in for an answer. */
void spoil_html(int status, struct buf *out);
/* Rewrite the envelope. */
void spoil_body(const struct spoil *sp, struct buf *body);

#endif
