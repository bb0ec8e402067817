/*
 * sentence.h - dslatd's sentences in the words of the command line.
 *
 * The API speaks of parameters and paths, people type options and commands:
 * "limit= must be from 1 to 1000" becomes "--limit must be...", and
 * "/api/v1/status lists all" becomes "\"dslat status\" lists all".  What
 * stands in quotes is somebody's own text and stays.  Options have the names
 * of their parameters, with "-" for "_".  Pure.
 */
#ifndef DSLAT_SENTENCE_H
#define DSLAT_SENTENCE_H

#include "dslat/buf.h"

void sentence_add(struct buf *b, const char *s);

#endif
