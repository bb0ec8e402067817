/*
 * replies.h - what the fuzz targets of the vSphere decoders do.
 *
 * The input is the body of one or several methods' answers.  Whatever it is,
 * the decoders end with a result or an error; and if the result is good, the
 * same bytes in small pieces give the same.
 */
#ifndef DSLAT_REPLIES_H
#define DSLAT_REPLIES_H

#include <stddef.h>
#include <stdint.h>

/* methods: as in dump.h, in order, over one inventory; NULL ends them. */
void fuzz_replies(const char *const *methods, const uint8_t *data, size_t size);

#endif
