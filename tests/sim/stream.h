/*
 * stream.h - bodies that come slowly, break off or never end.
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <microhttpd.h>

#include "spoil.h"

bool stream_wanted(const struct spoil *sp);
/* Takes the body's bytes; the response owns them. */
struct MHD_Response *stream_response(struct sim *s, const struct spoil *sp,
				     struct buf *body);

#endif
